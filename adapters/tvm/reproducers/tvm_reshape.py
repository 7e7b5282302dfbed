"""What the reproducers share: imports an ONNX model in text form, compiles it for the CPU, and runs it on data of zeros."""
import numpy as np
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx


def compiled(text):
    """The program that TVM makes of the model."""
    module = from_onnx(onnx.parser.parse_model(text))
    return relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())


def run(text, *shape):
    """The output for data of this shape."""
    return compiled(text)["main"](tvm.runtime.tensor(np.zeros(shape, np.float32)))


def shape(text, *data):
    """The output's shape for data of this shape, as text; why TVM refuses it, if it does."""
    try:
        return str(list(run(text, *data).shape))
    except Exception as error:  # each of TVM's checks has its own
        return "refused: " + str(error).strip().splitlines()[-1]
