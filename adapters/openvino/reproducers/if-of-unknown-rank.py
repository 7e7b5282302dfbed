"""OpenVINO's CPU plugin refuses an If whose output has a rank that is not known."""
import onnx
import openvino
from onnx import TensorProto, helper

branch = lambda name: helper.make_graph(
    [helper.make_node("Reshape", ["data", "shape"], [name])],
    name + "-branch", [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, None])],
)
graph = helper.make_graph(
    [helper.make_node("If", ["condition"], ["reshaped"], then_branch=branch("then"), else_branch=branch("else"))],
    "g",
    [
        helper.make_tensor_value_info("condition", TensorProto.BOOL, []),
        helper.make_tensor_value_info("data", TensorProto.FLOAT, [2, 3]),
        helper.make_tensor_value_info("shape", TensorProto.INT64, [None]),
    ],
    [helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [None, None])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
onnx.checker.check_model(model)
print("openvino", openvino.__version__)
try:
    openvino.compile_model(openvino.Core().read_model(model.SerializeToString()), "CPU")
    print("not reproduced: it compiles")
except RuntimeError as why:
    print("reproduced: a valid model is refused:", str(why).strip().splitlines()[-1][:110])
