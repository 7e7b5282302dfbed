"""The shape inference of the onnx package, strict and with type checks. It infers; nothing is run.

A target shape that comes at run time leaves nothing to infer but the rank, and data dims that are not declared leave
nothing to refuse, so only constant targets and static dims are asked of it.
"""

from reshape_adapter import ONNX, Rejected, serve

import onnx
from onnx.shape_inference import InferenceError, infer_shapes

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]


class Inferred:
    def __init__(self, output_shape):
        self.output_shape = output_shape


def entry(versions, element_types):
    return {
        "operators": [f"onnx.Reshape-{version}" for version in versions],
        "element_types": element_types,
        "bindings": ["constant-static"],
    }


# What an older release lacks.
OPERATORS = [version for version in VERSIONS if onnx.defs.get_schema("Reshape", version).since_version != version]
TYPES = [name for name in ONNX if ONNX[name] not in onnx.TensorProto.DataType.values()]


class OnnxShapeInference:
    name, version, model, window, infer_only = "onnx-shape-inference", onnx.__version__, "onnx", 8, True
    supports = [entry(VERSIONS, list(ONNX))]
    unavailable = [
        entry(OPERATORS, list(ONNX)) | {"reason": f"onnx {onnx.__version__} has no such version"},
        entry(VERSIONS, TYPES) | {"reason": f"onnx {onnx.__version__} has no such element type"},
    ]

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        try:
            onnx.checker.check_model(model)  # it checks the types of attributes
            inferred = infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        except (onnx.checker.ValidationError, InferenceError) as error:
            raise Rejected(error)
        output = inferred.graph.output[0].type.tensor_type
        if not output.HasField("shape"):
            return Inferred(None)
        return Inferred([dim.dim_value if dim.HasField("dim_value") else None for dim in output.shape.dim])


serve(OnnxShapeInference())
