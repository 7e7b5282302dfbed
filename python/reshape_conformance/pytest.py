"""The suite as tests of pytest: `pytest -p reshape_conformance.pytest --reshape-backend BACKEND`.

`BACKEND` is a function (`pkg.module:function`), a module with a backend of onnx (`onnxruntime.backend`), the name of an
adapter, or the command of one. A test is a case and an operator: its name is `case/operator`, and it fails if one of its
trials does. `-k`, `--lf` and `-n` (pytest-xdist) work as for other tests. Only what they select runs. A test's id, or the name of a
trial as the program prints it, selects that test. Without `--reshape-backend`, the adapter of `reshape-conformance.toml` in the
current folder is tested, with the known failures, operators and core that it names.

The program runs the backend, not pytest: a crash fails one test, and the session goes on. The program runs many tests at once,
so the first one waits for its start, and the first failure for the findings, which come last.
"""

import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from reshape_conformance import program

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11, where pytest needs this
    import tomli as tomllib

NAME = "reshape"
GATE = "reshape-conformance.toml"
# The keys of the gate's file, or of its adapter, that are options of `run`, too.
LIMITS = ("timeout", "handshake-timeout", "memory", "max-data", "max-payload", "retries", "level")
# The keys of an adapter of the gate that name no command, and the programs of this package that run them.
PROGRAMS = {"python-function": "function", "onnx-backend": "onnx_backend", "array-api": "array_api"}
# The name of no trial, and the exit code of a run of it alone, which starts nothing.
NO_TRIAL = "no-case/no-operator/no-type/no-binding"
NOTHING_SELECTED = 4
# The most bytes of names in one command; systems allow 2 MiB.
MOST_NAMES = 1 << 19
# The values of xdist's --dist with which a process runs blocks of tests.
BLOCKWISE = ("load", "loadgroup", "worksteal")
# How a trial without a failure ends.
FINE = ("passed", "recorded", "skipped", "quarantined", "known", "unchanged", "advisory", "flaky", "new")


def pytest_addoption(parser):
    group = parser.getgroup("reshape-conformance")
    group.addoption("--reshape-backend", metavar="BACKEND", help="pkg.module:function, a module with a backend of onnx, an adapter, or a command")
    group.addoption("--reshape-operator", metavar="OPERATOR", action="append", default=[], help='operators to test, such as "onnx >= 14"; repeatable')
    group.addoption("--reshape-core", action="store_true", help="test only the core, a few trials that show most of what all show")
    group.addoption("--reshape-known-failures", metavar="FILE", help="the known failures of a backend that is no adapter")
    group.addoption("--reshape-timeout", metavar="SECONDS", help="how long to wait for an answer of the backend")


def pytest_configure(config):
    suite = Suite(config)
    if suite.backend:
        if not hasattr(config, "workerinput"):
            suite.check()
        config.pluginmanager.register(Plugin(config, suite), "reshape-conformance")


