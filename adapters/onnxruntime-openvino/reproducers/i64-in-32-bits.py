"""ONNX Runtime's OpenVINO execution provider: in a reshape of i64, the elements go through i32, and change. So does the condition of an If, which is a dim here."""
import numpy as np
import onnx.parser
import onnxruntime as ort

RESHAPE = """<ir_version: 8, opset_import: ["" : 14]> g (int64[1, 2] data) => (int64[N, M] reshaped) <int64[2] shape = {2, 1}> {
    reshaped = Reshape(data, shape)
}"""
CHOICE = """<ir_version: 8, opset_import: ["" : 14]> g (float[A, B] data) => (float[N, M] chosen) <int64 first = {0}> {
    dims = Shape(data)
    dim = Gather(dims, first)
    is_there = Cast<to = 9>(dim)
    chosen = If(is_there) <
        then_branch = yes () => (float[C, D] moved) { moved = Transpose<perm = [1, 0]>(data) },
        else_branch = no () => (float[E, F] same) { same = Identity(data) }
    >
}"""
PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]


def run(model, data):
    session = ort.InferenceSession(onnx.parser.parse_model(model).SerializeToString(), providers=PROVIDERS)
    return session.run(None, {"data": data})[0]


try:
    shape = list(run(CHOICE, np.zeros((2**32, 0), np.float32)).shape)
    print("not reproduced" if shape == [0, 2**32] else "reproduced", f"if the first dim is not 0, [{2**32}, 0] is transposed: {shape}", sep=": ")
    got = run(RESHAPE, np.array([[2**53 + 1, 2**32]])).ravel().tolist()
    print("not reproduced" if got == [2**53 + 1, 2**32] else "reproduced", f"[{2**53 + 1}, {2**32}] becomes {got}", sep=": ")
except Exception as error:
    print("not reproduced:", " ".join(str(error).split()))
