"""OpenCV's module dnn: in Reshape, a copied 0 beside a -1 divides the element count by 0, which ends the process."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {0, -1}> {
    reshaped = Reshape(data, shape)
}"""
net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
net.setInput(np.zeros((0, 3), np.float32), "data")
print("reproduced if the process ends here", flush=True)
try:
    net.forward("reshaped")
    print("not reproduced: accepted")
except cv2.error as error:
    print("not reproduced:", error)
