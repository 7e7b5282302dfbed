"""Functions under test: one that is right, and some that are not."""

import os
import signal

__version__ = "7.1"


def right(data, target, allowzero=0):
    if target is None or target.ndim != 1:
        raise ValueError("the target is no list")
    dims = [int(value) for value in target]
    if min(dims, default=0) < -1 or dims.count(-1) > 1 or allowzero and 0 in dims and -1 in dims:
        raise ValueError(f"no shape: {dims}")
    if not allowzero:
        dims = [data.shape[index] if dim == 0 else dim for index, dim in enumerate(dims)]
    return data.reshape(dims)


def no_attribute(data, target):
    return right(data, target)


def copies_every_zero(data, target, **attributes):
    return right(data, target)


def only_floats(data, target, allowzero=0):
    if data.dtype.kind != "f":
        raise NotImplementedError(f"not of {data.dtype}")
    return right(data, target, allowzero)


def no_three_dims(data, target, allowzero=0):
    if len(target) == 3:
        raise NotImplementedError("three dims")
    return right(data, target, allowzero)


def nothing(data, target, allowzero=0):
    raise NotImplementedError("nothing at all")


def dies(data, target, allowzero=0):
    if data.shape == (2, 3) and list(target) == [3, 2]:
        os.kill(os.getpid(), signal.SIGKILL)
    return right(data, target, allowzero)


def gives_a_list(data, target, allowzero=0):
    return right(data, target, allowzero).tolist()


def keywords_alone(*, data, target):
    return right(data, target)


def openvino(data, target, special_zero):
    if not isinstance(special_zero, bool):
        raise TypeError("special_zero is no boolean")
    return right(data, target, 0 if special_zero else 1)
