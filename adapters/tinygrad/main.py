"""tinygrad's ONNX frontend (`tinygrad.nn.onnx.OnnxRunner`), on the device that is written in Python.

The frontend does not check element types, so only those an operator's text lists are asked of it. It does not look at
a target before the run: every refusal comes then.
"""

from reshape_adapter import Rejected, Tensor, Unsupported, serve

import importlib.metadata

import tinygrad
from tinygrad import dtypes
from tinygrad.nn.onnx import OnnxDataType, OnnxRunner

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]

DTYPE = {
    "f64": dtypes.float64, "f32": dtypes.float32, "f16": dtypes.float16, "bf16": dtypes.bfloat16,
    "i64": dtypes.int64, "i32": dtypes.int32, "i16": dtypes.int16, "i8": dtypes.int8,
    "u64": dtypes.uint64, "u32": dtypes.uint32, "u16": dtypes.uint16, "u8": dtypes.uint8, "bool": dtypes.bool,
}  # fmt: skip
ELEMENT_TYPE = {dtype: element_type for element_type, dtype in DTYPE.items()}

# What the frontend raises when it refuses. It has no exceptions of its own: Python's go through, those of an index
# or a division too.
LOAD_ERRORS = (AssertionError, KeyError, RuntimeError, TypeError, ValueError)
RUN_ERRORS = (AssertionError, IndexError, NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError,
              ZeroDivisionError)  # fmt: skip


class Tinygrad:
    name, model, window = "tinygrad", "onnx", 8
    version = f"{importlib.metadata.version('tinygrad')} (DEV={tinygrad.Device.DEFAULT}; a new runner for each run, as one keeps its first target)"
    supports = [
        {
            "operators": [f"onnx.Reshape-{version}"],
            "element_types": [t for t in DTYPE if version > 5 or t != "bf16"],
            "bindings": ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"],
        }
        for version in VERSIONS
    ]

    def compile(self, request):
        model = tinygrad.Tensor(bytes(request.model))
        try:
            OnnxRunner(model)
        except FileNotFoundError as error:  # a constant without dims becomes a program for the CPU
            raise Unsupported(f"tinygrad needs clang for this ({error})")
        except LOAD_ERRORS as error:
            raise Rejected(error)

        def run(data, target):
            feeds = {"data": to_tinygrad(data)}
            if target is not None:
                feeds["shape"] = to_tinygrad(target)
            # A new runner for each run: one keeps the first target that it saw, for the sake of its JIT.
            try:
                reshaped = OnnxRunner(model)(feeds)["reshaped"].realize()
            except RUN_ERRORS as error:
                raise Rejected(error)
            except FileNotFoundError as error:  # a constant without dims becomes a program for the CPU
                raise Unsupported(f"tinygrad needs clang for this ({error})")
            return from_tinygrad(reshaped)

        return run


def to_tinygrad(tensor):
    if tensor.element_type not in DTYPE:
        raise Unsupported(f"tinygrad's ONNX frontend has no {tensor.element_type}")
    dtype = DTYPE[tensor.element_type]
    if not len(tensor.data):
        return tinygrad.Tensor.empty(*tensor.shape, dtype=dtype)
    return tinygrad.Tensor(bytes(tensor.data), dtype=dtype).reshape(tensor.shape)


def from_tinygrad(reshaped):
    element_type, shape = ELEMENT_TYPE[reshaped.dtype], reshaped.shape
    content = b"" if 0 in shape else bytes(reshaped._buffer().as_memoryview())  # its .data() cannot do f16 and bf16
    return Tensor(element_type, shape, content)


serve(Tinygrad())
