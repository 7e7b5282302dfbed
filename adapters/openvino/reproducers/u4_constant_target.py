"""OpenVINO: a u4 or i4 constant target [2, 3] is read a byte an element, the second from beyond the constant (so it changes from run to run). u2: "Element not supported"."""
import sys; sys.path.insert(0, "/tmp/h1")
import openvino as ov; from ir import ir
print(ov.Core().read_model(*ir("f32", [None, None], [2, 3], tt="u4")).output().partial_shape)
for t in ("i4", "u2"):
    try: print(t, ov.Core().read_model(*ir("f32", [None, None], [2, 3], tt=t)).output().partial_shape)
    except RuntimeError as e: print(t, "RuntimeError")
