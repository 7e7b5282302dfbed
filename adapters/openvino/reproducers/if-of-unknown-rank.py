"""OpenVINO's CPU plugin refuses an If whose branches give different ranks, with and without a Reshape."""
import onnx
import openvino
from onnx import TensorProto, helper

BOTH = [
    helper.make_tensor_value_info("data", TensorProto.FLOAT, [2, 3, 4]),
    helper.make_tensor_value_info("shape", TensorProto.INT64, [2]),
]


def why_not(operator, *inputs):
    """Why the plugin refuses an If with this node in one branch, and the data as it is in the other; None if it does not."""

    def branch(name, node, rank):
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank)
        return helper.make_graph([node], name + "-branch", [], [output])

    two = branch("two", helper.make_node(operator, inputs, ["two"]), 2)
    three = branch("three", helper.make_node("Identity", ["data"], ["three"]), 3)
    graph = helper.make_graph(
        [helper.make_node("If", ["condition"], ["either"], then_branch=two, else_branch=three)],
        "g",
        [helper.make_tensor_value_info("condition", TensorProto.BOOL, [])] + BOTH[: len(inputs)],
        [helper.make_tensor_value_info("either", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    try:
        openvino.compile_model(openvino.Core().read_model(model.SerializeToString()), "CPU")
    except RuntimeError as error:
        return str(error).strip().splitlines()[-1]
    return None


reshape, flatten = why_not("Reshape", "data", "shape"), why_not("Flatten", "data")
print("openvino", openvino.__version__)
if reshape is None:
    print("not reproduced: it compiles")
else:
    print(f"reproduced: {reshape}; the same with a Flatten: {flatten == reshape}")
