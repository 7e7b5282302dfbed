"""numpy.reshape: ONNX calls its Reshape "similar to" it. A zero is always literal, so allowzero must be 1."""

from reshape_adapter import ELEMENT_TYPES, Rejected, Tensor, Unsupported, serve

import numpy as np

VERSIONS = [14, 19, 21, 23, 24, 25]

# The first version whose text lists an element type, where that is not the first of them all.
SINCE = {
    "f8e4m3fn": 19, "f8e4m3fnuz": 19, "f8e5m2": 19, "f8e5m2fnuz": 19,
    "i4": 21, "u4": 21, "f4e2m1": 23, "f8e8m0": 24, "i2": 25, "u2": 25,
}  # fmt: skip


def supports(version):
    return {
        "operators": [f"onnx.Reshape-{version}"],
        "element_types": [t for t in ELEMENT_TYPES if SINCE.get(t, 0) <= version],
        "bindings": ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"],
        "attributes": {"allowzero": [1]},
    }


class Numpy:
    name, version, model, window = "numpy", np.__version__, "none", 8
    concurrent_runs = True
    supports = [supports(version) for version in VERSIONS]

    def compile(self, request):
        if request.attributes.get("allowzero") != 1:
            raise Unsupported("numpy.reshape copies no zeros")
        constant = []
        if request.target.binding == "constant":
            constant = [np.array(request.target.values, np.int64).reshape(request.target.shape)]

        def run(data, target):
            shape = constant if target is None else [target.numpy()]
            array = data.numpy()
            try:
                reshaped = np.reshape(array, *shape)
            except (ValueError, TypeError) as error:
                raise Rejected(error)
            return Tensor.from_numpy(reshaped, data.element_type)

        return run


serve(Numpy())
