"""OpenVINO CPU: where a layer computes the target from constants, the value 2^63-1 takes whatever length fits."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([6], np.float32)
target = op.squeeze(op.constant(np.array([[2**63 - 1]], np.int64)), op.constant(np.array([0], np.int64)))
model = ov.Model([op.reshape(data, target, special_zero=True)], [data])
try:
    output = ov.Core().compile_model(model, "CPU")([np.zeros(6, np.float32)])[0]
    print("reproduced: 6 elements to [9223372036854775807] are accepted, with the shape", output.shape)
except Exception as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
