"""OpenCV's module dnn: in Reshape, a 0 beside a -1 divides the element count by 0, which ends the process."""
import os

import cv2
import numpy as np
import onnx.parser


def run(text, name, *data):
    """The output of a model by this name, for data of this shape, if it has an input."""
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx.parser.parse_model(text).SerializeToString(), np.uint8))
    net.setInput(np.zeros(data or (1,), np.float32), "data" if data else "unused")
    return net.forward(name)


def end(text, *data):
    """How a child process ends that runs the model."""
    child = os.fork()
    if child == 0:
        try:
            run(text, "reshaped", *data)
        finally:
            os._exit(0)
    signal = os.WTERMSIG(os.waitpid(child, 0)[1])
    return f"ends the process by signal {signal}" if signal else "does not end the process"


RESHAPE = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s) => (float[N, M] reshaped) <%sint64[2] shape = {0, -1}> {
    reshaped = Reshape(data, shape)
}"""
SHAPE = """<ir_version: 8, opset_import: ["" : 14]> g (float[1] unused) => (int64[2] dims) <float[3, 0] data = {}> {
    dims = Shape(data)
}"""
ends = {
    "[0, 3] to [0, -1]": end(RESHAPE % ("0, 3] data", ""), 0, 3),
    "a constant of [3, 0] to [0, -1]": end(RESHAPE % ("1] unused", "float[3, 0] data = {}, ")),
}
print("the Shape of a constant of [3, 0] is", run(SHAPE, "dims").tolist())
for node, how in ends.items():
    print("reproduced:" if how.startswith("ends") else "not reproduced:", node, how)
