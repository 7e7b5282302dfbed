"""An adapter that speaks the protocol, and misbehaves in one way when it receives the data [3]."""

# What only some faults need is imported there: the tests start this program hundreds of times.
import math
import os
import struct
import sys
import time

from wire import from_json, to_json

FAULT = sys.argv[1]
LEAKED, RUNS = [], []
# Whether it may misbehave at every run, and not only at the data [3].
EVERYWHERE = "everywhere" in sys.argv
# Whether it says that it makes several runs at once.
AT_ONCE = FAULT.endswith("at once")
read, write = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")


if "PROCESS" in os.environ:
    with open(os.environ["PROCESS"], "w") as file:
        file.write(str(os.getpid()))


def send(header, payload=b"", cut=None):
    if payload:
        header["payload"] = len(payload)
    message = to_json(header).encode() + b"\n" + payload
    write.write(message if cut is None else message[:cut])
    write.flush()


def hang():
    while True:
        time.sleep(60)


def crash():
    import signal
    os.kill(os.getpid(), signal.SIGSEGV)
    hang()


def end_with_a_long_log():
    for line in range(30):
        print(f"  line {line} of a traceback", "x" * 500, file=sys.stderr)
    print("x" * 5000, "ImportError: libbackend.so.1 is missing", file=sys.stderr, flush=True)
    os._exit(1)


SUPPORTS = [{
    "operators": ["onnx.Reshape-14"],
    "element_types": ["f32"],
    "bindings": ["constant-static", "runtime-dynamic"],
}]


UNAVAILABLE = {
    "lacks instructions": [{**SUPPORTS[0], "bindings": ["runtime-dynamic"], "reason": "no \x1b[2J instructions"}],
    "lacks what it does not support": [{**SUPPORTS[0], "element_types": ["f16"], "reason": "no instructions"}],
}


def hello(id):
    if FAULT == "exits before hello":
        print("I have no licence", file=sys.stderr)
        sys.exit(3)
    if FAULT == "loads a missing library":
        end_with_a_long_log()
    if FAULT == "never says hello":
        hang()
    if FAULT == "says half a hello":
        write.write(b"Loading\x1b[2J" + 50 * b"x")
        write.flush()
        hang()
    if FAULT == "prints before hello":
        write.write(b"Welcome to the backend!\n")
    protocol = 7 if FAULT == "speaks another protocol" else 1
    send({"type": "hello", "id": id, "protocol": protocol, "backend": {"name": "faulty", "version": "1"},
          "model": "none", "window": {"stops reading": 8, "hangs from the third run on": 1}.get(FAULT, 2 if AT_ONCE else 4), "supports": SUPPORTS,
          "concurrent_runs": AT_ONCE, "infers": FAULT.startswith("infers"), "unavailable": UNAVAILABLE.get(FAULT, [])})


def never_close():
    if FAULT == "never closes a file":
        LEAKED.append(open(os.devnull))
    elif FAULT == "never closes a thread":
        import threading
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    elif FAULT == "never closes a process" and os.fork() == 0:
        os._exit(0)


