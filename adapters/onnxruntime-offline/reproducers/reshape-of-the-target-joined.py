"""ONNX Runtime's optimizer joins a Reshape that gives the target of another one with it, as if it gave the data, where the output declares its shape. So the saved model replaces data of i64 by the target's values; other data is refused."""
import numpy as np
from offline_reshape import optimized


def elements_or_error(element, data):
    try:
        session = optimized(f"""<ir_version: 8, opset_import: ["" : 14]> g ({element}[2] data, int64[1, 2] shape) => ({element}[2, 1] reshaped)
        <int64[1] two = {{2}}> {{
            target = Reshape(shape, two)
            reshaped = Reshape(data, target)
        }}""")
        return session.run(None, {"data": data, "shape": np.array([[2, 1]])})[0].ravel().tolist()
    except Exception as error:
        return "an error: " + " ".join(str(error).split())


changed = elements_or_error("int64", np.array([7, 8]))
refused = elements_or_error("float", np.array([7, 8], np.float32))
word = "reproduced" if changed != [7, 8] or refused != [7, 8] else "not reproduced"
print(f"{word}: [7, 8] of int64 to [2, 1] gives {changed}; of float, {refused}")
