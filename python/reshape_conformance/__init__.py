"""The conformance suite and reference oracle for the Reshape operators of ONNX, OpenVINO, oneDNN and the Array API standard.

`python -m reshape_conformance` is the program. `reshape_conformance.adapter` is the kit for an adapter in Python: import it
before anything that prints, because it takes standard output for the protocol. It needs numpy. `reshape_conformance.function`
and `reshape_conformance.onnx_backend` are adapters of any function and of any backend of onnx, `reshape_conformance.array_api`
is one of any library of the Array API standard, and
`reshape_conformance.onnx_rewriter` helps to write one of a rewriter of models; `reshape_conformance.pytest` is a plugin of pytest.
"""

import os
import shutil
import sysconfig

SUITE = "3.4"
"""The version of the suite that the program holds."""


def program():
    """The path of the program."""
    name = "reshape-conformance" + sysconfig.get_config_var("EXE") if os.name == "nt" else "reshape-conformance"
    # Where this package is, the scripts are: of an environment, of the user, or of `pip install --target`.
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    user = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else None
    folders = [sysconfig.get_path("scripts")]
    folders += [sysconfig.get_path("scripts", user)] if user else []
    folders += [os.path.join(here, "bin"), os.path.join(here, "Scripts")]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not in {', '.join(folders)}: install the package reshape-conformance again")
    return found
