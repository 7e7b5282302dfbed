"""OpenVINO CPU: where a layer computes the target from constants, a -1 that stands for 0 becomes a 0 that copies: empty data gets elements from beyond it."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([2, 0], np.float32)
target = op.convert(op.constant(np.array([-1], np.int32)), "i64")
model = ov.Model([op.reshape(data, target, special_zero=True)], [data])
output = ov.Core().compile_model(model, "CPU")([np.zeros((2, 0), np.float32)])[0]
word = "not reproduced" if output.shape == (0,) else "reproduced"
print(f"{word}: [2, 0] to [-1] gives {output.shape}, {output.size} elements")
