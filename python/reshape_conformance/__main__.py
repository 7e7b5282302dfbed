"""`python -m reshape_conformance`: the program."""

import os
import subprocess
import sys

from reshape_conformance import program

if os.name == "nt":
    # Windows has no exec: the program takes the console's Ctrl-C itself.
    try:
        sys.exit(subprocess.call([program(), *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(5)
os.execv(program(), ["reshape-conformance", *sys.argv[1:]])
