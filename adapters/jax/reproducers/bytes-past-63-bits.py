"""JAX on the CPU: an empty array becomes [2^63-1, 0]. XLA throws, because the bytes before the 0 are past 2^63; the process ends."""
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
empty = jnp.zeros((0,))
print("reproduced if the process ends here", flush=True)
print("not reproduced:", jnp.reshape(empty, (2**63 - 1, 0)).block_until_ready().shape)
