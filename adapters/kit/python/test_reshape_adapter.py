"""Tests of the kit: `python -m unittest` in this folder."""

import json
import os
import subprocess
import sys
import unittest

import numpy as np
import reshape_adapter as kit
from reshape_adapter import Tensor, pack, unpack

HERE = os.path.dirname(os.path.abspath(__file__))

# A backend that makes every kind of answer: what it does is in the attribute `do`.
SHIM = """
import itertools, os, sys, threading, time, weakref
import numpy as np
from reshape_adapter import Rejected, Tensor, Unsupported, serve

living, released = weakref.WeakSet(), []

class Echo:
    name, version, model, window = "echo", "1", "onnx", 3
    supports = [{"operators": ["onnx.Reshape-14"], "element_types": ["f32"], "bindings": ["runtime-static"]}]

    unavailable = [{"operators": ["onnx.Reshape-14"], "element_types": ["f32"], "bindings": ["runtime-static"],
                    "reason": "no such chip"}]

    def compile(self, request):
        print("a print of the backend")
        os.write(1, b"a write of the backend")
        do = request.attributes.get("do")
        if do == "reject":
            raise Rejected("no\\nreally")
        if do == "cannot":
            raise Unsupported("cannot")
        if do == "slip":
            try:
                [][1]
            except (ValueError, IndexError) as error:
                raise Rejected(error)
        if do == "kit":
            try:
                Tensor("f32", (1 << 62, 0), b"").numpy()
            except Exception as error:
                raise Rejected(error)
        if do == "look" and request.layout != "padded":
            raise KeyError(request.layout)
        if do == "break":
            raise KeyError("a bug")
        if do == "living":
            raise Rejected(f"{len(living)} living, {released} released")
        buffer = np.zeros((4, 2), np.float32)
        turns = itertools.cycle([buffer[:1], buffer[1:2]])
        meeting = threading.Barrier(3)
        def run(data, target):
            if do in ("reuse", "reuse columns", "reuse memory", "reuse in turn", "copy"):
                if data.shape == (0,):
                    raise Rejected("no elements")
                output = buffer[:1] if do != "reuse columns" else buffer[:2, 0]
                if do == "reuse in turn":
                    output = next(turns)
                output[...] = data.numpy()
                if do == "reuse memory":
                    return Tensor(data.element_type, data.shape, output.reshape(-1).view(np.uint8).data)
                return Tensor.from_numpy(output.copy() if do == "copy" else output)
            if do == "meet":
                meeting.wait(60)  # ends if all of them run at the same time, and not otherwise
                if data.shape == (0,):
                    raise Rejected("no elements")
            if do == "meet over one buffer":
                time.sleep(0.3 * meeting.wait(60))  # one after the other
                output = buffer[:1]
                output[...] = data.numpy()
                reshaped = Tensor.from_numpy(output.copy())
                reshaped.source = output
                return reshaped
            if do == "break at the run":
                raise KeyError("a bug")
            if do == "spare":
                return Tensor("i4", (1,), b"\\xf5")
            if do == "claim":
                return Tensor("f32", (1 << 32, 1 << 32), None)
            return Tensor(data.element_type, target.numpy().tolist() if target else data.shape, data.data)
        run.output_shape = [None, len(request.model or b"")]
        run.release = lambda: released.append(do)
        living.add(run)
        return run

serve(Echo())
"""


class Adapter:
    """The runner's side of a pipe to the shim above."""

    def __init__(self):
        environment = {**os.environ, "PYTHONPATH": HERE}
        command = [sys.executable, "-c", SHIM]
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)

    def send(self, message, payload=b""):
        if payload:
            message = {**message, "payload": len(payload)}
        self.child.stdin.write(json.dumps(message).encode() + b"\n" + payload)
        self.child.stdin.flush()

    def receive(self):
        reply = json.loads(self.child.stdout.readline())
        return reply, self.child.stdout.read(reply.get("payload", 0))

    def ask(self, message, payload=b""):
        self.send(message, payload)
        return self.receive()

    def compile(self, id, **attributes):
        return {
            "type": "compile", "id": id, "operator": "onnx.Reshape-14", "attributes": attributes, "element_type": "f32",
            "data": {"dims": [2, None]}, "target": {"binding": "runtime", "element_type": "i64", "dims": [2]},
            "model": {"format": "onnx", "offset": 1, "length": 3},
        }  # fmt: skip

    def end(self):
        log = self.child.communicate()[1].decode()
        return self.child.returncode, log


