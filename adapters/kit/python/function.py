"""A Python function as a backend, for shape logic that has no loader.

`python -m reshape_conformance.function pkg.module:function` is an adapter for `function(data, target, **attributes)`, and
`reshape-conformance run --python-function pkg.module:function` runs it. `data` and `target` are numpy arrays, and
`attributes` are those of the node. The function returns the reshaped array, or raises an exception to refuse the request.

Its parameters say what it can be asked:

- `allowzero`, or `**attributes`: ONNX from version 14, and the earlier versions, which have no such attribute;
- `special_zero`: OpenVINO and oneDNN. There it is a boolean and required: give it no default, and refuse other types;
- no attribute: ONNX 5 and 13.

A report says how many trials were not asked for lack of a parameter. `pkg.module:function(allowzero)` names parameters that the
function must have: without one, the adapter does not start. `init` writes those that the function has into the gate's file.

`NotImplementedError` says that the function is not meant for a request: the trial is skipped. It is a failure if the same
operator and element type worked elsewhere, or if nothing of the operator worked. An exception such as `IndexError` is a
rejection by accident. Whatever ends the process is a crash.

Element types that numpy lacks arrive as unsigned integers that hold the bits, integers of less than a byte as one uint8
each, and strings as `bytes` in an array of objects.
"""

import difflib
import importlib
import inspect
import os
import sys

if __package__:
    from .adapter import NUMPY_LIMITS, Rejected, Tensor, Unsupported, _output, serve
else:
    from reshape_adapter import NUMPY_LIMITS, Rejected, Tensor, Unsupported, _output, serve

import numpy as np

INTEGERS = ["i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8"]


def load(name):
    """The object `module:attribute` or `module`, which is looked up in the current folder, too, and its version."""
    if not __package__:  # the folder of the kits is not the user's
        sys.path = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
    sys.path.insert(0, os.getcwd())
    module, _, attributes = name.partition(":")
    if module.endswith(".py"):
        raise TypeError(f"{module} is a file; its module is {module[:-3]}")
    try:
        found = importlib.import_module(module)
    except SystemExit as error:
        raise TypeError(f"the module {module} called sys.exit({error.code}) while it was imported") from error
    for attribute in filter(None, attributes.split(".")):
        if not hasattr(found, attribute) and (near := difflib.get_close_matches(attribute, dir(found), 1)):
            raise AttributeError(f"{module} has no {attribute}; did you mean {near[0]}?")
        found = getattr(found, attribute)
    modules = (sys.modules[name] for name in (module, module.split(".")[0]))
    return found, next((str(of.__version__) for of in modules if hasattr(of, "__version__")), "unknown")


def output(result, data, given):
    """The tensor of an array that a backend returned for `data`, which it got as the array `given`."""
    if not isinstance(result, (np.ndarray, np.generic)):
        raise TypeError(f"the backend returned {type(result).__name__}, not an array of numpy")
    result = np.asarray(result)
    return Tensor.from_numpy(result, data.element_type if result.dtype == given.dtype else None)


def signature_of(function):
    """The signature of a function; None for some functions in C, which have none."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def parameters_of(function):
    """The parameters of a function that say what it can be asked."""
    signature = signature_of(function)
    parameters = signature.parameters.values() if signature else []
    names = {parameter.name for parameter in parameters}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        names.add("allowzero")
    return names & {"allowzero", "special_zero"}


def check_call(function):
    """Fails if the function cannot be called with the data and the target alone as positional arguments."""
    if signature := signature_of(function):
        try:
            signature.bind_partial(None, None)
        except TypeError as error:
            raise TypeError(f"it cannot be called as function(data, target): {error}") from error


def claims(names):
    """What these parameters say that a function can be asked, and what their lack says that it cannot."""

    # Nodes with other attributes, or with an attribute or a target of another type, are for a loader to refuse.
    def entry(operators, bindings, names, types, **values):
        bindings = [f"{bindings}-static", f"{bindings}-dynamic"]
        limits = {"attributes": names, "target_types": types}
        return {"operators": operators, "element_types": "all", "bindings": bindings, "limits": limits, **values}

    supports = []
    if "allowzero" in names:
        values = {"allowzero": [-1, 0, 1, 2]}
        supports.append(entry(["onnx >= 14"], "constant", ["allowzero"], ["i64"], attributes=values))
        supports.append(entry(["onnx >= 14"], "constant", [], ["i64"]))
    if "special_zero" in names:
        supports.append(entry(["openvino"], "constant", ["special_zero"], INTEGERS))
        supports.append(entry(["onednn-spec", "onednn"], "attribute", ["special_zero"], ["i64"]))
    if "allowzero" in names or not supports:
        supports.append(entry(["onnx >= 5, < 14"], "constant", [], ["i64"]))
    if "allowzero" in names or "special_zero" in names:
        return supports, []
    newer = entry(["onnx >= 14"], "constant", ["allowzero"], ["i64"])
    reason = "no parameter `allowzero`, so ONNX from version 14 is not asked"
    return [*supports, newer], [{**{key: newer[key] for key in ("operators", "element_types", "bindings")}, "reason": reason}]


class Function:
    model, window, claims_nothing, limits = "none", 8, True, NUMPY_LIMITS

    def __init__(self, name):
        name, _, wanted = name.partition("(")
        if ":" not in name:
            raise TypeError("expected pkg.module:function")
        self.name = name
        self.function, self.version = load(name)
        self.parameters = parameters_of(self.function)
        check_call(self.function)
        if lost := {of.strip() for of in wanted.rstrip(")").split(",")} - {"", *self.parameters}:
            raise TypeError(f"it has no parameter {', '.join(sorted(lost))}, which was named in {name}({wanted}")
        self.supports, self.unavailable = claims(self.parameters)

    def compile(self, request):
        given, target = request.target, None
        if given.values is not None:
            target = np.array(given.values, Tensor(given.element_type, (0,), b"").numpy().dtype).reshape(given.shape)

        def run(data, _):
            array = data.numpy()
            try:
                result = self.function(array, target, **request.attributes)
            except NotImplementedError as error:
                raise Unsupported(error)
            except Exception as error:
                raise Rejected(error)
            return output(result, data, array)

        return run


def main(make, arguments):
    """Serves what `make` makes of the arguments."""
    try:
        backend = make(*arguments)
    except ModuleNotFoundError as error:
        where, python = f"neither in {os.getcwd()} nor installed for {sys.executable}", "name another Python with --python"
        sys.exit(f"{' '.join(arguments)} is no backend: the module {error.name} is {where}: install it, or {python}")
    except (TypeError, ImportError, AttributeError) as error:
        sys.exit(f"{' '.join(arguments)} is no backend: {error}")
    serve(backend)


if __name__ == "__main__":
    if sys.argv[2:] == ["--parameters"]:
        _output.write(", ".join(sorted(parameters_of(load(sys.argv[1])[0]))).encode())
        _output.flush()
    else:
        main(Function, sys.argv[1:])
