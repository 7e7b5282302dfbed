"""TVM: the time to compile a Reshape of data whose dims are not known to a length that is known grows without bound with
their number."""
import signal
import time

from tvm_reshape import compiled

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data) => (float[A] reshaped) <int64[1] shape = {%d}> {
    reshaped = Reshape(data, shape)
}"""


def seconds(rank):
    begun = time.monotonic()
    compiled(MODEL % (", ".join("DEFGHIJK"[:rank]), 2**rank))
    return time.monotonic() - begun


for rank in (2, 3):
    print(f"{rank} dims take {seconds(rank):.1f} s", flush=True)
print("reproduced if the process ends here: 8 dims take more than a minute", flush=True)
signal.alarm(60)  # no handler of Python's runs meanwhile
print(f"not reproduced: 8 dims take {seconds(8):.1f} s", flush=True)
