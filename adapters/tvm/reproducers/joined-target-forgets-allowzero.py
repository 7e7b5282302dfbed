"""TVM: in a target that Concat joins, a 0 copies in spite of allowzero=1: a valid node gives a wrong shape, or divides by 0."""
import os

from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%d, 0] data) => (float[A, B] reshaped) <int64[1] zero = {0}, int64[1] last = {%d}> {
    target = Concat<axis=0>(zero, last)
    reshaped = Reshape<allowzero=1>(data, target)
}"""
got = shape(MODEL % (3, 0), 3, 0)
print("so far reproduced:" if got == "[3, 0]" else "not reproduced:", "[3, 0] to [0, 0] gives", got, flush=True)
child = os.fork()  # it does not come back
if child == 0:
    shape(MODEL % (2, 3), 2, 0)
    os._exit(0)
signal = os.WTERMSIG(os.waitpid(child, 0)[1])
same = got == "[3, 0]" and signal
print("reproduced:" if same else "not reproduced:", f"[2, 0] to [0, 3] ends the process with signal {signal}")
