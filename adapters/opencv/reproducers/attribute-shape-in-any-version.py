"""OpenCV's module dnn: at opset 14, a node without its target takes it from the attribute shape, which only version 1 has."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) {
    reshaped = Reshape<shape=[3, 2]>(data)
}"""
try:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
    net.setInput(np.zeros((2, 3), np.float32), "data")
    print("reproduced: at opset 14, without a target, [2, 3] gives", list(net.forward("reshaped").shape))
except cv2.error as error:
    print("not reproduced:", error)
