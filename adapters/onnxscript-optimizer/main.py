"""onnxscript's `optimizer.optimize`, with its defaults. Its result is evaluated by onnx's reference evaluator."""

from onnx_rewriter import Rewriter, serve

import onnxscript
from onnxscript import optimizer

serve(Rewriter("onnxscript-optimizer", onnxscript.__version__, optimizer.optimize))
