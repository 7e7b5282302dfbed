/* ONNX Runtime Web: the optimiser joins a Reshape that gives the target of another one with it, as if it gave the data, where
   the output declares its shape. The model is
   <ir_version: 8, opset_import: ["" : 14]> g (int64[2] data, int64[1, 2] shape) => (int64[2, 1] reshaped)
   <int64[1] two = {2}> {
       target = Reshape(shape, two)
       reshaped = Reshape(data, target)
   } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6oAEKHwoFc2hhcGUKA3R3bxIGdGFyZ2V0IgdSZXNoYXBlOgAKIwoEZGF0YQoGdGFyZ2V0EghyZXNoYXBlZCIHUmVzaGFwZToAEgFnKgwIARAHOgECQgN0d29aEgoEZGF0YRIKCggIBxIECgIIAloXCgVzaGFwZRIOCgwIBxIICgIIAQoCCAJiGgoIcmVzaGFwZWQSDgoMCAcSCAoCCAIKAggBQgQKABAO", "base64");
const session = await ort.InferenceSession.create(model);
const data = new ort.Tensor("int64", [7n, 8n], [2]);
const shape = new ort.Tensor("int64", [2n, 1n], [1, 2]);
try {
  const { reshaped } = await session.run({ data, shape });
  const same = String(reshaped.data) === String(data.data);
  console.log(`${same ? "not reproduced" : "reproduced"}: [${data.data}] of int64 to [2, 1] gives [${reshaped.data}]`);
} catch (error) {
  console.log(`reproduced: [${data.data}] of int64 to [2, 1] is refused: ${error.message}`);
}
