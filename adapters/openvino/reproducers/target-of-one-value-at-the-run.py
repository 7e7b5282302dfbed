"""OpenVINO's CPU plugin: a target of one value that arrives at the run is not looked at: 6 elements are to become 7."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data, shape = op.parameter([2, 3], np.float32), op.parameter([1], np.int64)
model = ov.Model([op.reshape(data, shape, False)], [data, shape])
request = ov.Core().compile_model(model, "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(np.zeros([2, 3], np.float32)))
request.set_input_tensor(1, ov.Tensor(np.array([7])))
try:
    request.start_async()  # infer() turns the output into an array of numpy
    request.wait()
    print("reproduced: [2, 3] by [7] gives", list(request.get_output_tensor().shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
