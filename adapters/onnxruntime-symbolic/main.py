"""ONNX Runtime's `SymbolicShapeInference`, with its defaults. Its result is evaluated by onnx's reference evaluator."""

from onnx_rewriter import Rewriter, serve

import os
import tempfile

import onnxruntime
from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

# It logs "Only support models of onnx opset 7 and above".
rewriter = Rewriter("onnxruntime-symbolic", onnxruntime.__version__, SymbolicShapeInference.infer_shapes, oldest=7)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # where it fails, it writes a file to the current folder
    serve(rewriter)
