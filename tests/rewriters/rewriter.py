"""A rewriter of ONNX models that is wrong in one way, and an evaluator of what it gives. It gets the bytes of models, and no
name of a surrounding. It needs nothing but Python."""

import json
import math
import os
import struct
import sys

FAULT = sys.argv[1]
FORMATS = {1: "f", 3: "b", 6: "i", 7: "q", 9: "?", 11: "d"}
FLOATS = (1, 11)


# The bytes of a message of protobuf.


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value - (value >> 63 << 64), at


def fields(data):
    """The values by the number of their field."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        length = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            if length is None:
                length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        found.setdefault(key >> 3, []).append(value)
    return found


def integers(parts):
    values = []
    for part in parts:
        if isinstance(part, int):
            values.append(part)
        at = 0
        while not isinstance(part, int) and at < len(part):
            value, at = varint(part, at)
            values.append(value)
    return values


def unpacked(code, parts):
    data = b"".join(parts)
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


# A model: a tensor is (type, dims, values).


def text(found, number):
    return found.get(number, [b""])[0].decode()


def texts(found, number):
    return [part.decode() for part in found.get(number, [])]


def tensor(data):
    of = fields(data)
    number = of[2][0]
    values = unpacked(FORMATS[number], of.get(9, [])) or unpacked("f", of.get(4, [])) or unpacked("d", of.get(10, []))
    values = values or integers(of.get(5, []))
    if FAULT != "ignores int64_data":
        values = values or integers(of.get(7, []))
    return number, integers(of.get(1, [])), values


def node(data):
    of = fields(data)
    attributes = {}
    for part in of.get(5, []):
        attribute = fields(part)
        graphs = [graph(body) for body in attribute.get(6, [])]
        attributes[text(attribute, 1)] = (graphs or attribute.get(3) or [integers(attribute.get(8, []))])[0]
    return {"kind": text(of, 4), "inputs": texts(of, 1), "output": text(of, 2), "attributes": attributes}


def graph(data):
    of = fields(data)
    return {
        "inputs": [text(fields(part), 1) for part in of.get(11, [])],
        "outputs": [text(fields(part), 1) for part in of.get(12, [])],
        "constants": {text(fields(part), 8): tensor(part) for part in of.get(5, [])},
        "nodes": [node(part) for part in of.get(1, [])],
    }


def model(data):
    of = fields(data)
    functions = {text(part, 1): part for part in map(fields, of.get(25, []))}
    for name, part in functions.items():
        nodes = [node(of_node) for of_node in part.get(7, [])]
        functions[name] = {"inputs": texts(part, 4), "outputs": texts(part, 5), "constants": {}, "nodes": nodes}
    return graph(of[7][0]), functions


# What a wrong rewriter does to a graph.


def givers(of):
    return {giver["output"]: giver for giver in of["nodes"]}


def fold_default(of):
    of["inputs"] = [name for name in of["inputs"] if name not in of["constants"]]


def drop_first_reshape(of):
    for second in of["nodes"]:
        first = givers(of).get(second["inputs"][0])
        if second["kind"] == "Reshape" and first and first["kind"] == "Reshape":
            second["inputs"][0] = first["inputs"][0]


def capture_target(of):
    for nested in [body for holder in of["nodes"] for body in holder["attributes"].values() if isinstance(body, dict)]:
        for inside in nested["nodes"]:
            # The target of a run is not there yet.
            if inside["kind"] == "Reshape" and inside["inputs"][1] not in of["constants"]:
                inside["inputs"][1] = "captured"
                nested["constants"]["captured"] = 7, [1], [-1]


def drop_allowzero(of):
    for each in of["nodes"]:
        each["attributes"].pop("allowzero", None)


def flatten_the_data(of):
    for flatten in of["nodes"]:
        reshape = givers(of).get(flatten["inputs"][0])
        if flatten["kind"] == "Flatten" and reshape and reshape["kind"] == "Reshape":
            flatten["inputs"][0] = reshape["inputs"][0]


def reshape_for_transpose(of):
    for each in of["nodes"]:
        if each["kind"] == "Transpose":
            each["attributes"]["moves"] = 0


REWRITES = {
    "folds an overridable initializer": fold_default,
    "drops the first of two Reshapes": drop_first_reshape,
    "captures a stale target in a branch": capture_target,
    "drops allowzero": drop_allowzero,
    "moves a Reshape across a Flatten": flatten_the_data,
    "takes a Transpose for a Reshape": reshape_for_transpose,
}


def rewrite(of):
    for holder in of["nodes"]:
        for body in holder["attributes"].values():
            if isinstance(body, dict):
                rewrite(body)
    if FAULT in REWRITES:
        REWRITES[FAULT](of)


# The evaluator.


class Refused(Exception):
    pass


def reshaped(dims, target, literal):
    if any(value == 0 and not literal and index >= len(dims) for index, value in enumerate(target)):
        raise Refused("a 0 copies no dim")
    shape = [dims[index] if value == 0 and not literal else value for index, value in enumerate(target)]
    if shape.count(-1) > 1 or literal and 0 in target and -1 in target:
        raise Refused("no single length fits")
    if -1 in shape:
        known = -math.prod(shape)
        if not known or math.prod(dims) % known:
            raise Refused("no length fits")
        shape[shape.index(-1)] = math.prod(dims) // known
    if min(shape, default=0) < 0 or math.prod(shape) != math.prod(dims):
        raise Refused("another count")
    return shape


def transposed(number, dims, values, order, moves):
    shape = [dims[axis] for axis in order]
    strides = [math.prod(dims[axis + 1 :]) for axis in order]
    places = [0]
    for length, stride in zip(shape, strides):
        places = [place + index * stride for place in places for index in range(length)]
    return number, shape, [values[place] for place in places] if moves else values


def cast(number, values):
    if number == 7 and FAULT == "widens a target without its sign":
        return [value % 2**32 for value in values]
    return [float(value) if number in FLOATS else int(value) for value in values]


def result(kind, attributes, taken):
    number, dims, values = taken[0]
    if kind == "Reshape":
        return number, reshaped(dims, taken[1][2], attributes.get("allowzero") == 1), values
    if kind == "Transpose":
        return transposed(number, dims, values, attributes["perm"], attributes.get("moves", 1))
    if kind == "Shape":
        return 7, [len(dims)], dims
    if kind == "Gather":
        return number, taken[1][1], [values[index] for index in taken[1][2]]
    if kind == "Unsqueeze":
        return number, [1], values
    if kind == "Slice":
        part = values[taken[1][2][0] : taken[2][2][0]]
        return number, [len(part)], part
    if kind == "Concat":
        joined = [value for _, _, part in taken for value in part]
        return number, [len(joined)], joined
    if kind == "Neg":
        return number, dims, [-value for value in values]
    if kind == "ReduceSum":
        return number, [], [sum(values)]
    if kind == "ReduceMin":
        return number, [], [min(values)]
    if kind in ("Add", "Sub"):
        other, sign = taken[1][2], 1 if kind == "Add" else -1
        other = other * len(values) if len(other) == 1 else other
        return number, dims, [value + sign * added for value, added in zip(values, other)]
    if kind == "Cast":
        return attributes["to"], dims, cast(attributes["to"], values)
    if kind == "Flatten":
        return number, [dims[0], math.prod(dims[1:])], values
    if kind == "QuantizeLinear":
        least = 0 if FAULT == "loses negatives in quantisation" else -128
        return 3, dims, [int(max(least, min(127, value))) for value in values]
    if kind == "DequantizeLinear":
        return 1, dims, [float(value) for value in values]
    return {"Identity": taken[0]}[kind]


def evaluate(of, functions, outer, passed):
    """The last result of a graph, with the values of the graph around it and those passed to its inputs."""
    values = {**outer, **of["constants"], **{name: value for name, value in passed.items() if name in of["inputs"]}}
    for each in of["nodes"]:
        kind, attributes = each["kind"], each["attributes"]
        taken = [values[name] for name in each["inputs"]]
        if kind == "If":
            body = attributes["then_branch" if taken[0][2][0] else "else_branch"]
            value = evaluate(body, functions, values, {})
        elif kind == "Loop":
            value = taken[2]
            for iteration in range(taken[0][2][0]):
                body = attributes["body"]
                inputs = [(7, [], [iteration]), taken[1], value]
                value = evaluate(body, functions, values, dict(zip(body["inputs"], inputs)))
        elif kind in functions:
            value = evaluate(functions[kind], functions, {}, dict(zip(functions[kind]["inputs"], taken)))
        else:
            value = result(kind, attributes, taken)
        values[each["output"]] = value
    return values[of["outputs"][-1]]


def send(reply, payload=b""):
    reply |= {"payload": len(payload)} if payload else {}
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def run(id, rewritten, message, payload):
    def passed(part, number):
        body = payload[part.get("offset", 0) : part.get("offset", 0) + part.get("length", 0)]
        return number, part["shape"], unpacked(FORMATS[number], [body])

    values = {"data": passed(message["data"], 1)}
    if message.get("target"):
        values["shape"] = passed(message["target"], 7)
    try:
        _, shape, elements = evaluate(*rewritten, {}, values)
    except Refused as refused:
        return send({"type": "rejected", "id": id, "message": str(refused)})
    body = struct.pack(f"<{len(elements)}f", *elements)
    output = {"element_type": "f32", "shape": shape, "offset": 0, "length": len(body)}
    send({"type": "reshaped", "id": id, "output": output}, body)


def main():
    models = {}
    while line := sys.stdin.buffer.readline():
        message = json.loads(line)
        payload = sys.stdin.buffer.read(message.get("payload", 0))
        kind, id = message["type"], message["id"]
        if kind == "hello":
            bindings = ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"]
            operators = ["onnx.Reshape-14", "onnx.Reshape-19"]
            supports = [{"operators": operators, "element_types": ["f32"], "bindings": bindings}]
            send({"type": "hello", "id": id, "protocol": 1, "backend": {"name": "rewriter", "version": "1"}, "model": "onnx",
                  "supports": supports})
        elif kind == "compile":
            part = message["model"]
            models[id] = model(payload[part["offset"] : part["offset"] + part["length"]])
            main_graph, functions = models[id]
            for each in [main_graph, *functions.values()]:
                rewrite(each)
            send({"type": "compiled", "id": id, "handle": id})
        elif kind == "run":
            run(id, models[message["handle"]], message, payload)
        elif kind == "release":
            send({"type": "released", "id": id})
        elif kind == "bye":
            send({"type": "bye", "id": id})
            os._exit(0)


main()
