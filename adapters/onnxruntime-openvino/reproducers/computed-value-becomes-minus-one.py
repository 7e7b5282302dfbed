"""Dynamic dims: a value of the target that is computed from the data's dims becomes a -1, once in ONNX Runtime's optimiser, also before this provider, and once in OpenVINO. Invalid nodes are then accepted, and OpenVINO gives a valid node on empty data a wrong shape."""
import numpy as np
import onnx.parser
import onnxruntime as ort

PROVIDERS = [("OpenVINOExecutionProvider", {"device_type": "CPU"}), "CPUExecutionProvider"]


def shape_or_error(shape, target, providers=PROVIDERS, level=ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
    """The shape of data of the given shape after a Reshape to a target that the model joins."""
    model = f"""<ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float reshaped)
    <int64 index = {{1}}, int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] two = {{2}}, int64[1] three = {{3}}> {{
        dims = Shape(data)
        dim = Gather(dims, index)
        second = Unsqueeze(dim, zero)
        first = Slice(dims, zero, one)
        target = Concat<axis = 0>({target})
        reshaped = Reshape(data, target)
    }}"""
    model = onnx.parser.parse_model(model)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    options = ort.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 4
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=providers)
        return session.run(None, {"data": np.zeros(shape, np.float32)})[0].shape
    except Exception as error:
        return "an error: " + [line for line in str(error).splitlines() if "shape" in line][-1][-80:]


accepted, sliced = shape_or_error((2, 3), "second, three"), shape_or_error((3, 0), "first, one")
kept = shape_or_error((3, 0), "first, one", level=ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
refused = shape_or_error((3, 0), "second, zero", PROVIDERS[1:])
wrong = shape_or_error((3, 0), "second, second, two")
print(f"with the CPU provider, [3, 0] to [0, 0], which is [3, 0], gives {refused}")
print(f"with ORT_DISABLE_ALL, [3, 0] to [3, 1] gives {kept}")
word = "reproduced" if accepted == (2, 3) or sliced == (0, 1) or wrong != (3, 0, 2) else "not reproduced"
print(f"{word}: [2, 3] to [3, 3] gives {accepted}; [3, 0] to [3, 1] gives {sliced}; "
      f"[3, 0] to [0, 0, 2], which is [3, 0, 2], gives {wrong}")
