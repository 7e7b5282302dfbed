"""OpenCV's module dnn: at opset 1, an attribute shape without values, which means a scalar, is refused."""
import cv2
import numpy as np
from onnx import AttributeProto, TensorProto, helper

node = helper.make_node("Reshape", ["data"], ["reshaped"])
node.attribute.append(AttributeProto(name="shape", type=AttributeProto.INTS))
data = helper.make_tensor_value_info("data", TensorProto.FLOAT, [1])
reshaped = helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [])
graph = helper.make_graph([node], "scalar", [data], [reshaped])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 1)])
try:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
    net.setInput(np.zeros(1, np.float32), "data")
    print("not reproduced: the shape", net.forward("reshaped").shape)
except cv2.error as error:
    print("reproduced:", " ".join(str(error).split()))
