"""What tinygrad's ONNX front end takes that the text refuses, without the adapter.

Needs the onnx package: run it with DEV=PYTHON and PYTHONPATH set to the packages of the environment of onnx-reference.
"""

import onnx.helper as make
from onnx import TensorProto
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner


def reshaped(what, opset, data, target, **attributes):
    """`target` is an ONNX type and its values, or None."""
    inputs = ["data"] + (["shape"] if target else [])
    node = make.make_node("Reshape", inputs, ["out"], **attributes)
    constants = [make.make_tensor("shape", target[0], [len(target[1])], target[1])] if target else []
    value = lambda name, shape: make.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = make.make_graph([node], "g", [value("data", data)], [value("out", None)], constants)
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", opset)])
    out = OnnxRunner(Tensor(model.SerializeToString()))({"data": Tensor.empty(*data)})["out"]
    print(f"{what}: got {list(out.shape)}")


I64, I32 = TensorProto.INT64, TensorProto.INT32
reshaped("[2, 3] to i32[3, 2], to be refused", 14, [2, 3], (I32, [3, 2]))
reshaped("[2, 3] to [3, 2] with allowzero = 1.0, to be refused", 14, [2, 3], (I64, [3, 2]), allowzero=1.0)
reshaped("[3, 0] to [0, 7] at opset 5 with allowzero, not to be honoured", 5, [3, 0], (I64, [0, 7]), allowzero=1)
reshaped("[2, 3] at opset 14 with attribute shape and no target, to be refused", 14, [2, 3], None, shape=[3, 2])
