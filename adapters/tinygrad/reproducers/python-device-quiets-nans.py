"""tinygrad's Python device: a Reshape after a Transpose makes signalling NaNs quiet, as every program does that moves them."""
import os

os.environ["DEV"] = "PYTHON"
import struct

from tinygrad import Tensor, dtypes

signalling = 0x7F800001
data = Tensor(struct.pack("<4I", signalling, 1, 2, 3), dtype=dtypes.float32).reshape(2, 2)
got = data.permute(1, 0).reshape(4).contiguous().realize()
words = struct.unpack("<4I", bytes(got._buffer().as_memoryview()))
print("not reproduced" if words[0] == signalling else "reproduced", f"0x{signalling:08x} becomes 0x{words[0]:08x}", sep=": ")
