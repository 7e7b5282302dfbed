"""OpenVINO's CPU plugin: the elements of i64 and u64 go through i32, those of f64 through f32, so a reshape changes them."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

changed = []
for value in np.int64(2**32 + 5), np.uint64(2**31), np.float64(0.1):
    data = op.parameter([1, 1], type(value))
    model = ov.Model([op.reshape(data, np.array([-1], np.int64), False)], [data])
    got = ov.Core().compile_model(model, "CPU")([np.array([[value]])])[0][0]
    if got != value:
        changed.append(f"{value.dtype} {value} became {got}")
print("reproduced:" if changed else "not reproduced: no value changed", ", ".join(changed))
