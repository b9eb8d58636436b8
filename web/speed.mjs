// How quick the page is, in a real browser: node web/speed.mjs. Prints the table of docs/page.md. No test.
// Processor time of the page's main thread for opening and reshaping, which other work on the machine does not change; for panning and
// zooming the time between frames as the browser says it, by real drags and turns of the wheel.
import { open, settled, shoal, stopBrowser } from "./tests/support.mjs";

/** Milliseconds that the page's main thread has taken. */
async function total(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
}
async function spent(session, work) {
  const before = await total(session);
  await work();
  return (await total(session)) - before;
}
const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** The times between frames while `work` runs, and the longest task of the page. */
async function frames(page, work) {
  await page.evaluate(() => {
    globalThis.times = [];
    const next = (time) => {
      globalThis.times.push(time);
      globalThis.handle = requestAnimationFrame(next);
    };
    globalThis.handle = requestAnimationFrame(next);
  });
  await work();
  return page.evaluate(() => {
    cancelAnimationFrame(globalThis.handle);
    return globalThis.times.slice(1).map((time, i) => time - globalThis.times[i]);
  });
}

/** Two drags back and forth and thirty turns of the wheel in and out. */
async function moves(page) {
  const box = await page.locator(".stage canvas").boundingBox();
  const at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
  await page.mouse.move(...at(0.5, 0.5));
  for (let i = 0; i < 15; i++) await page.mouse.wheel(0, -60);
  await page.mouse.down();
  for (let i = 0; i < 60; i++) await page.mouse.move(...at(0.5 + 0.3 * Math.sin(i / 8), 0.5 + 0.2 * Math.cos(i / 8)));
  await page.mouse.up();
  for (let i = 0; i < 15; i++) await page.mouse.wheel(0, 60);
}

shoal("datasets", "world", "--seed", "1", "-o", "world.csv");
console.log("| cells | clusters | opens | reshapes | confidence and tree | frames under 33 ms | the same, meanwhile | work a frame |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
for (const grid of (process.argv[2] ?? "256,1024,4096").split(",").map(Number)) {
  const name = `speed-${grid}`;
  shoal("release", "world.csv", "--columns", "lon,lat", "--bounds", "lon=-180:180,lat=-90:90", "--grid", String(grid), "--percentile", "90",
        "--min-cells", "4", "--epsilon", "1", "--seed", "1", "--json", `${name}.json`);
  shoal("reshape", `${name}.json`, "-o", `${name}.html`);
  let session;
  const started = Date.now();
  const { page, close } = await open(`${name}.html`, {
    viewport: { width: 1280, height: 900 },
    timeout: 300_000,
    settled: false,
    prepare: async (opened) => {
      session = await opened.context().newCDPSession(opened);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
    },
  });
  const opened = await total(session);
  const share = (times) => `${((100 * times.filter((time) => time < 1000 / 30).length) / times.length).toFixed(0)} % of ${times.length}`;
  // While the worker computes confidence and tree. At 256 x 256 that is over soon.
  const meanwhile = await frames(page, () => moves(page));
  await settled(page);
  const seconds = (Date.now() - started) / 1000;
  const reshapes = [];
  for (const value of [91, 92, 93, 94, 95]) {
    reshapes.push(await spent(session, () => page.evaluate(async (percentile) => {
      const slider = document.querySelector("#set-threshold");
      slider.value = String(percentile);
      slider.dispatchEvent(new Event("input"));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }, value)));
  }
  await page.getByRole("button", { name: "As released" }).click();
  await settled(page);
  let times;
  const work = await spent(session, async () => (times = await frames(page, () => moves(page))));
  const clusters = await page.evaluate(() => document.querySelectorAll("section.clusters tr:not(.doubtful) button.pick").length);
  console.log(`| ${grid} x ${grid} | ${clusters} | ${(opened / 1000).toFixed(2)} s | ${middle(reshapes).toFixed(0)} ms | ${seconds.toFixed(0)} s | ` +
    `${share(times)} | ${share(meanwhile)} | ${(work / times.length).toFixed(1)} ms |`);
  await close();
}
console.log("| goal | | 1 s at 256 | 30 ms at 256 | | 1024 | 1024 | |");
await stopBrowser();