def misbehave_at_run(id, reply, payload):
    """Misbehaves. Returns whether it replaced the reply."""
    if FAULT == "crashes":
        crash()
    elif FAULT == "aborts with last words":
        print("assertion failed: rank < 3", file=sys.stderr, flush=True)
        os.abort()
    elif FAULT == "raises one of two exceptions":
        shape = tuple(reply["output"]["shape"])
        if shape[0] % 2:
            raise TypeError("the data is no array")
        raise ValueError(f"cannot reshape array of size {shape[0]} into shape {shape[:shape[0] // 2]}")
    elif FAULT == "ends with a long log":
        end_with_a_long_log()
    elif FAULT == "exits 0 without a reply":
        os._exit(0)
    elif FAULT == "exits 0 in mid-header":
        send(reply, payload, cut=20)
        os._exit(0)
    elif FAULT == "exits 0 in mid-payload":
        send(reply, payload, cut=-5)
        os._exit(0)
    elif FAULT == "hangs":
        hang()
    elif FAULT == "hangs, ignores signals, has a child":
        import signal
        import subprocess
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen(["sleep", "600.125"])
        hang()
    elif FAULT == "writes garbage":
        write.write(b"Segmentation fault (core dumped)\n")
        write.flush()
    elif FAULT == "writes binary garbage":
        write.write(bytes(range(256)) * 8 + b"\n")
        write.flush()
    elif FAULT == "writes an endless line":
        while True:
            write.write(b"x" * 65536)
    elif FAULT == "writes JSON that is no object":
        write.write(b"[1, 2, 3]\n")
        write.flush()
    elif FAULT == "answers with a wrong id":
        send({**reply, "id": id + 1000}, payload)
    elif FAULT == "answers twice":
        send(dict(reply), payload)
        send(dict(reply), payload)
    elif FAULT == "answers what nobody asked":
        send({"type": "rejected", "id": 999999, "message": "?"})
        send(reply, payload)
    elif FAULT == "claims 2^60 elements":
        send({**reply, "output": {**reply["output"], "shape": [2**60]}}, payload)
    elif FAULT == "claims a payload of 2^50 bytes":
        write.write(to_json({**reply, "payload": 2**50}).encode() + b"\n")
        write.flush()
    elif FAULT == "sends fewer bytes than its shape":
        send({**reply, "output": {**reply["output"], "length": 4}}, payload[:4])
    elif FAULT == "claims 2^64 elements that it has not":
        send({**reply, "output": {"element_type": "f32", "shape": [2**32, 2**32]}})
    elif FAULT == "gives a negative dim":
        send({**reply, "output": {**reply["output"], "shape": [-1, -3]}}, payload)
    elif FAULT == "gives a negative dim beside a 0":
        send({**reply, "output": {"element_type": "f32", "shape": [0, -1]}})
    elif FAULT == "claims no elements, and sends none":
        send({**reply, "output": {"element_type": "f32", "shape": [0]}})
    elif FAULT == "points outside its payload":
        send({**reply, "output": {**reply["output"], "offset": 2**63}}, payload)
    elif FAULT == "names an unknown type":
        send({**reply, "type": "reshapen"}, payload)
    elif FAULT == "names an unknown element type":
        send({**reply, "output": {**reply["output"], "element_type": "f33"}}, payload)
    elif FAULT == "answers a run with compiled":
        send({"type": "compiled", "id": id, "handle": 1})
    elif FAULT == "says unsupported":
        send({"type": "unsupported", "id": id, "message": "not today"})
    elif FAULT == "rejects in 10 MB of invalid UTF-8":
        write.write(b'{"type":"rejected","id":%d,"message":"' % id + b"\xff" * 10_000_000 + b'"}\n')
        write.flush()
    elif FAULT == "rejects by accident":
        send({"type": "rejected", "id": id, "message": "IndexError: \x1b[2J", "internal": True})
    elif FAULT == "rejects with escape codes":
        send({"type": "rejected", "id": id, "message": "\x1b[2J\x1b]0;owned\x07 no"})
    elif FAULT == "rejects with markup":
        send({"type": "rejected", "id": id, "message": "</script><img src=x onerror=alert(1)>\n::error::gotcha\n```\n| \u202e\u2028\u2066\u200f\u061c"})
    elif FAULT == "closes stdout and stays":
        os.close(write.fileno())
        os.close(1)
        hang()
    elif FAULT == "takes all memory":
        hoard = []
        while True:
            hoard.append(b"x" * (16 << 20))
            time.sleep(0.005)
    elif FAULT == "has children that share its memory":
        hoard = b"x" * (120 << 20)
        for _ in range(3):
            if os.fork() == 0:
                time.sleep(0.5)
                os._exit(len(hoard) % 2)
        for _ in range(3):
            os.wait()
        return False
    elif FAULT == "has a child that takes all memory":
        import subprocess
        hoard = "import time; hoard = b'x' * (400 << 20); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", hoard])
        hang()
    elif FAULT == "leaks":
        LEAKED.append(b"x" * (128 << 10))
        time.sleep(0.001)
        return False
    elif FAULT.startswith("never closes"):
        RUNS.append(None)
        # Not at every run, so that the system's limits do not end it.
        if len(RUNS) % 8 == 0:
            never_close()
        return False
    elif FAULT == "leaves bits behind the last element":
        output = {"element_type": "i4", "shape": [3, 1], "offset": 0, "length": 2}
        send({**reply, "output": output}, b"\x10\xa2")
    elif FAULT == "changes a bit":
        send(reply, bytes([payload[0] ^ 1]) + payload[1:])
    elif FAULT == "writes null for what is absent":
        send({**reply, "earlier_output_changed": None, "later": None}, payload)
    elif FAULT == "gives another shape":
        send({**reply, "output": {**reply["output"], "shape": [3]}}, payload)
    elif FAULT == "is slow but in time":
        time.sleep(0.2)
        return False
    elif FAULT == "floods its log":
        for _ in range(160):
            sys.stderr.write("x" * 65536)
        sys.stderr.write("\n")
        return False
    else:
        return False
    return True


