"""How to connect a backend written in Python, or with a Python API, to reshape-conformance.

An adapter is a folder with a manifest (`adapter.yaml`, see docs/adapters.md) and a shim. The shim passes one
object to `serve`; this file speaks the protocol (docs/protocol.md). The manifest makes it importable:
`environment: {PYTHONPATH: "{kits}/python"}`. A complete shim:

    from reshape_adapter import Rejected, Tensor, serve     # import it first: it redirects stdout
    import mybackend

    class MyBackend:
        name, version = "mybackend", mybackend.__version__
        model = "onnx"                  # the model format of each compile: none, onnx or openvino-ir
        supports = [{"operators": ["onnx.Reshape-14"], "element_types": ["f32", "i64"],
                     "bindings": ["constant-static", "runtime-static"]}]     # the same as in adapter.yaml

        def compile(self, request):     # a Request
            try:
                program = mybackend.load(request.model)
            except mybackend.Error as error:
                raise Rejected(error)
            def run(data, target):      # Tensors; target is None unless the target shape is a runtime input
                feeds = {"data": data.numpy()}
                if target is not None:
                    feeds["shape"] = target.numpy()
                try:
                    reshaped = program(feeds)
                except mybackend.Error as error:
                    raise Rejected(error)
                return Tensor.from_numpy(reshaped)
            run.output_shape = program.shape          # optional: the inferred shape, None for an unknown dim
            run.release = program.close               # optional: called when the runner no longer needs the model
            return run

    serve(MyBackend())

A shim has three answers:
- `Rejected`: the backend rejected the request. Raise it only from an `except` around a call of the backend that names
  the backend's own exceptions, so that a bug in the shim is not reported as a rejection: make the inputs before the
  `try`, and read the output after it. `Rejected(error)` marks a rejection by accident if the error is one of
  `INTERNAL`; otherwise pass `internal=True` if you know.
- `Unsupported`: the backend has no way to do this, although the manifest claims it.
- Any other exception ends the process with a traceback and a non-zero exit code. This file itself raises `Fault`, which
  is not an `Exception`, so no `except` for the backend's exceptions catches it.

The kit checks the array that `Tensor.from_numpy` takes, or the memoryview in a `Tensor`, again after each of the next two
runs of the same model. It must not have changed. If the documentation says that a run overwrites the previous output,
copy the output: `bytes` are never checked.

Optional in the backend object:
- `window`: the number of requests that the adapter accepts before it answers the first; 1 by default.
- `infer_only`: False by default. If True, `compile` returns any object with an `output_shape`, which is never run.
- `infers`: False by default. If True, `run.output_shape` exists even for data that is too large to materialize. Then
  `request.infer_only` is set, and the result of `compile` is never run.
- `concurrent_runs`: False by default. If True, several threads may call the result of `compile` concurrently, because
  the backend's documentation allows that for one compiled model.
- `unavailable`: the part of `supports` that this machine cannot do: entries like those of `supports`, with a `reason`.
- `limits`: what the shim cannot pass on, such as {"rank": 8}. The runner skips such trials.
- `claims_nothing`: False by default. True if `supports` is only what the shim can be asked: docs/protocol.md.

An entry of `supports` may also have `limits` and `attributes`. docs/adapters.md has all limits. `model`, `infer_only`,
`infers` and `concurrent_runs` must be the same as in adapter.yaml. So must `limits` and `attributes`, unless the shim
leaves them to adapter.yaml.

Importing this file moves the protocol to private file descriptors. What the backend prints goes to stderr.
"""

from __future__ import annotations  # Python 3.9 cannot evaluate `A | B`

import functools
import json
import os
import sys
import threading
import zlib
from dataclasses import dataclass, field
from math import prod

_input = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
_output = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.close(_nothing)
os.dup2(2, 1)


def lacking(package, error):
    """What to do if this Python lacks a package, for an error of its import."""
    if error.name != package:
        raise error
    python = sys.executable
    return f"{python} has no {package}: install it with `{python} -m pip install {package}`, or name another Python with --python"


try:
    import numpy as np  # whatever it prints must not reach the protocol
except ModuleNotFoundError as error:
    sys.exit(lacking("numpy", error))

