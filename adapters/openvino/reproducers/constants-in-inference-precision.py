"""OpenVINO CPU: elements of f32 constants are cut to the range of the inference precision, which is bf16 where the processor has AVX512_BF16."""
import numpy as np
import openvino as ov
import openvino.opset8 as op

data = np.array([0.1, 3.1415927, 65505.0, 3.4028235e38], np.float32)
unused = op.parameter([1], np.float32)
target = op.constant(np.array([2, 2], np.int64))
core = ov.Core()


def run(node, options):
    return core.compile_model(ov.Model([node], [unused]), "CPU", options)([np.zeros(1, np.float32)])[0]


constant = op.constant(data)
reshape = op.reshape(constant, target, special_zero=False)
alone, output, exact = run(constant, {}), run(reshape, {}), run(reshape, {"INFERENCE_PRECISION_HINT": "f32"})
precision = core.get_property("CPU", "INFERENCE_PRECISION_HINT").to_string()
word = "not reproduced" if output.tobytes() == data.tobytes() else "reproduced"
print(f"{word} in {precision}: {data.tolist()} becomes {output.reshape(-1).tolist()}, without a Reshape {alone.tolist()}, with f32 {exact.reshape(-1).tolist()}")
