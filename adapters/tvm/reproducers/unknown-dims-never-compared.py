"""TVM: Reshape of a [N, M] that holds 6 elements to [2, 4] repeats two; of [0, 300, 400], to [300, 400], it gives what lies in memory; of a [N, M] of [0, 3], to [6], it divides by 0."""
import os

import numpy as np
from tvm_reshape import run, shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data) => (float[%s] reshaped) <int64[%d] shape = {%s}> {
    reshaped = Reshape(data, shape)
}"""
got = shape(MODEL % ("N, M", "A, B", 2, "2, 4"), 2, 3)
large = shape(MODEL % ("N", "A, B", 2, "2, 1099511627776"), 6)
proved = shape(MODEL % ("N, 3", "A, B", 2, "2, 4"), 2, 3)
same = not got.startswith("refused") and proved.startswith("refused") and large == "refused: std::bad_alloc"
beyond = np.count_nonzero(run(MODEL % ("0, 300, 400", "A, B", 2, "300, 400"), 0, 300, 400).numpy())
print("so far reproduced:" if same else "not reproduced:", f"[2, 3] to [2, 4] gives {got}, [6] to [2, 2^40] is {large}, [0, 300, 400] to [300, 400] gives {beyond} elements that are not 0, [N, 3] to [2, 4] is {'refused' if proved.startswith('refused') else proved}", flush=True)
child = os.fork()  # it does not come back
if child == 0:
    shape(MODEL % ("N, M", "A", 1, "6"), 0, 3)
    os._exit(0)
signal = os.WTERMSIG(os.waitpid(child, 0)[1])
print("reproduced:" if same and signal else "not reproduced:", f"[0, 3] to [6] ends the process with signal {signal}")
