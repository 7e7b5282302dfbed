"""Tests of the kit, built with the sanitizers: `python -m unittest` in this folder. Needs a C compiler as `cc`."""

import json
import os
import random
import struct
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SANITIZED = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

# An adapter that makes every kind of answer: what it does is in the attribute `do`.
ECHO = r"""
#include "reshape_adapter.h"

static void *compile(const ra_request *request, ra_reply *reply) {
    puts("a print of the backend");
    fflush(stdout);
    const ra_attribute *what = ra_find(request, "do"), *other = ra_find(request, "other");
    char *copy = (char *)ra_new(16, 1);
    if (what) memcpy(copy, what->string, what->count < 15 ? what->count : 15);
    if (strcmp(copy, "reject") == 0) ra_reject(reply, "no\n\"really\" \xff\xc3\xa9");
    if (strcmp(copy, "slip") == 0) ra_reject_internal(reply, "slipped");
    if (strcmp(copy, "cannot") == 0) ra_unsupported(reply, "cannot");
    if (strcmp(copy, "break") == 0) ra_bug("a bug");
    if (other) ra_reject(reply, "%d %lld %g %s %zu", other->kind, (long long)other->integer, other->number,
                         other->string ? other->string : "-", other->count);
    const int64_t dims[] = {RA_UNKNOWN, (int64_t)request->model.size};
    ra_infer(reply, 2, dims);
    return copy;
}

/* Each output in memory of its own, or all in this. */
static unsigned char buffer[24];
static void keep(void *owner) { (void)owner; }

static void run_of_owner(char *what, const ra_tensor *data, ra_reply *reply) {
    bool shared = strcmp(what, "share") == 0;
    unsigned char *bytes = shared ? buffer : (unsigned char *)ra_new(24, 1);
    if (data->size) memcpy(bytes, data->bytes, data->size);
    ra_output_of_owner(reply, "f32", data->rank, data->shape, bytes, data->size, bytes, shared ? keep : free);
    if (!data->size) ra_reject(reply, "no elements");
}

static void run(void *what, const ra_tensor *data, const ra_tensor *target, ra_reply *reply) {
    const int64_t one = 1;
    if (strcmp((char *)what, "share") == 0 || strcmp((char *)what, "own") == 0) {
        run_of_owner((char *)what, data, reply);
        return;
    }
    if (strcmp((char *)what, "spare") == 0) {
        *(unsigned char *)ra_output(reply, "i4", 1, &one) = 0xf5;
        return;
    }
    if (strcmp((char *)what, "claim") == 0) {
        const int64_t large[] = {INT64_C(1) << 32, -1};
        ra_claim(reply, "f32", 2, large);
        return;
    }
    const int64_t *shape = target ? (const int64_t *)target->bytes : data->shape;
    void *output = ra_output_of_size(reply, data->element_type, target ? target->count : data->rank, shape, data->size);
    if (data->size) memcpy(output, data->bytes, data->size);
}

int main(void) {
    const ra_supports supports[] = {{"onnx.Reshape-14, onnx >= 21", "f32", "runtime-static"}, {NULL, NULL, NULL}};
    const ra_adapter adapter = {"echo", "1", "onnx", false, supports, compile, run, free};
    ra_unavailable("onnx.Reshape-14", "f32", "runtime-static", "no such chip");
    ra_window(3);
    ra_limits("{\"rank\": 5}");
    return ra_serve(&adapter);
}
"""

HELLO = {"type": "hello", "id": 0, "protocol": {"min": 1, "max": 4}, "later": True}


def compiling(**attributes):
    return {
        "type": "compile", "id": 1, "operator": "onnx.Reshape-14", "attributes": attributes, "element_type": "f32",
        "data": {"dims": [2, None]}, "target": {"binding": "runtime", "element_type": "i64", "dims": [2]},
        "model": {"format": "onnx", "offset": 1, "length": 3}, "payload": 5,
    }  # fmt: skip


def running(**data):
    return {
        "type": "run", "id": 2, "handle": 1,
        "data": {"element_type": "f32", "shape": [2, 3], "offset": 0, "length": 24} | data,
        "target": {"element_type": "i64", "shape": [2], "offset": 24, "length": 16}, "payload": 40,
    }  # fmt: skip


def line(message):
    return json.dumps(message).encode() + b"\n"


COMPILE = line(compiling()) + b"xabcx"
PAYLOAD = bytes(range(24)) + struct.pack("<qq", 3, 2)
RUN = line(running()) + PAYLOAD
REST = line({"type": "release", "id": 3, "handle": 1}) + line({"type": "bye", "id": 4})
CONVERSATION = line(HELLO) + COMPILE + RUN + REST


