"""OpenVINO's ONNX reader refuses a call of a function of the model."""
import numpy
import onnx
import openvino
from onnx import TensorProto, helper

function = helper.make_function(
    "mine", "Function", ["data", "shape"], ["reshaped"],
    [helper.make_node("Reshape", ["data", "shape"], ["reshaped"])],
    [helper.make_opsetid("", 19)],
)
graph = helper.make_graph(
    [helper.make_node("Function", ["data", "shape"], ["reshaped"], domain="mine")],
    "g",
    [helper.make_tensor_value_info("data", TensorProto.FLOAT, [2, 3])],
    [helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [3, 2])],
    [helper.make_tensor("shape", TensorProto.INT64, [2], [3, 2])],
)
opsets = [helper.make_opsetid("", 19), helper.make_opsetid("mine", 1)]
model = helper.make_model(graph, functions=[function], opset_imports=opsets, ir_version=9)
onnx.checker.check_model(model)
print("openvino", openvino.__version__)
try:
    compiled = openvino.compile_model(openvino.Core().read_model(model.SerializeToString()), "CPU")
    print("not reproduced: it gives", compiled({0: numpy.zeros((2, 3), "f4")})[0].shape)
except RuntimeError as why:
    print("reproduced: a valid model is refused:", str(why).strip().splitlines()[-1][:100])
