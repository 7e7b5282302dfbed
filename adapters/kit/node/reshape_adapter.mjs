/* How to connect a backend with a JavaScript API to reshape-conformance. It needs only node (18 or later).

An adapter is a folder with a manifest (`adapter.yaml`, see docs/adapters.md) and a shim. The shim passes one object to
`serve`; this file speaks the protocol (docs/protocol.md). A complete shim, whose manifest says
`environment: {RESHAPE_KIT: "{kits}/node/reshape_adapter.mjs"}`:

    const { Rejected, Tensor, serve } = await import(process.env.RESHAPE_KIT);    // import it first: it redirects stdout
    const mybackend = await import("mybackend");

    await serve({
      name: "mybackend", version: mybackend.version,
      model: "onnx",                     // the model format of each compile: none, onnx or openvino-ir
      supports: [{ operators: ["onnx.Reshape-14"], element_types: ["f32", "i64"],
                   bindings: ["constant-static", "runtime-static"] }],            // the same as in adapter.yaml

      async compile(request) {           // operator, attributes, element_type, dims, target, and model, or xml and bin
        const program = await mybackend.load(request.model).catch(refused);
        return {
          output_shape: program.shape,   // optional: the inferred shape, null for an unknown dim
          async run(data, target) {      // Tensors; target is null unless the target shape is a runtime input
            const array = await program.run(data.array(), target?.array()).catch(refused);
            return Tensor.fromArray("f32", array.shape, array.data);
          },
          async release() {},            // optional
        };
      },
    });

A shim has three answers:
- `Rejected`: the backend rejected the request. Throw it only from a `catch` around a call of the backend, and only for
  the backend's own errors, so that a bug in the shim is not reported as a rejection. `new Rejected(message, { internal:
  true })` means that the backend ran into an error, instead of checking the request and refusing it.
- `Unsupported`: the backend has no way to do this, although the manifest claims it.
- any other error ends the process with a stack trace and a non-zero exit code.

The kit checks the array that `Tensor.fromArray` takes again after the next run of the same model. It must not have
changed, unless the backend's documentation says that a run overwrites the output of the one before: copy it then.

Optional in the backend object:
- `window`: the number of requests that the adapter accepts before it answers the first; 1 by default.
- `infer_only`: false by default.
- `infers`: false by default. If true, `compile` returns `output_shape` even for data that is too large to materialize.
  Then `request.infer_only` is set, and the result of `compile` is never run.
- `unavailable`: the part of `supports` that this machine cannot do: entries like those of `supports`, with a `reason`.
- `limits`: what the shim cannot pass on, such as { rank: 8 }. The runner skips such trials. docs/adapters.md has all
  limits.

A shim whose `supports` name bindings of a memory layout must read `request.layout`: permuted, padded, library, in-place
or permuted-in-place; null for row-major. `model`, `infer_only` and `infers` must be the same as in adapter.yaml.

Importing this file reserves standard output for the protocol. What `console` or a library prints to it goes to stderr.
*/

import { writeSync } from "node:fs";

// The protocol writes to file descriptor 1 itself; everything that goes through process.stdout goes to stderr.
Object.defineProperty(process, "stdout", { value: process.stderr });
globalThis.console = new console.Console(process.stderr, process.stderr);

/** The backend rejected the request; `internal` if it ran into an error instead of refusing. */
export class Rejected extends Error {
  constructor(message, { internal = false } = {}) {
    super(message);
    this.internal = internal;
  }
}

/** The adapter or the backend has no way to do what the request needs. */
export class Unsupported extends Error {}

// element type → the typed array of its elements: unsigned integers of the same width where JavaScript has no such
// type; packed bytes for sub-byte elements.
const ARRAYS = {
  f64: Float64Array, f32: Float32Array, f16: Uint16Array, bf16: Uint16Array,
  i64: BigInt64Array, i32: Int32Array, i16: Int16Array, i8: Int8Array,
  u64: BigUint64Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array, bool: Uint8Array,
  complex64: Float32Array, complex128: Float64Array,
  f8e4m3fn: Uint8Array, f8e4m3fnuz: Uint8Array, f8e5m2: Uint8Array, f8e5m2fnuz: Uint8Array, f8e8m0: Uint8Array,
  f4e2m1: Uint8Array, i4: Uint8Array, u4: Uint8Array, i2: Uint8Array, u2: Uint8Array,
};
const SUB_BYTE = { f4e2m1: 4, i4: 4, u4: 4, i2: 2, u2: 2 };

