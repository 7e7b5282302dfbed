/* ONNX Runtime Web, dynamic dims: the optimiser replaces a value of the target that is computed from another dim of the data by -1.
   The model is
   <ir_version: 8, opset_import: ["" : 14]> g (float[N, M] data) => (float[A, B] reshaped)
   <int64[1] axis = {0}, int64 index = {1}, int64[1] last = {3}> {
       dims = Shape(data)
       dim = Gather(dims, index)
       second = Unsqueeze(dim, axis)
       target = Concat<axis = 0>(second, last)
       reshaped = Reshape(data, target)
   } */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.ORT_WEB}/node_modules/`); // where onnxruntime-web is installed
const ort = await import(pathToFileURL(packages.resolve("onnxruntime-web")));
ort.env.wasm.numThreads = 1;

const model = Buffer.from("CAg6kgIKFQoEZGF0YRIEZGltcyIFU2hhcGU6AAocCgRkaW1zCgVpbmRleBIDZGltIgZHYXRoZXI6AAogCgNkaW0KBGF4aXMSBnNlY29uZCIJVW5zcXVlZXplOgAKLQoGc2Vjb25kCgRsYXN0EgZ0YXJnZXQiBkNvbmNhdCoLCgRheGlzGACgAQI6AAojCgRkYXRhCgZ0YXJnZXQSCHJlc2hhcGVkIgdSZXNoYXBlOgASAWcqDQgBEAc6AQBCBGF4aXMqDBAHOgEBQgVpbmRleCoNCAEQBzoBA0IEbGFzdFoYCgRkYXRhEhAKDggBEgoKAxIBTgoDEgFNYhwKCHJlc2hhcGVkEhAKDggBEgoKAxIBQQoDEgFCQgQKABAO", "base64");
const session = await ort.InferenceSession.create(model);
const data = new ort.Tensor("float32", new Float32Array(6), [2, 3]);
try {
  const { reshaped } = await session.run({ data });
  console.log(`reproduced: [2, 3] to [3, 3] is accepted, with the shape [${reshaped.dims}]`);
} catch (error) {
  console.log(`not reproduced: ${error.message}`);
}
