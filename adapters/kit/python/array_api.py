"""A library of the Array API standard as a backend.

`python -m reshape_conformance.array_api numpy` is an adapter for the module's function `reshape(x, /, shape, *, copy=None)`,
and `reshape-conformance run --array-api numpy` runs it. The module is a namespace of the standard, such as `numpy`,
`jax.numpy`, `array_api_strict` or `array_api_compat.torch`. It is asked the standard up to its `__array_api_version__`, in
the element types that it has.

Whether an output shares memory with the data is seen by writing to the data. Where a view of the data does not follow such
a write either, as in a library whose arrays never change, nobody can see it, and the trials about `copy` are skipped.
Without `copy`, an output must share where copy=False shows that the library can.
"""

import sys

if __package__:
    from .adapter import NUMPY, NUMPY_LIMITS, Rejected, Tensor
    from .function import load, main
else:
    from reshape_adapter import NUMPY, NUMPY_LIMITS, Rejected, Tensor
    from function import load, main

import numpy as np

# The newest version of the standard whose text the suite has, for a module that does not say its own.
NEWEST = "2025.12"


class ArrayApi:
    model, window = "none", 8
    limits = {**NUMPY_LIMITS, "target_types": ["i64"], "attributes": ["copy"]}

    def __init__(self, name):
        self.name = name
        self.xp, self.version = load(name)
        for names in [["reshape"], ["asarray", "array"]]:
            if not any(hasattr(self.xp, of) for of in names):
                raise TypeError(f"it is no namespace of the Array API standard: it has no {names[0]}")
        version = getattr(self.xp, "__array_api_version__", NEWEST)
        self.supports = [
            {"operators": [f"array-api <= {version}"], "element_types": list(self.types()), "bindings": "all"}
        ]

    def types(self):
        """The element types that the library holds as numpy does."""
        for element_type, dtype in NUMPY.items():
            if element_type.startswith(("bf", "f8")):
                continue
            try:
                if elements(self.make(np.zeros(1, dtype))).dtype == dtype:
                    yield element_type
            except Exception:
                pass

    def array(self, data, layout):
        """An array of the library with these elements. Nothing else has its memory."""
        elements = data.numpy()
        if layout == "permuted":
            array = self.make(np.array(elements.T, order="C", copy=True))
            transpose = getattr(self.xp, "permute_dims", None) or self.xp.transpose
            return transpose(array, tuple(reversed(range(elements.ndim)))) if elements.ndim > 1 else array
        if layout == "padded" and elements.ndim:
            *rows, last = elements.shape
            padded = np.zeros((*rows, 2 * last), elements.dtype)
            padded[..., ::2] = elements
            return self.make(padded)[..., ::2]
        return self.make(elements.copy())

    def make(self, elements):
        make = getattr(self.xp, "asarray", None) or self.xp.array
        return make(elements)

    def compile(self, request):
        layout, keywords = request.layout, request.attributes

        def run(data, target):
            x, shape = self.array(data, layout), tuple(target.numpy().tolist())
            try:
                result = self.xp.reshape(x, shape, **keywords)
            except Exception as error:
                # A library may check this, and say so by the AttributeError that numpy has for it.
                is_check = keywords.get("copy") is False and "in-place" in str(error)
                raise Rejected(error, internal=False if is_check else None)
            output = Tensor.of_output(data, result.shape, lambda: elements(result).copy())
            output.source = None  # the writes below may change it
            output.shares = self.shares(x, result, shape, keywords)
            return output

        return run

    def shares(self, x, result, shape, keywords):
        """Whether the result shares memory with `x`; None if it cannot be seen, or if the library need not share."""
        if "copy" not in keywords:
            try:
                if not follows(x, self.xp.reshape(x, shape, copy=False)):
                    return None
            except Exception:
                return None
        return follows(x, result)


def elements(array):
    """The elements of an array of a library, as an array of numpy."""
    try:
        return np.asarray(array)
    except (TypeError, ValueError, RuntimeError):
        return np.from_dlpack(array)


def follows(x, other):
    """Whether an array follows what is written to `x`; None if not even a view of `x` does."""
    try:
        view, numbers = x[...], [False, True] if elements(x).dtype == bool else [0, 1]
        arrays, changed = (view, other), [False, False]
        for number in numbers:
            before = [elements(array).tobytes() for array in arrays]
            x[...] = number
            after = [elements(array).tobytes() for array in arrays]
            changed = [was or a != b for was, a, b in zip(changed, before, after)]
    except Exception:
        return None
    return changed[1] if changed[0] else None


if __name__ == "__main__":
    main(ArrayApi, sys.argv[1:])
