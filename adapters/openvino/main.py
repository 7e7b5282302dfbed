"""OpenVINO's own Reshape-1 on the CPU plugin, in the default configuration, through its Python API.

Every tensor goes in and out as the bytes it has. Strings go as an array of `bytes`, which numpy cuts at trailing
NULs: a string that ends in NUL cannot be handed over.
"""

import os
from math import prod

from reshape_adapter import Rejected, Tensor, Unsupported, serve

import numpy as np
import openvino as ov

try:
    from openvino import opset8
except ImportError:  # an older release
    from openvino.runtime import opset8

RELEASE = ov.__version__.split("-")[0]
# What OpenVINO calls each element type.
TYPE = {
    "f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16", "i64": "i64", "i32": "i32", "i16": "i16", "i8": "i8", "i4": "i4",
    "u64": "u64", "u32": "u32", "u16": "u16", "u8": "u8", "u4": "u4", "u2": "u2", "f8e4m3fn": "f8e4m3", "f8e5m2": "f8e5m2",
    "f8e8m0": "f8e8m0", "f4e2m1": "f4e2m1", "bool": "boolean", "string": "string",
}  # fmt: skip
OPENVINO = {name: getattr(ov.Type, of) for name, of in TYPE.items() if hasattr(ov.Type, of)}
ELEMENT_TYPE = {of.to_string(): name for name, of in OPENVINO.items()}
# Not every release has them, or a plugin that takes them as an input.
LATER = ["i4", "u4", "u2", "f8e4m3fn", "f8e5m2", "f8e8m0", "f4e2m1", "string"]


def openvino_type(name):
    """`unavailable` keeps data of a type that is lacking away, but not a target."""
    if name not in OPENVINO:
        raise Unsupported(f"the Python API of this release of OpenVINO has no type {TYPE[name]}")
    return OPENVINO[name]


# What each ONNX version lists and OpenVINO has a type for.
FROM_5 = ["f32", "f16", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "string"]
FROM_13 = [*FROM_5, "bf16"]
FROM_19 = [*FROM_13, "f8e4m3fn", "f8e5m2"]
FROM_21 = [*FROM_19, "i4", "u4"]
FROM_23 = [*FROM_21, "f4e2m1"]
FROM_24 = [*FROM_23, "f8e8m0"]
ONNX_TYPES = {5: FROM_5, 13: FROM_13, 14: FROM_13, 19: FROM_19, 21: FROM_21, 23: FROM_23, 24: FROM_24, 25: FROM_24}
ANY = ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"]


class OpenVino:
    name, model, window = "openvino", "openvino-ir", 8
    infers = True
    concurrent_runs = True  # one compiled model, with an infer request for each thread
    supports = [
        {
            "operators": ["openvino.Reshape-1"],
            "element_types": list(TYPE),
            "bindings": ANY,
        }
    ]

    def __init__(self):
        self.core = ov.Core()
        # What the plugin computes in unless it is told otherwise, such as f32, or bf16 where the processor has that.
        precision = self.core.get_property("CPU", "INFERENCE_PRECISION_HINT").to_string()
        self.version = f"{RELEASE} ({precision}; recompiled after a refused run, which leaves stale shapes)"
        lacking = {name: why for name in LATER if (why := self.lacking(name))}
        self.unavailable = [
            {**entry, "element_types": [name], "reason": f"OpenVINO {RELEASE}{why}"}
            for name, why in lacking.items()
            for entry in self.supports
            if name in entry["element_types"]
        ]

    def lacking(self, name):
        """Why this release cannot be given data of a type, asked by a model without a Reshape; None if it can."""
        if name not in OPENVINO:
            return f" has no element type {TYPE[name]}"
        data = opset8.parameter([1], OPENVINO[name])
        try:
            self.core.compile_model(ov.Model([opset8.result(data)], [data]), "CPU")
        except RuntimeError:
            return f"'s CPU plugin takes no input of {TYPE[name]}"
        return None

    def read(self, request):
        return self.core.read_model(bytes(request.xml), bytes(request.bin))

    def compile(self, request):
        def fresh():
            nonlocal compiled
            compiled = compiled or self.core.compile_model(model, "CPU")
            return compiled.create_infer_request()

        compiled = None  # or the compiled model
        try:
            model = self.read(request)
            # The shape is inferred by now. What the plugin compiles has memory for the tensors of declared shapes.
            idle = [] if request.infer_only else [fresh()]  # the infer requests that do not run
        except RuntimeError as error:
            raise Rejected(error)

        def run(data, target):
            nonlocal compiled, idle
            try:
                infer = idle.pop() if idle else fresh()
                infer.set_tensor("data", to_openvino(data))
                if target is not None:
                    infer.set_tensor("shape", to_openvino(target))
                infer.start_async()  # and not infer(): that turns the outputs into numpy arrays, whatever their shape
                infer.wait()
            except RuntimeError as error:
                # A refused run leaves its shapes behind in the compiled model, for the next to trip over, whatever the
                # request: docs/upstream/openvino-shape-left-by-a-refused-run.md.
                compiled, idle = None, []
                raise Rejected(error)
            output = from_openvino(infer.get_output_tensor())
            idle.append(infer)
            return output

        inferred = model.output().partial_shape
        if inferred.rank.is_static:
            run.output_shape = [dim.get_length() if dim.is_static else None for dim in inferred]
        return run


class OnnxFrontEnd(OpenVino):
    """The same plugin behind OpenVINO's reader of ONNX models."""

    name, model = "openvino (ONNX front end)", "onnx"
    supports = [
        {
            "operators": ["onnx.Reshape-1"],
            "element_types": ["f32", "f16", "f64"],
            "bindings": ["attribute-static", "attribute-dynamic"],
        }
    ] + [
        {"operators": [f"onnx.Reshape-{version}"], "element_types": element_types, "bindings": ANY}
        for version, element_types in ONNX_TYPES.items()
    ]

    def read(self, request):
        return self.core.read_model(bytes(request.model), b"")


def to_openvino(tensor):
    if tensor.element_type == "string":
        texts = tensor.strings()
        if any(text.endswith(b"\0") for text in texts):
            raise Unsupported("OpenVINO's Python API takes no string that ends in NUL")
        return ov.Tensor(np.array(texts, np.bytes_).reshape(tensor.shape))
    array = np.frombuffer(tensor.data, np.uint8)
    if not array.size:
        return ov.Tensor(openvino_type(tensor.element_type), tensor.shape)
    return ov.Tensor(array, tensor.shape, openvino_type(tensor.element_type))


def from_openvino(output):
    shape, element_type = tuple(output.shape), ELEMENT_TYPE[output.element_type.to_string()]
    if prod(shape) != output.size:  # it counted in 64 bits, and has not these elements
        return Tensor(element_type, shape, None)
    if element_type == "string":
        if not output.size:  # the bindings divide by zero
            return Tensor.from_strings([], shape)
        return Tensor.from_strings(output.bytes_data.reshape(-1).tolist(), shape)
    content = output.data.tobytes() if output.byte_size else b""  # the shape may be more than numpy can hold
    return Tensor(element_type, shape, content)


serve(OnnxFrontEnd() if os.environ.get("OPENVINO_ADAPTER_FRONT_END") == "onnx" else OpenVino())
