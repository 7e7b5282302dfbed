"""Reshapes of an empty array that JAX on the CPU does not survive: each in a process of its own, with ten seconds."""

import subprocess
import sys

CODE = """
import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
print("got", jnp.reshape(jnp.zeros({data}), {target}).block_until_ready().shape)
"""
for data, target in [((0,), (2**63 - 1, 0)), ((0,), (3037000499, 3037000499, 0)), ((2**62, 0), (0,)), ((0, 2**31 - 1), (2**31 - 1, 0))]:
    print(f"{data} to {target}, to be just that:", end=" ", flush=True)
    try:
        ended = subprocess.run([sys.executable, "-c", CODE.format(data=data, target=target)], capture_output=True, text=True, timeout=10)
        print(ended.stdout.strip() or f"ended with {ended.returncode}: {ended.stderr.strip().splitlines()[-1]}")
    except subprocess.TimeoutExpired:
        print("no answer in ten seconds")
