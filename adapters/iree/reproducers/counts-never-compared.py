"""IREE: a target that is an input is not compared with the element count: [7] to [2, 3] leaves an element out, and [6] to [1000, 1000] with a Neg behind it ends the process."""
import subprocess
import sys

from iree_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[7] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
PAST = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data, int64[2] shape) => (float[N, M] negated) {
    reshaped = Reshape(data, shape)
    negated = Neg(reshaped)
}"""
if len(sys.argv) > 1:  # in a process of its own, which may end
    print(shape(PAST, 6, target=[1000, 1000]))
    sys.exit()
lost, read = shape(MODEL, 7, target=[2, 3]), shape(PAST, 6, target=[4, 8])
child = subprocess.run([sys.executable, __file__, "past"], capture_output=True, text=True)
ended = f"ends by signal {-child.returncode}" if child.returncode < 0 else f"gives {child.stdout.strip()}"
word = "not reproduced" if lost.startswith("refused") and read.startswith("refused") else "reproduced"
print(f"{word}: [7] to [2, 3] gives {lost}; before a Neg, [6] to [4, 8] gives {read}, and [6] to [1000, 1000] {ended}")
