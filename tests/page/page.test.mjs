// The page in a real browser: what it shows, how it is filtered, and that nothing a backend says does anything in it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { close, faults, folder, open, program, run } from "./browser.mjs";
import { join } from "node:path";

const SOME = "*/onnx.Reshape-{13,14}/{f32,string}/*";
const wrong = `${program} serve --mutant zero-never-copies`;
const other = `${program} serve --mutant runtime-target-in-i32`;

before(() => {
  run("run", SOME, "--adapter-command", wrong, "--adapter-command", `${program} serve reference`, "--events", "run.jsonl", "--html", "run.html");
  run("run", SOME, "--adapter-command", wrong, "--adapter-command", other, "--html", "two.html");
  for (const [name, fault] of [["markup", "rejects with markup"], ["escapes", "rejects with escape codes"], ["long", "rejects in 10 MB of invalid UTF-8"]]) {
    run("run", "--cases", `${faults}/cases.yaml`, "--adapter-command", `python3 ${faults}/adapter.py '${fault}'`, "--html", `${name}.html`);
  }
});
after(close);

const count = async (page) => Number((await page.textContent("#count")).split(" ")[0].replaceAll(",", ""));
const clean = (page) => assert.deepEqual(page.faults, []);

test("the cause stands on the first screen, with the command that shows it", async () => {
  const page = await open("run.html");
  const finding = page.locator("#findings .finding").first();
  const box = await finding.boundingBox();
  assert.ok(box.y + box.height < 900, `it ends at ${box.y + box.height}`);
  assert.match(await finding.textContent(), /takes every 0 as literal, whatever the attribute says/);
  assert.match(await finding.locator(".again code").textContent(), /^reshape-conformance run --adapter-command .* --exact '/);
  assert.match(await page.title(), /^\d+ failed: /);
  clean(page);
});

test("filters choose trials, stand in the address, and go back and forth with it", async () => {
  const page = await open("run.html");
  const all = await count(page);
  await page.selectOption("select >> nth=1", "red");
  const red = await count(page);
  assert.ok(red > 0 && red < all, `${red} of ${all}`);
  assert.match(page.url(), /#verdict=red$/);
  await page.selectOption("select >> nth=3", "string");
  const strings = await count(page);
  assert.ok(strings > 0 && strings < red);
  await page.goBack();
  assert.equal(await count(page), red);
  await page.goForward();
  assert.equal(await count(page), strings);
  await page.fill("input[type=search]", "copied constant-static");
  const found = await count(page);
  assert.ok(found > 0 && found < strings);
  // Who opens the link sees the same.
  const other = await open("run.html", { hash: new URL(page.url()).hash });
  assert.equal(await count(other), found);
  await other.click("text=Clear");
  assert.equal(await count(other), all);
  clean(page);
  clean(other);
});

test("a trial shows its diff, its trace with clauses, and the command to copy", async () => {
  const page = await open("run.html", { hash: "#verdict=red" });
  await page.locator("#list a").nth(3).click();
  const detail = page.locator("#detail .detail");
  assert.match(await detail.locator("pre.diff").textContent(), /expected {2}.*\ngot {7}/s);
  assert.ok((await detail.locator("ol.trace > li").count()) > 2);
  assert.match(await detail.locator("ol.trace .clause").first().textContent(), /^onnx\.Reshape-1\d\/.* \((must|should|may)\): /);
  assert.match(await detail.textContent(), /cases\/[a-z-]+\.(yaml|xml):\d+/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "detail-title");
  await detail.locator("text=Copy").click();
  await detail.locator("text=/Copied|Selected/").waitFor();
  const link = new URL(page.url()).hash;
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#detail .detail").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")), link);
  clean(page);
  const other = await open("run.html", { hash: link });
  assert.equal(await other.locator("#detail .detail").count(), 1);
  clean(other);
});

test("every link of the page leads to trials", async () => {
  const page = await open("run.html");
  for (const rows of ["by operator", "by clause"]) {
    await page.click(`text=${rows}`);
    const links = await page.locator("#backends a, #findings a, #matrix a, #profiles a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    assert.ok(links.length > 8);
    for (const link of links.filter((_, index) => index % 7 === 0 || index < 12)) {
      await page.evaluate((hash) => { location.hash = hash; }, link);
      await page.waitForFunction((hash) => location.hash === hash, link);
      assert.ok((await count(page)) > 0, link);
      assert.equal(await page.locator("#detail .note").count(), 0, link);
    }
  }
  // The rows are as they were chosen, wherever the links led.
  assert.match(await page.textContent("#matrix"), /onnx\.Reshape-14\/zero-copies/);
  assert.match(await page.textContent("#profiles"), /indeterminate-dimension/);
  clean(page);
});

test("a finding leads to the trial of its own backend", async () => {
  const page = await open("two.html");
  for (const backend of [wrong, other]) {
    const finding = page.locator("#findings .finding", { hasText: `${backend}: ` }).first();
    await finding.locator(".name a").click();
    await page.waitForSelector("#detail .detail");
    const shown = await page.textContent("#detail .detail");
    assert.ok(shown.includes(`backend ${backend} `), shown.slice(0, 400));
    assert.match(shown, /^failed/);
  }
  // A backend that is not there has no trial.
  const hash = new URL(page.url()).hash.replace(/backend=[^&]*/, "backend=nobody");
  const none = await open("two.html", { hash });
  assert.match(await none.textContent("#detail"), /There is no trial .* of nobody here/);
  clean(page);
  clean(none);
});

test("what a backend says does nothing", async () => {
  for (const name of ["markup", "escapes", "long"]) {
    const page = await open(`${name}.html`, { hash: "#verdict=red" });
    await page.locator("#list a").first().click();
    assert.equal(await page.locator("img, iframe, object").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    assert.doesNotMatch(await page.textContent("body"), /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    if (name === "markup") assert.match(await page.textContent("#detail"), /\\u\{202e\}/);
    if (name === "markup") assert.match(await page.textContent("#detail"), /<\/script><img src=x onerror=alert\(1\)>/);
    clean(page);
  }
});

test("two runs are compared", async () => {
  const stream = readFileSync(join(folder, "run.jsonl"), "utf8");
  const { writeFileSync } = await import("node:fs");
  // An earlier run in which some trials did not fail, with the counts of that run.
  const events = stream.trim().split("\n").map((line) => JSON.parse(line));
  const passed = {};
  for (const event of events.filter((event) => event.event === "trial" && event.verdict === "failed" && event.case === "copied-zero-first")) {
    event.verdict = "passed";
    delete event.failure;
    passed[event.backend] = (passed[event.backend] ?? 0) + 1;
  }
  const all = Object.values(passed).reduce((one, other) => one + other);
  for (const { event, backend, counts } of events.filter((event) => event.counts)) {
    const more = event === "run-finished" ? all : (passed[backend] ?? 0);
    counts.passed += more;
    counts.failed -= more;
  }
  writeFileSync(join(folder, "before.jsonl"), events.map((event) => JSON.stringify(event) + "\n").join(""));
  run("report", "render", "run.jsonl", "--baseline", "before.jsonl", "--html", "compared.html");
  const page = await open("compared.html");
  assert.match(await page.textContent("#changes"), /passed → failed/);
  const shown = Number((await page.locator("#changes td a").first().textContent()).replaceAll(",", ""));
  await page.locator("#changes td a").first().click();
  assert.equal(await count(page), shown);
  clean(page);
});

test("it can be read on a phone, in the dark, by keyboard and by a screen reader", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const [width, dark] of [[1280, false], [360, true]]) {
    const page = await open("run.html", { width, height: 780, dark, hash: "#verdict=red" });
    await page.locator("#list a").first().click();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `wider than ${width}`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3)}`), []);
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(back === "rgb(20, 23, 26)", dark, back);
    clean(page);
  }
  const page = await open("run.html");
  await page.keyboard.press("Tab");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Skip to the trials/);
  clean(page);
});
