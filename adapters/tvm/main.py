"""TVM: its importer of ONNX models (tvm.relax.frontend.onnx), compiled by LLVM for the CPU, run by its virtual machine.

Its Reshape takes a target that is constant when the model is compiled, and nothing else.
"""

from reshape_adapter import Rejected, Tensor, serve

import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]  # one implementation is for all of them
TYPES = ["f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"]

# What the importer, the compiler and the virtual machine raise when they refuse, those of an index too.
ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)


class Tvm:
    name, version, model, window = "tvm", tvm.__version__, "onnx", 8
    supports = [
        {
            "operators": [f"onnx.Reshape-{version}" for version in VERSIONS],
            "element_types": TYPES,
            "bindings": ["constant-static", "constant-dynamic"],
        }
    ]

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        try:
            module = from_onnx(model)
            machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
        except ERRORS as error:
            raise Rejected(error)

        def run(data, target):
            tensor = tvm.runtime.tensor(data.numpy())
            try:
                output = machine["main"](tensor)
            except ERRORS as error:
                raise Rejected(error)
            return Tensor.of_output(data, output.shape, output.numpy)

        run.output_shape = inferred(module["main"].ret_ty)
        return run


def inferred(of):
    """The dims of an inferred type, None for one that is not known; None if the rank is not known."""
    if of.shape is None or not isinstance(of.shape, relax.ShapeExpr):
        return None
    return [int(dim.value) if isinstance(dim, tvm.tirx.IntImm) else None for dim in of.shape.values]


serve(Tvm())
