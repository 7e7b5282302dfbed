"""The sessions and calls of a record, without a runner: what they cost by themselves. Writes seconds and calls to a file."""

import json
import os
import pickle
import sys
import time

sys.path.insert(0, os.environ["ONNXRUNTIME_ADAPTER"])
import reshape_adapter

backends = []
reshape_adapter.serve = backends.append
import main  # noqa: E402, F401

record = pickle.load(open(sys.argv[1], "rb"))
backend = backends[0]


class Request:
    """What the adapter's compile looks at."""

    def __init__(self, model, element_type):
        self.model, self.element_type = model, element_type


calls = 0
start = time.perf_counter()
for model, element_type, runs in record:
    try:
        run = backend.compile(Request(model, element_type))
    except (reshape_adapter.Rejected, reshape_adapter.Unsupported):
        continue
    for data, target in runs:
        calls += 1
        try:
            run(data, target)
        except (reshape_adapter.Rejected, reshape_adapter.Unsupported):
            pass
# The kit has moved standard output away.
with open(sys.argv[2], "w") as out:
    json.dump({"seconds": time.perf_counter() - start, "calls": calls, "models": len(record)}, out)
