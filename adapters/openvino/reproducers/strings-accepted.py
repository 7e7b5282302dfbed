"""OpenVINO: Reshape-1's text takes data of any numeric type; strings are reshaped."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data = op.parameter([2], ov.Type.string)
model = ov.Model([op.reshape(data, np.array([2, 1], np.int64), False)], [data])
try:
    print("reproduced:", ov.Core().compile_model(model, "CPU")([np.array(["a", "b"])])[0].tolist())
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
