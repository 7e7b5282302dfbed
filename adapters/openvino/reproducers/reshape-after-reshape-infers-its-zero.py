"""OpenVINO CPU, dynamic dims: of two Reshapes one after the other, a copied zero in the target of the second takes whatever length fits."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = op.parameter([-1], np.float32)
first = op.reshape(data, op.constant(np.array([-1, 3], np.int64)), special_zero=True)
model = ov.Model([op.reshape(first, op.constant(np.array([0, 2], np.int64)), special_zero=True)], [data])
try:
    output = ov.Core().compile_model(model, "CPU")([np.zeros(6, np.float32)])[0]
    print("reproduced: 6 elements as [2, 3] to [0, 2], which is [2, 2], are accepted, with the shape", output.shape)
except Exception as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
