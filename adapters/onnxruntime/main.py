"""ONNX Runtime, CPU or OpenVINO execution provider, through its Python API.

Tensors go in and out by address (IOBinding), so every element type travels as the bytes it has, whether numpy
knows the type or not. Strings cannot: they go through `session.run` as Python `str`, which keeps NULs. A string that
is not UTF-8 cannot be handed over at all.
"""

import ctypes
import math
import os
import tempfile

from reshape_adapter import NUMPY, ONNX, Rejected, Tensor, Unsupported, serve

import numpy as np
import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as errors

ELEMENT_TYPE = {number: element_type for element_type, number in ONNX.items()}

# Releases before 1.20 take an input's type only as numpy's, which has no bf16 nor any other type of machine learning.
NUMPY_ONLY = [int(number) for number in ort.__version__.split(".")[:2]] < [1, 20]
BY_NUMPY = {t: dtype for t, dtype in NUMPY.items() if t != "bf16" and not t.startswith("f8")}
BY_NAME = {f"tensor({dtype.name})": t for t, dtype in BY_NUMPY.items()} | {"tensor(float)": "f32", "tensor(double)": "f64"}

# What ONNX Runtime says when it refuses. The rest of its exceptions (no such file, …) are faults of ours.
LOAD_ERRORS = (errors.Fail, errors.InvalidArgument, errors.InvalidGraph, errors.InvalidProtobuf, errors.RuntimeException)
RUN_ERRORS = (errors.Fail, errors.InvalidArgument, errors.RuntimeException)

ANY = ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"]
FLOATS = ["f32", "f16", "f64"]
EVERYWHERE = [*FLOATS, "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "string"]
COMPLEX = ["complex64", "complex128"]
F8 = ["f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"]
BIT_4 = ["i4", "u4"]
BIT_2 = ["i2", "u2"]
TAKEN = ["f32", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "bool"]  # by the OpenVINO execution provider


def supports(operators, element_types, bindings=ANY):
    return {"operators": operators, "element_types": element_types, "bindings": bindings}


class OnnxRuntime:
    name, version, model, window = "onnxruntime", ort.__version__, "onnx", 8
    infers = True
    concurrent_runs = True  # several threads may call Run of one session
    providers = ["CPUExecutionProvider"]
    # Listed beside what an operator's text lists: the types that its text leaves out, for the loader to refuse.
    # Left out: what the text lists and ONNX Runtime has no type for (complex) or no kernel for (f8 in Reshape-19;
    # f8e8m0, f4e2m1, 4 and 2 bits).
    supports = [
        supports(
            ["onnx.Reshape-1"],
            [*EVERYWHERE, "bf16", *COMPLEX, *F8, "f8e8m0", "f4e2m1", *BIT_4, *BIT_2],
            ["attribute-static", "attribute-dynamic"],
        ),
        supports(["onnx.Reshape-5"], [*EVERYWHERE, "bf16", *F8, "f8e8m0", "f4e2m1", *BIT_4, *BIT_2]),
        supports(
            ["onnx.Reshape-13", "onnx.Reshape-14"], [*EVERYWHERE, "bf16", *F8, "f8e8m0", "f4e2m1", *BIT_4, *BIT_2]
        ),
        supports(["onnx.Reshape-19"], [*EVERYWHERE, "bf16", "f8e8m0", "f4e2m1", *BIT_4, *BIT_2]),
        supports(["onnx.Reshape-21"], [*EVERYWHERE, "bf16", *F8, "f8e8m0", "f4e2m1", *BIT_2]),
        supports(["onnx.Reshape-23"], [*EVERYWHERE, "bf16", *F8, "f8e8m0", *BIT_2]),
        supports(["onnx.Reshape-24"], [*EVERYWHERE, "bf16", *F8, *BIT_2]),
        supports(["onnx.Reshape-25"], [*EVERYWHERE, "bf16", *F8]),
    ]

    @property
    def unavailable(self):
        reason = f"ONNX Runtime {self.version} binds inputs of numpy's element types only"
        known = [*BY_NUMPY, "string"]
        others = [{**entry, "element_types": [t for t in entry["element_types"] if t not in known]} for entry in self.supports]
        return [{**entry, "reason": reason} for entry in others if NUMPY_ONLY and entry["element_types"]]

    def __init__(self):
        self.options = ort.SessionOptions()
        self.options.intra_op_num_threads = 1
        self.options.inter_op_num_threads = 1
        self.options.log_severity_level = 4
        if os.environ.get("ORT_ADAPTER_OPTIMIZATIONS") == "off":
            self.options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL

    def compile(self, request):
        model = bytes(request.model)
        try:
            session = self.session(model)
        except errors.NotImplemented as error:  # no kernel
            raise Unsupported(error)
        except LOAD_ERRORS as error:
            raise Rejected(error)
        run = strings(session) if request.element_type == "string" else bits(session)

        # ONNX Runtime writes [] both for a scalar and for an unknown rank; a dim it does not know is None or a name.
        inferred = session.get_outputs()[0].shape
        run.output_shape = [dim if isinstance(dim, int) else None for dim in inferred] or None
        return run


    def session(self, model):
        return ort.InferenceSession(model, self.options, providers=self.providers)


class Offline(OnnxRuntime):
    """The optimized model that a session saves, run with every optimization off."""

    name = "onnxruntime-offline"
    infers = False

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.saving = ort.SessionOptions()
        self.saving.intra_op_num_threads = 1
        self.saving.log_severity_level = 4
        self.saving.optimized_model_filepath = os.path.join(self.folder.name, "optimized.onnx")
        self.options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL

    def session(self, model):
        ort.InferenceSession(model, self.saving, providers=self.providers)
        return ort.InferenceSession(self.saving.optimized_model_filepath, self.options, providers=self.providers)


class OpenVinoProvider(OnnxRuntime):
    """The package onnxruntime-openvino: what this provider does not take, the CPU execution provider does."""

    name = "onnxruntime-openvino"
    version = f"{ort.__version__} (without Reshape-1, which can end its process)"
    infers = False  # a session of it has memory for the tensors of declared shapes
    providers = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]
    supports = [supports(["onnx.Reshape-5", "onnx.Reshape-14"], TAKEN)]


