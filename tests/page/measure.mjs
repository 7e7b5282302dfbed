// What a page costs: `node tests/page/measure.mjs EVENTS` prints its size, how long it takes to be ready, and how long a
// filter takes. Times are this machine's; nothing is asserted.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { close, folder, open, run } from "./browser.mjs";

run("report", "render", resolve(process.argv[2]), "--html", "measured.html");
const size = statSync(join(folder, "measured.html")).size;
const ready = [];
let page;
for (let round = 0; round < 3; round++) {
  page = await open("measured.html");
  ready.push(await page.evaluate(() => performance.now()));
}
/** Milliseconds from a change to the painted answer. */
const filter = (hash) => page.evaluate(async (to) => {
  const begun = performance.now();
  location.hash = to;
  await new Promise((done) => addEventListener("hashchange", done, { once: true }));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
}, hash);
console.log(`${await page.textContent("#count")}; ${(size / 1e6).toFixed(1)} MB; ready after ${ready.map(Math.round).join(", ")} ms`);
for (const hash of ["#verdict=known", "#operator=onnx.Reshape-14", "#text=copied", "#clause=onnx.Reshape-14/zero-copies", "#text=copied%20f32%20runtime", "#rows=clause"]) {
  const took = Math.round(await filter(hash));
  console.log(`${hash}: ${await page.textContent("#count")}, ${took} ms`);
}
await close();
