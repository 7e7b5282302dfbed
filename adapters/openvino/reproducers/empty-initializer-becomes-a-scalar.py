"""OpenVINO's ONNX front end: an initializer of [0, 3] becomes a scalar."""
import numpy as np
import onnx
import openvino as ov
from onnx import TensorProto, helper, numpy_helper

out = helper.make_tensor_value_info("out", TensorProto.FLOAT, [0, 3])
empty = numpy_helper.from_array(np.zeros((0, 3), np.float32), "empty")
graph = helper.make_graph([helper.make_node("Identity", ["empty"], ["out"])], "empty", [], [out], [empty])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=7)
onnx.checker.check_model(model, full_check=True)
shape = ov.Core().read_model(model.SerializeToString(), b"").output().partial_shape
word = "not reproduced" if str(shape) == "[0,3]" else "reproduced"
print(f"{word}: an initializer of [0, 3] is read as {shape}")
