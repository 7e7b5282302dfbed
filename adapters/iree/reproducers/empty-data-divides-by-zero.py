"""IREE: the compiler ends with SIGFPE for Reshape of [0, 3] to [3, -1]."""
from iree.compiler.tools import CompilerToolError

from iree_reshape import compiled

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data) => (float[N, M] reshaped) <int64[2] shape = {3, -1}> {
    reshaped = Reshape(data, shape)
}"""
try:
    compiled(MODEL)
    print("not reproduced: compiled")
except CompilerToolError as error:
    code = next(line for line in str(error).splitlines() if line.startswith("Error code"))
    print("reproduced:" if "-" in code else "not reproduced:", "iree-compile ends with", code)
