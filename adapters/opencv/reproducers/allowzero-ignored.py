"""OpenCV's module dnn: with allowzero=1, a 0 in the target of Reshape copies all the same."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, 3}> {
    reshaped = Reshape<allowzero=1>(data, shape)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
net.setInput(np.zeros((2, 3), np.float32), "data")
try:
    print("reproduced: [2, 3] to [0, 3] with allowzero=1 gives", list(net.forward("reshaped").shape))
except cv2.error as error:
    print("not reproduced:", error)
