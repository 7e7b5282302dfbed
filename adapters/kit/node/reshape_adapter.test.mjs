/* Tests of the kit: `node --test` in this folder. A backend that echoes, spoken to over real pipes. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

const KIT = new URL("reshape_adapter.mjs", import.meta.url).href;
const ECHO = `
const { Rejected, Unsupported, Tensor, serve } = await import("${KIT}");
console.log("a print of the backend");
await serve({ name: "echo", version: "1", window: 4, supports: [],
  async compile(request) {
    const { operator, attributes, target } = request;
    if (operator === "look" && request.layout !== "padded") throw new Error("no layout");
    if (operator === "slip") throw new Rejected("slipped", { internal: true });
    if (operator === "break") throw new Error("a bug");
    if (operator === "refuse") throw new Rejected("no");
    if (operator === "cannot") throw new Unsupported("cannot");
    const seen = JSON.stringify(attributes);
    if (operator === "attributes") throw new Rejected(seen);
    if (operator === "claim") return { run: async () => new Tensor("f32", [4294967296, 4294967296], null) };
    const buffer = new Uint8Array(1);
    if (operator === "reuse") return { run: async (data) => {
      if (!data.bytes.length) throw new Rejected("no elements");
      buffer.set(data.array());
      return Tensor.fromArray("u8", [1], buffer);
    } };
    const run = async (data) => data.element_type === "string"
      ? Tensor.fromStrings(data.shape, data.strings()) : Tensor.fromArray(data.element_type, data.shape, data.array());
    return { output_shape: target.values, run };
  } });`;

/** Speaks to the echo in small pieces; gives what it wrote, and how it ended. */
const spoken = (...messages) => conversation(messages, true);

async function conversation(messages, closes) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", ECHO]);
  const written = [];
  child.stdout.on("data", (data) => written.push(data));
  child.stderr.resume();
  child.stdin.on("error", () => {});
  const all = Buffer.concat(messages);
  for (let at = 0; at < all.length; at += 41) child.stdin.write(all.subarray(at, at + 41));
  if (closes) child.stdin.end();
  const code = await new Promise((ended) => child.on("close", ended));
  return { code, written: Buffer.concat(written).toString("latin1") };
}

function message(text, payload = []) {
  const length = payload.length ? `,"payload":${payload.length}` : "";
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)}${length}}\n`), Buffer.from(payload)]);
}

const compile = (operator, more = "") =>
  message(`{"type":"compile","id":1,"operator":"${operator}","element_type":"u8","data":{"dims":[4]},"target":{"binding":"constant","values":[7]}${more}}`);
const bye = message('{"type":"bye","id":9}');

test("a fault of the shim ends the process while the runner still waits", { timeout: 20_000 }, async () => {
  const { code } = await conversation([compile("break")], false);
  assert.equal(code, 1);
});

test("prints of a backend do not reach the protocol", async () => {
  const { code, written } = await spoken(message('{"type":"hello","id":0,"protocol":{"min":1,"max":1}}'), bye);
  assert.equal(code, 0);
  assert.match(written, /^\{"id":0,"type":"hello","protocol":1,.*\}\n\{"id":9,"type":"bye"\}\n$/);
});

test("elements come back bit by bit, line breaks and zeros among them", async () => {
  const payload = [10, 0, 255, 123];
  const run = message('{"type":"run","id":2,"handle":1,"data":{"element_type":"u8","shape":[4],"offset":0,"length":4}}', payload);
  const { written } = await spoken(compile("echo"), run, bye);
  assert.ok(written.includes(`"payload":4}\n${Buffer.from(payload).toString("latin1")}{"id":9`), written);
});

test("integers of 64 bits stay what they are, and a float stays a float", async () => {
  const values = '"target":{"binding":"constant","values":[9223372036854775807,-9223372036854775808]}';
  const wide = compile("echo").toString().replace(/"target":.*\}\}/, `${values}}`);
  const { written } = await spoken(Buffer.from(wide), compile("attributes", ',"attributes":{"a":1.0,"b":1,"c":"x 1.5,"}'), bye);
  assert.match(written, /"output_shape":\[9223372036854775807,-9223372036854775808\]/);
  assert.ok(written.includes(JSON.stringify('{"a":{"float":1},"b":1,"c":"x 1.5,"}')), written);
});

test("an error that is no check is a rejection by accident", async () => {
  const { written } = await spoken(compile("slip"), bye);
  assert.match(written, /"type":"rejected","message":"slipped","internal":true\}\n/);
});

test("a layout has to be looked at", async () => {
  const layout = ',"layout":"padded"';
  const { code, written } = await spoken(compile("look", layout), compile("echo", layout), bye);
  assert.match(written, /^\{"id":1,"type":"compiled"[^\n]*\n$/);
  assert.notEqual(code, 0);
});

test("a shape may come without its elements", async () => {
  const run = message('{"type":"run","id":2,"handle":1,"data":{"element_type":"u8","shape":[0],"offset":0,"length":0}}');
  const { written } = await spoken(compile("claim"), run, bye);
  assert.match(written, /"output":\{"element_type":"f32","shape":\[4294967296,4294967296\]\}\}\n/);
});

test("an output that a later run of its model changes is told of", async () => {
  const run = (...payload) =>
    message(`{"type":"run","id":2,"handle":1,"data":{"element_type":"u8","shape":[1],"offset":0,"length":${payload.length}}}`, payload);
  const changed = async (operator, ...runs) => {
    const { written } = await spoken(compile(operator), ...runs, bye);
    return written.match(/"id":2[^\n]*/g).map((reply) => reply.includes('"earlier_output_changed":true'));
  };
  assert.deepEqual(await changed("reuse", run(1), run(1), run(2), run(), run(3)), [false, false, true, false, true]);
  assert.deepEqual(await changed("echo", run(1), run(2)), [false, false]);
});

test("a refusal, an inability and a bug are three things", async () => {
  const { code, written } = await spoken(compile("refuse"), compile("cannot"), compile("break"), bye);
  assert.match(written, /"type":"rejected","message":"no"\}\n\{"id":1,"type":"unsupported","message":"cannot"\}\n$/);
  assert.notEqual(code, 0);
});
