/* ONNX Runtime Web: of two Reshapes in a row, the first is dropped, so its target [7] for 6 elements is never seen. The model is
   <ir_version: 8, opset_import: ["" : 14]> g (float[2, 3] data) => (float[6] reshaped)
   <int64[1] seven = {7}, int64[1] six = {6}> {
       middle = Reshape(data, seven)
       reshaped = Reshape(middle, six)
   } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6lwEKIAoEZGF0YQoFc2V2ZW4SBm1pZGRsZSIHUmVzaGFwZToACiIKBm1pZGRsZQoDc2l4EghyZXNoYXBlZCIHUmVzaGFwZToAEgFnKg4IARAHOgEHQgVzZXZlbioMCAEQBzoBBkIDc2l4WhYKBGRhdGESDgoMCAESCAoCCAIKAggDYhYKCHJlc2hhcGVkEgoKCAgBEgQKAggGQgQKABAO", "base64");
try {
  const session = await ort.InferenceSession.create(model);
  const { reshaped } = await session.run({ data: new ort.Tensor("float32", new Float32Array(6), [2, 3]) });
  console.log(`reproduced: [2, 3] to [7] to [6] gives [${reshaped.dims}]`);
} catch (error) {
  console.log(`not reproduced: ${error.message}`);
}
