"""OpenVINO's CPU plugin: an empty tensor's dim of 2^43 becomes 2^31-1."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data = op.parameter([0], np.float32)
model = ov.Model([op.reshape(data, np.array([0, 2**43], np.int64), False)], [data])
compiled = ov.Core().compile_model(model, "CPU")
try:
    got = compiled([np.zeros(0, np.float32)])[0].shape
    verdict = "not reproduced" if got == (0, 2**43) else "reproduced"
    print(f"{verdict}: inferred {compiled.output().partial_shape}, got {list(got)}")
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
