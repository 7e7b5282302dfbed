"""MNN: an initializer that is also an input of the graph is taken for a constant, and what a run passes for it is ignored."""
from mnn_reshape import convert

import MNN.expr as expr
import numpy as np

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[6] data, int64[2] shape) => (float[N, M] reshaped) <int64[2] shape = {2, 3}> {
    reshaped = Reshape(data, shape)
}"""
module = convert(MODEL, ["data", "shape"])
print("the module's inputs:", module.get_info()["inputNames"])
data = expr.const(np.zeros(6, np.float32), [6], expr.NCHW, expr.float)
target = expr.const(np.array([3, 2], np.int32), [2], expr.NCHW, expr.int)
outputs = module.forward([data, target])
got = outputs[0].shape if outputs else None
print("reproduced:" if got == [2, 3] else "not reproduced:", "with a default of [2, 3], a run that passes [3, 2] gives", got)
