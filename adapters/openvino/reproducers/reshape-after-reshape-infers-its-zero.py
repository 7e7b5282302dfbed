"""OpenVINO CPU, dynamic dims: of two Reshapes one after the other, a 0 in the target of the second takes whatever length fits, also 0. So a valid model gives a wrong shape, and a count that does not fit is accepted."""
import numpy as np
import openvino as ov
import openvino.opset8 as op


def shape_or_error(declared, shape, first, second):
    """The shape of data of the given shape after both Reshapes."""
    data = op.parameter(declared, np.float32)
    between = op.reshape(data, op.constant(np.array(first, np.int64)), special_zero=True)
    model = ov.Model([op.reshape(between, op.constant(np.array(second, np.int64)), special_zero=True)], [data])
    try:
        return ov.Core().compile_model(model, "CPU")([np.zeros(shape, np.float32)])[0].shape
    except Exception as error:
        return "an error: " + str(error).strip().splitlines()[-1]


valid, invalid = shape_or_error([-1, 0], (3, 0), [0, 0, 2], [0, 0, 4]), shape_or_error([-1], (6,), [-1, 3], [0, 2])
word = "reproduced" if valid != (3, 0, 4) or invalid == (3, 2) else "not reproduced"
print(f"{word}: [3, 0, 2] to [0, 0, 4], which is [3, 0, 4], gives {valid}; [2, 3] to [0, 2], which does not fit, gives {invalid}")
