"""OpenVINO CPU: of constant data, a target of two or more zeros alone at the first run counts as unchanged, and the run is refused."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

target = op.parameter([3], np.int64)
data = op.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
model = ov.Model([op.reshape(data, target, special_zero=True)], [target])
compiled = ov.Core().compile_model(model, "CPU")
try:
    output = compiled([np.array([0, 0, 0], np.int64)])[0]
    print("not reproduced: [2, 3, 4] to [0, 0, 0] gives", output.shape)
except Exception as error:
    reason = str(error).strip().splitlines()[-1]
    after = ov.Core().compile_model(model, "CPU").create_infer_request()
    after.infer([np.array([2, 3, 4], np.int64)])
    after.infer([np.array([0, 0, 0], np.int64)])
    print("reproduced: refused:", reason, "After a run by [2, 3, 4] it gives", list(after.get_output_tensor().shape))
