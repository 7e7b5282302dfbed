"""OpenVINO's ONNX reader makes a constant of an initializer that is also an input of the graph."""
import numpy
import onnx
import openvino
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Reshape", ["data", "shape"], ["reshaped"])],
    "g",
    [
        helper.make_tensor_value_info("data", TensorProto.FLOAT, [2, 3]),
        helper.make_tensor_value_info("shape", TensorProto.INT64, [2]),
    ],
    [helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [None, None])],
    [helper.make_tensor("shape", TensorProto.INT64, [2], [6, 1])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
onnx.checker.check_model(model)
print("openvino", openvino.__version__)
compiled = openvino.compile_model(openvino.Core().read_model(model.SerializeToString()), "CPU")
print("inputs of the graph: data, shape; of the compiled model:", [sorted(of.names) for of in compiled.inputs])
try:
    got = compiled({"data": numpy.zeros((2, 3), "f4"), "shape": numpy.array([3, 2])})[0].shape
    print("not reproduced: the run gives [3, 2] and gets", list(got))
except RuntimeError as why:
    print("reproduced: a run cannot give another value:", str(why).strip().splitlines()[-1][:100])