class Plugin:
    def __init__(self, config, suite):
        self.config = config
        self.suite = suite
        self.runs = {}  # item → the run that it is part of
        # Ids are no files, so pytest would not find them.
        self.named = {of: name_in(of) for of in config.args if name_in(of)}
        config.args[:] = [of for of in config.args if of not in self.named]
        self.named, self.others = self.worker["reshape_named"] if self.worker else (list(self.named.values()), bool(config.args))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session, items):
        """Adds the tests before anything selects among them."""
        collector = Collector.from_parent(session, name=NAME, nodeid=NAME)
        trials = collections.defaultdict(list)
        for trial in self.suite.trials():
            trials[trial.rsplit("/", 2)[0]].append(trial)
        if unknown := [of for of in self.named if of not in trials]:
            raise pytest.UsageError(f"no test of the suite is named {', '.join(unknown)}")
        if self.named and not self.others:
            items.clear()
        for name, of in trials.items():
            if not self.named or name in self.named:
                items.append(Item.from_parent(collector, name=name, plugin=self, trials=of))

    def run_of(self, item):
        """The run that an item is part of. It takes what follows, too, as far as this process will be asked for it."""
        if item.nodeid not in self.runs:
            ours = [of for of in item.session.items if isinstance(of, Item)]
            own = self.own(item, [of.nodeid for of in ours])
            ours = [of for of in ours if of.nodeid in own]
            is_all = sum(len(of.trials) for of in ours) == self.suite.count
            for part in [ours] if is_all else parts(ours):
                run = Run(self.suite, part, jobs=1 if self.worker else None)
                self.runs.update({of.nodeid: run for of in part})
        return self.runs[item.nodeid]

    def trials_of(self, item):
        """The trials of an item, and why some of them did not run."""
        run = self.run_of(item)
        trials = run.wait(item.name)
        if run.waiting[item.name] > 0 and not reds(trials) and len(rest := run.rest()) < len(run.items):
            # The program stops a backend that fails in the same way again and again. What failed is known.
            run = Run(self.suite, rest, run.jobs)
            self.runs.update({of.nodeid: run for of in rest})
            return self.trials_of(item)
        return trials, run.why

    @property
    def worker(self):
        return getattr(self.config, "workerinput", None)

    def own(self, item, ids):
        """The tests that this process is asked for together with an item."""
        dist = self.worker["reshape_dist"] if self.worker else "no"
        if dist in ("no", "each", "loadscope", "loadfile"):
            return set(ids)
        if dist not in BLOCKWISE:
            return {item.nodeid}
        # With worksteal, another process may take the end of a block. Then both ran it.
        block = blocks(ids, self.worker["workercount"])
        return {of for of in ids if block[of] == block[item.nodeid]}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput["reshape_dist"] = self.config.getoption("dist")
        node.workerinput["reshape_named"] = [self.named, self.others]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config, log):
        """Hands out our tests in blocks that one process runs together, and all others as without us."""
        from xdist.scheduler import LoadGroupScheduling, LoadScopeScheduling

        dist = config.getoption("dist")
        if dist not in ("load", "loadgroup"):
            return None

        class Blocks(LoadGroupScheduling if dist == "loadgroup" else LoadScopeScheduling):
            block = None

            def _split_scope(self, nodeid):
                if self.block is None:
                    self.block = blocks(self.collection, self.numnodes)
                if nodeid in self.block:
                    return f"{NAME} {self.block[nodeid]}"
                return super()._split_scope(nodeid) if dist == "loadgroup" else nodeid

        return Blocks(config, log)

    def pytest_sessionfinish(self):
        for run in set(self.runs.values()):
            run.stop()


def name_in(argument):
    """The name of the test that an argument of pytest names by its id or by one of its trials; None for any other argument."""
    found = re.fullmatch(rf"(?:{NAME}::)?([a-z0-9-]+/(?:onnx|openvino|onednn|array-api)[\w.-]*)(/.*)?", argument)
    return found[1] if found and not os.path.exists(argument) else None


