"""What the reproducers share: saves a model as ONNX Runtime optimizes it, shows both graphs, and runs the saved model with every optimization off."""
import pathlib
import tempfile

import onnx.parser
import onnx.printer
import onnxruntime as ort


def optimized(text):
    """The session of the optimized model, with every optimization off. Prints the graph before and after."""
    model = onnx.parser.parse_model(text)
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.optimized_model_filepath = str(pathlib.Path(folder, "optimized.onnx"))
        ort.InferenceSession(model.SerializeToString(), options)
        saved = onnx.load(options.optimized_model_filepath)
    print("before:", onnx.printer.to_text(model.graph), "\nafter:", onnx.printer.to_text(saved.graph))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(saved.SerializeToString(), options)
