"""OpenCV's module dnn: [2, 3] to [1, 5], whose count does not fit, gives [1, 6]."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {1, 5}> {
    reshaped = Reshape(data, shape)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
net.setInput(np.zeros((2, 3), np.float32), "data")
try:
    print("reproduced: [2, 3] to [1, 5] gives", list(net.forward("reshaped").shape))
except cv2.error as error:
    print("not reproduced:", error)
