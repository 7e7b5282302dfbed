"""Dynamic dims: a value of the target that is computed from another dim of the data becomes a -1, once in ONNX Runtime's optimiser, and once in OpenVINO. ONNX Runtime then accepts a count that does not fit and refuses a 0 that copies; OpenVINO gives a valid node on empty data a wrong shape."""
import numpy as np
import onnx.parser
import onnxruntime as ort


def shape_or_error(shape, target, provider):
    """The shape of data of the given shape after a Reshape to a target that the model joins."""
    model = f"""<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float reshaped)
    <int64[1] axis = {{0}}, int64 index = {{1}}, int64[1] two = {{2}}, int64[1] three = {{3}}, int64[1] zero = {{0}}> {{
        dims = Shape(data)
        dim = Gather(dims, index)
        second = Unsqueeze(dim, axis)
        target = Concat<axis = 0>({target})
        reshaped = Reshape(data, target)
    }}"""
    model = onnx.parser.parse_model(model)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    try:
        session = ort.InferenceSession(model.SerializeToString(), providers=[provider])
        return session.run(None, {"data": np.zeros(shape, np.float32)})[0].shape
    except Exception as error:
        return str(error).strip().splitlines()[-1][-90:]


accepted = shape_or_error((2, 3), "second, three", "CPUExecutionProvider")
refused = shape_or_error((3, 0), "second, zero", "CPUExecutionProvider")
wrong = shape_or_error((3, 0), "second, second, two", "OpenVINOExecutionProvider")
word = "reproduced" if accepted == (2, 3) or refused != (3, 0) or wrong != (3, 0, 2) else "not reproduced"
print(f"{word}: [2, 3] to [3, 3] gives {accepted}; [3, 0] to [0, 0], which is [3, 0], gives {refused}; "
      f"in OpenVINO, [3, 0] to [0, 0, 2], which is [3, 0, 2], gives {wrong}")
