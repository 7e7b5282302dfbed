"""OpenVINO's CPU plugin: a constant target with a copied 0 is not compared with the count of the data: 6 elements become 18.

The other 12 are read from beyond the input. From 1 element to 16777216, it is a segmentation fault.
"""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data = op.parameter([2, 3], np.float32)
model = ov.Model([op.reshape(data, np.array([6, 0], np.int64), True)], [data])
try:
    output = ov.Core().compile_model(model, "CPU")([np.ones((2, 3), np.float32)])[0]
    print(f"reproduced: [2, 3] by [6, 0] gives {list(output.shape)}: {output.ravel().tolist()}")
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