class Kit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.echo = os.path.join(folder.name, "echo")
        strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-I", HERE, "-o", cls.echo]
        for language in (["-x", "c++", "-std=c++17"], ["-x", "c", "-std=c11"]):  # the last one is run
            subprocess.run(["cc", *language, *SANITIZED, *strict, "-"], input=ECHO.encode(), check=True)

    def send(self, data):
        """What comes of these bytes: the replies with their payloads, and the log. A sanitizer's word is a failure."""
        done = subprocess.run([self.echo], input=data, capture_output=True, timeout=60)
        log = done.stderr.decode(errors="replace")
        self.assertIn(done.returncode, (0, 1), log)
        self.assertNotIn("Sanitizer", log)
        self.assertNotIn("runtime error", log)
        replies, output = [], done.stdout
        while output:
            head, output = output.split(b"\n", 1)
            reply = json.loads(head)
            size = reply.get("payload", 0)
            replies.append((reply, output[:size]))
            output = output[size:]
        return done.returncode, replies, log

    def answer(self, data):
        code, replies, log = self.send(data)
        self.assertEqual(code, 0, log)
        return replies[-1]

    def test_a_whole_conversation(self):
        code, replies, log = self.send(CONVERSATION)
        hello, compiled, reshaped, released, bye = [reply for reply, _ in replies]
        self.assertEqual(hello["backend"], {"name": "echo", "version": "1"})
        self.assertEqual((hello["protocol"], hello["model"], hello["infer_only"]), (1, "onnx", False))
        self.assertEqual(hello["limits"], {"rank": 5})
        self.assertEqual(hello["supports"][0]["operators"], ["onnx.Reshape-14", "onnx >= 21"])
        expected = {"operators": ["onnx.Reshape-14"], "element_types": ["f32"], "bindings": ["runtime-static"]}
        self.assertEqual(hello["unavailable"], [expected | {"reason": "no such chip"}])
        self.assertEqual(compiled, {"id": 1, "type": "compiled", "handle": 1, "output_shape": [None, 3]})
        expected = {"element_type": "f32", "shape": [3, 2], "offset": 0, "length": 24}
        self.assertEqual(reshaped, {"id": 2, "type": "reshaped", "output": expected, "payload": 24})
        self.assertEqual(replies[2][1], PAYLOAD[:24])
        self.assertEqual((released, bye), ({"id": 3, "type": "released"}, {"id": 4, "type": "bye"}))
        self.assertEqual((code, log), (0, "a print of the backend\n"))

    def test_rejected_and_unsupported_are_answers(self):
        rejected, _ = self.answer(line(compiling(do="reject")) + b"xabcx")
        self.assertEqual(rejected, {"id": 1, "type": "rejected", "message": 'no\n"really" ?é'})
        unsupported, _ = self.answer(line(compiling(do="cannot")) + b"xabcx")
        self.assertEqual(unsupported, {"id": 1, "type": "unsupported", "message": "cannot"})

    def test_an_error_that_is_no_check_is_a_rejection_by_accident(self):
        rejected, _ = self.answer(line(compiling(do="slip")) + b"xabcx")
        self.assertEqual(rejected, {"id": 1, "type": "rejected", "message": "slipped", "internal": True})

    def test_a_shape_may_come_without_its_elements(self):
        claimed, _ = self.answer(line(compiling(do="claim")) + b"xabcx" + RUN)
        output = {"element_type": "f32", "shape": [1 << 32, -1]}
        self.assertEqual(claimed, {"id": 2, "type": "reshaped", "output": output})

    def test_a_bug_of_the_adapter_ends_the_process(self):
        code, _, log = self.send(line(compiling(do="break")) + b"xabcx")
        self.assertEqual((code, log.splitlines()[-1]), (1, "adapter: a bug"))

    def test_attributes_of_every_kind(self):
        for value, words in [
            (-(2**63), f"0 {-(2**63)} 0 - 0"), ([1, -2, 3], "1 0 0 - 3"), ([], "1 0 0 - 0"), (True, "2 1 0 - 0"), (0.5, "3 0 0.5 - 0"),
            ("é\n\"\U0001f600", '4 0 0 é\n"\U0001f600 8'), (2**63, "3 0 9.22337e+18 - 0"),
        ]:  # fmt: skip
            with self.subTest(value=value):
                self.assertEqual(self.answer(line(compiling(other=value)) + b"xabcx")[0]["message"], words)

    def test_an_empty_tensor_has_no_payload(self):
        run = running(shape=[0, 3], length=0) | {"target": None, "payload": 0}
        static = compiling() | {"target": {"binding": "absent"}}
        reply, payload = self.answer(line(static) + b"xabcx" + line(run))
        self.assertEqual((reply["output"]["shape"], payload), ([0, 3], b""))
        self.assertNotIn("payload", reply)

    def test_bits_beyond_the_last_element_are_cleared(self):
        self.assertEqual(self.answer(line(compiling(do="spare")) + b"xabcx" + RUN)[1], b"\x05")

    def test_an_output_that_a_later_run_of_its_model_changes_is_told_of(self):
        static = compiling() | {"target": {"binding": "absent"}}
        contents = [b"1" * 24, b"1" * 24, b"2" * 24, b"", b"3" * 24, b"4" * 24]
        for do, changed in [("share", [2, 4, 5]), ("own", [])]:
            asked = line(static | {"attributes": {"do": do}}) + b"xabcx"
            for content in contents:
                run = running(shape=[len(content) // 4], length=len(content)) | {"target": None, "payload": len(content)}
                asked += line(run) + content
            replies = self.send(asked + REST)[1][1:-2]
            self.assertEqual([payload for _, payload in replies], contents)
            told = [place for place, (reply, _) in enumerate(replies) if reply.get("earlier_output_changed")]
            self.assertEqual(told, changed, do)

    def test_strings_say_themselves_how_long_they_are(self):
        strings = b"\x03\0\0\0a\0b" + b"\0\0\0\0" * 5
        run = running(element_type="string", length=len(strings))
        run["target"]["offset"] = len(strings)
        payload = strings + PAYLOAD[24:]
        reply, content = self.answer(COMPILE + line(run | {"payload": len(payload)}) + payload)
        self.assertEqual((reply["output"]["length"], content), (len(strings), strings))

    def test_what_is_cut_off_ends_the_process(self):
        ends = {0, len(line(HELLO)), len(line(HELLO) + COMPILE), len(line(HELLO) + COMPILE + RUN)}
        for size in range(0, len(CONVERSATION) - len(REST)):
            self.assertEqual(self.send(CONVERSATION[:size])[0], 0 if size in ends else 1, size)

    def test_what_is_no_message_ends_the_process(self):
        for data in [
            b"\n", b"{}\n", b"[]\n", b"null\n", b"tru\n", b"-\n", b"01\n", b"1e\n", b'"\\ud800"\n', b'"\\x"\n', b'"\xff"\n', b"\0\n",
            b'{"type":"bye","id":1} x\n', b'{"type":"bye","id":-1}\n', b'{"type":"bye","id":1.5}\n', b'{"type":"no","id":1}\n',
            b"[" * 5000 + b"\n", b'{"a":' * 5000 + b"\n", b"[" + b"1," * 500000 + b"1]\n", b"x" * (2 << 20),
            b'{"type":"bye","id":1,"payload":99999999999999999999}\n', b'{"type":"bye","id":1,"payload":18446744073709551615}\n',
            b'{"type":"bye","id":1,"payload":268435457}\n', b'{"type":"bye","id":1,"payload":268435456}\nshort',
            line({"type": "release", "id": 1, "handle": 1}), line({"type": "release", "id": 1, "handle": 2**64 - 1}), RUN,
        ]:  # fmt: skip
            with self.subTest(data=data[:60]):
                self.assertEqual(self.send(data)[0], 1)

    def test_lengths_are_not_trusted(self):
        for data in [
            {"shape": [2**63]}, {"shape": [2**62, 2]}, {"shape": [-1]}, {"shape": [2, 2**40]}, {"shape": ["6"]}, {"shape": [0, 3]},
            {"length": 2**64 - 1}, {"offset": 2**64 - 8}, {"offset": 17}, {"length": 23}, {"element_type": "string"},
            {"element_type": "i4"}, {"element_type": "f32 i32"}, {"element_type": ""},
        ]:  # fmt: skip
            with self.subTest(data=data):
                self.assertEqual(self.send(COMPILE + line(running(**data)) + PAYLOAD)[0], 1)
        for target in [None, {"element_type": "i64", "shape": [1], "offset": 24, "length": 8}]:
            with self.subTest(target=target):
                self.assertEqual(self.send(COMPILE + line(running() | {"target": target}) + PAYLOAD)[0], 1)

    def test_garbage_never_breaks_out(self):
        dice = random.Random(1)
        for _ in range(500):
            data = bytearray(CONVERSATION)
            for _ in range(dice.randint(1, 5)):
                at, size = dice.randrange(len(data)), dice.randint(0, 9)
                data[at : at + size] = bytes(dice.choice(b'{}[]",:0129-+eE.\\u\n\0\xc3\xa9\xff ntf') for _ in range(dice.randint(0, 9)))
            self.send_garbage(bytes(data))

    def send_garbage(self, data):
        done = subprocess.run([self.echo], input=data, capture_output=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), (data, done.stderr))
        self.assertNotIn(b"Sanitizer", done.stderr, data)
        self.assertNotIn(b"runtime error", done.stderr, data)


if __name__ == "__main__":
    unittest.main()
