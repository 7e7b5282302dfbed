"""A complete adapter: the Reshape of ONNX 14 in plain Python. Run it with a Python that has numpy."""

from math import prod

from reshape_adapter import Rejected, Tensor, serve  # import it first: it redirects stdout


def resolve(target, data, literal):
    if any(value == 0 and not literal and index >= len(data) for index, value in enumerate(target)):
        raise Rejected("a copy past the rank")
    shape = [data[index] if value == 0 and not literal else value for index, value in enumerate(target)]
    if any(dim < -1 for dim in shape) or shape.count(-1) > 1:
        raise Rejected("a value below -1, or more than one -1")
    if -1 in shape:
        others = prod(dim for dim in shape if dim != -1)
        if others == 0:
            raise Rejected("nothing determines the -1")
        shape[shape.index(-1)] = prod(data) // others
    if prod(shape) != prod(data):
        raise Rejected("another number of elements")
    return shape


class Example:
    name, version, model = "example", "1", "none"
    supports = [{
        "operators": ["onnx.Reshape-14"],
        "element_types": ["f32", "i64"],
        "bindings": ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"],
    }]

    def compile(self, request):
        allowzero = request.attributes.get("allowzero", 0)
        others = set(request.attributes) - {"allowzero"}
        target = request.target
        is_list = target.binding == "runtime" or target.shape is not None and len(target.shape) == 1
        if target.element_type != "i64" or not is_list:
            raise Rejected("the target is no list of i64")
        if others or not isinstance(allowzero, int):
            raise Rejected("not a node of Reshape-14")

        def run(data, given):  # given is None unless the target shape is an input
            if given is not None and len(given.shape) != 1:
                raise Rejected("the target is no list of i64")
            values = target.values if given is None else given.numpy().tolist()
            shape = resolve(list(values), list(data.shape), allowzero != 0)
            return Tensor(data.element_type, shape, data.data)

        return run


serve(Example())
