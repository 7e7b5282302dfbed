"""OpenVINO's CPU plugin: in a target that arrives at the run, a value below -1 is not refused where the counts agree."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data, shape = op.parameter([0], np.float32), op.parameter([2], np.int64)
model = ov.Model([op.reshape(data, shape, False)], [data, shape])
request = ov.Core().compile_model(model, "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(np.zeros([0], np.float32)))
request.set_input_tensor(1, ov.Tensor(np.array([-2, 0])))
try:
    request.start_async()  # infer() turns the output into an array of numpy
    request.wait()
    print("reproduced: [0] by [-2, 0] gives", list(request.get_output_tensor().shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
