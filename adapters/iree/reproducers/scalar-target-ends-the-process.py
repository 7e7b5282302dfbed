"""IREE: the compiler ends with SIGSEGV for a Reshape whose target is a scalar that arrives at the run."""
from iree.compiler.tools import CompilerToolError

from iree_reshape import compiled

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (int64 shape) => (float[N] reshaped) <float[2, 3] data = {0, 1, 2, 3, 4, 5}> {
    reshaped = Reshape(data, shape)
}"""
try:
    compiled(MODEL)
    print("not reproduced: compiled")
except CompilerToolError as error:
    code = next(line for line in str(error).splitlines() if line.startswith("Error code"))
    print("reproduced:" if "-" in code else "not reproduced:", "iree-compile ends with", code)
