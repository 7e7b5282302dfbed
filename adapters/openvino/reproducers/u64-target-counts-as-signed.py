"""OpenVINO CPU: in a target of u64, 2^64-1 is taken for a -1 where the data comes out of another Reshape."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([6], np.float32)
first = op.reshape(data, op.constant(np.array([2, 3], np.int64)), special_zero=False)
target = op.constant(np.array([2, 2**64 - 1], np.uint64))
try:
    model = ov.Model([op.reshape(first, target, special_zero=False)], [data])
    output = ov.Core().compile_model(model, "CPU")([np.zeros(6, np.float32)])[0]
    print("reproduced: [2, 3] to [2, 18446744073709551615] is accepted, with the shape", output.shape)
except Exception as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
