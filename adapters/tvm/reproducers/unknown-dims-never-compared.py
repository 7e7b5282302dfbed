"""TVM: Reshape of a [N, M] that holds 6 elements to [2, 4] repeats two, and of [0], whose 0 counts as unknown, to [1] makes one."""
from tvm_reshape import shape

MODEL = """<ir_version: 8, opset_import: ["" : 14]> g (float[%s] data) => (float[%s] reshaped) <int64[%d] shape = {%s}> {
    reshaped = Reshape(data, shape)
}"""
got = [shape(MODEL % ("N, M", "A, B", 2, "2, 4"), 2, 3), shape(MODEL % ("0", "A", 1, "1"), 0)]
large = shape(MODEL % ("N", "A, B", 2, "2, 1099511627776"), 6)
same = not any(shape.startswith("refused") for shape in got) and large == "refused: std::bad_alloc"
print("reproduced:" if same else "not reproduced:", f"[2, 3] to [2, 4] gives {got[0]}, [0] to [1] gives {got[1]}, [6] to [2, 2^40] is {large}")
