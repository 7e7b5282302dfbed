"""OpenCV's module dnn: the schema says that allowzero is an integer; a float is taken."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {3, 2}> {
    reshaped = Reshape<allowzero=1.0>(data, shape)
}"""
try:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
    net.setInput(np.zeros((2, 3), np.float32), "data")
    print("reproduced: [2, 3] to [3, 2] with allowzero=1.0 gives", list(net.forward("reshaped").shape))
except cv2.error as error:
    print("not reproduced:", error)
