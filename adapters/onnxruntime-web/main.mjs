/* onnxruntime-web under node: ONNX Runtime's WebAssembly build behind its JavaScript API, one thread.

Numeric tensors go in and out as typed arrays of their bits. Strings go as JavaScript strings: one that is not UTF-8
cannot be handed over. */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { Rejected, Tensor, Unsupported, serve } = await import(pathToFileURL(process.env.RESHAPE_KIT));
const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`);
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));

// element type → the type in the JavaScript API
const TYPE = {
  f32: "float32", f16: "float16", f64: "float64", i8: "int8", i16: "int16", i32: "int32", i64: "int64",
  u8: "uint8", u16: "uint16", u32: "uint32", u64: "uint64", bool: "bool", string: "string",
};
const FOUR_BITS = { i4: "int4", u4: "uint4" };
const ELEMENT_TYPE = Object.fromEntries(Object.entries({ ...TYPE, ...FOUR_BITS }).map(([ours, theirs]) => [theirs, ours]));

const EVERYWHERE = Object.keys(TYPE);
const ANY = ["constant-static", "constant-dynamic", "runtime-static", "runtime-dynamic"];
const OPTIONS = { executionProviders: ["wasm"], intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 };

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

/** ONNX Runtime's own errors carry a code, and its JavaScript layer refuses an input that it does not list, and to make
an output of some dims. The rest (a trap of the WebAssembly code, a fault of ours) ends the process. */
function refused(error) {
  const message = String(error.message);
  const code = /ERROR_CODE: (\d+), ERROR_MESSAGE: /.exec(message)?.[1];
  if (code === "9") throw new Unsupported(message); // no kernel
  if (code !== undefined || /^(invalid input '|dims\[\d+\] must be|Tensor's size\()/.test(message)) throw new Rejected(message);
  throw error;
}

/** The shape it inferred, if it knows the rank: it writes [] both for a scalar and for none. A dim without a name that
it does not know is -1, which the JavaScript API reads as 32 unsigned bits. */
function inferred({ isTensor, shape }) {
  const known = (dim) => typeof dim === "number" && dim !== 0xffffffff;
  return isTensor && shape.length ? shape.map((dim) => (known(dim) ? dim : null)) : null;
}

function toOrt(tensor) {
  const type = TYPE[tensor.element_type] ?? FOUR_BITS[tensor.element_type];
  if (!type) throw new Unsupported(`the JavaScript API has no ${tensor.element_type}`);
  if (!tensor.shape.every((dim) => Number.isSafeInteger(dim))) {
    throw new Unsupported("the JavaScript API takes no dim of 2^53 or more");
  }
  return new ort.Tensor(type, type === "string" ? texts(tensor) : tensor.array(), [...tensor.shape]);
}

function texts(tensor) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return tensor.strings().map((bytes) => decoder.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw new Unsupported("the JavaScript API takes no string that is not UTF-8");
    throw error;
  }
}

function fromOrt({ type, dims, data }) {
  const shape = [...dims];
  return type === "string" ? Tensor.fromStrings(shape, data) : Tensor.fromArray(ELEMENT_TYPE[type], shape, data);
}

await serve({
  name: "onnxruntime-web",
  version: ort.env.versions.web,
  model: "onnx",
  window: 8,
  supports: [
    { operators: ["onnx.Reshape-1"], element_types: EVERYWHERE, bindings: ["attribute-static", "attribute-dynamic"] },
    {
      operators: [5, 13, 14, 19, 21, 23, 24, 25].map((version) => `onnx.Reshape-${version}`),
      element_types: EVERYWHERE,
      bindings: ANY,
    },
  ],

  async compile(request) {
    const session = await ort.InferenceSession.create(Uint8Array.from(request.model), OPTIONS).catch(refused);
    return {
      output_shape: inferred(session.outputMetadata[0]),
      async run(data, target) {
        const feeds = { data: toOrt(data) };
        if (target) feeds.shape = toOrt(target);
        const { reshaped } = await session.run(feeds).catch(refused);
        return fromOrt(reshaped);
      },
      release: () => session.release(),
    };
  },
});
