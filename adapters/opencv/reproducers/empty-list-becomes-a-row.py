"""OpenCV's Python API: setInput makes [1, 0] of an array of the shape [0]."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N] data) => (int64[R] dims) {
    dims = Shape(data)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
net.setInput(np.zeros(0, np.float32), "data")
got = net.forward("dims").tolist()
print("not reproduced" if got == [0] else "reproduced", f"the shape of data of [0] is {got}", sep=": ")
