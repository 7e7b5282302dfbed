"""OpenVINO CPU: data that is an empty constant cannot be reshaped to a target that arrives at the run."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

target = op.parameter([2], np.int64)
data = ov.op.Constant(ov.Type.f32, ov.Shape([3, 0]), [])
model = ov.Model([op.reshape(data, target, special_zero=True)], [target])
try:
    output = ov.Core().compile_model(model, "CPU")([np.array([0, 0], np.int64)])[0]
    print("not reproduced: [3, 0] to [0, 0] gives", output.shape)
except Exception as error:
    print("reproduced: [3, 0] to [0, 0] is refused:", str(error).strip().splitlines()[-1])