def main():
    handles, delayed, first, buffers, at_once = {}, [], {}, {}, []
    while True:
        line = read.readline()
        if not line:
            return
        message = from_json(line)
        payload = read.read(message.get("payload", 0))
        id = message["id"]
        kind = message["type"]
        if kind == "hello":
            hello(id)
        elif kind == "compile":
            target = message["target"]
            if target.get("values") == [3, 1]:
                if FAULT == "crashes at compile":
                    crash()
                if FAULT == "hangs at compile":
                    hang()
                if FAULT == "answers compile with reshaped":
                    send({"type": "reshaped", "id": id, "output": {"element_type": "f32", "shape": [0], "offset": 0, "length": 0}})
                    continue
            if "refused" in first:
                first["refused"] += 1
                if first["refused"] == 2 and FAULT == "aborts two compilations after a refusal":
                    os.abort()
            handles[id] = target.get("values")
            compiled = {"type": "compiled", "id": id, "handle": id}
            if message.get("infer_only"):
                handles[id] = "not to be run"
                cut = 2**32 if FAULT == "infers in 32 bits" else 2**64
                compiled["output_shape"] = [value % cut for value in target["values"]]
                if FAULT == "infers a negative dim":
                    compiled["output_shape"][0] = -1
            send(compiled)
        elif kind == "run":
            shape = handles[message["handle"]]
            data = message["data"]
            if FAULT == "runs the model compiled last" and shape is not None:
                shape = handles[max(handles)]
            if shape is None:
                target = message["target"]
                raw = payload[target["offset"]:target["offset"] + target["length"]]
                shape = list(struct.unpack(f"<{len(raw) // 8}q", raw))
            content = payload[data["offset"]:data["offset"] + data["length"]]
            is_wrong = min(shape, default=1) > 0 and 4 * math.prod(shape) != len(content)
            output = {"element_type": "f32", "shape": shape, "offset": 0, "length": len(content)}
            reply = {"type": "reshaped", "id": id, "output": output}
            if FAULT == "reuses its output buffer" and not is_wrong:
                reply["earlier_output_changed"] = buffers.get(message["handle"], content) != content
                buffers[message["handle"]] = content
            if FAULT == "repeats the first answer of a model" and not is_wrong:
                send({**first.setdefault(message["handle"], (reply, content))[0], "id": id}, first[message["handle"]][1])
                continue
            if FAULT == "changes a bit after the data [2]":
                first.setdefault("shapes", []).append(data["shape"])
                if data["shape"] == [3] and [2] in first["shapes"]:
                    content = bytes([content[0] ^ 1]) + content[1:]
            if FAULT in ("refuses from the third run on", "hangs from the third run on"):
                first["runs"] = first.get("runs", 0) + 1
                if first["runs"] > 2 and FAULT.startswith("refuses"):
                    send({"type": "rejected", "id": id, "message": "the pool is exhausted"})
                    continue
                if first["runs"] > 2:
                    hang()
            if FAULT in ("changes a bit at every second run", "changes a bit at every third run"):
                first["runs"] = first.get("runs", 0) + 1
                if first["runs"] % (3 if "third" in FAULT else 2) == 0:
                    content = bytes([content[0] ^ 1]) + content[1:]
            if FAULT == "changes a bit now and then":
                # In the first process that comes here, and in no other.
                try:
                    os.mkdir("come-and-gone")
                    content = bytes([content[0] ^ 1]) + content[1:]
                except FileExistsError:
                    pass
            if "at_once" in message:
                # Waits for all of them, which are more than its window.
                at_once.append((reply, content))
                if len(at_once) < message["at_once"]:
                    continue
                if FAULT == "crashes in runs at once":
                    crash()
                if FAULT == "hangs in runs at once":
                    hang()
                if FAULT == "swaps the elements of two others at once":
                    # Both of as many elements; those of the trial's own run are small.
                    others = [index for index, (_, own) in enumerate(at_once) if struct.unpack_from("<f", own)[0] >= 2**20]
                    one, other = others[-2:]
                    if len(at_once[one][1]) == len(at_once[other][1]):
                        contents = at_once[other][1], at_once[one][1]
                        at_once[one], at_once[other] = (at_once[one][0], contents[0]), (at_once[other][0], contents[1])
                if FAULT == "leaves one of several out at once":
                    at_once.pop()
                for late in reversed(at_once):
                    send(*late)
                if FAULT == "answers one too many at once":
                    send(*at_once[0])
                at_once.clear()
                continue
            if FAULT == "crashes at the data of another run" and struct.unpack_from("<f", content)[0] >= 2**20:
                crash()
            if FAULT == "answers out of order" and handles[message["handle"]] is None:
                # Collects the runs, and answers them in reverse order.
                delayed.append((reply, content))
                if len(delayed) == 2 or data["shape"] == [5]:
                    for late in reversed(delayed):
                        send(*late)
                    delayed.clear()
                continue
            if FAULT == "stops reading" and data["shape"] == [20003]:
                hang()
            if (EVERYWHERE or data["shape"] == [3]) and misbehave_at_run(id, reply, content):
                continue
            if is_wrong:
                first["refused"] = 0
                send({"type": "rejected", "id": id, "message": "another element count"})
                continue
            send(reply, content)
            if "released" in first:
                crash()
        elif kind == "release":
            if FAULT == "crashes at release":
                crash()
            if FAULT == "crashes at last at release":
                first["released"] = True  # after the next run
                continue
            send({"type": "released", "id": id})
            if FAULT == "crashes after release":
                crash()
        elif kind == "bye":
            if FAULT == "ignores bye":
                hang()
            send({"type": "bye", "id": id})
            if FAULT == "ends badly":
                os._exit(3)
            return

