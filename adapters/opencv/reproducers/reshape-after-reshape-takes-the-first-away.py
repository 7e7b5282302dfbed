"""OpenCV's module dnn, new engine: of two Reshapes one after the other, the second copies its zeros from the data of the first."""
import cv2
import numpy as np
import onnx.parser

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%d, %d] data) => (float[N, M] reshaped)
    <int64[2] first = {%d, %d}, int64[2] second = {%d, %d}> {
    middle = Reshape(data, first)
    reshaped = Reshape(middle, second)
}"""


def reshaped(data, first, second):
    """The shape of the output, or that the model is refused."""
    try:
        model = onnx.parser.parse_model(MODEL % (data + first + second))
        net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
        net.setInput(np.zeros(data, np.float32), "data")
        return list(net.forward("reshaped").shape)
    except cv2.error:
        return "a refusal"


right = {((2, 3), (3, 2), (0, 0)): [3, 2], ((2, 3), (1, 6), (0, 6)): [1, 6], ((2, 3), (4, 2), (3, 2)): "a refusal"}
for asked, expected in right.items():
    got = reshaped(*asked)
    print("not reproduced:" if got == expected else "reproduced:", " to ".join(str(list(dims)) for dims in asked), "gives", got)