class Protocol(unittest.TestCase):
    def setUp(self):
        self.adapter = Adapter()
        self.addCleanup(self.adapter.end)

    def test_a_whole_conversation(self):
        ask = self.adapter.ask
        hello, _ = ask({"type": "hello", "id": 0, "protocol": {"min": 1, "max": 4}, "later": True})
        self.assertEqual(hello["backend"], {"name": "echo", "version": "1"})
        self.assertEqual(hello["unavailable"][0]["reason"], "no such chip")
        self.assertEqual((hello["protocol"], hello["model"], hello["window"], hello["infer_only"]), (1, "onnx", 3, False))
        compiled, _ = ask(self.adapter.compile(1), b"xabcx")
        self.assertEqual(compiled, {"type": "compiled", "id": 1, "handle": 1, "output_shape": [None, 3]})
        data, target = bytes(range(24)), np.array([3, 2]).tobytes()
        run = {
            "type": "run", "id": 2, "handle": 1,
            "data": {"element_type": "f32", "shape": [2, 3], "offset": 0, "length": 24},
            "target": {"element_type": "i64", "shape": [2], "offset": 24, "length": 16},
        }  # fmt: skip
        reshaped, payload = ask(run, data + target)
        expected = {"element_type": "f32", "shape": [3, 2], "offset": 0, "length": 24}
        self.assertEqual(reshaped, {"type": "reshaped", "id": 2, "output": expected, "payload": 24})
        self.assertEqual(payload, data)
        self.assertEqual(ask({"type": "release", "id": 3, "handle": 1})[0], {"type": "released", "id": 3})
        self.assertEqual(ask({"type": "bye", "id": 4})[0], {"type": "bye", "id": 4})
        code, log = self.adapter.end()
        self.assertEqual(code, 0)
        self.assertIn("a print of the backend", log)
        self.assertIn("a write of the backend", log)

    def test_an_empty_tensor_has_no_payload(self):
        self.adapter.ask(self.adapter.compile(1), b"xabcx")
        data = {"element_type": "f32", "shape": [0, 3], "offset": 0, "length": 0}
        reshaped, _ = self.adapter.ask({"type": "run", "id": 2, "handle": 1, "data": data})
        self.assertEqual(reshaped["output"], {**data, "shape": [0, 3]})
        self.assertNotIn("payload", reshaped)

    def test_a_shape_may_come_without_its_elements(self):
        self.adapter.ask(self.adapter.compile(1, do="claim"), b"xabcx")
        data = {"element_type": "f32", "shape": [0], "offset": 0, "length": 0}
        claimed, _ = self.adapter.ask({"type": "run", "id": 2, "handle": 1, "data": data})
        output = {"element_type": "f32", "shape": [1 << 32, 1 << 32]}
        self.assertEqual(claimed, {"id": 2, "type": "reshaped", "output": output})

    def test_a_released_model_is_told_and_gone(self):
        for handle, do in enumerate(["one", "other"], 1):
            self.adapter.ask(self.adapter.compile(handle, do=do), b"xabcx")
            data = {"element_type": "f32", "shape": [1], "offset": 0, "length": 4}
            for at_once in [1, 2]:
                for id in range(at_once):
                    self.adapter.send({"type": "run", "id": id, "handle": handle, "data": data, "at_once": at_once}, b"1234")
                for _ in range(at_once):
                    self.adapter.receive()
            self.adapter.ask({"type": "release", "id": 3, "handle": handle})
        answer, _ = self.adapter.ask(self.adapter.compile(5, do="living"), b"xabcx")
        self.assertEqual(answer["message"], "0 living, ['one', 'other'] released")

    def test_several_requests_may_wait(self):
        for id in range(5):
            self.adapter.send(self.adapter.compile(id), b"xabcx")
        self.assertEqual([self.adapter.receive()[0]["handle"] for _ in range(5)], [1, 2, 3, 4, 5])

    def test_rejected_and_unsupported_are_answers(self):
        rejected, _ = self.adapter.ask(self.adapter.compile(1, do="reject"), b"xabcx")
        self.assertEqual(rejected, {"type": "rejected", "id": 1, "message": "no\nreally"})
        unsupported, _ = self.adapter.ask(self.adapter.compile(2, do="cannot"), b"xabcx")
        self.assertEqual(unsupported, {"type": "unsupported", "id": 2, "message": "cannot"})

    def test_an_error_that_is_no_check_is_a_rejection_by_accident(self):
        rejected, _ = self.adapter.ask(self.adapter.compile(1, do="slip"), b"xabcx")
        message = "IndexError: list index out of range"
        self.assertEqual(rejected, {"id": 1, "type": "rejected", "message": message, "internal": True})

    def test_an_exception_of_the_kit_is_never_taken_for_the_backends(self):
        self.adapter.send(self.adapter.compile(1, do="kit"), b"xabcx")
        code, log = self.adapter.end()
        self.assertNotEqual(code, 0)
        self.assertIn("Fault: numpy: f32[4611686018427387904, 0] is no array of numpy's", log)
        self.assertIn("limits = {'rank': 64, 'data_bytes': 9223372036854775807}", log)

    def test_a_layout_has_to_be_looked_at(self):
        padded = {**self.adapter.compile(1, do="look"), "layout": "padded"}
        self.assertEqual(self.adapter.ask(padded, b"xabcx")[0]["type"], "compiled")
        self.adapter.send({**self.adapter.compile(2), "layout": "padded"}, b"xabcx")
        code, log = self.adapter.end()
        self.assertNotEqual(code, 0)
        self.assertIn("never looks at request.layout", log)

    def test_a_bug_of_the_shim_ends_the_process(self):
        self.adapter.send(self.adapter.compile(1, do="break"), b"xabcx")
        code, log = self.adapter.end()
        self.assertNotEqual(code, 0)
        self.assertIn("KeyError: 'a bug'", log)

    def test_the_end_of_the_input_ends_the_process(self):
        self.assertEqual(self.adapter.end()[0], 0)

    def runs(self, do, *contents):
        """The replies to runs of one model; of each, whether it says that the output before has changed."""
        handle = self.adapter.ask(self.adapter.compile(1, do=do), b"xabcx")[0]["handle"]
        for content in contents:
            data = {"element_type": "f32", "shape": [len(content) // 4], "offset": 0, "length": len(content)}
            reply, _ = self.adapter.ask({"type": "run", "id": 2, "handle": handle, "data": data}, content)
            yield reply.get("earlier_output_changed", False)

    def test_an_output_that_a_later_run_of_its_model_changes_is_told_of(self):
        one, other, none = b"12345678", b"abcdefgh", b""
        for do in ["reuse", "reuse columns", "reuse memory", "reuse in turn"]:
            changed = [False, False, True, False, False, True]
            self.assertEqual(list(self.runs(do, one, one, other, other, none, one)), changed)
        self.assertEqual(list(self.runs("copy", one, other, none, one)), [False] * 4)

    def runs_at_once(self, do, *contents):
        """The same of runs at the same time, with their types and payloads."""
        handle = self.adapter.ask(self.adapter.compile(1, do=do), b"xabcx")[0]["handle"]
        for id, content in enumerate(contents):
            data = {"element_type": "f32", "shape": [len(content) // 4], "offset": 0, "length": len(content)}
            run = {"type": "run", "id": id, "handle": handle, "data": data, "at_once": len(contents)}
            self.adapter.send(run, content)
        for _ in contents:
            reply, payload = self.adapter.receive()
            yield reply["id"], reply["type"], payload, reply.get("earlier_output_changed", False)

    def test_runs_at_once_are_made_by_threads_that_meet(self):
        contents = [b"12345678", b"", b"abcdefgh"]
        answers = [(0, "reshaped", contents[0], False), (1, "rejected", b"", False), (2, "reshaped", contents[2], False)]
        self.assertEqual(list(self.runs_at_once("meet", *contents)), answers)

    def test_a_run_that_changes_the_output_of_one_at_the_same_time_is_told_of(self):
        answers = self.runs_at_once("meet over one buffer", b"12345678", b"abcdefgh", b"ABCDEFGH")
        self.assertEqual([changed for *_, changed in answers].count(True), 2)

    def test_a_bug_of_the_shim_in_one_of_several_runs_ends_the_process(self):
        with self.assertRaises(json.JSONDecodeError):
            list(self.runs_at_once("break at the run", b"abcd", b"1234"))
        code, log = self.adapter.end()
        self.assertNotEqual(code, 0)
        self.assertIn("KeyError: 'a bug'", log)

    def test_bits_beyond_the_last_element_are_cleared(self):
        self.adapter.ask(self.adapter.compile(1, do="spare"), b"xabcx")
        data = {"element_type": "i4", "shape": [1], "offset": 0, "length": 1}
        _, payload = self.adapter.ask({"type": "run", "id": 2, "handle": 1, "data": data}, b"\x05")
        self.assertEqual(payload, b"\x05")


class Tensors(unittest.TestCase):
    def test_python_3_9_evaluates_no_annotation(self):
        self.assertEqual(Tensor.__annotations__["data"], "bytes | bytearray | memoryview | None")

    def test_every_element_type_keeps_its_bits(self):
        for element_type in kit.ELEMENT_TYPES:
            for shape in [(), (3,), (2, 5), (0, 4)]:
                with self.subTest(element_type=element_type, shape=shape):
                    tensor = some(element_type, shape)
                    array = tensor.numpy()
                    self.assertEqual(array.shape, shape)
                    again = Tensor.from_numpy(array, element_type)
                    self.assertEqual((again.shape, bytes(again.data)), (shape, bytes(tensor.data)))

    def test_the_element_type_of_an_array_is_known_where_numpy_has_it(self):
        for element_type in set(kit.NUMPY) - {"bf16"} - {t for t in kit.NUMPY if t.startswith("f8")} | {"string"}:
            with self.subTest(element_type=element_type):
                array = some(element_type, (4,)).numpy()
                self.assertEqual(Tensor.from_numpy(array).element_type, element_type)

    def test_an_array_of_another_width_is_no_such_tensor(self):
        with self.assertRaises(kit.Fault):
            Tensor.from_numpy(np.zeros(3, np.int32), "i64")

    def test_arrays_in_any_layout_become_row_major_and_little_endian(self):
        array = np.arange(6, dtype=">i4").reshape(2, 3).T
        tensor = Tensor.from_numpy(array)
        self.assertEqual(tensor.shape, (3, 2))
        self.assertEqual(bytes(tensor.data), np.array([0, 3, 1, 4, 2, 5], "<i4").tobytes())

    def test_an_array_can_be_read_as_another_type_of_the_same_width(self):
        tensor = Tensor("bf16", (2,), b"\x80\x3f\x00\xc0")
        self.assertEqual(tensor.numpy().tolist(), [0x3F80, 0xC000])
        self.assertEqual(tensor.numpy(np.int16).tolist(), [0x3F80, -0x4000])

    def test_bool_bytes_stay_as_they_are(self):
        tensor = Tensor("bool", (3,), b"\x00\x01\x02")
        self.assertEqual(bytes(Tensor.from_numpy(tensor.numpy()).data), b"\x00\x01\x02")

    def test_of_an_output_only_what_can_be_there_is_read(self):
        data = some("f32", (2, 3))
        output = lambda *shape: Tensor.of_output(data, shape, lambda: data.numpy().reshape(shape))
        self.assertEqual(bytes(output(3, 2).data), bytes(data.data))
        self.assertEqual((output(0, -1).shape, output(0, -1).data), ([0, -1], None))
        self.assertEqual((output(7).shape, output(7).data), ([7], None))
        self.assertEqual((output(-6).shape, output(-6).data), ([-6], None))

    def test_the_first_of_four_bits_is_low(self):
        self.assertEqual(unpack(b"\x21\x03", 4, 3).tolist(), [1, 2, 3])
        self.assertEqual(pack(np.array([1, 2, 0xF3], np.uint8), 4).tobytes(), b"\x21\x03")

    def test_the_first_of_two_bits_is_lowest(self):
        self.assertEqual(unpack(b"\xe4\x02", 2, 5).tolist(), [0, 1, 2, 3, 2])
        self.assertEqual(pack(np.array([0, 1, 2, 3, 2], np.uint8), 2).tobytes(), b"\xe4\x02")

    def test_strings_are_bytes_of_any_kind(self):
        elements = [b"", b"\0", b"end\0", b"\xff\xfe", "é".encode(), b"x" * 300]
        tensor = Tensor.from_strings(elements, (2, 3))
        self.assertEqual(tensor.strings(), elements)
        self.assertEqual(tensor.numpy().tolist(), [elements[:3], elements[3:]])
        self.assertEqual(Tensor.from_numpy(tensor.numpy()).strings(), elements)
        self.assertEqual(bytes(tensor.data)[:9], b"\0\0\0\0\1\0\0\0\0")


def some(element_type, shape):
    """A tensor of patterns, NaNs among them."""
    count = int(np.prod(shape))
    if element_type == "string":
        return Tensor.from_strings([b"s\0%d" % i for i in range(count)], shape)
    if element_type in kit.SUB_BYTE:
        bits = kit.SUB_BYTE[element_type]
        return Tensor(element_type, shape, pack(np.arange(count, dtype=np.uint8) % (1 << bits), bits).tobytes())
    size = count * kit.NUMPY[element_type].itemsize
    return Tensor(element_type, shape, bytes((255 - 7 * i) % 256 for i in range(size)))


if __name__ == "__main__":
    unittest.main()
