"""OpenVINO CPU: a constant target with a copied zero is not checked for its count: 6 elements become 18, 12 of them from beyond the input. From 1 to 16777216, it is a segmentation fault."""
import numpy as np, openvino as ov, openvino.opset1 as op
p = op.parameter([2, 3], np.float32)
c = ov.Core().compile_model(ov.Model([op.reshape(p, np.array([6, 0], np.int64), True)], [p]), "CPU")
print(c([np.arange(6, dtype=np.float32).reshape(2, 3)])[0])
p = op.parameter([1], np.float32)
c = ov.Core().compile_model(ov.Model([op.reshape(p, np.array([0, 2**24], np.int64), True)], [p]), "CPU")
print("and now", flush=True); c([np.ones(1, np.float32)])
