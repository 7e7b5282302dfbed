"""Any implementation of `onnx.backend.base.Backend` as a backend of this suite.

`python -m reshape_conformance.onnx_backend MODULE` is an adapter for it, and `reshape-conformance run --onnx-backend MODULE`
runs it. `MODULE` has the functions `prepare` and `supports_device`, as `onnxruntime.backend` does, or a single class that
derives from `onnx.backend.base.Backend`; `MODULE:NAME` names one of several. A second argument of the adapter is the device,
`CPU` without it.

The suite calls `prepare(model, device)` and the result's `run(inputs)`, as onnx's own runner does. The backend refuses a model
by an exception. `BackendIsNotSupposedToImplementIt`, or another `unittest.SkipTest`, says that it is not meant for it: the
trial is skipped. It is a failure if the same operator and element type worked elsewhere, or if nothing of the operator worked.
Whatever ends the process is a crash.
"""

import sys
import unittest

if __package__:
    from .adapter import NUMPY, NUMPY_LIMITS, ONNX, Rejected, Tensor, Unsupported, lacking, serve
    from .function import load, main, output
else:
    from reshape_adapter import NUMPY, NUMPY_LIMITS, ONNX, Rejected, Tensor, Unsupported, lacking, serve
    from function import load, main, output

import numpy as np

try:
    import onnx
    import onnx.backend.base
except ModuleNotFoundError as error:
    sys.exit(lacking("onnx", error))


def find(name):
    """The backend that a module is or has, and its version."""
    found, version = load(name)
    if callable(getattr(found, "prepare", None)):
        return found, version
    base = onnx.backend.base.Backend
    there = [of for of in vars(found).values() if isinstance(of, type) and issubclass(of, base) and of is not base]
    own = [of for of in there if of.__module__ == found.__name__] or there
    if len(own) == 1:
        return own[0], version
    names = ", ".join(f"{name}:{of.__name__}" for of in own)
    raise TypeError(f"it has several backends: {names}" if own else "it has no `prepare`, and no class of onnx.backend.base.Backend")


def is_skip(error):
    """Whether a backend says that it is not meant for a model. Some have a class of their own for that."""
    names = [of.__name__ for of in type(error).__mro__]
    return isinstance(error, unittest.SkipTest) or "BackendIsNotSupposedToImplementIt" in names


class OnnxBackend:
    model, window, claims_nothing = "onnx", 8, True
    limits = NUMPY_LIMITS | {"strings": ["utf-8"]}
    supports = [{"operators": ["onnx"], "element_types": "all", "bindings": "all"}]

    def __init__(self, name, device="CPU"):
        self.name = name
        self.backend, self.version = find(name)
        self.device = device
        if not self.backend.supports_device(device):
            raise TypeError(f"supports_device({device!r}) is false")

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        inputs = [of.name for of in model.graph.input]
        prepared = self.asked(self.backend.prepare, model, self.device)
        if prepared is None:
            raise TypeError("prepare returned None")

        def run(data, target):
            given = {"data": to_array(data)} | ({} if target is None else {"shape": to_array(target)})
            results = self.asked(prepared.run, [given[name] for name in inputs if name in given])
            return output(results[0], data, given["data"])

        return run

    def asked(self, function, *arguments):
        try:
            return function(*arguments)
        except Exception as error:
            raise Unsupported(error) if is_skip(error) else Rejected(error)


def to_array(tensor):
    """The array that onnx's own runner would hand over."""
    if tensor.element_type == "string":
        texts = [text.decode() for text in tensor.strings()]
        return np.array(texts, object).reshape(tensor.shape)
    width = NUMPY[tensor.element_type].itemsize if tensor.element_type in NUMPY else 1
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(ONNX[tensor.element_type]))
    except KeyError:
        dtype = None
    if dtype is None or dtype.itemsize != width:
        raise Unsupported(f"onnx {onnx.__version__} has no array of {tensor.element_type}")
    return tensor.numpy(dtype)


if __name__ == "__main__":
    main(OnnxBackend, sys.argv[1:])
