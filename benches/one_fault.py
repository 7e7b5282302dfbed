"""A Reshape of numpy with one fault: it copies every zero, whatever `allowzero` says. Its import, just before the adapter's
`hello`, makes the file IMPORTED."""

import os

try:
    open(os.environ["IMPORTED"], "x").close()
except FileExistsError:
    # Another worker's.
    pass


def reshape(data, target, allowzero=0):
    if target is None or target.ndim != 1:
        raise ValueError("the target is no list")
    dims = [int(value) for value in target]
    if min(dims, default=0) < -1 or dims.count(-1) > 1:
        raise ValueError(f"no shape: {dims}")
    return data.reshape([data.shape[index] if dim == 0 else dim for index, dim in enumerate(dims)])
