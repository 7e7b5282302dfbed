/* ONNX Runtime Web: allowzero=2: the graph's output is inferred as [0, 0] (zeros are literal), the run gives [3, 0] (zeros copy).
   The model is
   <ir_version: 8, opset_import: ["" : 14]> g (float[3, 0] data) => (float[N, M] reshaped) <int64[2] shape = {0, 0}> { reshaped = Reshape<allowzero=2>(data, shape) } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6gAEKNAoEZGF0YQoFc2hhcGUSCHJlc2hhcGVkIgdSZXNoYXBlKhAKCWFsbG93emVybxgCoAECOgASAWcqDwgCEAc6AgAAQgVzaGFwZVoWCgRkYXRhEg4KDAgBEggKAggDCgIIAGIcCghyZXNoYXBlZBIQCg4IARIKCgMSAU4KAxIBTUIECgAQDg==", "base64");
const session = await ort.InferenceSession.create(model);
const inferred = session.outputMetadata[0].shape;
const { reshaped } = await session.run({ data: new ort.Tensor("float32", new Float32Array(0), [3, 0]) });
const verdict = String(inferred) === String(reshaped.dims) ? "not reproduced" : "reproduced";
console.log(`${verdict}: inferred [${inferred}], then gave [${reshaped.dims}]`);
