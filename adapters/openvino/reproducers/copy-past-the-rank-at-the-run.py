"""OpenVINO CPU: a 0 past the rank of the data has no dim to copy; in a target that arrives at the run, it is taken for a length of 0."""
import numpy as np
import openvino as ov
import openvino.opset8 as op


def shape_or_refused(constant):
    data = op.parameter([0, 3], np.float32)
    values = np.array([1, 2, 3, 0])
    target = op.constant(values) if constant else op.parameter([4], np.int64)
    inputs = [np.zeros((0, 3), np.float32)] + ([] if constant else [values])
    try:
        model = ov.Model([op.reshape(data, target, special_zero=True)], [data] + ([] if constant else [target]))
        return list(ov.Core().compile_model(model, "CPU")(inputs)[0].shape)
    except RuntimeError:
        return "refused"


at_run, constant = shape_or_refused(False), shape_or_refused(True)
word = "not reproduced" if at_run == "refused" else "reproduced"
print(f"{word}: [0, 3] to [1, 2, 3, 0] at the run gives {at_run}, as a constant {constant}")
