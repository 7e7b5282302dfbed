"""A rewriter of ONNX models as a backend of this suite: a simplifier, an optimizer, or an inferrer of shapes.

A rewriter takes a model and returns a model. The result is checked by onnx's checker and evaluated by onnx's reference
evaluator, which passes every trial when the model is not rewritten. So a failure is the rewriter's: it changed what a valid
model computes, made it invalid, refused it, or made an invalid node valid. It may pass an invalid node on, or refuse it. A
complete shim:

    from onnx_rewriter import Rewriter, serve     # import it first: it redirects stdout
    import mysimplifier

    serve(Rewriter("mysimplifier", mysimplifier.__version__, mysimplifier.simplify))

The function takes a ModelProto of its own and returns a ModelProto. It should consist of calls of the rewriter alone:
whatever it raises counts as the rewriter's refusal.

The evaluator gets the inputs of the original model, by their names. A shape that the rewritten model declares for its
output is reported as the inferred shape, and judged like the output.
"""

if __package__:
    from .adapter import ONNX, Rejected, Tensor, Unsupported, serve
else:
    from reshape_adapter import ONNX, Rejected, Tensor, Unsupported, serve

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.shape_inference import InferenceError

__all__ = ["Rewriter", "serve"]

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


class Rewriter:
    """`rewrite` takes a ModelProto and returns one. It takes opsets from `oldest` on. The evaluator does not check element
    types, so only those that an operator's text lists are tested."""

    model, window = "onnx", 8
    internal = False  # an accident of the evaluator is none of the rewriter

    def __init__(self, name, version, rewrite, oldest=5):
        self.name, self.version, self.rewrite = name, version, rewrite
        versions = [of for of in VERSIONS if of >= oldest]
        self.supports = [entry(of, listed(of)) for of in versions]
        lacks = [(of, *lacking(of)) for of in versions]
        self.unavailable = [entry(of, types) | {"reason": reason} for of, types, reason in lacks if types]

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        try:
            rewritten = self.rewrite(onnx.load_from_string(bytes(request.model)))
        except Exception as error:  # only the rewriter runs there
            raise Rejected(error)
        inferred = [shape_of(output) for output in rewritten.graph.output if output.name == "reshaped"]
        try:  # whether a model is valid is the checker's to say, and not the evaluator's
            onnx.checker.check_model(undeclared(rewritten, model), full_check=True)
        except (onnx.checker.ValidationError, InferenceError) as error:
            raise Rejected(error)
        try:
            evaluator = ReferenceEvaluator(rewritten)
        except RuntimeError as error:  # no implementation of this version
            raise Unsupported(error)

        def run(data, target):
            feeds = {"data": to_array(data)}
            if target is not None:
                feeds["shape"] = to_array(target)
            try:
                reshaped = evaluator.run(["reshaped"], feeds)[0]
            except (ValueError, IndexError, TypeError) as error:  # what numpy raises goes through
                raise Rejected(error, internal=self.internal)
            return Tensor.from_numpy(reshaped)

        run.output_shape = inferred[0] if inferred else None
        return run


def shape_of(value):
    """The declared shape; None if there is none."""
    tensor = value.type.tensor_type
    return [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim] if tensor.HasField("shape") else None


def undeclared(rewritten, model):
    """The rewritten model with the outputs of the original and without other shapes, so that the checker looks at the
    nodes alone."""
    bare = onnx.ModelProto()
    bare.CopyFrom(rewritten)
    del bare.graph.value_info[:]
    del bare.graph.output[:]
    bare.graph.output.extend(model.graph.output)
    return bare


def to_array(tensor):
    """An array is what the evaluator takes; the manifest leaves out shapes that no array can have."""
    dtype = None if tensor.element_type == "string" else onnx.helper.tensor_dtype_to_np_dtype(ONNX[tensor.element_type])
    return tensor.numpy(dtype)
