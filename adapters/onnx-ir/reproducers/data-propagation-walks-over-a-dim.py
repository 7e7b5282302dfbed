"""onnx.shape_inference: with data_prop, an Add after a Reshape to a long dim walks over all of its elements."""
import signal

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

nodes = [helper.make_node("Reshape", ["data", "shape"], ["long"]), helper.make_node("Add", ["long", "one"], ["sum"])]
data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [2**40])
total = helper.make_tensor_value_info("sum", TensorProto.FLOAT, None)
constants = [numpy_helper.from_array(np.array([-1]), "shape"), numpy_helper.from_array(np.float32([1]), "one")]
graph = helper.make_graph(nodes, "walk", [data], [total], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])

print("reproduced if the process ends here", flush=True)
signal.signal(signal.SIGALRM, signal.SIG_DFL)
signal.alarm(10)  # it walks in C++, so only the end of the process stops it
inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
print("not reproduced: inferred", [dim.dim_value for dim in inferred.graph.output[0].type.tensor_type.shape.dim])
