"""OpenCV's module dnn: of two Reshapes one after the other, the second copies its zeros from the data of the first."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped)
    <int64[2] first = {3, 2}, int64[2] second = {0, 0}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
net.setInput(np.zeros((2, 3), np.float32), "data")
got = net.forward("reshaped").shape
print("not reproduced" if got == (3, 2) else "reproduced", f"[2, 3] to [3, 2] to [0, 0] gives {list(got)}", sep=": ")
