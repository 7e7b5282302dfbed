"""What the reproducers share: converts an ONNX model in text form, and runs it once in MNN on data of zeros."""
import contextlib
import os
import tempfile

import _tools  # MNN's converter, as its own command mnnconvert imports it
import MNN.expr as expr
import MNN.nn as nn
import numpy as np
import onnx.parser


def convert(text, inputs):
    """The module of a model with these inputs; None if the converter refuses it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        onnx.save(onnx.parser.parse_model(text), "model.onnx")
        _tools.mnnconvert("mnnconvert -f ONNX --modelFile model.onnx --MNNModel model.mnn --bizCode none".split())
        return nn.load_module_from_file("model.mnn", inputs, ["reshaped"]) if os.path.exists("model.mnn") else None


def run(text, *shape):
    """The output for data of this shape; None if MNN has none."""
    module = convert(text, ["data"])
    outputs = module.forward([expr.const(np.zeros(shape, np.float32), list(shape), expr.NCHW, expr.float)])
    return outputs[0] if outputs else None


def shape(text, *data):
    """The output's shape for data of this shape; None if MNN has none."""
    output = run(text, *data)
    return None if output is None else output.shape
