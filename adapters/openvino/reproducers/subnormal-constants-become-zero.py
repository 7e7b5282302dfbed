"""OpenVINO CPU: subnormal elements of constant data come out of a Reshape as zeros."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = np.array([1e-40, 1e-45, 1, 2], np.float32)
unused = op.parameter([1], np.float32)
target = op.constant(np.array([2, 2], np.int64))
model = ov.Model([op.reshape(op.constant(data), target, special_zero=False)], [unused])
output = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([np.zeros(1, np.float32)])[0]
word = "not reproduced" if output.tobytes() == data.tobytes() else "reproduced"
print(f"{word}: {data.tolist()} becomes {output.reshape(-1).tolist()}")
