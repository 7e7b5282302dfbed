"""The file for CMake, on the example of the kit for C: `python -m unittest` in this folder, with the packages of requirements.txt."""

import os
import shutil
import subprocess
import tempfile
import unittest

from test_backends import PROGRAM, ROOT

LISTS = """
cmake_minimum_required(VERSION 3.19)
project(mine C)
include({kit}/ReshapeConformance.cmake)
enable_testing()
add_executable(mine mine.c)
reshape_conformance_discover_tests(mine OPERATORS onnx.Reshape-14 PROGRAM {program})
"""


@unittest.skipUnless(shutil.which("cmake") and shutil.which("cc"), "there is no cmake")
class Tests(unittest.TestCase):
    def test_each_case_and_operator_is_a_test(self):
        kit = f"{ROOT}/adapters/kit/c"
        with tempfile.TemporaryDirectory(prefix="a space ") as place:

            def run(*command):
                environment = {of: value for of, value in os.environ.items() if of != "CTEST_PARALLEL_LEVEL"}
                ended = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
                return ended.returncode, ended.stdout + ended.stderr

            with open(f"{place}/CMakeLists.txt", "w") as file:
                file.write(LISTS.format(kit=kit, program=PROGRAM))
            with open(f"{kit}/example.c") as example:
                source = example.read().replace('"reshape_adapter.h"', f'"{kit}/reshape_adapter.h"')
            for is_right in (True, False):
                wrong = source.replace("allowzero && allowzero->integer", "false")
                with open(f"{place}/mine.c", "w") as file:
                    file.write(source if is_right else wrong)
                code, said = run("cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release")
                self.assertEqual(code, 0, said)
                code, said = run("cmake", "--build", "build")
                self.assertEqual(code, 0, said)
                code, said = run("ctest", "--test-dir", "build", "-R", "allowzero-one|two-by-three", "--output-on-failure")
                self.assertEqual(code == 0, is_right, said)
                self.assertRegex(said, r"mine/allowzero-one/onnx\.Reshape-14 \.+ *(Passed|\*\*\*Failed)")
                if not is_right:
                    self.assertIn("expected  ", said)
            code, said = run("ctest", "--test-dir", "build", "-N")
            self.assertIn("mine/", said)
