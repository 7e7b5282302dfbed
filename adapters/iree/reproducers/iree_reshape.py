"""What the reproducers share: imports an ONNX model in text form, compiles it for the CPU, and runs it on data of zeros."""
import numpy as np
import onnx.parser
import onnx.shape_inference
from iree.compiler import ir
from iree.compiler.extras import onnx_importer
from iree.compiler.tools import CompilerToolError, compile_str
import iree.runtime as rt

FLAGS = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"]


def compiled(text):
    """The program that IREE makes of the model."""
    model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(text), data_prop=True)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    return compile_str(module.get_asm(), input_type="onnx", extra_args=FLAGS)


def output(text, *data, target=None):
    """The output for data of this shape."""
    inputs = [np.zeros(data, np.float32)] + ([] if target is None else [np.array(target)])
    module = rt.load_vm_flatbuffer(compiled(text), driver="local-task")
    return module.g(*inputs)


def shape(text, *data, target=None):
    """The output's shape for data of this shape, as text; why IREE refuses it, if it does."""
    try:
        return str(list(output(text, *data, target=target)._buffer_view.shape))
    except Exception as error:  # each of its checks has its own
        lines = [line for line in str(error).splitlines() if "rror: " in line or "Error invoking function" in line]
        return "refused: " + (lines or [str(error)])[0]


def ends_the_compiler(text):
    """Says whether a signal ends the compiler on the model."""
    try:
        compiled(text)
        print("not reproduced: compiled")
    except CompilerToolError as error:
        code = next(line for line in str(error).splitlines() if line.startswith("Error code"))
        print("reproduced:" if "-" in code else "not reproduced:", "iree-compile ends with", code)
