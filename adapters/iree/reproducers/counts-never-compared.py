"""IREE: a target that is an input is not compared with the element count: [7] to [2, 3] leaves an element out, and [6] to [1000, 1000] with a Neg behind it ends the process."""
import subprocess
import sys

import numpy as np
from iree_reshape import output, shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[7] data, int64[2] shape) => (float[N, M] reshaped) {
    reshaped = Reshape(data, shape)
}"""
PAST = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data, int64[2] shape) => (float[N, M] negated) {
    reshaped = Reshape(data, shape)
    negated = Neg(reshaped)
}"""
if len(sys.argv) > 1:  # in a process of its own, which may end
    elements = output(PAST, 6, target=[1000, 1000]).to_host()
    print(np.count_nonzero(elements), "elements that are not 0")
    sys.exit()
lost, read = shape(MODEL, 7, target=[2, 3]), shape(PAST, 6, target=[4, 8])
past = [subprocess.run([sys.executable, __file__, "past"], capture_output=True, text=True) for _ in range(10)]
given = {child.stdout.strip() for child in past if child.returncode == 0}
ended = sum(child.returncode < 0 for child in past)
word = "not reproduced" if lost.startswith("refused") and read.startswith("refused") else "reproduced"
print(f"{word}: [7] to [2, 3] gives {lost}; before a Neg, [6] to [4, 8] gives {read}; and 10 runs of six zeros to [1000, 1000] give {max(given, default='nothing')}, and {ended} of them end by a signal")
