"""OpenVINO CPU: i64/u64 go through i32, f64 through f32, f16 through f32 (signalling NaNs become quiet), bool becomes 0 or 1."""
import numpy as np, openvino as ov, openvino.opset1 as op
def through(type, bits, unsigned):
    x = np.array(bits, unsigned); p = op.parameter([1, len(bits)], type)
    m = ov.Model([op.reshape(p, np.array([-1], np.int64), False)], [p]); r = ov.Core().compile_model(m, "CPU").create_infer_request()
    r.set_tensor(r.model_inputs[0], ov.Tensor(x.view(np.uint8), [1, len(bits)], type)); r.infer()
    print(type.to_string(), [hex(b) for b in bits], "->", [hex(int(b)) for b in r.get_output_tensor().data.view(unsigned).ravel()])
for t in (ov.Type.i64, ov.Type.u64): through(t, [2**32 + 5, 2**31, 2**63], np.uint64)
through(ov.Type.f64, [0x3FB999999999999A, 0x7FF4000000000001], np.uint64); through(ov.Type.f16, [0x7C01, 0x7E01], np.uint16); through(ov.Type.boolean, [2, 1, 255], np.uint8)
