// The playground: the oracle in a page gives the answers of the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { close, open, program } from "./browser.mjs";

const PAGE = resolve(dirname(fileURLToPath(import.meta.url)), "../../docs/playground/index.html");
after(close);
const clean = (page) => assert.deepEqual(page.faults, []);

/** Data, targets and modes that meet every rule. */
function situations() {
  const all = [];
  for (const data_shape of [[], [2, 3, 4], [0, 3], [3, 0], [6], [1, 1, 1, 1, 1, 1, 1], [4294967296, 4294967296]]) {
    for (const shape of [[], [-1], [0], [0, -1], [-1, -1], [2, -2], [6, 4], [24], [0, 0, 0, 0], [5, -1], [3, 0]]) {
      for (const zero of shape.includes(0) ? ["copy", "literal", null] : [null]) {
        for (const element_type of ["f32", "complex64", "i4"]) all.push({ data_shape, shape, zero, element_type, shape_element_type: "i64" });
      }
    }
  }
  return all;
}

test("every answer is the program's", async () => {
  const page = await open(PAGE);
  const asked = situations();
  const answered = await page.evaluate(async (all) => {
    const answers = [];
    for (const one of all) answers.push(JSON.parse(await window.ask(JSON.stringify(one))));
    return answers;
  }, asked);
  const lines = [];
  const expected = [];
  for (const [index, { answers }] of answered.entries()) {
    const { zero, ...request } = asked[index];
    for (const { names, attributes, kind, says } of answers) {
      for (const operator of names) {
        const pairs = attributes.map((text) => text.split("=")).map(([name, value]) => [name, JSON.parse(value)]);
        lines.push(JSON.stringify({ operator, ...request, attributes: Object.fromEntries(pairs) }));
        expected.push([kind, says]);
      }
    }
  }
  assert.ok(lines.length > 4000, `${lines.length} requests`);
  const output = execFileSync(program, ["oracle"], { input: lines.join("\n") + "\n", maxBuffer: 1 << 28, encoding: "utf8" });
  for (const [index, line] of output.trim().split("\n").entries()) {
    const answer = JSON.parse(line);
    const [kind, says] = expected[index];
    const dims = (shape) => `[${shape.join(", ")}]`;
    const short = { reshaped: () => dims(answer.shape), rejected: () => `rejected: ${answer.reasons.join(", ")}`, open: () => says }[answer.outcome]();
    const stale = "; if the oracle changed, `cargo xtask playground` builds the page again";
    assert.deepEqual([kind, says], [answer.outcome, short], lines[index] + stale);
    if (answer.outcome === "open") assert.ok(says.startsWith(`open (${answer.question})`), lines[index]);
  }
  clean(page);
});

test("a request is typed, shown for every operator, and kept in the address", async () => {
  const page = await open(PAGE);
  await page.fill("#data", "2 3, 4");
  await page.fill("#target", "[2, -2]");
  await page.waitForSelector(".answer.open");
  assert.match(await page.textContent("#answers"), /openvino.*rejected: below-minus-one/s);
  assert.match(await page.textContent("#case"), /^- name: a-name\n.*shape: \[2, -2\]\n.*onnx: open \(below-minus-one\): rejected or \[2, 12\]/s);
  const again = await open(PAGE, { hash: await page.evaluate(() => location.hash) });
  assert.equal(await again.textContent("#case"), await page.textContent("#case"));
  clean(page);
  clean(again);
});

test("a node may have no target, and no attribute about its zeros", async () => {
  const page = await open(PAGE);
  await page.check("text=no attribute says");
  await page.waitForFunction(() => document.getElementById("case").textContent.includes("attributes: {}"));
  await page.check("#missing");
  await page.waitForFunction(() => document.getElementById("case").textContent.includes("shape: missing"));
  assert.match(await page.textContent("#answers"), /rejected: missing-target/);
  const again = await open(PAGE, { hash: await page.evaluate(() => location.hash) });
  assert.equal(await again.textContent("#case"), await page.textContent("#case"));
  clean(page);
  clean(again);
});

test("what is no request is said, and the next one is answered", async () => {
  const page = await open(PAGE);
  for (const [field, text, fault] of [["#data", "2, x", /'x' is no integer/], ["#data", "9223372036854775808", /at most 2\^63-1/], ["#data", "-1", /data: -1 is less than 0/], ["#target", "99999999999999999999", /.+/]]) {
    await page.fill(field, text);
    await page.waitForFunction(() => document.getElementById("fault").textContent);
    assert.match(await page.textContent("#fault"), fault);
    assert.equal(await page.locator(".answer").count(), 0);
    await page.fill(field, "6");
    await page.waitForSelector(".answer");
    assert.equal(await page.textContent("#fault"), "");
  }
  clean(page);
});

test("it is readable at 390 pixels, in the dark and by a screen reader", async () => {
  const page = await open(PAGE, { width: 390, dark: true });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
  clean(page);
});
