"""The plugin of pytest, with the program: `python -m unittest` in this folder, with the packages of requirements.txt."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from test_backends import HERE, PROGRAM, ROOT


class Plugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = folder.name
        shutil.copy(f"{HERE}/functions.py", self.place)
        self.write("test_own.py", "def test_of_the_project():\n    pass\n")

    def write(self, name, text):
        with open(f"{self.place}/{name}", "w") as file:
            file.write(text)

    def pytest(self, backend, *arguments):
        """The exit code and the output of pytest in a small project."""
        path = os.pathsep.join([os.path.dirname(PROGRAM), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "PYTHONPATH": f"{ROOT}/python", "PY_COLORS": "0", "COLUMNS": "200"}
        command = [sys.executable, "-m", "pytest", "-p", "reshape_conformance.pytest"]
        command += [*(["--reshape-backend", backend] if backend else []), *arguments]
        ended = subprocess.run(command, cwd=self.place, env=environment, capture_output=True, text=True)
        return ended.returncode, ended.stdout + ended.stderr

    def counts(self, said):
        return {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", said.strip().splitlines()[-1])}

    def test_an_item_is_a_case_and_an_operator_among_the_tests_of_a_project(self):
        code, said = self.pytest("functions:right", "-v", "-k", "two-by-three-becomes-three-by-two/ or project")
        self.assertEqual(code, 0, said)
        self.assertIn("reshape::two-by-three-becomes-three-by-two/onnx.Reshape-14 PASSED", said)
        self.assertEqual(self.counts(said)["passed"], 9, said)

    def test_a_failure_says_what_a_person_wants_to_know(self):
        code, said = self.pytest("functions:copies_every_zero", "-k", "allowzero-one/onnx.Reshape-14")
        self.assertEqual(code, 1, said)
        for wanted in ("it copies every 0", "failed allowzero-one/onnx.Reshape-14/", "allowzero=1", "expected  ", "got       ", "again: reshape-conformance run "):
            self.assertIn(wanted, said)
        self.assertNotIn("Traceback", said)

    def test_only_what_failed_last_runs_again(self):
        select = ["-k", "allowzero-one/ or two-by-three-becomes"]
        _, said = self.pytest("functions:copies_every_zero", *select)
        failed = self.counts(said)["failed"]
        self.assertGreater(failed, 0, said)
        _, said = self.pytest("functions:copies_every_zero", *select, "--lf")
        self.assertEqual({of: self.counts(said)[of] for of in ("failed",)}, {"failed": failed}, said)
        self.assertNotIn("passed", self.counts(said))

    def test_workers_of_xdist_share_the_items(self):
        select = ["-k", "copied-zero or allowzero or own"]
        _, alone = self.pytest("functions:copies_every_zero", *select)
        wanted = {of: count for of, count in self.counts(alone).items() if of in ("passed", "failed", "skipped")}
        for dist in ("load", "loadfile", "loadgroup", "worksteal"):
            _, said = self.pytest("functions:copies_every_zero", *select, "-n", "2", "--dist", dist)
            self.assertEqual({of: self.counts(said).get(of) for of in wanted}, wanted, said)

    def test_a_crash_ends_one_item(self):
        select = ["-k", "two-by-three-becomes-three-by-two/onnx.Reshape-13 or flattened or same-shape"]
        code, said = self.pytest("functions:dies", *select)
        self.assertEqual((code, self.counts(said)["failed"]), (1, 1), said)
        self.assertIn("crashed", said)
        self.assertGreater(self.counts(said)["passed"], 8, said)

    def test_known_failures_are_xfailed_strictly(self):
        entry = "- {trials: ['%s'], outcome: failed, reason: Zeros are copied.}\n"
        known = lambda *patterns: self.write("known.yaml", "".join(entry % of for of in patterns))
        select = ["-k", "allowzero-one/onnx.Reshape-14 or same-single-dim/onnx.Reshape-14", "--reshape-known-failures", "known.yaml", "-rx"]
        known("allowzero-one/*/**", "allowzero-one/*/*/*+*")
        code, said = self.pytest("functions:copies_every_zero", *select)
        self.assertEqual((code, self.counts(said).get("xfailed")), (0, 1), said)
        self.assertIn("Zeros are copied.", said)
        # One of its failures is not known.
        known("allowzero-one/*/f32/**")
        code, said = self.pytest("functions:copies_every_zero", *select)
        self.assertEqual((code, self.counts(said).get("failed")), (1, 1), said)
        # One that is known passes.
        known("allowzero-one/*/**", "allowzero-one/*/*/*+*", "same-single-dim/*/**")
        code, said = self.pytest("functions:copies_every_zero", *select)
        self.assertEqual((code, self.counts(said).get("failed")), (1, 1), said)
        self.assertIn("XPASS(strict)", said)

    def test_what_is_not_claimed_is_skipped_and_a_backend_that_does_not_start_is_red(self):
        code, said = self.pytest("functions:right", "-k", "same-shape/openvino", "--reshape-operator", "openvino", "-rs")
        self.assertEqual((code, self.counts(said).get("skipped")), (0, 1), said)
        self.assertIn("the backend does not claim it", said)

    def test_what_is_not_there_is_one_error_of_usage(self):
        for backend, wanted in (
            ("functions:absent", "has no attribute 'absent'"),
            ("onnxruntim.backend", "the module onnxruntim is neither in "),
            ("onnxruntim", "onnxruntim is no function, module, adapter or command"),
        ):
            code, said = self.pytest(backend)
            self.assertEqual(code, 4, said)
            self.assertIn(wanted, said)
            self.assertLess(said.count("\n"), 6, said)
        code, said = self.pytest("functions:right", "--reshape-known-failures", "none.yaml")
        self.assertEqual(code, 4, said)
        self.assertIn("there is no file none.yaml", said)

    def test_a_module_that_crashes_is_one_error_of_usage(self):
        self.write("crashes.py", "import os\nimport signal\n\nos.kill(os.getpid(), signal.SIGKILL)\n")
        code, said = self.pytest("crashes:f")
        self.assertEqual(code, 4, said)
        self.assertIn("--reshape-backend crashes:f: its process ended before it was ready (signal 9)", said)

    def test_an_id_or_the_name_of_a_trial_selects_its_test(self):
        item = "two-by-three-becomes-three-by-two/onnx.Reshape-14"
        for name in (item, f"reshape::{item}", f"{item}/f32/constant-static"):
            for more in ((), ("-n", "2")):
                code, said = self.pytest("functions:right", name, *more)
                self.assertEqual((code, self.counts(said)["passed"]), (0, 1), said)
        code, said = self.pytest("functions:right", f"reshape::{item}", "test_own.py")
        self.assertEqual((code, self.counts(said)["passed"]), (0, 2), said)
        code, said = self.pytest("functions:right", "reshape::no-such-case/onnx.Reshape-14")
        self.assertEqual(code, 4, said)
        self.assertIn("no test of the suite is named no-such-case/onnx.Reshape-14", said)

    def test_the_file_of_the_gate_names_the_backend(self):
        gate = 'core = true\noperators = ["onnx.Reshape-14"]\n[[adapter]]\nname = "mine"\n'
        self.write("reshape-conformance.toml", gate + 'python-function = "functions:right(allowzero)"\n')
        code, said = self.pytest(None, "-k", "copied-zero")
        self.assertEqual(code, 0, said)
        self.assertGreater(self.counts(said)["passed"], 1, said)
        code, said = self.pytest("mine", "reshape::allowzero-one/onnx.Reshape-13")
        self.assertEqual(code, 4, said)

    def test_the_file_of_the_gate_names_trials_limits_and_the_environment(self):
        self.write("by_environment.py", "import functions, os\nright = functions.right if os.environ['MINE'] == '1' else None\n")
        gate = 'trials = ["copied-zero-first/onnx.Reshape-14/**"]\ntimeout = 7\n[[adapter]]\nname = "mine"\n'
        for value, wanted in (("1", (0, 1)), ("2", (4, None))):
            adapter = f'python-function = "by_environment:right(allowzero)"\nenvironment = {{MINE = "{value}"}}\n'
            self.write("reshape-conformance.toml", gate + adapter)
            code, said = self.pytest(None, "-k", "Reshape", "--reshape-timeout", "9")
            self.assertEqual((code, self.counts(said).get("passed")), wanted, said)

    def test_what_the_gate_refuses_is_one_error_of_usage_with_its_words(self):
        adapter = '[[adapter]]\nname = "mine"\npython-function = "functions:right"\n'
        reports = '[reports]\njunit = "junit.xml"\n'
        self.write("known.yaml", "- {trials: ['allowzero-won/**'], outcome: failed, reason: Zeros are copied.}\n")
        self.write("junit.xml", "evidence")
        for gate, place, wanted in (
            ("retires = 2\n" + adapter, "toml:1:1", "unknown field `retires`"),
            ("jobs = 0\n" + adapter, "toml:1:8", "it must be a number from 1 to 1024"),
            (adapter + adapter, "toml:5:8", "two adapters are named 'mine'"),
            (adapter + 'known-failures = "known.yaml"\n', "known.yaml:1:13", "did you mean allowzero-one"),
        ):
            self.write("reshape-conformance.toml", gate + reports)
            code, said = self.pytest(None)
            self.assertEqual(code, 4, said)
            self.assertTrue(said.strip().startswith("ERROR: error: "), said)
            for of in (place, wanted):
                self.assertIn(of, said)
        with open(f"{self.place}/junit.xml") as file:
            self.assertEqual(file.read(), "evidence")

    def test_an_adapter_and_a_command_are_backends(self):
        for backend in ("onnx-reference", f"{PROGRAM} serve reference"):
            _, said = self.pytest(backend, "-k", "allowzero-one/onnx.Reshape-14")
            if backend != "onnx-reference":
                self.assertEqual(self.counts(said).get("passed"), 1, said)
            else:
                self.assertRegex(said, "1 passed|is not available")
