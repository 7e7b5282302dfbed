/* ONNX Runtime Web: allowzero=1: a 0 beside a -1 is refused in a constant target, and accepted in one that arrives at the run.
   The model is
   <ir_version: 8, opset_import: ["" : 14]> g (float[0, 3] data, int64[2] shape) => (float[N, M] reshaped) { reshaped = Reshape<allowzero=1>(data, shape) } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6hAEKNAoEZGF0YQoFc2hhcGUSCHJlc2hhcGVkIgdSZXNoYXBlKhAKCWFsbG93emVybxgBoAECOgASAWdaFgoEZGF0YRIOCgwIARIICgIIAAoCCANaEwoFc2hhcGUSCgoICAcSBAoCCAJiHAoIcmVzaGFwZWQSEAoOCAESCgoDEgFOCgMSAU1CBAoAEA4=", "base64");
const session = await ort.InferenceSession.create(model);
const data = new ort.Tensor("float32", new Float32Array(0), [0, 3]);
const shape = new ort.Tensor("int64", BigInt64Array.of(0n, -1n), [2]);
try {
  const { reshaped } = await session.run({ data, shape });
  console.log(`reproduced: accepted, with the shape [${reshaped.dims}]`);
} catch (error) {
  console.log(`not reproduced: ${error.message}`);
}
