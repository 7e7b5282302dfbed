"""MNN: its converter of ONNX models, and its modules on the CPU, through its Python API.

A model goes through files, since the converter has no other way; it also writes one of its own where it is started, so
each model is converted in a folder of its own. Where MNN refuses a model or a run, it prints why
and returns nothing. It has no i64: a target that arrives at the run is handed over as i32, the type that the
converter gives to this input.
"""

from reshape_adapter import Rejected, Tensor, Unsupported, serve

import contextlib
import os
import tempfile
from math import prod

import _tools  # MNN's converter, as its own command mnnconvert imports it
import MNN
import MNN.expr as expr
import MNN.nn as nn
import numpy as np

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]
CONVERT = "mnnconvert -f ONNX --modelFile model.onnx --MNNModel model.mnn --bizCode none".split()
DTYPE = {"f32": expr.float, "i32": expr.int, "u8": expr.uint8}


class Mnn:
    name, version, model, window = "mnn", f"{MNN.version()} (without i64, which it cuts to 32 bits)", "onnx", 8
    supports = [
        {
            "operators": [f"onnx.Reshape-{version}" for version in VERSIONS],
            "element_types": list(DTYPE),
            "bindings": bindings,
        }
        for bindings in (["constant-static", "constant-dynamic"], ["runtime-static", "runtime-dynamic"])
    ]

    def compile(self, request):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            with open("model.onnx", "wb") as file:
                file.write(request.model)
            if not _tools.mnnconvert(CONVERT) or not os.path.exists("model.mnn"):
                raise Rejected("the converter refuses the model")
            module = nn.load_module_from_file("model.mnn", [], ["reshaped"])
            names = module.get_info()["inputNames"]
            if request.target.binding == "runtime" and "shape" not in names:
                # The converter made a constant of it. A module takes any name, so that the run can pass its value.
                names = ["data", "shape"]
                module = nn.load_module_from_file("model.mnn", names, ["reshaped"])

        def run(data, target):
            inputs = {"data": to_mnn(data)}
            if target is not None:
                inputs["shape"] = to_mnn(target)
            outputs = module.forward([inputs[name] for name in names])
            if not outputs:
                raise Rejected("the run has no output")
            return from_mnn(outputs[0], data)

        return run


def to_mnn(tensor):
    array, dtype = tensor.numpy(), DTYPE.get(tensor.element_type)
    if tensor.element_type == "i64":
        array, dtype = array.astype(np.int32), expr.int
    if dtype is None:
        raise Unsupported(f"MNN has no {tensor.element_type}")
    return expr.const(array, list(tensor.shape), expr.NCHW, dtype)


def from_mnn(output, data):
    """What MNN gives for `data`."""
    if output.dtype != DTYPE[data.element_type]:
        raise Unsupported(f"MNN gives {output.dtype} for {data.element_type}")
    reshaped = Tensor.of_output(data, output.shape, output.read)
    reshaped.owner = output  # what it reads is a view of memory that goes with the output
    return reshaped


serve(Mnn())
