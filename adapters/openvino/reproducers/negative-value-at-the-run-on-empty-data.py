"""OpenVINO's CPU plugin: in a target that arrives at the run, a value below -1 is not refused where the counts agree."""
import io

import numpy as np
import onnx.parser
import openvino as ov
import openvino.opset1 as op

# allowzero is 0: the text leaves open whether a value below -1 counts as -1, and no reading gives a negative dim.
MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data, int64[2] shape) => (float[A, B] reshaped) {
    reshaped = Reshape(data, shape)
}"""


def shape_or_error(model, data, target):
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(0, ov.Tensor(np.zeros(data, np.float32)))
    request.set_input_tensor(1, ov.Tensor(np.array(target)))
    try:
        request.start_async()  # infer() turns the output into an array of numpy
        request.wait()
        return list(request.get_output_tensor().shape)
    except RuntimeError as error:
        return "refused: " + str(error).strip().splitlines()[-1]


read = ov.Core().read_model(io.BytesIO(onnx.parser.parse_model(MODEL).SerializeToString()))
data, shape = op.parameter([0], np.float32), op.parameter([2], np.int64)
own = shape_or_error(ov.Model([op.reshape(data, shape, False)], [data, shape]), [0], [-2, 0])
onnx_model = shape_or_error(read, [0, 3], [0, -2])
word = "not reproduced" if "refused" in own and "refused" in onnx_model else "reproduced"
print(f"{word}: [0] by [-2, 0] gives {own}; in ONNX, [0, 3] by [0, -2] gives {onnx_model}")
