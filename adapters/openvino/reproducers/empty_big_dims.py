"""OpenVINO CPU: a big dim of an empty tensor is cut to 2^31-1, against what it inferred itself."""
import numpy as np, openvino as ov, openvino.opset1 as op
p = op.parameter([0], np.float32)
c = ov.Core().compile_model(ov.Model([op.reshape(p, np.array([0, 2**43], np.int64), False)], [p]), "CPU")
print("inferred", c.output().partial_shape, "got", c([np.zeros(0, np.float32)])[0].shape)
