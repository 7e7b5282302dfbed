"""Backends of onnx under test. The evaluator of onnx is right; the others decline or die."""

import os
import unittest

from onnx.backend.base import Backend, BackendRep
from onnx.reference import ReferenceEvaluator


class Prepared(BackendRep):
    def __init__(self, model):
        self.evaluator = ReferenceEvaluator(model)

    def run(self, inputs, **others):
        return self.evaluator.run(None, dict(zip(self.evaluator.input_names, inputs)))


class Evaluator(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **others):
        super().prepare(model, device)
        return Prepared(model)


def element_type(model):
    return model.graph.input[0].type.tensor_type.elem_type


class NotSupposed(unittest.SkipTest):
    pass


class DeclinesF16(Evaluator):
    @classmethod
    def prepare(cls, model, device="CPU", **others):
        if element_type(model) == 10:
            raise NotSupposed("no f16")
        return super().prepare(model, device)


class DeclinesInputs(Evaluator):
    @classmethod
    def prepare(cls, model, device="CPU", **others):
        if len(model.graph.input) > 1:
            raise NotSupposed("no computed target")
        return super().prepare(model, device)


class Dies(Evaluator):
    @classmethod
    def prepare(cls, model, device="CPU", **others):
        os._exit(3)


class OnTheGpu(Evaluator):
    @classmethod
    def supports_device(cls, device):
        return device == "CUDA"