# What `json.dumps` and `json.loads` would create for each message. A message has no space before or after it.
_encode, _decode = json.JSONEncoder(separators=(",", ":")).encode, json.JSONDecoder().raw_decode

# element type → numpy type of one element; an unsigned integer of the same width where numpy has no such type
NUMPY = {
    "f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2",
    "i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "i1", "u64": "<u8", "u32": "<u4", "u16": "<u2", "u8": "u1",
    "bool": "?", "complex64": "<c8", "complex128": "<c16",
    "f8e4m3fn": "u1", "f8e4m3fnuz": "u1", "f8e5m2": "u1", "f8e5m2fnuz": "u1", "f8e8m0": "u1",
}  # fmt: skip
NUMPY = {element_type: np.dtype(code) for element_type, code in NUMPY.items()}

# element types of less than a byte → bits of one element
SUB_BYTE = {"f4e2m1": 4, "i4": 4, "u4": 4, "i2": 2, "u2": 2}

ELEMENT_TYPES = [*NUMPY, *SUB_BYTE, "string"]

# What an array can hold. A shim that hands over arrays states at least these limits.
NUMPY_LIMITS = {"rank": 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32, "data_bytes": 2**63 - 1}

# element type → TensorProto.DataType, for the backends that speak ONNX
ONNX = {
    "f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "string": 8, "bool": 9, "f16": 10, "f64": 11,
    "u32": 12, "u64": 13, "complex64": 14, "complex128": 15, "bf16": 16, "f8e4m3fn": 17, "f8e4m3fnuz": 18,
    "f8e5m2": 19, "f8e5m2fnuz": 20, "u4": 21, "i4": 22, "f4e2m1": 23, "f8e8m0": 24, "u2": 25, "i2": 26,
}  # fmt: skip

# numpy's and ml_dtypes' names → element types
_BY_NAME = {NUMPY[t].name: t for t in NUMPY if t != "bf16" and not t.startswith("f8")} | {
    "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn", "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2": "f8e5m2",
    "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0", "float4_e2m1fn": "f4e2m1",
    "int4": "i4", "uint4": "u4", "int2": "i2", "uint2": "u2",
}  # fmt: skip


# What Python raises for an error in a program, rather than for a failed check of its input.
INTERNAL = (AssertionError, AttributeError, LookupError, NameError, RecursionError, SystemError, ZeroDivisionError)


class Rejected(Exception):
    """The backend rejected the request: with its own exception, or in these words.

    `internal` is whether it ran into an error, instead of checking the request and refusing it.
    """

    def __init__(self, error, internal=None):
        self.internal = isinstance(error, INTERNAL) if internal is None else internal
        is_named = isinstance(error, INTERNAL) or not str(error)
        super().__init__(f"{type(error).__name__}: {error}" if is_named else str(error))


class Unsupported(Exception):
    """The adapter or the backend has no way to do what the request needs."""


class Fault(BaseException):
    """A fault of the shim. It is not an `Exception`, so that nothing mistakes it for one of the backend."""


def _ours(function):
    """Turns what this function raises into a fault of the shim."""

    @functools.wraps(function)
    def guarded(*arguments):
        try:
            return function(*arguments)
        except Exception as error:
            raise Fault(f"{function.__name__}: {error}") from error

    return guarded


