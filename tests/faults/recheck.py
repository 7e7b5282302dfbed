"""Checks that a run's stream and exit code agree, without any code of the program.

    recheck.py STREAM PLANNED CODE

PLANNED holds the names that `list` prints for the same selection. A run that lost a trial, or whose stream is not whole,
is never green, and each backend that has finished has one verdict for each planned trial.
"""

import collections
import json
import sys

NOT_RED = {"passed", "recorded", "skipped", "known", "fixed", "quarantined", "flaky", "unchanged", "advisory", "new"}

stream, planned, code = sys.argv[1:]
code = int(code)
with open(planned, encoding="utf-8") as file:
    planned = sorted(file.read().split())
try:
    with open(stream, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
except FileNotFoundError:
    events = []

trials, red, finished = collections.defaultdict(list), 0, set()
for event in events:
    if event["event"] == "trial":
        trials[event["backend"]].append(event["trial"])
        red += event["verdict"] not in NOT_RED
    elif event["event"] == "backend-finished":
        backend = event["backend"]
        finished.add(backend)
        assert sorted(trials[backend]) == planned, f"{backend} has finished with {len(trials[backend])} of {len(planned)} trials"
        counts = {kind: count for kind, count in event["counts"].items() if kind != "trials"}
        assert sum(counts.values()) == len(planned) == event["counts"]["trials"], f"the counts of {backend} do not add up"
for backend, names in trials.items():
    assert len(set(names)) == len(names), f"{backend} has two verdicts for a trial"
    assert set(names) <= set(planned), f"{backend} has a verdict for a trial that was not planned"

kinds = [event["event"] for event in events]
backends = set(events[0]["backends"]) if events else set()
is_whole = "run-finished" in kinds and finished == backends
assert code not in (0, 101) or is_whole, f"exit code {code}, and the run is not whole: {kinds[-1:]}"
assert code not in (0, 101) or red == 0, f"exit code {code}, and {red} trials are red"
assert is_whole or not events or kinds[-1] == "run-stopped" or "backend-not-run" in kinds, f"it is not whole, and ends with {kinds[-1]}"
assert code in (0, 2, 4, 5, 100, 101, 102, 103, 104, 105), f"exit code {code}"
print(f"{len(kinds)} events, {sum(map(len, trials.values()))} verdicts, exit code {code}")
