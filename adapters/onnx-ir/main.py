"""onnx_ir's shape inference, with its defaults. Its result is evaluated by onnx's reference evaluator."""

from onnx_rewriter import Rewriter, serve

import onnx_ir
from onnx_ir.passes.common import ShapeInferencePass


def inferred(model):
    return onnx_ir.to_proto(ShapeInferencePass()(onnx_ir.from_proto(model)).model)


serve(Rewriter("onnx-ir", onnx_ir.__version__, inferred))
