/* ONNX Runtime Web, dynamic dims: the optimiser replaces a value of the target that is computed from another dim of the data by -1.
   So a count that does not fit is accepted, and a 0 that copies a 0 is refused.
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
const nothing = Buffer.from(model);
nothing[216] = 0; // the last value of the target: 0 in place of 3

/* The shape of the output for data of these dims, as text; why the run is refused, if it is. */
async function shape(model, ...dims) {
  const session = await ort.InferenceSession.create(model);
  const data = new ort.Tensor("float32", new Float32Array(dims[0] * dims[1]), dims);
  try {
    return `[${(await session.run({ data })).reshaped.dims}]`;
  } catch (error) {
    return `an error: ${error.message.trim().slice(-90)}`;
  }
}

const [accepted, refused] = [await shape(model, 2, 3), await shape(nothing, 3, 0)];
const verdict = accepted === "[2,3]" || refused !== "[3,0]" ? "reproduced" : "not reproduced";
console.log(`${verdict}: [2, 3] to [3, 3] gives ${accepted}; [3, 0] to [0, 0], which is [3, 0], gives ${refused}`);
