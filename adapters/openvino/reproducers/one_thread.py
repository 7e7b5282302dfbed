"""OpenVINO CPU with one thread (or on one CPU: taskset -c 0): infer() swallows the error of a bad runtime target; start_async+wait does not. It may also segfault."""
import numpy as np, openvino as ov, openvino.opset1 as op
d, s = op.parameter([2, 3], np.float32), op.parameter([2], np.int64)
for threads in (2, 1):
    c = ov.Core().compile_model(ov.Model([op.reshape(d, s, True)], [d, s]), "CPU", {"INFERENCE_NUM_THREADS": threads}); r = c.create_infer_request()
    for call in (lambda x: r.infer(x), lambda x: (r.start_async(x), r.wait())):
        try: call([np.zeros((2, 3), np.float32), np.array([4, 2])]); print(threads, "no error", r.get_output_tensor().shape)
        except RuntimeError as e: print(threads, "RuntimeError")
