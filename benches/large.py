"""What one Reshape of 1 GiB costs where onnxruntime is called in the program that has the data: it makes the data, runs the
model and compares the output with it."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [16384, 16384])
output = helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [1 << 28])
shape = helper.make_tensor("shape", TensorProto.INT64, [1], [-1])
node = helper.make_node("Reshape", ["data", "shape"], ["reshaped"])
graph = helper.make_graph([node], "g", [data], [output], [shape])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=7)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

elements = np.arange(1 << 28, dtype=np.float32).reshape(16384, 16384)
(reshaped,) = session.run(None, {"data": elements})
assert reshaped.shape == (1 << 28,) and np.array_equal(reshaped.view(np.uint8), elements.reshape(-1).view(np.uint8))
