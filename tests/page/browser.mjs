// Pages written by the real program, and a real browser to open them in.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const program = process.env.RESHAPE_CONFORMANCE ?? join(root, "target/release/reshape-conformance");
export const folder = mkdtempSync(join(tmpdir(), "page-"));
export const faults = join(root, "tests/faults");

/** Runs the program; a red run is as good as a green one here. */
export function run(...words) {
  const done = spawnSync(program, words, { cwd: folder, encoding: "utf8" });
  if (![0, 100].includes(done.status)) throw new Error(`${words.join(" ")}: exit code ${done.status}\n${done.stdout}${done.stderr}`);
}

export const text = (name) => readFileSync(join(folder, name), "utf8");

let browser;
export async function open(name, { hash = "", width = 1280, height = 900, dark = false } = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const address = pathToFileURL(resolve(folder, name)).href;
  // Whatever goes wrong, or leaves the page.
  page.faults = [];
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("dialog", (dialog) => { page.faults.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => request.url().split("#")[0] !== address && page.faults.push(`a request: ${request.url()}`));
  await page.goto(address + hash);
  await page.waitForSelector("html[data-ready]");
  return page;
}
export const close = () => browser?.close();
export const version = () => execFileSync(program, ["--version"], { encoding: "utf8" }).trim();
