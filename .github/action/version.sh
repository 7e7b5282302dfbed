#!/usr/bin/env bash
# The version to install, and the folder of its wheel: that of this action, unless VERSION names one.
set -euo pipefail

version=${VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1)}
if ! [[ $version =~ ^[0-9A-Za-z.+-]+$ ]]; then
    echo "::error title=Reshape conformance::'version' is no version of the program"
    exit 2
fi
{
    echo "version=$version"
    echo "wheels=$RUNNER_TEMP/reshape-wheels"
} >> "$GITHUB_OUTPUT"