@dataclass
class Tensor:
    """A tensor as the protocol sends it: `data` holds the bytes, little-endian, row-major, sub-byte elements packed.

    In a result, `data=None` means that the backend returned this shape without its elements. The kit checks the bytes
    again after the model's next two runs: those of a memoryview, or of `source`, the array that they come from. `shares` is
    whether an output shares memory with the data, which only the Array API standard speaks of; None if nobody can see it.
    """

    element_type: str
    shape: tuple
    data: bytes | bytearray | memoryview | None
    source: object = field(default=None, compare=False, repr=False)
    shares: bool | None = field(default=None, compare=False)

    @_ours
    def numpy(self, dtype=None):
        """The elements as an array of this tensor's shape, without a copy where that is possible.

        Elements without a numpy type are unsigned integers that hold the bits; sub-byte elements are one uint8
        each; strings are `bytes` in an object array. `dtype` reads the same bits as another type of the same width
        (such as `ml_dtypes.bfloat16`).
        """
        if self.element_type == "string":
            array = np.empty(prod(self.shape), object)
            array[:] = self.strings()
        elif self.element_type in SUB_BYTE:
            array = unpack(self.data, SUB_BYTE[self.element_type], prod(self.shape))
        else:
            array = np.frombuffer(self.data, NUMPY[self.element_type])
        if dtype is not None:
            array = array.view(dtype)
        try:
            return array.reshape(self.shape)
        except ValueError as error:
            what = f"{self.element_type}{list(self.shape)} is no array of numpy's ({error})"
            raise ValueError(f"{what}; state what the shim cannot hand over: limits = {NUMPY_LIMITS}") from error

    @classmethod
    @_ours
    def from_numpy(cls, array, element_type=None):
        """The bits of an array. `element_type` is needed where the array's type does not determine it."""
        array = np.asarray(array)
        if element_type is None:
            element_type = "string" if array.dtype.kind in "OSUT" else _BY_NAME[array.dtype.name]
        if element_type == "string":
            strings = cls.from_strings(array.reshape(-1).tolist(), array.shape)
            strings.source = array
            return strings
        width = NUMPY[element_type].itemsize if element_type in NUMPY else 1
        if array.dtype.itemsize != width:
            raise ValueError(f"an array of {array.dtype} cannot hold {element_type}")
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
        flat = flat.view(np.uint8)
        if element_type in SUB_BYTE:
            flat = pack(flat, SUB_BYTE[element_type])
        return cls(element_type, array.shape, flat.data, array)

    @classmethod
    def of_output(cls, data, shape, read):
        """The output of a backend for `data`: this shape, and the elements of the array that `read()` returns.

        It does not read a shape with more elements than the data, or with negative dims, which is wrong already. It
        does not read a shape without elements either, because numpy and some backends have no such arrays.
        """
        shape = list(shape)
        if any(dim < 0 for dim in shape) or prod(shape) > prod(data.shape):
            return cls(data.element_type, shape, None)
        if not prod(shape):
            return cls(data.element_type, shape, b"")
        return cls.from_numpy(read(), data.element_type)

    @_ours
    def strings(self):
        """The elements of a string tensor, as a flat list of `bytes`."""
        data, at, elements = bytes(self.data), 0, []
        while at < len(data):
            start = at + 4
            at = start + int.from_bytes(data[at:start], "little")
            elements.append(data[start:at])
        return elements

    @classmethod
    @_ours
    def from_strings(cls, elements, shape):
        """A string tensor of a flat list of `bytes` (a `str` is written as UTF-8)."""
        parts = []
        for element in elements:
            element = element.encode() if isinstance(element, str) else element
            parts += (len(element).to_bytes(4, "little"), element)
        return cls("string", tuple(shape), b"".join(parts))


def unpack(data, bits, count):
    """`count` elements of 4 or 2 bits each, the first in the lowest bits → one uint8 each."""
    packed = np.frombuffer(data, np.uint8)
    per_byte = 8 // bits
    elements = np.empty((packed.size, per_byte), np.uint8)
    for place in range(per_byte):
        elements[:, place] = (packed >> (place * bits)) & ((1 << bits) - 1)
    return elements.reshape(-1)[:count]


