"""OpenCV's module dnn, its reader of ONNX models and its CPU backend, through its Python API.

The Python API returns None for every output without elements; then the shim asks a second net, in which a Shape follows,
for the dims.
"""

from reshape_adapter import Rejected, Tensor, Unsupported, serve

import cv2
import numpy as np
import onnx

VERSIONS = [5, 13, 14, 19, 21, 23]  # and 1: its Reshape says that it covers the operator sets to 23
TYPES = ["f32", "f64", "i8", "i16", "i32", "u8", "u16", "u32", "bool"]
TARGET_TYPES = [*TYPES, "i64", "u64"]  # of them the Python API hands over the low 32 bits


class OpenCv:
    name, version, model, window = "opencv", cv2.__version__, "onnx", 8
    supports = [
        {
            "operators": ["onnx.Reshape-1"],
            "element_types": ["f32", "f64"],
            "bindings": ["attribute-static", "attribute-dynamic"],
        },
        *(
            {
                "operators": [f"onnx.Reshape-{version}" for version in VERSIONS],
                "element_types": TYPES,
                "bindings": bindings,
            }
            for bindings in (["constant-static", "constant-dynamic"], ["runtime-static", "runtime-dynamic"])
        ),
    ]

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        net, dims_net = read(model), None

        def run(data, target):
            nonlocal dims_net
            inputs = {"data": to_opencv(data)} | ({} if target is None else {"shape": to_opencv(target)})
            output = forward(net, inputs, "reshaped")
            if output is not None:
                return Tensor.from_numpy(output)
            dims_net = dims_net or read(with_dims(model))
            dims = forward(dims_net, inputs, "dims")
            return Tensor(data.element_type, [] if dims is None else dims.tolist(), b"")

        return run


def read(model):
    content = np.frombuffer(model.SerializeToString(), np.uint8)
    try:
        return cv2.dnn.readNetFromONNX(content)
    except cv2.error as error:
        raise Rejected(error)


def forward(net, inputs, output):
    try:
        for name, array in inputs.items():
            net.setInput(array, name)
        return net.forward(output)
    except cv2.error as error:
        raise Rejected(error)


def with_dims(model):
    """The model with a second output, the dims of the first."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    model.graph.node.append(onnx.helper.make_node("Shape", ["reshaped"], ["dims"]))
    model.graph.output.append(onnx.helper.make_tensor_value_info("dims", onnx.TensorProto.INT64, [None]))
    return model


def to_opencv(tensor):
    if tensor.element_type not in TARGET_TYPES:
        raise Unsupported(f"OpenCV has no {tensor.element_type}")
    return cv2.Mat(tensor.numpy(), wrap_channels=False)


serve(OpenCv())
