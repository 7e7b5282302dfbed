#!/usr/bin/env bash
# Installs the program from its wheel, in an environment of its own. The cache keeps the wheel. Nothing is compiled.
set -euo pipefail

if ! compgen -G "$WHEELS/*.whl" > /dev/null; then
    "$PYTHON" -m pip download --quiet --no-deps --only-binary :all: --dest "$WHEELS" "reshape-conformance==$VERSION"
fi
"$PYTHON" -m venv "$RUNNER_TEMP/reshape"
if [ -d "$RUNNER_TEMP/reshape/Scripts" ]; then folder=Scripts; else folder=bin; fi
"$RUNNER_TEMP/reshape/$folder/python" -m pip install --quiet --no-index --find-links "$WHEELS" "reshape-conformance==$VERSION"
echo "$RUNNER_TEMP/reshape/$folder" >> "$GITHUB_PATH"
