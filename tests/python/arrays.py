"""Libraries of the Array API standard, as `arrays:NAME`."""

from types import SimpleNamespace

import numpy as np


def copied(x, shape, *, copy=None):
    return np.reshape(x, shape).copy()


def fixed(elements):
    array = np.array(elements)
    array.flags.writeable = False
    return array


copies = SimpleNamespace(asarray=np.asarray, transpose=np.transpose, reshape=copied)
never_changes = SimpleNamespace(asarray=fixed, transpose=np.transpose, reshape=np.reshape)
