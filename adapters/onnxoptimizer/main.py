"""onnxoptimizer's `optimize`, with its default passes. Its result is evaluated by onnx's reference evaluator."""

from onnx_rewriter import Rewriter, serve

import onnxoptimizer

serve(Rewriter("onnxoptimizer", onnxoptimizer.__version__, onnxoptimizer.optimize))