def blocks(ids, workers):
    """The number of the block of each of our tests: some for each worker, so that all end at about the same time."""
    ours = [of for of in ids if of.startswith(f"{NAME}::")]
    size = max(1, min(256, len(ours) // (4 * workers)))
    return {of: index // size for index, of in enumerate(ours)}


def parts(items):
    """Items in lists that a command line can hold."""
    part, size = [], 0
    for item in items:
        length = sum(len(of) + 3 for of in item.trials)
        if part and size + length > MOST_NAMES:
            yield part
            part, size = [], 0
        part.append(item)
        size += length
    yield part


class Suite:
    """What of the suite to run, and on which backend."""

    def __init__(self, config):
        self.backend = config.getoption("--reshape-backend")
        self.operators = config.getoption("--reshape-operator")
        self.core = ["--core"] if config.getoption("--reshape-core") else []
        self.known = config.getoption("--reshape-known-failures")
        self.limits, self.patterns, self.environment = {}, [], dict(os.environ)
        timeout = config.getoption("--reshape-timeout")
        self.one_failure = config.getoption("maxfail") == 1
        self.count = 0
        self.program = None  # of the Python package
        if os.path.exists(GATE):
            if not hasattr(config, "workerinput"):
                self.check_gate()
            self.read_gate()
        if timeout:
            self.limits["timeout"] = timeout

    def check_gate(self):
        """Ends the session, with the program's words, if the gate would refuse its file."""
        command = [program(), "run", "--quiet", "--gate", "--config", GATE, "--exact", NO_TRIAL]
        tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if tried.returncode != NOTHING_SELECTED:
            raise pytest.UsageError(tried.stderr[max(0, tried.stderr.find("error: ")) :].strip())

    def read_gate(self):
        """Takes from the gate's file what no option says."""
        with open(GATE, "rb") as file:
            gate = tomllib.load(file)
        adapters = [of for of in gate.get("adapter", []) if self.backend in (None, of.get("name"))]
        if not adapters:
            return
        adapter, *others = adapters
        if others:
            names = ", ".join(of["name"] for of in adapters)
            raise pytest.UsageError(f"{GATE} has several adapters: choose one of {names} with --reshape-backend")
        keys = [of for of in PROGRAMS if of in adapter]
        self.backend = adapter[keys[0]] if keys else adapter.get("command", adapter.get("name"))
        self.program = PROGRAMS[keys[0]] if keys else None
        self.operators = self.operators or gate.get("operators", [])
        self.core = self.core or (["--core"] if gate.get("core") else [])
        self.known = self.known or adapter.get("known-failures")
        self.patterns = gate.get("trials", [])
        self.environment |= adapter.get("environment", {})
        said = {**gate, **adapter}
        self.limits = {key: said[key] for key in LIMITS if key in said}

    def check(self):
        """Ends the session if the backend or the file of known failures is not there. Otherwise each test would say so."""
        if self.known and not os.path.isfile(self.known):
            raise pytest.UsageError(f"there is no file {self.known}, which --reshape-known-failures or {GATE} names")
        option, *command = self.arguments()
        if option == "--adapter":
            return
        first = shlex.split(command[0])
        if not shutil.which(first[0]):
            adapters = f"`{os.path.basename(program())} adapters` lists the adapters"
            raise pytest.UsageError(f"{self.backend} is no function, module, adapter or command: {adapters}")
        if first[:2] == [sys.executable, "-m"]:
            null = subprocess.DEVNULL
            tried = subprocess.run(first, env=self.environment, stdin=null, stdout=null, stderr=subprocess.PIPE, text=True)
            if code := tried.returncode:
                said = tried.stderr.strip().splitlines() if code > 0 else []
                how = f"exit status {code}" if code > 0 else f"signal {-code}"
                why = said[-1] if said else f"its process ended before it was ready ({how})"
                raise pytest.UsageError(f"--reshape-backend {self.backend}: {why}")

    def arguments(self):
        """The options that name the backend."""
        python = [sys.executable, "-m"]
        if self.program is None and self.is_adapter():
            return ["--adapter", self.backend]
        if self.program == "array_api":
            command = [*python, "reshape_conformance.array_api", self.backend]
        elif self.program == "function" or self.program is None and re.fullmatch(r"[\w.]+:[\w.]+(\(.*\))?", self.backend):
            self.operators = self.operators or ["onnx >= 5"]
            command = [*python, "reshape_conformance.function", self.backend]
        elif self.program or re.fullmatch(r"\w+(\.\w+)+", self.backend) and not os.path.exists(self.backend):
            self.operators = self.operators or ["onnx"]
            command = [*python, "reshape_conformance.onnx_backend", self.backend]
        else:
            command = None
        known = ["--known-failures", self.known] if self.known else []
        return ["--adapter-command", shlex.join(command) if command else self.backend, *known]

    def is_adapter(self):
        name = re.split("[@:]", self.backend)[0]
        listed = subprocess.run([program(), "adapters"], capture_output=True, text=True).stdout
        return name in {line.split(" ", 1)[0] for line in listed.splitlines()}

    def selected(self):
        return [*self.core, *(word for of in self.operators for word in ("--operator", of)), *self.patterns]

    def trials(self):
        """The names of all trials that the backend can be asked."""
        backend = self.arguments()
        adapter = backend if backend[0] == "--adapter" else []
        listed = subprocess.run([program(), "list", *self.selected(), *adapter], capture_output=True, text=True)
        if listed.returncode:
            raise pytest.UsageError(f"--reshape-backend {self.backend}: {listed.stderr.strip()}")
        trials = listed.stdout.splitlines()
        self.count = len(trials)
        return trials


class Run:
    """A run of some items. It is a process, whose events are read as they come."""

    def __init__(self, suite, items, jobs):
        self.suite, self.items, self.jobs = suite, items, jobs
        self.names = [name for item in items for name in item.trials]
        self.waiting = collections.Counter(name.rsplit("/", 2)[0] for name in self.names)
        self.process = None
        self.trials = collections.defaultdict(list)
        self.headings = {}  # trial → the heading of its finding
        self.why = ""

    def start(self):
        self.folder = tempfile.TemporaryDirectory(prefix="reshape-")
        path = Path(self.folder.name)
        self.log = open(path / "log", "w+", errors="replace")
        (path / "events").touch()
        self.events = open(path / "events", errors="replace")
        self.line = ""
        suite, jobs = self.suite, self.jobs
        command = [program(), "run", "-q", *suite.arguments(), "--events", self.events.name, "--until-eof"]
        command += ["--jobs", str(jobs)] if jobs else []
        command += [word for key, value in suite.limits.items() for word in (f"--{key}", str(value))]
        command += suite.selected() if len(self.names) == suite.count else ["--exact", "--", *self.names]
        # If this process ends, however it does, the pipe closes, and the run ends.
        self.process = subprocess.Popen(command, env=suite.environment, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)

    def wait(self, name):
        """Waits for the trials of an item, and returns them. If one fails, waits for the findings."""
        if self.process is None:
            self.start()
        while self.waiting[name] > 0 or self.is_awaited(name):
            ended = self.process.poll() is not None
            if not self.read() and ended:
                break
            time.sleep(0 if ended else 0.02)
        return self.trials[name]

    def is_awaited(self, name):
        return reds(self.trials[name]) and not self.suite.one_failure and not self.events.closed

    def rest(self):
        """The items that did not run to their end, and of which nothing failed."""
        return [of for of in self.items if self.waiting[of.name] > 0 and not reds(self.trials[of.name])]

    def read(self):
        """Reads more events, and returns whether there were any."""
        if self.events.closed:
            return False
        text = self.events.read()
        *lines, self.line = (self.line + text).split("\n")
        for line in lines:
            event = json.loads(line)
            if event["event"] == "trial":
                name = f"{event['case']}/{event['operator']}"
                self.waiting[name] -= 1
                self.trials[name].append(event)
            elif event["event"] == "finding":
                self.headings.update(dict.fromkeys(event["trials"], event["says"]))
            elif event["event"] == "backend-not-run":
                self.why = event["message"]
        if not text and self.process.poll() is not None:
            self.stop()
        return bool(text)

    def stop(self):
        if self.process is None or self.events.closed:
            return
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.seek(0)
        self.why = self.why or self.log.read().strip() or f"the program ended with {self.process.returncode}"
        self.events.close()
        self.log.close()
        self.folder.cleanup()


class Collector(pytest.Collector):
    def collect(self):
        return []


class Failed(Exception):
    """What a person should see of a failed item."""


class Item(pytest.Item):
    def __init__(self, *, plugin, trials, **others):
        super().__init__(**others)
        self.plugin = plugin
        self.trials = trials

    def runtest(self):
        trials, why = self.plugin.trials_of(self)
        of = collections.defaultdict(list)
        for trial in trials:
            of[trial["verdict"]].append(trial)
        if red := reds(trials):
            raise Failed(describe(red, self.plugin.run_of(self).headings))
        if len(trials) < len(self.trials):
            raise Failed(f"{len(self.trials) - len(trials)} of {len(self.trials)} trials did not run: {why}")
        if known := of["known"]:
            pytest.xfail(reasons(known))
        if len(of["skipped"]) + len(of["quarantined"]) == len(trials):
            pytest.skip(reasons(of["quarantined"]) or skipped(of["skipped"]))

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        # A terminal would write the dots of a name as colons.
        return Path(NAME), None, f"{NAME}: {self.name}"


def reds(trials):
    return [trial for trial in trials if trial["verdict"] not in FINE]


def reasons(trials):
    return "; ".join(sorted({trial["known_failure"] for trial in trials}))


def skipped(trials):
    named = {trial.get("unavailable") or trial.get("outcome", {}).get("message") for trial in trials}
    return "; ".join(sorted(filter(None, named))) or "the backend does not claim it"


def describe(trials, headings):
    """The first failure of each kind, with the request, what was expected, what came, and how to run it again."""
    shown = {}
    for trial in trials:
        heading = headings.get(trial["trial"], "")
        kind = (trial["verdict"], trial.get("failure"), heading)
        shown.setdefault(kind, []).append(trial)
    return "\n\n".join(describe_kind(of, kind[-1]) for kind, of in shown.items())


def describe_kind(trials, heading):
    first = min(trials, key=lambda trial: (trial.get("story", {}).get("size", []), trial["trial"]))
    lines = [f"it {heading}"] if heading else []
    lines.append(f"{first['verdict']} {first['trial']}")
    if first["verdict"] == "fixed":
        lines.append(f"  XPASS(strict): it no longer fails, but is a known failure: {first['known_failure']}")
    story = first.get("story", {})
    for line in story.get("diff", []):
        kind = {"text": "", "expected": "expected  ", "got": "got       "}.get(line["kind"], f"{line['kind']}  ")
        lines.append(f"  {kind}{line['text']}")
    lines += [f"    {line}" for line in first.get("outcome", {}).get("log", "").splitlines()]
    if len(trials) > 1:
        others = sorted({"/".join(of["trial"].rsplit("/", 2)[1:]) for of in trials if of is not first})
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        lines.append(f"  also {', '.join(others[:5])}{more}")
    if "again" in story:
        lines.append(f"  again: {story['again']}")
    return "\n".join(lines)
