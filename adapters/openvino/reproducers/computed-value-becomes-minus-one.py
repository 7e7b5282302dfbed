"""OpenVINO CPU, dynamic dims: a value of the target that is computed from another dim of the data counts as -1. So a valid node on empty data gives a wrong shape, and a count that does not fit is accepted."""
import numpy as np
import openvino as ov
import openvino.opset8 as op


def shape_or_error(shape, copies, last):
    """The shape of data of the given shape after a Reshape to `copies` times its second dim, then `last`."""
    data = op.parameter([-1, -1], np.float32)
    index, axis = op.constant(np.array([1], np.int64)), op.constant(np.array(0, np.int64))
    second = op.gather(op.shape_of(data, "i64"), index, axis)
    target = op.concat([second] * copies + [op.constant(np.array([last], np.int64))], 0)
    model = ov.Model([op.reshape(data, target, special_zero=True)], [data])
    try:
        return ov.Core().compile_model(model, "CPU")([np.zeros(shape, np.float32)])[0].shape
    except Exception as error:
        return "an error: " + str(error).strip().splitlines()[-1]


valid, invalid = shape_or_error((3, 0), 2, 2), shape_or_error((2, 3), 1, 3)
word = "reproduced" if valid != (3, 0, 2) or invalid == (2, 3) else "not reproduced"
print(f"{word}: [3, 0] to [0, 0, 2], which is [3, 0, 2], gives {valid}; [2, 3] to [3, 3], which does not fit, gives {invalid}")
