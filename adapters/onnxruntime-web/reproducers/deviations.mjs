/* What onnxruntime-web deviates in, without the adapter:
   node adapters/onnxruntime-web/reproducers/deviations.mjs, after `cargo xtask adapters onnxruntime-web`. */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(new URL("../../../target/adapters/onnxruntime-web/node_modules/", import.meta.url));
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

// The few messages of ONNX that one Reshape takes, as protobuf: a field is its number, its kind, and its bytes.
const varint = (n) => (n < 128n ? [Number(n)] : [Number((n & 127n) | 128n), ...varint(n >> 7n)]);
const int = (field, n) => [...varint(BigInt(field << 3)), ...varint(BigInt.asUintN(64, BigInt(n)))];
const bytes = (field, content) => [(field << 3) | 2, ...varint(BigInt(content.length)), ...content];
const text = (field, string) => bytes(field, [...Buffer.from(string)]);
const value = (name, type, rank) => {
  const dims = Array.from({ length: rank }, () => bytes(1, [])).flat(); // dims that are not declared
  return [...text(1, name), ...bytes(2, bytes(1, [...int(1, type), ...bytes(2, dims)]))];
};

/** A Reshape-14 of data of this type and rank, by a target of so many values that arrives at the run. */
function model(type, rank, length, allowzero) {
  const attribute = bytes(5, [...text(1, "allowzero"), ...int(3, allowzero), ...int(20, 2)]);
  const node = [...text(1, "data"), ...text(1, "shape"), ...text(2, "out"), ...text(4, "Reshape"), ...attribute];
  const shape = [...text(1, "shape"), ...bytes(2, bytes(1, [...int(1, 7), ...bytes(2, bytes(1, int(1, length)))]))];
  const output = [...text(1, "out"), ...bytes(2, bytes(1, int(1, type)))];
  const graph = [...bytes(1, node), ...text(2, "g"), ...bytes(11, value("data", type, rank)), ...bytes(11, shape), ...bytes(12, output)];
  return Uint8Array.from([...int(1, 7), ...bytes(7, graph), ...bytes(8, int(2, 14))]);
}

async function show(what, type, data, target, allowzero) {
  const session = await ort.InferenceSession.create(model(type, data.dims.length, target.length, allowzero), { logSeverityLevel: 4 });
  const shape = new ort.Tensor("int64", BigInt64Array.from(target.map(BigInt)), [target.length]);
  const said = await session.run({ data, shape }).then(({ out }) => `got [${out.dims}] ${JSON.stringify([...out.data])}`, (e) => `refused: ${e.message}`);
  console.log(`${what}: ${said}`);
}

const empty = (dims) => new ort.Tensor("float32", new Float32Array(0), dims);
await show("[0] to [0, 2^32 + 2] with allowzero, to be that", 1, empty([0]), [0, 2 ** 32 + 2], 1);
await show("[0] to [0, 2^31] with allowzero, to be that", 1, empty([0]), [0, 2 ** 31], 1);
await show("[0, 2^32 + 1] to [0, 0], to be [0, 2^32 + 1]", 1, empty([0, 2 ** 32 + 1]), [0, 0], 0);
await show("[2^32, 0] to [0, 1], to be refused", 1, empty([2 ** 32, 0]), [0, 1], 0);
await show("[4, 0] to [-1, 0] with allowzero, to be refused", 1, empty([4, 0]), [-1, 0], 1);
await show('["a\\0b"] to [1], to be ["a\\0b"]', 8, new ort.Tensor("string", ["a\0b"], [1]), [1], 0);
await show("[0] to [0, 2^53 + 1], a dim that no number of JavaScript is", 1, empty([0]), [0, (1n << 53n) + 1n], 1);
