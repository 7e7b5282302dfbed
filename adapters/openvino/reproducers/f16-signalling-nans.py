"""OpenVINO's CPU plugin: a reshape makes the signalling NaNs of f16 quiet (0x7c01 becomes 0x7e01)."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data = op.parameter([1, 1], np.float16)
model = ov.Model([op.reshape(data, np.array([-1], np.int64), False)], [data])
got = ov.Core().compile_model(model, "CPU")([np.array([[0x7C01]], np.uint16).view(np.float16)])[0].view(np.uint16)[0]
print("not reproduced:" if got == 0x7C01 else "reproduced:", f"0x7c01 became {got:#x}")
