"""OpenVINO CPU: subnormal elements of constant data come out as zeros, with and without a Reshape."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = np.array([1e-40, 1e-45, 1, 2], np.float32)
unused = op.parameter([1], np.float32)


def run(node):
    compiled = ov.Core().compile_model(ov.Model([node], [unused]), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return compiled([np.zeros(1, np.float32)])[0]


alone, output = run(op.constant(data)), run(op.reshape(op.constant(data), np.array([2, 2], np.int64), special_zero=False))
word = "not reproduced" if output.tobytes() == data.tobytes() else "reproduced"
print(f"{word}: {data.tolist()} becomes {output.reshape(-1).tolist()}, without a Reshape {alone.tolist()}")
