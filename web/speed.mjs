// How much processor time the page takes, in a real browser: node web/speed.mjs. Prints the table of docs/page.md. No test. The time is
// that of the page's main thread, which does not depend on how busy the machine is; on an idle one it is about the time that passes.
import { open, shoal, stopBrowser } from "./tests/support.mjs";

const goal = { open: 1000, reshape: 30, frame: 1000 / 30 };

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

shoal("datasets", "world", "--seed", "1", "-o", "world.csv");
console.log("| cells | clusters | opens | reshapes | a frame of zooming |\n| --- | --- | --- | --- | --- |");
for (const grid of (process.argv[2] ?? "256,1024,4096").split(",").map(Number)) {
  const name = `speed-${grid}`;
  shoal("release", "world.csv", "--columns", "lon,lat", "--bounds", "lon=-180:180,lat=-90:90", "--grid", String(grid), "--percentile", "90",
        "--min-cells", "4", "--epsilon", "1", "--seed", "1", "--json", `${name}.json`);
  shoal("reshape", `${name}.json`, "-o", `${name}.html`);
  let session;
  const { page, close } = await open(`${name}.html`, {
    viewport: { width: 1280, height: 900 },
    timeout: 300_000,
    prepare: async (opened) => {
      // What the page leaves for later, confidence and tree of large grids, is held back.
      await opened.addInitScript(() => {
        const { setTimeout } = globalThis;
        globalThis.setTimeout = (work, delay, ...more) => (delay >= 250 ? 0 : setTimeout(work, delay, ...more));
      });
      session = await opened.context().newCDPSession(opened);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
    },
  });
  const opened = await total(session);
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
  const frames = 60;
  const zooming = await spent(session, () => page.evaluate(async (count) => {
    const canvas = document.querySelector(".stage canvas");
    const box = canvas.getBoundingClientRect();
    for (let i = 0; i < count; i++) {
      canvas.dispatchEvent(new WheelEvent("wheel", {
        deltaY: i < count / 2 ? -40 : 40, cancelable: true,
        clientX: box.x + box.width * (0.5 + 0.3 * Math.cos(i / 9)), clientY: box.y + box.height * (0.5 + 0.3 * Math.sin(i / 9)),
      }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, frames));
  const clusters = await page.evaluate(() => document.querySelector("h1").textContent.split(" ")[0]);
  const middle = reshapes.sort((a, b) => a - b)[2];
  console.log(`| ${grid} x ${grid} | ${clusters} | ${(opened / 1000).toFixed(2)} s | ${middle.toFixed(0)} ms | ${(zooming / frames).toFixed(1)} ms |`);
  await close();
}
console.log(`| goal | | ${goal.open / 1000} s | ${goal.reshape} ms | ${goal.frame.toFixed(0)} ms |`);
await stopBrowser();
