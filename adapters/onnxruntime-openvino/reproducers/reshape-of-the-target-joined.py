"""ONNX Runtime's optimiser joins a Reshape that gives the target of another one with it, as if it gave the data, where the output declares its shape. With the OpenVINO execution provider, data of f32 is refused by its type, and data of i64 where the target does not hold as many values."""
import numpy as np
import onnx.parser
import onnxruntime as ort


def elements_or_error(element, data):
    model = f"""<ir_version: 8, opset_import: ["" : 14]> g ({element}[6] data, int64[1, 2] shape) => ({element}[2, 3] reshaped)
    <int64[1] two = {{2}}> {{
        target = Reshape(shape, two)
        reshaped = Reshape(data, target)
    }}"""
    try:
        model = onnx.parser.parse_model(model).SerializeToString()
        session = ort.InferenceSession(model, providers=[("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"])
        return session.run(None, {"data": data, "shape": np.array([[2, 3]])})[0].ravel().tolist()
    except Exception as error:
        return "an error: " + " ".join(str(error).split())[-120:]


elements = list(range(6))
answers = [elements_or_error("float", np.arange(6, dtype=np.float32)), elements_or_error("int64", np.arange(6))]
word = "reproduced" if answers != [elements, elements] else "not reproduced"
print(f"{word}: [6] of float to [2, 3] gives {answers[0]}; of int64, {answers[1]}")
