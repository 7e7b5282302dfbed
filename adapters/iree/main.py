"""IREE: its importer of ONNX models, as its command iree-import-onnx calls it, its compiler for the CPU, and its runtime."""

from reshape_adapter import Rejected, Tensor, serve

import contextlib
import os
import tempfile
from importlib.metadata import version

import onnx
from iree.compiler import ir
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer
from iree.compiler.tools.import_onnx import __main__ as import_onnx
import iree.runtime

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]
TYPES = ["f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"]
FLAGS = [
    "--iree-input-type=onnx",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-input-demote-f64-to-f32=false",  # by default it computes f64 as f32
]

# What the runtime raises where it refuses: each is the word for a status of its own.
STATUS = (IndexError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError)

config = iree.runtime.Config("local-task")


class Iree:
    name, version, model, window = "iree", version("iree-base-compiler"), "onnx", 8
    supports = [
        {
            "operators": [f"onnx.Reshape-{version}" for version in VERSIONS],
            "element_types": TYPES,
            "bindings": bindings,
        }
        for bindings in (["constant-static", "constant-dynamic"], ["runtime-static", "runtime-dynamic"])
    ]

    def compile(self, request):
        model = onnx.load_from_string(bytes(request.model))
        bytecode = compiled(imported(model))
        context = iree.runtime.SystemContext(config=config)
        module = iree.runtime.VmModule.copy_buffer(context.instance, bytecode)
        try:
            context.add_vm_module(module)
        except STATUS as error:
            raise Rejected(error, internal=False)
        main = context.modules[module.name][model.graph.name]

        def run(data, target):
            inputs = [data.numpy()] + ([] if target is None else [target.numpy()])
            try:
                output = main(*inputs)
            except STATUS as error:
                raise Rejected(error, internal=False)
            # Its own `shape` reads the elements.
            return Tensor.of_output(data, output._buffer_view.shape, output.to_host)

        return run


def imported(model):
    """The model in MLIR, as iree-import-onnx prints it."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        try:
            model = import_onnx.load_onnx_model(import_onnx.parse_arguments([file.name]))
            info = onnx_importer.ModelInfo(model)
            module = info.create_module(context=ir.Context()).operation
            onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
            module.verify()
        except (
            onnx.checker.ValidationError,
            onnx.shape_inference.InferenceError,
            onnx_importer.OnnxImportError,
            ir.MLIRError,
            *STATUS,
        ) as error:
            raise Rejected(error)
    return module.get_asm()


def compiled(text):
    """The program that the compiler makes of MLIR."""
    session = Session()
    session.set_flags(*FLAGS)
    invocation = session.invocation()
    with log() as lines:
        invocation.enable_console_diagnostics()
        done = invocation.parse_source(Source.wrap_buffer(session, text.encode() + b"\0")) and invocation.execute()
    if not done:
        raise Rejected("".join(lines) or "the compiler refuses the model")
    output = Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


@contextlib.contextmanager
def log():
    """What is written to stderr meanwhile, which is there afterwards: the compiler tells nobody else why it refuses."""
    lines, stderr = [], os.dup(2)
    with tempfile.TemporaryFile("w+", errors="replace") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            file.seek(0)
            lines.append(file.read())


serve(Iree())
