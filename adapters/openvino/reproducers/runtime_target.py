"""OpenVINO CPU, runtime target: what it does with targets it should refuse."""
import numpy as np, openvino as ov, openvino.opset1 as op
def run(shape, target, zero):
    d, s = op.parameter(shape, np.float32), op.parameter([len(target)], np.int64)
    c = ov.Core().compile_model(ov.Model([op.reshape(d, s, zero)], [d, s]), "CPU")
    try: print(shape, target, zero, "->", c([np.zeros(shape, np.float32), np.array(target, np.int64)])[0].shape)
    except Exception as e: print(shape, target, zero, type(e).__name__, str(e)[-90:].strip())
run([2, 3], [7], True); run([6], [2**32 + 2, 3], True); run([], [2], True); run([], [0], True); run([0], [0, 0], True); run([0, 3], [0, -1, 5], False); run([0], [-2, 0], False); run([0], [0, 2**43], False); run([], [0, 1], True); run([], [0, -1], True)
