"""OpenCV's module dnn: Reshape refuses a constant without elements, since its Mat does not count as continuous."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[1] other) => (float[N, M] reshaped)
    <float[0, 3] data = {}, int64[2] shape = {-1, 7}> {
    reshaped = Reshape(data, shape)
}"""
try:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(MODEL).SerializeToString(), np.uint8))
    net.setInput(np.zeros(1, np.float32), "other")
    net.forward("reshaped")
    print("not reproduced: accepted")
except cv2.error as error:
    print("reproduced:" if "isContinuous" in str(error) else "not reproduced:", " ".join(str(error).split()))
