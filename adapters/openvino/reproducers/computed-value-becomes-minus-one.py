"""OpenVINO CPU, dynamic dims: a value of the target that is computed from another dim of the data counts as -1, so that a count that does not fit is accepted."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([-1, -1], np.float32)
zero, one, three = (op.constant(np.array(value, np.int64)) for value in (0, 1, [3]))
second = op.unsqueeze(op.gather(op.shape_of(data, "i64"), one, zero), op.constant(np.array([0], np.int64)))
model = ov.Model([op.reshape(data, op.concat([second, three], 0), special_zero=False)], [data])
try:
    output = ov.Core().compile_model(model, "CPU")([np.zeros((2, 3), np.float32)])[0]
    print("reproduced: [2, 3] to [3, 3] is accepted, with the shape", output.shape)
except Exception as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
