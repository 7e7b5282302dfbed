"""The checker of the onnx package, and then its reference evaluator (`onnx.reference`): what the ONNX project itself says.

It does not check element types, so only those an operator's text lists are asked of it.
"""

from reshape_adapter import ONNX, Rejected, Tensor, Unsupported, serve

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import InferenceError

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]
ANY = ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"]
NUMBERS = onnx.TensorProto.DataType.values()  # an older release lacks some
BY_TYPE = {f"tensor({onnx.TensorProto.DataType.Name(ONNX[name]).lower()})": name for name in ONNX if ONNX[name] in NUMBERS}


def listed(version):
    """The element types that the text of this version lists; all of them if this release has no such version."""
    schema = onnx.defs.get_schema("Reshape", version)
    if schema.since_version != version:
        return ["all"]
    return [BY_TYPE[text] for text in schema.type_constraints[0].allowed_type_strs]


def lacking(version):
    """What this release lacks of a version, and why."""
    types = listed(version)
    if types == ["all"]:
        return types, f"onnx {onnx.__version__} has no Reshape-{version}"
    types = [name for name in types if name != "string" and not has_array(name)]
    return types, f"the evaluator of onnx {onnx.__version__} has no arrays of this type"


def has_array(name):
    dtype = onnx.helper.tensor_dtype_to_np_dtype(ONNX[name])
    return Tensor.from_numpy(np.empty(0, dtype)).element_type == name


def entry(version, element_types):
    return {"operators": [f"onnx.Reshape-{version}"], "element_types": element_types, "bindings": ANY}


class OnnxReference:
    name, version, model, window = "onnx-reference", onnx.__version__, "onnx", 8
    supports = [entry(version, listed(version)) for version in VERSIONS]
    unavailable = [
        entry(version, types) | {"reason": reason} for version in VERSIONS for types, reason in [lacking(version)] if types
    ]

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        try:  # whether a model is valid is the checker's to say, and not the evaluator's
            onnx.checker.check_model(model, full_check=True)
        except (onnx.checker.ValidationError, InferenceError) as error:
            raise Rejected(error)
        try:
            evaluator = ReferenceEvaluator(model)
        except RuntimeError as error:  # no implementation of this version
            raise Unsupported(error)

        def run(data, target):
            feeds = {"data": to_array(data)}
            if target is not None:
                feeds["shape"] = to_array(target)
            try:
                reshaped = evaluator.run(["reshaped"], feeds)[0]
            except (ValueError, IndexError, TypeError) as error:  # what numpy raises goes through
                raise Rejected(error)
            return Tensor.from_numpy(reshaped)

        return run


def to_array(tensor):
    """An array is what the evaluator takes; the manifest leaves out shapes that no array can have."""
    dtype = None if tensor.element_type == "string" else onnx.helper.tensor_dtype_to_np_dtype(ONNX[tensor.element_type])
    return tensor.numpy(dtype)


serve(OnnxReference())
