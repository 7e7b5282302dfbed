"""The checker of the onnx package, and then its reference evaluator (`onnx.reference`): what the ONNX project itself says.

It is what evaluates the models of a rewriter, with nothing rewritten.
"""

from onnx_rewriter import Rewriter, serve

import onnx


class Reference(Rewriter):
    internal = None  # the evaluator is the backend here, so its accidents are told apart


serve(Reference("onnx-reference", f"{onnx.__version__} (checker, then evaluator)", lambda model: model))