def bits(session):
    """Runs a model on the bytes of its inputs."""

    def bind(binding, name, tensor):
        array = np.frombuffer(tensor.data, np.uint8)
        element_type = (BY_NUMPY if NUMPY_ONLY else ONNX)[tensor.element_type]
        binding.bind_input(name, "cpu", 0, element_type, tensor.shape, array.ctypes.data)

    def run(data, target):
        binding = session.io_binding()  # in releases before 1.30, the outputs of one change with its next run
        try:  # binding refuses shapes that it cannot count
            bind(binding, "data", data)
            if target is not None:
                bind(binding, "shape", target)
            binding.bind_output("reshaped")
            session.run_with_iobinding(binding)
        except RuntimeError as error:
            raise Rejected(error)
        output = binding.get_outputs()[0]
        content = (ctypes.c_ubyte * size(output, data)).from_address(output.data_ptr())
        content.owner = binding, output  # and no copy, to be looked at again after the next run
        element_type = BY_NAME[output.data_type()] if NUMPY_ONLY else ELEMENT_TYPE[output.element_type()]
        return Tensor(element_type, output.shape(), memoryview(content))

    return run


def size(output, data):
    """The bytes of an output whose element type is the data's."""
    if hasattr(output, "tensor_size_in_bytes"):
        return output.tensor_size_in_bytes()
    # Releases before 1.23 do not say. Of an output with elements for data without any, no byte is read.
    elements = math.prod(data.shape)
    return len(data.data) * math.prod(output.shape()) // elements if elements else 0


def strings(session):
    """Runs a model on Python strings: an array of `bytes` would be read past its end, or cut at a NUL."""

    def run(data, target):
        try:
            texts = [text.decode() for text in data.strings()]
        except UnicodeDecodeError:
            raise Unsupported("ONNX Runtime's Python API takes no string that is not UTF-8")
        array = np.empty(len(texts), object)
        array[:] = texts
        feeds = {"data": array.reshape(data.shape)}
        if target is not None:
            feeds["shape"] = target.numpy()
        try:
            output = session.run(["reshaped"], feeds)[0]
        except RUN_ERRORS as error:
            raise Rejected(error)
        return Tensor.from_numpy(output)

    return run


if os.environ.get("ORT_ADAPTER_PROVIDER") == "openvino":
    serve(OpenVinoProvider())
else:
    serve(Offline() if os.environ.get("ORT_ADAPTER_OPTIMIZATIONS") == "offline" else OnnxRuntime())
