"""A shim without a kit, in front of a Reshape of its own. Its argument names the fault that it has."""

import os
import struct
import sys
import time

from wire import from_json, to_json

FAULT = sys.argv[1]
# These end the process, and one that ends it at each of forty runs at once is enough.
FATAL = {"gives float dims", "leaves offset out", "leaves id out", "takes another id", "counts elements",
         "says too short a payload", "answers run with compiled", "ends at a run"}
WIDTHS = {"f32": 4, "i64": 8, "u8": 1}
read, write = sys.stdin.buffer, sys.stdout.buffer


def send(reply, payload=b"", length=None):
    length = len(payload) if length is None else length
    reply |= {"payload": length} if length else {}
    try:
        write.write(to_json(reply).encode() + b"\n" + payload)
        write.flush()
    except BrokenPipeError:
        # The runner has read a fault and reads no more. A traceback would depend on which of the two was faster.
        os._exit(0)


def count(dims):
    product = 1
    for dim in dims:
        product *= dim
    return product


def resolve(dims, target, literal):
    shape = [dims[index] if value == 0 and not literal else value for index, value in enumerate(target)]
    if shape.count(-1) > 1:
        raise ValueError("two -1s")
    if -1 in shape:
        known = -count(shape)
        if not known or count(dims) % known:
            raise ValueError("no length fits")
        shape[shape.index(-1)] = count(dims) // known
    if min(shape, default=0) < 0 or count(shape) != count(dims):
        raise ValueError("another count")
    return shape


def rearranged(body, width, shape):
    elements = [body[at : at + width] for at in range(0, len(body), width)]
    if FAULT == "swaps bytes":
        elements = [element[::-1] for element in elements]
    if FAULT == "is column-major" and len(shape) == 2:
        elements = [elements[row * shape[1] + column] for column in range(shape[1]) for row in range(shape[0])]
    return b"".join(elements)


def run(id, model, data, target, payload):
    fault = "" if FAULT in FATAL and data["shape"] == [4, 5] else FAULT

    def part(of):
        return payload[of["offset"] : of["offset"] + of["length"]]

    values = model["target"].get("values")
    if target:
        order = ">" if fault == "reads targets big-endian" else "<"
        values = struct.unpack(f"{order}{target['length'] // 8}q", part(target))
    try:
        shape = resolve(data["shape"], values, model["attributes"].get("allowzero"))
    except ValueError as error:
        if fault != "accepts two -1s" or "-1s" not in str(error):
            kind = "unsupported" if fault == "cannot refuse" else "rejected"
            return send({"type": kind, "id": id, "message": str(error)})
        shape = [1, 6]
    width = WIDTHS[model["element_type"]]
    body = rearranged(part(data), width, shape)
    output = {"element_type": model["element_type"], "shape": shape, "offset": 0, "length": len(body)}
    output |= {
        "gives float dims": {"shape": [float(dim) for dim in shape]},
        "gives another shape": {"shape": shape[::-1]},
        "gives the dims negative": {"shape": [-dim for dim in shape]},
        "gives another type": {"element_type": "i32"},
        "counts elements": {"length": len(body) // width},
    }.get(fault, {})
    reply = {"type": "reshaped", "id": id, "output": output}
    if fault == "prints a line":
        write.write(b"Running the model...\n")
    if fault == "leaves offset out":
        del output["offset"]
    if fault == "leaves id out":
        del reply["id"]
    if fault == "takes another id":
        reply["id"] += 1
    if fault == "answers run with compiled":
        reply = {"type": "compiled", "id": id, "handle": 1}
    if fault == "ends at a run":
        os._exit(0)
    if fault == "closes its output" and data["shape"] == [6]:
        os.close(1)
        time.sleep(60)
    if fault == "says too short a payload":
        return send(reply, body, max(len(body) - 4, 0))
    if fault == "ends a payload with a line break":
        return send(reply, body + b"\n", len(body))
    send(reply, body)


def main():
    models = {}
    while line := read.readline():
        message = from_json(line)
        payload = read.read(message.get("payload", 0))
        kind, id = message["type"], message["id"]
        if kind == "hello":
            bindings = ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"]
            operators = ["onnx.Reshape-13", "onnx.Reshape-14"]
            supports = [{"operators": operators, "element_types": list(WIDTHS), "bindings": bindings}]
            if FAULT == "cannot do a type, and has a version without it":
                older = {"operators": ["onnx.Reshape-1"], "element_types": list(WIDTHS), "bindings": ["attribute-static"]}
                supports.insert(0, older)
            send({"type": "hello", "id": id, "protocol": 1, "backend": {"name": "shim", "version": "1"}, "model": "none",
                  "supports": supports})
        elif kind == "compile":
            models[id] = {"attributes": {}} | message
            reply = {"type": "compiled", "id": id, "handle": id}
            if FAULT == "refuses a version" and message["operator"].endswith("14"):
                reply = {"type": "rejected", "id": id, "message": "unsupported opset 14"}
            if FAULT == "refuses unknown dims" and None in message["data"]["dims"]:
                reply = {"type": "rejected", "id": id, "message": "symbolic dims"}
            if message["operator"] == "onnx.Reshape-1" and message["element_type"] != "f32":
                reply = {"type": "rejected", "id": id, "message": "not a type of this version"}
            elif FAULT.startswith("cannot do a type") and message["element_type"] == "u8":
                reply = {"type": "unsupported", "id": id, "message": "no u8"}
            if FAULT == "gives no handle":
                del reply["handle"]
            if FAULT == "infers -1 for unknown":
                reply["output_shape"] = [-1, -1]
            send(reply)
        elif kind == "run":
            run(id, models[message["handle"]], message["data"], message.get("target"), payload)
        elif kind == "release" and FAULT != "does not answer release":
            send({"type": "released", "id": id})
        elif kind == "bye":
            if FAULT == "does not end":
                os.close(1)
                time.sleep(60)
            if FAULT != "does not answer bye":
                send({"type": "bye", "id": id})
            os._exit(3 if FAULT == "ends with a status" else 0)


main()
