"""OpenCV's module dnn: the schema says that the target is tensor(int64); a constant of int32 is taken."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[N, M] reshaped) <int32[2] shape = {3, 2}> {
    reshaped = Reshape(data, shape)
}"""
try:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
    net.setInput(np.zeros((2, 3), np.float32), "data")
    print("reproduced: [2, 3] to int32[3, 2] gives", list(net.forward("reshaped").shape))
except cv2.error as error:
    print("not reproduced:", error)
