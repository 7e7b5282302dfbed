"""OpenCV's module dnn: with allowzero=1, a 0 in the target of Reshape copies all the same."""
import cv2
import numpy as np
import onnx.parser

# Of an output without elements the Python API returns nothing, so a Shape gives its dims.
MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%d, %d] data) => (int64[2] dims) <int64[2] shape = {%d, %d}> {
    reshaped = Reshape<allowzero=1>(data, shape)
    dims = Shape(reshaped)
}"""


def reshaped(data, target):
    """The shape of the output, or that the model is refused."""
    try:
        model = onnx.parser.parse_model(MODEL % (data + target))
        net = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
        net.setInput(np.zeros(data, np.float32), "data")
        return net.forward("dims").tolist()
    except cv2.error:
        return "a refusal"


right = {((3, 0), (0, 0)): [0, 0], ((2, 0), (0, 3)): [0, 3], ((2, 3), (0, 3)): "a refusal"}
for (data, target), expected in right.items():
    got = reshaped(data, target)
    print("not reproduced:" if got == expected else "reproduced:", list(data), "to", list(target), "with allowzero=1 gives", got)
