/* A complete adapter: the Reshape of ONNX 14 in plain JavaScript. Run it with node. */
const { Rejected, Tensor, serve } = await import(process.env.RESHAPE_KIT ?? "./reshape_adapter.mjs");

const count = (dims) => dims.reduce((product, dim) => product * BigInt(dim), 1n);

function resolve(target, data, literal) {
  const shape = target.map((value, index) => (value === 0n && !literal ? data[index] : value));
  if (shape.some((dim) => dim === undefined || dim < -1)) throw new Rejected("a value below -1, or a copy past the rank");
  const inferred = shape.indexOf(-1n);
  const others = shape.filter((_, index) => index !== inferred);
  if (inferred >= 0 && others.includes(-1n)) throw new Rejected("more than one -1");
  if (inferred >= 0 && count(others) === 0n) throw new Rejected("nothing determines the -1");
  if (inferred >= 0) shape[inferred] = count(data) / count(others);
  if (count(shape) !== count(data)) throw new Rejected("another number of elements");
  return shape;
}

await serve({
  name: "example",
  version: "1",
  supports: [
    {
      operators: ["onnx.Reshape-14"],
      element_types: ["f32", "i64"],
      bindings: ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"],
    },
  ],
  async compile({ attributes: { allowzero = 0, ...others }, target }) {
    const list = target.element_type === "i64" && (target.shape ?? target.dims).length === 1;
    if (!list || !Number.isInteger(allowzero) || Object.keys(others).length) throw new Rejected("not a node of Reshape-14");
    return {
      async run(data, input) {
        const values = [...(input ? input.array() : target.values)].map(BigInt);
        const shape = resolve(values, data.shape.map(BigInt), allowzero !== 0);
        return new Tensor(data.element_type, shape, data.bytes);
      },
    };
  },
});
