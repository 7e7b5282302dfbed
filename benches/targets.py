"""Times numpy.reshape and onnx.shape_inference on the targets of a JSON lines file; prints nanoseconds a target."""

import json
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

requests = [json.loads(line) for line in open(sys.argv[1])]


def model(request):
    data = helper.make_tensor_value_info("data", TensorProto.FLOAT, request["data_shape"])
    output = helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, None)
    shape = helper.make_tensor("shape", TensorProto.INT64, [len(request["shape"])], request["shape"])
    node = helper.make_node("Reshape", ["data", "shape"], ["reshaped"], allowzero=1)
    graph = helper.make_graph([node], "g", [data], [output], [shape])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=7)
    return made.SerializeToString()


arrays = [np.zeros(request["data_shape"], np.float32) for request in requests]
targets = [tuple(request["shape"]) for request in requests]
models = [model(request) for request in requests]


def with_numpy():
    for array, target in zip(arrays, targets):
        try:
            np.reshape(array, target)
        except ValueError:
            pass


def with_inference():
    for serialized in models:
        try:
            onnx.shape_inference.infer_shapes(serialized, strict_mode=True, data_prop=True)
        except onnx.shape_inference.InferenceError:
            pass


def nanoseconds(work):
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / len(requests)


print(json.dumps({"numpy": nanoseconds(with_numpy), "onnx": nanoseconds(with_inference)}))
