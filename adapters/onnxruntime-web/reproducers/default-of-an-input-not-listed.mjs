/* ONNX Runtime Web: an input that has a default is not listed, and a value for it is refused.
   The model is
   <ir_version: 8, opset_import: ["" : 14]> g (float[6] data, int64[2] shape) => (float[N, M] reshaped) <int64[2] shape = {2, 3}> { reshaped = Reshape(data, shape) } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6fwoiCgRkYXRhCgVzaGFwZRIIcmVzaGFwZWQiB1Jlc2hhcGU6ABIBZyoPCAIQBzoCAgNCBXNoYXBlWhIKBGRhdGESCgoICAESBAoCCAZaEwoFc2hhcGUSCgoICAcSBAoCCAJiHAoIcmVzaGFwZWQSEAoOCAESCgoDEgFOCgMSAU1CBAoAEA4=", "base64");
const session = await ort.InferenceSession.create(model);
console.log(`the session's inputs: ${session.inputNames}`);
const data = new ort.Tensor("float32", new Float32Array(6), [6]);
const shape = new ort.Tensor("int64", BigInt64Array.of(3n, 2n), [2]);
try {
  const { reshaped } = await session.run({ data, shape });
  console.log(`not reproduced: a run that passes [3, 2] gives [${reshaped.dims}]`);
} catch (error) {
  console.log(`reproduced: a run that passes [3, 2] for the default [2, 3] is refused: ${error.message}`);
}
