#!/usr/bin/env bash
# Builds the program, unless RESHAPE_CONFORMANCE names one, and runs the gate. The reports are in reshape-report/.
set -uo pipefail

program=${RESHAPE_CONFORMANCE:-}
if [ -z "$program" ]; then
    cargo install --quiet --locked --path "$GITHUB_ACTION_PATH/../../.." --root "$RUNNER_TEMP/reshape-conformance" || exit
    program=$RUNNER_TEMP/reshape-conformance/bin/reshape-conformance
fi
mkdir -p reshape-report
# The arguments are several words.
# shellcheck disable=SC2086
"$program" run --gate --config "$CONFIG" --github --events reshape-report/events.jsonl \
    --junit reshape-report/junit.xml --html reshape-report/page.html ${ARGUMENTS:-}
code=$?
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
exit $code
