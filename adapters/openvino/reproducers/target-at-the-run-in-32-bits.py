"""OpenVINO's CPU plugin: a target that arrives at the run keeps 32 bits of each value: 2^32 + 2 is taken for 2."""
import numpy as np
import openvino as ov
import openvino.opset1 as op

data, shape = op.parameter([6], np.float32), op.parameter([2], np.int64)
model = ov.Model([op.reshape(data, shape, False)], [data, shape])
request = ov.Core().compile_model(model, "CPU").create_infer_request()
request.set_input_tensor(0, ov.Tensor(np.zeros([6], np.float32)))
request.set_input_tensor(1, ov.Tensor(np.array([2**32 + 2, 3])))
try:
    request.start_async()  # infer() turns the output into an array of numpy
    request.wait()
    print("reproduced: [6] by [4294967298, 3] gives", list(request.get_output_tensor().shape))
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
