"""Functions and backends of onnx through the program: `python -m unittest` in this folder, with the packages of requirements.txt."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.join(ROOT, "target", "release", "reshape-conformance")
CASES = os.path.join(ROOT, "cases")


def run(*arguments):
    """The exit code and the output of the program, in this folder."""
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(ROOT, "target", "tmp"), "NO_COLOR": "1"}
    ended = subprocess.run([PROGRAM, *arguments], cwd=HERE, env=environment, capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def run_of(option, value, *arguments):
    return run("run", option, value, "--python", sys.executable, *arguments)


class Functions(unittest.TestCase):
    def run_of(self, name, *arguments, cases=("copied-zero",)):
        files = [word for case in cases for word in ("--cases", f"{CASES}/{case}.yaml")]
        return run_of("--python-function", f"functions:{name}", *files, *arguments)

    def test_a_function_that_is_right_passes_the_suite(self):
        code, said = run_of("--python-function", "functions:right")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\(functions:right 7\.1\)")
        self.assertRegex(said, r"= 9\d\d\d passed .* 0 failed")

    def test_a_wrong_function_has_one_finding(self):
        code, said = self.run_of("copies_every_zero", cases=("copied-zero", "literal-zero"))
        self.assertEqual(code, 100, said)
        self.assertEqual(said.count("✗"), 1, said)
        self.assertIn("it copies every 0, whatever the attribute says", said)
        self.assertIn("--python-function functions:copies_every_zero", said)

    def test_the_parameters_say_which_operators_are_asked(self):
        asked = {
            "right": {"onnx.Reshape-5", "onnx.Reshape-13", "onnx.Reshape-14"},
            "copies_every_zero": {"onnx.Reshape-5", "onnx.Reshape-13", "onnx.Reshape-14"},
            "openvino": {"openvino.Reshape-1", "onednn-spec.StaticReshape-1", "onednn.StaticReshape"},
        }
        for name, operators in asked.items():
            events = os.path.join(ROOT, "target", "tmp", f"{name}.jsonl")
            self.run_of(name, "--events", events)
            with open(events) as lines:
                trials = [event for event in map(json.loads, lines) if event["event"] == "trial"]
            ran = {trial["operator"] for trial in trials if trial["verdict"] != "skipped"}
            self.assertEqual(ran & {*asked["right"], *asked["openvino"]}, operators, name)

    def test_what_a_function_declines_is_skipped_by_operator(self):
        code, said = self.run_of("only_floats", "--operator", "onnx.Reshape-14")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"skipped \(.*\): onnx\.Reshape-14 \d+")

    def test_to_decline_what_passed_elsewhere_is_a_failure(self):
        code, said = self.run_of("no_three_dims", "--operator", "onnx.Reshape-14")
        self.assertEqual(code, 100, said)
        self.assertIn("three dims", said)

    def test_a_function_that_does_nothing_is_not_green(self):
        code, said = self.run_of("nothing")
        self.assertEqual(code, 100, said)
        self.assertIn("nothing at all", said)

    def test_the_end_of_the_process_is_a_crash_of_its_trials(self):
        code, said = self.run_of("dies", "--operator", "onnx.Reshape-13", "--give-up-after", "0", cases=("target-dims",))
        self.assertEqual(code, 100, said)
        self.assertRegex(said, r"[1-9]\d* passed .* [1-9]\d* crashed")

    def test_a_result_that_is_no_array_is_no_rejection(self):
        _, said = self.run_of("gives_a_list", "--operator", "onnx.Reshape-13", "f32/constant-static")
        self.assertIn("the backend returned list, not an array of numpy", said)

    def test_what_a_function_does_not_take_is_said_with_the_number_of_trials(self):
        summary = os.path.join(ROOT, "target", "tmp", "no_attribute.md")
        code, said = self.run_of("no_attribute", "--operator", "onnx >= 13", "--markdown", summary)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\n +\d\d+  no parameter `allowzero`, so ONNX from version 14 is not asked")
        with open(summary) as file:
            self.assertRegex(file.read(), r"\d\d+ skipped, not possible here: no parameter .*allowzero")
        _, said = self.run_of("right", "--operator", "onnx >= 13")
        self.assertNotIn("no parameter", said)

    def test_a_function_that_lost_a_named_parameter_does_not_start(self):
        code, said = self.run_of("right(allowzero)", "--operator", "onnx.Reshape-14")
        self.assertEqual(code, 0, said)
        self.assertIn("functions:right(allowzero)", said)
        code, said = self.run_of("no_attribute(allowzero)")
        self.assertEqual(code, 102, said)
        self.assertIn("it has no parameter allowzero", said)

    def test_why_something_is_skipped_or_fails_names_no_adapter(self):
        _, said = self.run_of("only_floats", "--operator", "onnx.Reshape-14")
        self.assertRegex(said, r"\n +\d+  the backend declined: not of \w+\n")
        _, skipped = self.run_of("no_three_dims", "--operator", "onnx.Reshape-14")
        self.assertNotIn("adapter", said + skipped)

    def test_a_missing_package_is_one_sentence_with_the_command_that_installs_it(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
            python = f"{folder}/bin/python"
            for option, value in (("--python-function", "functions:right"), ("--onnx-backend", "evaluator:Evaluator")):
                code, said = run("run", option, value, "--python", python)
                self.assertEqual(code, 102, said)
                self.assertIn(f"{python} has no numpy: install it with `{python} -m pip install numpy`", said)
                self.assertNotIn("Traceback", said)
            # numpy alone is not enough for a backend of onnx.
            os.symlink(os.path.dirname(numpy.__file__), glob.glob(f"{folder}/lib/python*/site-packages")[0] + "/numpy")
            for lib in glob.glob(os.path.dirname(numpy.__file__) + ".libs"):
                os.symlink(lib, glob.glob(f"{folder}/lib/python*/site-packages")[0] + "/numpy.libs")
            code, said = run("run", "--onnx-backend", "evaluator:Evaluator", "--python", python)
            self.assertEqual(code, 102, said)
            self.assertIn(f"{python} has no onnx: install it with `{python} -m pip install onnx`", said)
            self.assertNotIn("Traceback", said)

    def test_a_missing_module_is_one_sentence(self):
        code, said = run_of("--python-function", "no_such.module:f")
        self.assertEqual(code, 102, said)
        self.assertIn(f"the module no_such is neither in {HERE} nor installed for {sys.executable}", said)
        self.assertNotIn("Traceback", said)

    def test_a_name_without_a_function_says_so(self):
        code, said = self.run_of("absent")
        self.assertEqual(code, 102, said)
        self.assertIn("functions:absent is no backend: module 'functions' has no attribute 'absent'", said)

    def test_a_near_name_is_named(self):
        code, said = self.run_of("rigt")
        self.assertEqual(code, 102, said)
        self.assertIn("functions has no rigt; did you mean right?", said)

    def test_a_file_is_no_module(self):
        code, said = run_of("--python-function", "functions.py:right")
        self.assertEqual(code, 102, said)
        self.assertIn("functions.py is a file; its module is functions", said)

    def test_a_function_that_takes_no_positional_arguments_says_so(self):
        code, said = self.run_of("keywords_alone")
        self.assertEqual(code, 102, said)
        self.assertIn("it cannot be called as function(data, target): too many positional arguments", said)

    def test_a_module_that_exits_says_so(self):
        code, said = run_of("--python-function", "leaves:f")
        self.assertEqual(code, 102, said)
        self.assertIn("the module leaves called sys.exit(0) while it was imported", said)

    def test_a_module_that_is_no_namespace_says_so(self):
        code, said = run_of("--array-api", "functions")
        self.assertEqual(code, 102, said)
        self.assertIn("functions is no backend: it is no namespace of the Array API standard: it has no reshape", said)


class OnnxBackends(unittest.TestCase):
    def run_of(self, name, *arguments):
        return run_of("--onnx-backend", name, "--cases", f"{CASES}/copied-zero.yaml", "--operator", "onnx.Reshape-14", *arguments)

    def test_a_class_of_onnx_backend_base_is_a_backend(self):
        code, said = self.run_of("evaluator:Evaluator", "f32")
        self.assertRegex(said, r"[1-9]\d* passed")
        self.assertIn("evaluator:Evaluator", said)

    def test_a_module_with_several_backends_names_them(self):
        code, said = self.run_of("evaluator")
        self.assertEqual(code, 102, said)
        self.assertIn("it has several backends: evaluator:Evaluator, evaluator:DeclinesF16", said)

    def test_a_backend_that_is_not_supposed_to_implement_a_type_skips_it(self):
        code, said = self.run_of("evaluator:DeclinesF16", "f16/constant-static", "f32/constant-static")
        self.assertIn("2  the backend declined: no f16", said)
        self.assertRegex(said, r"skipped \(.*\): onnx\.Reshape-14 \d+")

    def test_a_backend_that_declines_a_type_that_passed_fails(self):
        code, said = self.run_of("evaluator:DeclinesInputs", "/f32/")
        self.assertEqual(code, 100, said)
        self.assertIn("no computed target", said)

    def test_a_backend_that_ends_the_process_crashes(self):
        code, said = self.run_of("evaluator:Dies", "f32/constant-static")
        self.assertEqual(code, 100, said)
        self.assertIn("exit status: 3", said)

    def test_a_backend_without_the_device_does_not_start(self):
        code, said = self.run_of("evaluator:OnTheGpu")
        self.assertEqual(code, 102, said)
        self.assertIn("supports_device('CPU') is false", said)


class ArrayApis(unittest.TestCase):
    def run_of(self, name, *arguments):
        return run_of("--array-api", name, "--cases", f"{CASES}/copy.yaml", "--operator", "array-api.reshape-2023.12", *arguments)

    def test_numpy_shows_whether_its_outputs_share_memory(self):
        code, said = self.run_of("numpy", "-v")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"copy-necessary: rejected in \d+, reshaped in \d+")
        self.assertRegex(said, r"[1-9]\d* passed .* 0 failed")

    def test_a_library_that_always_copies_fails(self):
        code, said = self.run_of("arrays:copies", "shared-when-asked/*/f32/*", "copied-when-asked/*/f32/*")
        self.assertEqual(code, 100, said)
        self.assertIn("it copies the elements, even with copy=False: 3 failed", said)
        self.assertIn("3 passed", said)

    def test_arrays_that_never_change_show_nothing_and_are_not_judged(self):
        _, said = self.run_of("arrays:never_changes", "copied-when-asked/*/f32/*", "copied-when-asked-with-a-wrong-count/*/f32/*")
        self.assertIn("3 passed + 0 failed + 3 skipped", said)
