"""ONNX Runtime, dynamic dims: the optimiser replaces a value of the target that is computed from another dim of the data by -1. So a count that does not fit is accepted, and a 0 that copies a 0 is refused."""
import numpy as np
import onnx.parser
import onnxruntime as ort


def shape_or_error(shape, last):
    model = f"""<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
    <int64[1] axis = {{0}}, int64 index = {{1}}, int64[1] last = {{{last}}}> {{
        dims = Shape(data)
        dim = Gather(dims, index)
        second = Unsqueeze(dim, axis)
        target = Concat<axis = 0>(second, last)
        reshaped = Reshape(data, target)
    }}"""
    try:
        session = ort.InferenceSession(onnx.parser.parse_model(model).SerializeToString())
        return session.run(None, {"data": np.zeros(shape, np.float32)})[0].shape
    except Exception as error:
        return "an error: " + str(error).strip().rpartition(". ")[2]


accepted, refused = shape_or_error((2, 3), 3), shape_or_error((3, 0), 0)
word = "reproduced" if accepted == (2, 3) or refused != (3, 0) else "not reproduced"
print(f"{word}: [2, 3] to [3, 3] gives {accepted}; [3, 0] to [0, 0], which is [3, 0], gives {refused}")
