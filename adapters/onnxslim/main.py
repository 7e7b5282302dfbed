"""onnxslim's `slim`, with its defaults. Its result is evaluated by onnx's reference evaluator."""

from onnx_rewriter import Rewriter, serve

import onnxslim

# Its shape inference logs "Only support models of onnx opset 7 and above".
serve(Rewriter("onnxslim", f"{onnxslim.__version__} (without ONNX Runtime)", onnxslim.slim, oldest=7))
