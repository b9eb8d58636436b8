// A release made by the program, and the page of it in a real browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const program = process.env.SHOAL_PROGRAM ?? join(dirname(fileURLToPath(import.meta.url)), "../../build/bin/shoal");
export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const folder = mkdtempSync(join(tmpdir(), "shoal-page-"));

export function shoalIn(place, ...args) {
  return execFileSync(program, args, { cwd: place, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
export const shoal = (...args) => shoalIn(folder, ...args);

/** spirals.html and world.html, with the data and the JSON that they are made of. Of each: --grid and --percentile. */
export function makePages(spirals, world) {
  const settings = ([grid, percentile]) => ["--grid", grid, "--percentile", percentile, "--epsilon", "1", "--seed", "1"];
  shoal("datasets", "ds2", "--seed", "1", "-o", "spirals.csv");
  shoal("release", "spirals.csv", "--bounds", "x=0:1,y=0:1", "--technique", "privqt", ...settings(spirals), "--json", "spirals.json");
  shoal("datasets", "world", "--seed", "1", "-o", "world.csv");
  shoal("release", "world.csv", "--bounds", "lon=-180:180,lat=-90:90", ...settings(world), "--json", "world.json");
  for (const name of ["spirals", "world"]) shoal("reshape", `${name}.json`, "-o", `${name}.html`);
}

let browser;
export async function startBrowser() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
  return browser;
}
export async function stopBrowser() {
  await browser?.close();
}

/** Until nothing is computed any more: confidence, the tree, the pictures of parts that are seen. */
export async function settled(page) {
  await page.waitForFunction(() => !/omputing/.test(document.querySelector("#shoal-app").innerText), undefined, { timeout: 60000 });
}

/** Opens a page from the disk and unfolds "Explore", unless `folded` is set or the link has unfolded it; `prepare` is called with it before, and `timeout` is how long it may take to be live; `settled`: it also waits for what is computed beside it. `problems` collects console errors, policy violations and requests: there must be none. */
export async function open(file, { prepare, timeout = 15000, settled: wait = true, folded = false, ...options } = {}, hash = "") {
  const context = await (await startBrowser()).newContext({ offline: true, acceptDownloads: true, ...options });
  const page = await context.newPage();
  await prepare?.(page);
  const address = pathToFileURL(join(folder, file)).href;
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address && !request.url().startsWith("blob:")) problems.push(`request ${request.url()}`);
  });
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`)),
  );
  // The texts of the last frame of each canvas: [text, x, y, whether it is bold, its alignment].
  await page.addInitScript(() => {
    globalThis.drawn = new Map();
    const proto = CanvasRenderingContext2D.prototype;
    const { fillText, clearRect } = proto;
    proto.clearRect = function (...args) {
      globalThis.drawn.set(this.canvas, []);
      return clearRect.apply(this, args);
    };
    proto.fillText = function (text, x, y, ...more) {
      globalThis.drawn.get(this.canvas)?.push([text, x, y, this.font.includes("600"), this.textAlign]);
      return fillText.call(this, text, x, y, ...more);
    };
  });
  await page.goto(address + hash);
  if (options.javaScriptEnabled !== false) {
    await page.waitForSelector("html.live", { timeout }).catch((error) => {
      throw new Error(`${error.message}\n${problems.join("\n")}`);
    });
    if (!folded && !(await page.evaluate(() => document.querySelector("details.explore")?.open ?? true))) {
      await page.locator("details.explore > summary").click();
      await page.evaluate(() => scrollTo(0, 0));
    }
    if (wait) await settled(page);
  }
  return { page, problems, close: () => context.close() };
}
