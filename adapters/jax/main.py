"""jax.numpy.reshape on the CPU, where XLA compiles it. A zero is always literal, so allowzero must be 1.

A constant target is traced by `jax.jit`: with static dims ahead of time, at compile, and with dynamic dims anew for
each shape of the data, as JAX does it. A runtime target must be concrete for JAX: it goes to `jnp.reshape` itself.
"""

from reshape_adapter import NUMPY, SUB_BYTE, Rejected, Tensor, Unsupported, serve

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

# element type → the type of JAX, where numpy has none
ML_TYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0": ml_dtypes.float8_e8m0fnu, "f4e2m1": ml_dtypes.float4_e2m1fn,
    "i4": ml_dtypes.int4, "u4": ml_dtypes.uint4, "i2": ml_dtypes.int2, "u2": ml_dtypes.uint2,
}  # fmt: skip

ELEMENT_TYPE = {np.dtype(t): name for name, t in (NUMPY | ML_TYPES).items()}

# What jnp.reshape raises when it refuses; ZeroDivisionError where a -1 stands beside a 0.
ERRORS = (TypeError, ValueError, OverflowError, ZeroDivisionError, jax.errors.JaxRuntimeError)


class Jax:
    name, version, model, window = "jax", jax.__version__, "none", 8
    supports = [
        {
            "operators": ["onnx.Reshape-25"],
            "element_types": [*NUMPY, *SUB_BYTE],
            "bindings": ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"],
        }
    ]

    def compile(self, request):
        if request.attributes.get("allowzero") != 1:
            raise Unsupported("jax.numpy.reshape copies no zeros")
        arguments = [constant(request.target)] if request.target.binding == "constant" else []
        reshape = jax.jit(lambda data: jnp.reshape(data, *arguments))
        inferred = None
        if request.target.binding == "runtime":
            reshape = jnp.reshape
        elif None not in request.dims:
            element = ML_TYPES.get(request.element_type) or NUMPY[request.element_type]
            data = jax.ShapeDtypeStruct(request.dims, element)
            try:
                lowered = reshape.lower(data)
                inferred, reshape = lowered.out_info.shape, lowered.compile()
            except ERRORS as error:
                raise Rejected(error)

        def run(data, target):
            array = to_jax(data)
            shape = [] if target is None else [target.numpy(ML_TYPES.get(target.element_type))]
            try:
                reshaped = reshape(array, *shape).block_until_ready()
            except ERRORS as error:
                raise Rejected(error)
            return from_jax(reshaped)

        run.output_shape = inferred
        return run


def constant(target):
    """The target as an array of its own type and dims."""
    if target.element_type == "string":
        return np.array([str(value) for value in target.values]).reshape(target.shape)
    element = ML_TYPES.get(target.element_type) or NUMPY[target.element_type]
    return np.array(target.values, object).astype(element).reshape(target.shape)


def to_jax(tensor):
    return jnp.asarray(tensor.numpy(ML_TYPES.get(tensor.element_type)))


def from_jax(array):
    if not array.size:  # its dims may be more than numpy can count
        return Tensor(ELEMENT_TYPE[array.dtype], array.shape, b"")
    return Tensor.from_numpy(np.asarray(array))


jax.config.update("jax_enable_x64", True)
serve(Jax())
