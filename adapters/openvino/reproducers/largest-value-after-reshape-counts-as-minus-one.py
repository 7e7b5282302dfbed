"""OpenVINO CPU, dynamic dims: where the data comes out of another Reshape, 2^63-1 in a constant target is taken for a -1."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([-1, -1], np.float32)
flat = op.reshape(data, op.constant(np.array([-1], np.int64)), special_zero=True)
model = ov.Model([op.reshape(flat, op.constant(np.array([2**63 - 1], np.int64)), special_zero=False)], [data])
try:
    output = ov.Core().compile_model(model, "CPU")([np.zeros((1, 6), np.float32)])[0]
    print("reproduced: 6 elements to [9223372036854775807] are accepted, with the shape", output.shape)
except Exception as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
