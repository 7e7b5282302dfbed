"""IREE: the compiler ends with SIGSEGV for a Reshape whose target is a scalar that arrives at the run, whatever its value."""
from iree_reshape import ends_the_compiler

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (%sint64 shape) => (float[N] reshaped) %s {
    reshaped = Reshape(data, shape)
}"""
ends_the_compiler(MODEL % ("float[2, 3] data, ", ""))
ends_the_compiler(MODEL % ("", "<float[2, 3] data = {0, 1, 2, 3, 4, 5}>"))
