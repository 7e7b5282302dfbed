/* ONNX Runtime Web: dims pass between WebAssembly and JavaScript in 32 bits: an empty tensor of [0] becomes [0, 2], where the
   target says [0, 2^32 + 2].
   The model is
   <ir_version: 8, opset_import: ["" : 14]> g (float[0] data, int64[2] shape) => (float[N, M] reshaped) { reshaped = Reshape<allowzero=1>(data, shape) } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6gAEKNAoEZGF0YQoFc2hhcGUSCHJlc2hhcGVkIgdSZXNoYXBlKhAKCWFsbG93emVybxgBoAECOgASAWdaEgoEZGF0YRIKCggIARIECgIIAFoTCgVzaGFwZRIKCggIBxIECgIIAmIcCghyZXNoYXBlZBIQCg4IARIKCgMSAU4KAxIBTUIECgAQDg==", "base64");
const session = await ort.InferenceSession.create(model);
const data = new ort.Tensor("float32", new Float32Array(0), [0]);
const shape = new ort.Tensor("int64", BigInt64Array.of(0n, 2n ** 32n + 2n), [2]);
const { reshaped } = await session.run({ data, shape });
const verdict = reshaped.dims[1] === 2 ** 32 + 2 ? "not reproduced" : "reproduced";
console.log(`${verdict}: [0] by [0, 4294967298] gives [${reshaped.dims}]`);
