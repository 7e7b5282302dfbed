"""OpenCV's module dnn: a value of a constant target beyond 32 bits becomes 2^31-1."""
import cv2
import numpy as np
import onnx.parser

# Python gets None for an output without elements, so a Shape tells its dims.
MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (int64[R] dims) <int64[2] shape = {-1, 4294967298}> {
    reshaped = Reshape(data, shape)
    dims = Shape(reshaped)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
net.setInput(np.zeros((0, 3), np.float32), "data")
try:
    got = net.forward("dims").tolist()
    print("not reproduced" if got == [0, 4294967298] else "reproduced", f"[0, 3] to [-1, 4294967298] gives {got}", sep=": ")
except cv2.error as error:
    print("not reproduced:", error)
