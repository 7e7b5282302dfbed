"""OpenVINO CPU: where a Concat gives the target, special_zero=false is forgotten: a literal 0 copies the data's dim, and an empty output gets elements from beyond the data."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([2, 0, 3], np.float32)
target = op.concat([op.constant(np.array([value], np.int64)) for value in (0, 2, 3)], 0)
model = ov.Model([op.reshape(data, target, special_zero=False)], [data])
try:
    output = ov.Core().compile_model(model, "CPU")([np.zeros((2, 0, 3), np.float32)])[0]
    word = "not reproduced" if output.shape == (0, 2, 3) else "reproduced"
    print(f"{word}: [2, 0, 3] to [0, 2, 3] gives {output.shape}, {output.size} elements")
except Exception as error:
    print("reproduced: refused:", str(error).strip().splitlines()[-1])