def pack(elements, bits):
    """One uint8 each → 4 or 2 bits each, the first in the lowest bits, unused high bits 0."""
    per_byte = 8 // bits
    padded = np.zeros((-(-elements.size // per_byte), per_byte), np.uint8)
    padded.reshape(-1)[: elements.size] = elements & ((1 << bits) - 1)
    packed = padded[:, 0].copy()
    for place in range(1, per_byte):
        packed |= padded[:, place] << (place * bits)
    return packed


@dataclass
class Target:
    """Where the target shape comes from: `binding` is attribute, constant, runtime or absent.

    `shape` is the shape of the target tensor itself; None if absent. `values` is a flat list; None for a runtime
    target.
    """

    binding: str
    element_type: str | None
    shape: list | None
    values: list | None


@dataclass
class Request:
    """The argument of `compile`. `model` is the ONNX model; `xml` and `bin` are the two files of an OpenVINO IR.

    `layout` is the layout of the data in the backend's memory: permuted, padded, library, in-place, permuted-in-place;
    None for row-major. A shim whose `supports` name bindings of these layouts must read it.

    `infer_only` means that nothing will run, because the data is too large. Such requests come only if the backend
    `infers`.
    """

    operator: str
    attributes: dict
    element_type: str
    dims: list
    target: Target
    model: memoryview | None = None
    xml: memoryview | None = None
    bin: memoryview | None = None
    infer_only: bool = False
    _layout: str | None = None
    _ignores_layout: bool = False

    @property
    def layout(self):
        self._ignores_layout = False
        return self._layout


def serve(backend):
    """Answers the runner until it sends `bye` or closes the pipe."""
    handles = {}
    outputs = {}  # handle → the last runs of the model whose outputs can change
    last_handle = 0
    at_once = []  # the runs that wait for others, to be made at the same time
    while line := _input.readline():
        message, _ = _decode(line.decode())
        payload = _read_payload(message.get("payload", 0))
        kind, reply = message["type"], {}
        if kind == "run":
            at_once.append(_Run(handles[message["handle"]], message, payload))
            if len(at_once) >= message.get("at_once", 1):
                _make(at_once, outputs)
                at_once = []
            continue
        try:
            if kind == "hello":
                reply = _hello(backend, message)
            elif kind == "compile":
                request = _request(message, payload)
                run = backend.compile(request)
                if request._ignores_layout:
                    raise Fault(f"`supports` names the layout {request._layout}, but compile never looks at request.layout")
                last_handle += 1
                handles[last_handle] = run
                reply = {"type": "compiled", "handle": last_handle}
                if getattr(run, "output_shape", None) is not None:
                    reply["output_shape"] = [None if dim is None else int(dim) for dim in run.output_shape]
            elif kind == "release":
                outputs.pop(message["handle"], None)
                if release := getattr(handles.pop(message["handle"]), "release", None):
                    release()
                reply = {"type": "released"}
            elif kind == "bye":
                reply = {"type": "bye"}
            else:
                raise ValueError(f"protocol 1 has no message of the type {kind!r}")
        except Rejected as error:
            reply = {"type": "rejected", "message": _text(error)} | ({"internal": True} if error.internal else {})
        except Unsupported as error:
            reply = {"type": "unsupported", "message": _text(error)}
        request = run = release = payload = None  # a model lives until it is released, and no longer
        _write({"id": message["id"], **reply}, b"", message.get("more", False))
        if kind == "bye":
            return


class _Run:
    """A run, and its result."""

    def __init__(self, run, message, payload):
        self.run, self.message, self.reply, self.body, self.fault = run, message, {}, b"", None
        self.data = _tensor(message["data"], payload)
        self.target = _tensor(message["target"], payload) if message.get("target") else None
        self.reshaped = self.seen = None  # the output whose array the backend may change, and what its bytes were

    def make(self):
        try:
            reshaped = self.run(self.data, self.target)
            if not isinstance(reshaped, Tensor):
                raise Fault(f"a run gave {type(reshaped).__name__}, not a Tensor; Tensor.from_numpy makes one of an array")
            output = {"element_type": reshaped.element_type, "shape": [int(dim) for dim in reshaped.shape]}
            if reshaped.data is not None:
                self.body = _body(reshaped)
                output |= {"offset": 0, "length": self.body.nbytes}
                if reshaped.source is not None or isinstance(reshaped.data, memoryview):
                    self.reshaped, self.seen = reshaped, _snapshot(self.body)
            self.reply = {"type": "reshaped", "output": output}
            if reshaped.shares is not None:
                self.reply["shares"] = reshaped.shares
        except Rejected as error:
            self.reply = {"type": "rejected", "message": _text(error)} | ({"internal": True} if error.internal else {})
        except Unsupported as error:
            self.reply = {"type": "unsupported", "message": _text(error)}

    def has_changed(self):
        """Whether the array of the output has other bytes than when the run had ended."""
        output = self.reshaped
        if output is not None and output.source is not None:
            output = Tensor.from_numpy(output.source, output.element_type)
        return output is not None and _snapshot(_body(output)) != self.seen

    def make_with_others(self, barrier):
        barrier.wait()
        try:
            self.make()
        except BaseException as error:  # for the thread that reads messages
            self.fault = error


@functools.cache
def _pool(threads):
    """A pool of this many threads. It is kept, because starting a thread takes as long as some runs."""
    from concurrent.futures import ThreadPoolExecutor  # few adapters need it

    return ThreadPoolExecutor(threads)


def _make(runs, outputs):
    """Makes runs of one model, concurrently if there are several, and replies to each when all have ended."""
    handle = runs[0].message["handle"]
    if len(runs) == 1:
        runs[0].make()
    else:
        barrier = threading.Barrier(len(runs))
        list(_pool(len(runs)).map(lambda run: run.make_with_others(barrier), runs))
    for fault in filter(None, (run.fault for run in runs)):
        raise fault
    for run in runs if len(runs) > 1 else []:  # one of them may have changed the output of another
        if run.has_changed():
            run.reply["earlier_output_changed"] = True
    kept = outputs.setdefault(handle, [])  # two, because a backend may have two buffers in turn
    if any(earlier.has_changed() for earlier in kept):
        runs[0].reply["earlier_output_changed"] = True
        kept.clear()
    kept += [run for run in runs if run.reshaped]
    del kept[:-max(2, len(runs))]
    for run in runs:
        _write({"id": run.message["id"], **run.reply}, run.body, run.message.get("more", False))
        run.run = run.data = run.target = run.body = None  # its output outlives it, and nothing else


def _hello(backend, message):
    offered = message["protocol"]
    if not offered["min"] <= 1 <= offered["max"]:
        raise ValueError(f"this adapter speaks protocol 1, the runner {offered['min']} to {offered['max']}")
    return {
        "type": "hello",
        "protocol": 1,
        "backend": {"name": backend.name, "version": backend.version},
        "model": getattr(backend, "model", "none"),
        "window": getattr(backend, "window", 1),
        "infer_only": getattr(backend, "infer_only", False),
        "infers": getattr(backend, "infers", False),
        "concurrent_runs": getattr(backend, "concurrent_runs", False),
        "claims_nothing": getattr(backend, "claims_nothing", False),
        "limits": getattr(backend, "limits", {}),
        "supports": backend.supports,
        "unavailable": getattr(backend, "unavailable", []),
    }


def _request(message, payload):
    target, model = message["target"], message.get("model") or {}
    parts = {"model": model} if model.get("format") == "onnx" else {n: model[n] for n in ("xml", "bin") if n in model}
    return Request(
        message["operator"],
        message.get("attributes", {}),
        message["element_type"],
        message["data"]["dims"],
        Target(
            target["binding"],
            target.get("element_type"),
            target.get("dims", target.get("shape")),
            target.get("values"),
        ),
        infer_only=message.get("infer_only", False),
        _layout=message.get("layout"),
        _ignores_layout="layout" in message,
        **{name: _slice(part, payload) for name, part in parts.items()},
    )


def _tensor(part, payload):
    data = _slice(part, payload)
    if part["offset"] % 16:  # backends may rely on an aligned buffer
        data = memoryview(bytearray(data))
    return Tensor(part["element_type"], tuple(part["shape"]), data)


def _body(tensor):
    """The bytes to send. Clears the bits after the last element, which a backend may leave undefined."""
    used = prod(tensor.shape) * SUB_BYTE.get(tensor.element_type, 8) % 8
    if not used or not tensor.data:
        return memoryview(tensor.data)
    body = bytearray(tensor.data)
    body[-1] &= (1 << used) - 1
    return memoryview(body)


def _snapshot(body):
    """What shows a later change of these bytes: a copy of them, or a checksum of many."""
    return bytes(body) if body.nbytes <= 4096 else zlib.crc32(body)


def _slice(part, payload):
    return payload[part["offset"] : part["offset"] + part["length"]]


def _read_payload(length):
    payload = memoryview(np.empty(length, np.uint8))  # a bytearray would be zeroed first
    filled = 0
    while filled < length:
        count = _input.readinto(payload[filled:])
        if not count:
            raise EOFError(f"the payload ended after {filled} of {length} bytes")
        filled += count
    return payload


def _write(reply, body, more=False):
    if len(body):
        reply["payload"] = len(body)
    _output.write(_encode(reply).encode() + b"\n")
    if len(body):
        _output.write(body)
    if not more:  # otherwise the reply to the next message is written together with this one
        _output.flush()


def _text(error, limit=8000):
    text = str(error) or type(error).__name__
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "replace")