export const ELEMENT_TYPES = [...Object.keys(ARRAYS), "string"];

/** A tensor as the protocol sends it: `bytes` are little-endian, row-major, sub-byte elements packed. In a result, `bytes`
of null mean that the backend returned this shape without its elements. `source` is the array that they were copied
from, which is looked at again after the model's next run; undefined if there is none. */
export class Tensor {
  constructor(element_type, shape, bytes, source) {
    Object.assign(this, { element_type, shape, bytes, source });
  }

  /** The elements in a typed array, copied. */
  array() {
    const bytes = Uint8Array.from(this.bytes);
    const Array = ARRAYS[this.element_type];
    return new Array(bytes.buffer, 0, bytes.length / Array.BYTES_PER_ELEMENT);
  }

  /** The bits of a typed array of any type. */
  static fromArray(element_type, shape, array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength).slice();
    const used = (shape.reduce((a, b) => a * b, 1) * (SUB_BYTE[element_type] ?? 8)) % 8;
    if (used && bytes.length) bytes[bytes.length - 1] &= (1 << used) - 1; // clears the bits after the last element
    return new Tensor(element_type, shape, bytes, array);
  }

  /** Whether its source array now holds other elements. */
  hasChanged() {
    const { element_type, shape, bytes, source } = this;
    if (!source) return false;
    if (source.byteLength !== bytes.length) return true;
    return Buffer.compare(Tensor.fromArray(element_type, shape, source).bytes, bytes) !== 0;
  }

  /** The elements of a string tensor, as Buffers. */
  strings() {
    const elements = [];
    for (let at = 0; at < this.bytes.length; ) {
      const end = at + 4 + this.bytes.readUInt32LE(at);
      elements.push(this.bytes.subarray(at + 4, end));
      at = end;
    }
    return elements;
  }

  /** A string tensor of a list of Buffers; a string is written as UTF-8. */
  static fromStrings(shape, elements) {
    const parts = elements.flatMap((element) => {
      const bytes = Buffer.from(element);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    });
    return new Tensor("string", shape, Buffer.concat(parts));
  }
}

/** Answers the runner until it sends `bye` or closes the pipe; then the process ends. */
export async function serve(backend) {
  await answerAll(backend).catch((error) => {
    console.error(error);
    process.exit(1); // explicitly, because some runtimes catch uncaught errors
  });
  process.exit(0); // even if the backend still has threads
}

