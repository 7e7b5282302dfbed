"""OpenVINO CPU: 13 dims in a Loop, or of a Reshape of data that was quantised, end the process; 12 dims are accepted."""
import os

import numpy as np
import onnx.parser
import openvino as ov


def output(text, data):
    model = f"""<ir_version: 8, opset_import: ["" : 14]> {text}"""
    model = ov.Core().read_model(onnx.parser.parse_model(model).SerializeToString())
    return ov.Core().compile_model(model, "CPU")([data])[0].shape


def loop(rank):
    dims = ", ".join(["1"] * rank)
    text = f"""g (float[{dims}] data) => (float[{dims}] same) <int64 iterations = {{2}}, bool condition = {{1}}> {{
        same = Loop(iterations, condition, data) <
            body = once (int64 i, bool going, float[{dims}] before) => (bool goes_on, float[{dims}] after) {{
                goes_on = Identity(going)
                after = Identity(before)
            }}>
    }}"""
    return output(text, np.ones([1] * rank, np.float32))


def quantised(rank, before=(3, 5)):
    dims, data = ", ".join(["1"] * (rank - 2) + ["5", "3"]), ", ".join(map(str, before))
    text = f"""g (float[{data}] data) => (float[{dims}] reshaped)
    <float scale = {{1}}, int8 zero = {{0}}, int64[{rank}] shape = {{{dims}}}> {{
        small = QuantizeLinear(data, scale, zero)
        given = DequantizeLinear(small, scale, zero)
        reshaped = Reshape(given, shape)
    }}"""
    return output(text, np.ones(before, np.float32))


def ends(run, rank):
    """The signal that ends a process in which this runs; 0 if it ends by itself."""
    child = os.fork()
    if child == 0:
        try:
            run(rank)
        finally:
            os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])


got = {f"{run.__name__} of {rank} dims": ends(run, rank) for run in (loop, quantised) for rank in (12, 13)}
same = [bool(signal) for signal in got.values()] == [False, True, False, True]
print("reproduced:" if same else "not reproduced:", "signals that end the process:", got)
