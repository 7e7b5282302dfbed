"""OpenCV's Python API: setInput keeps the low 32 bits of each element of an int64 array, though the net is of int64."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (int64[1, 2] data) => (int64[N, M] reshaped) <int64[2] shape = {2, 1}> {
    reshaped = Reshape(data, shape)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
data = np.array([[2**53 + 1, 2**32]])
net.setInput(data, "data")
got = net.forward("reshaped").ravel().tolist()
print("not reproduced" if got == data.ravel().tolist() else "reproduced", f"{data.ravel().tolist()} becomes {got}", sep=": ")