async function answerAll(backend) {
  const handles = new Map();
  const outputs = new Map(); // handle → the last two outputs of the model, because a backend may have two buffers in turn
  let lastHandle = 0;
  for await (const [message, payload] of messages()) {
    const earlier = (message.type === "run" && outputs.get(message.handle)) || [];
    const [reply, body] = await answer(message, payload).catch((error) => {
      const type = error instanceof Rejected ? "rejected" : error instanceof Unsupported ? "unsupported" : null;
      if (!type) throw error;
      const internal = error.internal || undefined;
      return [{ type, message: (error.message || error.constructor.name).slice(0, 8000), internal }];
    });
    if (earlier.some((output) => output.hasChanged())) {
      reply.earlier_output_changed = true;
      const kept = outputs.get(message.handle).filter((output) => !earlier.includes(output));
      outputs.set(message.handle, kept);
    }
    write({ id: message.id, ...reply }, body);
    if (message.type === "bye") return;
  }

  async function answer(message, payload) {
    const tensor = (part) => part && new Tensor(part.element_type, part.shape, slice(part, payload));
    switch (message.type) {
      case "hello": {
        const { min, max } = message.protocol;
        if (min > 1 || max < 1) throw new Error(`this adapter speaks protocol 1, the runner ${min} to ${max}`);
        const { name, version, model = "none", window = 1, infer_only = false, infers = false } = backend;
        const { supports, limits = {}, unavailable = [] } = backend;
        const capabilities = { model, window, infer_only, infers, limits, supports, unavailable };
        return [{ type: "hello", protocol: 1, backend: { name, version }, ...capabilities }];
      }
      case "compile": {
        const { operator, attributes = {}, element_type, data, target, model, infer_only = false } = message;
        const files = model?.format === "onnx" ? { model } : { xml: model?.xml, bin: model?.bin };
        const parts = Object.entries(files).map(([name, part]) => [name, part && slice(part, payload)]);
        const described = { operator, attributes, element_type, dims: data.dims, target, infer_only };
        const request = { ...described, ...Object.fromEntries(parts) };
        const { layout = null } = message;
        let ignoresLayout = layout !== null;
        Object.defineProperty(request, "layout", { get: () => ((ignoresLayout = false), layout) });
        const compiled = await backend.compile(request);
        if (ignoresLayout) throw new Error(`supports names the layout ${layout}, but compile never looks at request.layout`);
        lastHandle += 1;
        handles.set(lastHandle, compiled);
        return [{ type: "compiled", handle: lastHandle, output_shape: compiled.output_shape ?? undefined }];
      }
      case "run": {
        const output = await handles.get(message.handle).run(tensor(message.data), tensor(message.target) ?? null);
        const { element_type, shape, bytes } = output;
        outputs.set(message.handle, [...(outputs.get(message.handle) ?? []).slice(-1), output]);
        const elements = bytes && { offset: 0, length: bytes.length };
        return [{ type: "reshaped", output: { element_type, shape, ...elements } }, bytes];
      }
      case "release":
        await handles.get(message.handle).release?.();
        handles.delete(message.handle);
        outputs.delete(message.handle);
        return [{ type: "released" }];
      case "bye":
        return [{ type: "bye" }];
      default:
        throw new Error(`protocol 1 has no message of the type ${message.type}`);
    }
  }
}

/** The messages of standard input, each with its payload. */
async function* messages() {
  // Not a stream of the file: `process.exit` would wait for the thread that reads ahead from it.
  const chunks = process.stdin[Symbol.asyncIterator]();
  let buffered = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    if (!done) buffered = Buffer.concat([buffered, value]);
    return !done;
  };
  for (;;) {
    let end;
    while ((end = buffered.indexOf(10)) < 0) {
      if (!(await more())) return;
    }
    // Integers beyond 2^53 become BigInts: rounding would change the target.
    const message = parse(buffered.toString("utf8", 0, end));
    buffered = buffered.subarray(end + 1);
    const length = message.payload ?? 0;
    while (buffered.length < length) {
      if (!(await more())) throw new Error(`the payload ended after ${buffered.length} of ${length} bytes`);
    }
    yield [message, buffered.subarray(0, length)];
    buffered = buffered.subarray(length);
  }
}

/** JSON whose integers beyond 2^53 become BigInts (in a message only dims and the values of a target can be that large),
and whose floats become objects `{ float: 1 }`, because the attributes 1.0 and 1 differ. */
function parse(text) {
  const tokens = /"(?:[^"\\]|\\.)*"|(?<=[[,:]\s*)-?\d{16,}(?=\s*[\],}])|(?<=[[,:]\s*)-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g;
  return JSON.parse(text.replace(tokens, mark), (_, value) => (value?.integer ? exact(value.integer) : value));
}

function mark(token) {
  if (token.startsWith('"')) return token;
  return /[.eE]/.test(token) ? `{"float":${token}}` : `{"integer":"${token}"}`;
}

function exact(digits) {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

function slice(part, payload) {
  return payload.subarray(part.offset, part.offset + part.length);
}

function write(reply, body) {
  const length = body?.length ? { payload: body.length } : {};
  const text = JSON.stringify({ ...reply, ...length }, (_, value) => (typeof value === "bigint" ? `\u0000${value}` : value));
  const line = `${text.replace(/"\\u0000(-?\d+)"/g, "$1")}\n`; // a BigInt is written as an integer
  writeAll(Buffer.concat([Buffer.from(line), body ?? Buffer.alloc(0)]));
}

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // the pipe is full: try again
    }
  }
}
