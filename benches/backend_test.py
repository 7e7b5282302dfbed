"""Prints the seconds that onnx's own backend-test runner takes for one of its tests of Reshape on onnxruntime, without what it
does before the first."""

import sys
import time
import types
import unittest
import warnings


class Marks:
    """The runner marks its tests for pytest, which is not installed: each mark leaves its test as it is."""

    def __getattr__(self, _name):
        return lambda *_, **__: lambda test: test


warnings.simplefilter("ignore")
sys.modules["pytest"] = types.ModuleType("pytest")
sys.modules["pytest"].mark = Marks()

import onnx.backend.test  # noqa: E402
import onnxruntime.backend  # noqa: E402

cases = onnx.backend.test.BackendTest(onnxruntime.backend, __name__).test_cases
tests = [
    case(name)
    for case in cases.values()
    for name in unittest.defaultTestLoader.getTestCaseNames(case)
    if name.startswith("test_reshape_") and name.endswith("_cpu")
]
result = unittest.TestResult()
start = time.perf_counter()
unittest.TestSuite(tests).run(result)
took = time.perf_counter() - start
assert len(tests) > 5 and result.wasSuccessful() and not result.skipped, result
print(took / len(tests))
