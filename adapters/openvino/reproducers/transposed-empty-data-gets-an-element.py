"""OpenVINO CPU: a Transpose that moves a dim of 0 past dims of 1 gives an element from beyond the empty data; no Reshape is involved."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([1, 0], np.float32)
model = ov.Model([op.relu(op.transpose(data, op.constant(np.array([1, 0], np.int64))))], [data])
output = ov.Core().compile_model(model, "CPU")([np.zeros((1, 0), np.float32)])[0]
word = "not reproduced" if output.shape == (0, 1) else "reproduced"
print(f"{word}: [1, 0] with its dims swapped, which is [0, 1], gives {output.shape}, {output.size} elements")
