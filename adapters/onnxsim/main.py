"""onnxsim's `simplify`, with its defaults. Its result is evaluated by onnx's reference evaluator."""

from onnx_rewriter import Rewriter, serve

import onnxsim

serve(Rewriter("onnxsim", onnxsim.__version__, lambda model: onnxsim.simplify(model)[0]))
