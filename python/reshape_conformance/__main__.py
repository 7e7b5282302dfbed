"""`python -m reshape_conformance`: the program."""

import os
import subprocess
import sys

from reshape_conformance import program

# So the commands that the program shows begin as it was started.
os.environ["RESHAPE_CONFORMANCE_STARTED"] = f"{os.path.basename(sys.executable)} -m reshape_conformance"
if os.name == "nt":
    # Windows has no exec: the program takes the console's Ctrl-C itself.
    try:
        sys.exit(subprocess.call([program(), *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(5)
os.execv(program(), ["reshape-conformance", *sys.argv[1:]])
