"""IREE: the compiler ends with SIGSEGV for a Reshape whose target is a scalar that arrives at the run."""
from iree_reshape import ends_the_compiler

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (int64 shape) => (float[N] reshaped) <float[2, 3] data = {0, 1, 2, 3, 4, 5}> {
    reshaped = Reshape(data, shape)
}"""
ends_the_compiler(MODEL)
