"""onnxsim's `simplify`, with its defaults. Its result is evaluated by onnx's reference evaluator.

ONNX Runtime, with which it prefers to evaluate constants, is not installed, so it evaluates them with onnx."""

from onnx_rewriter import Rewriter, serve

import onnxsim

version = f"{onnxsim.__version__.removeprefix('v')} (without ONNX Runtime, so onnx evaluates constants)"
serve(Rewriter("onnxsim", version, lambda model: onnxsim.simplify(model)[0]))
