"""The onnxruntime adapter, which also writes down every model and every run: what a bare loop has to do again."""

import atexit
import os
import pickle
import sys

sys.path.insert(0, os.environ["ONNXRUNTIME_ADAPTER"])
import reshape_adapter

record = []
real_serve = reshape_adapter.serve


def kept(tensor):
    """The tensor with bytes of its own: what the kit hands over is a view."""
    if tensor is None:
        return None
    return reshape_adapter.Tensor(tensor.element_type, tensor.shape, bytes(tensor.data))


def serve(backend):
    compile_for_real = backend.compile

    def compile(request):
        runs = []
        record.append((bytes(request.model), request.element_type, runs))
        run_for_real = compile_for_real(request)

        def run(data, target):
            runs.append((kept(data), kept(target)))
            return run_for_real(data, target)

        run.output_shape = getattr(run_for_real, "output_shape", None)
        return run

    backend.compile = compile
    real_serve(backend)


atexit.register(lambda: pickle.dump(record, open(os.environ["RECORD"], "wb")))
reshape_adapter.serve = serve
import main  # noqa: E402, F401
