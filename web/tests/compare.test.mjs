// The page of a comparison in a real browser: rows of the tables and outlines on the maps light up together.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, open, root, shoal, stopBrowser } from "./support.mjs";

const axe = readFileSync(join(root, "web/node_modules/axe-core/axe.min.js"), "utf8");
const laptop = { viewport: { width: 1280, height: 860 } };
let steps;

before(() => {
  shoal("datasets", "visits", "--seed", "1", "-o", "visits.csv");
  shoal("release", "visits.csv", "--by", "day=2026-W01..2026-W06", "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "1", "--seed", "1",
        "--json", "weeks.json");
  shoal("compare", "weeks.json", "-o", "changes.html", "-o", "changes.json");
  steps = JSON.parse(readFileSync(join(folder, "changes.json"), "utf8")).changes;
});
after(stopBrowser);

const opened = (options, hash) => open("changes.html", { settled: false, ...laptop, ...options }, hash);
const row = (page, step, change) => page.locator(`#step-${step + 1} tbody tr`).nth(change);
const clustersOf = (map) => JSON.parse(readFileSync(join(folder, "weeks.json"), "utf8")).groups[map].release.clusters;
/** The maps that show an outline, and what is said. */
const lit = (page) => page.evaluate(() => ({
  maps: [...document.querySelectorAll(".maps figure")].flatMap((figure, i) => figure.querySelector("path.lit").getAttribute("d") ? [i] : []),
  rows: [...document.querySelectorAll(".step")].flatMap((step, i) => [...step.querySelectorAll("tbody tr")].flatMap((of, j) => of.matches(".lit-row") ? [[i, j]] : [])),
  said: document.querySelector(".said").textContent,
}));
const seen = (page, selector) => page.locator(selector).evaluate((element) => {
  const [box, strip] = [element.getBoundingClientRect(), document.querySelector(".maps").getBoundingClientRect()];
  return box.left >= strip.left - 1 && box.right <= strip.right + 1 && box.top >= 0 && box.bottom <= innerHeight;
});
/** Where a place of the plane lies on the screen. */
const at = (page, map, x, y) => page.locator(".maps figure > svg").nth(map).evaluate((svg, [map, x, y]) => {
  const [left, top, width, height] = JSON.parse(document.querySelector("#shoal-changes").textContent).maps[map].box;
  const point = new DOMPoint(left + x * width, top + (1 - y) * height).matrixTransform(svg.getScreenCTM());
  return { x: point.x, y: point.y };
}, [map, x, y]);

test("a row lights its clusters up on both maps, by mouse and by keys", async () => {
  const { page, problems, close } = await opened();
  const step = steps.findIndex(({ clusters }) => clusters.some((of) => of.found.some(({ change }) => change === "moved")));
  const change = steps[step].clusters.findIndex((of) => of.found.some(({ change }) => change === "moved"));
  await row(page, step, change).hover();
  let now = await lit(page);
  assert.deepEqual(now.maps, [step, step + 1]);
  assert.deepEqual(now.rows, [[step, change]]);
  assert.match(now.said, /^2026-W0\d to 2026-W0\d, moved: from [\d,]+ to [\d,]+ records .*; by \(.*\); probability 0\.\d{3}$/);
  await page.locator("h1").hover();
  assert.deepEqual((await lit(page)).maps, []);
  // One that is new lies on the later map alone; the maps of its step come into sight.
  const [last, gone] = [steps.length - 1, steps.at(-1).clusters.findIndex((of) => of.found[0].change === "gone")];
  await row(page, last, gone).locator("button").focus();
  now = await lit(page);
  assert.deepEqual([now.maps, now.rows], [[last], [[last, gone]]]);
  assert.equal(await seen(page, `.maps figure:nth-child(${last + 1})`) && (await seen(page, `.maps figure:nth-child(${last + 2})`)), true);
  await page.keyboard.press("Enter");
  await row(page, last, 0).hover();
  assert.deepEqual((await lit(page)).rows, [[last, 0]]);
  await page.locator("h2").last().hover();
  assert.deepEqual((await lit(page)).rows, [[last, gone]], "it stays");
  assert.equal(await row(page, last, gone).locator("button").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("Escape");
  assert.deepEqual((await lit(page)).rows, []);
  assert.deepEqual(problems, []);
  await close();
});

test("a cluster on a map lights up its row and the other map, by mouse and by touch", async () => {
  const { page, problems, close } = await opened({ hasTouch: true });
  const clusters = steps.map((_, map) => clustersOf(map));
  for (const map of [0, 1, 2]) {
    for (const { id, centroid } of clusters[map]) {
      const { x, y } = await at(page, map, ...centroid);
      await page.mouse.move(x, y);
      const now = await lit(page);
      const [step, change] = now.rows[0];
      const of = steps[step].clusters[change];
      assert.ok((step === map && of.before.includes(id)) || (step === map - 1 && of.after.includes(id)), `${map} ${id}`);
      // What changed comes first.
      const here = (index, side) => steps[index]?.clusters.find((one) => one[side].includes(id));
      if (map > 0) assert.equal(of.changed, here(map - 1, "after").changed || here(map, "before").changed);
      assert.deepEqual(now.maps, [step, step + 1]);
    }
    const empty = await at(page, map, 0.98, 0.02);
    await page.mouse.move(empty.x, empty.y);
    assert.deepEqual((await lit(page)).rows, []);
  }
  // A step without a change is closed until one asks for it.
  const { x, y } = await at(page, 0, ...clusters[0][0].centroid);
  assert.equal(await page.locator("#step-1").getAttribute("open"), null);
  await page.touchscreen.tap(x, y);
  const [chosen] = (await lit(page)).rows;
  assert.equal(chosen[0], 0);
  assert.equal(await page.locator("#step-1").getAttribute("open"), "");
  assert.equal(await row(page, ...chosen).locator("button").getAttribute("aria-pressed"), "true");
  assert.deepEqual(problems, []);
  await close();
});

test("outlines surround the cells of the clusters before and after and no others", async () => {
  const { page, close } = await opened();
  const step = steps.findIndex(({ clusters }) => clusters.some((of) => of.changed && `${of.before}` !== `${of.after}` && of.before.length * of.after.length > 0));
  const change = steps[step].clusters.findIndex((of) => `${of.before}` !== `${of.after}`);
  const { before, after } = steps[step].clusters[change];
  await row(page, step, change).hover();
  for (const [map, ids] of [[step, before], [step + 1, after]]) {
    const [edges, expected] = await page.evaluate(([map, ids]) => {
      const { columns, runs } = JSON.parse(document.querySelector("#shoal-changes").textContent).maps[map];
      const labels = runs.flatMap((label, i) => (i % 2 ? [] : Array(runs[i + 1]).fill(label)));
      const own = (i, j) => i >= 0 && i < columns && ids.includes(labels[j * columns + i]);
      let count = 0;
      for (let j = 0; j < labels.length / columns; j++) {
        for (let i = 0; i < columns; i++) if (own(i, j)) count += [[1, 0], [-1, 0], [0, 1], [0, -1]].filter(([a, b]) => !own(i + a, j + b)).length;
      }
      return [document.querySelectorAll("path.lit")[map].getAttribute("d").split("M").length - 1, count];
    }, [map, ids]);
    assert.ok(expected > 10);
    assert.equal(edges, expected);
    const { centroid } = clustersOf(map).find(({ id }) => id === ids[0]);
    const [middle, outline] = [await at(page, map, ...centroid), await page.locator("path.lit").nth(map).boundingBox()];
    assert.ok(Math.hypot(middle.x - outline.x - outline.width / 2, middle.y - outline.y - outline.height / 2) < 25);
  }
  await close();
});

test("its policy lets no other script run and nothing be fetched", async () => {
  const { page, problems, close } = await opened();
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "globalThis.stranger = true";
    document.body.append(script);
    const fetched = await fetch("https://page.invalid/").then(() => true, () => false);
    return [globalThis.stranger ?? false, fetched];
  });
  assert.deepEqual(ran, [false, false]);
  assert.ok(problems.some((text) => /inline script violates .* directive 'script-src 'sha256-[^' ]+''/.test(text)), problems.join());
  assert.ok(problems.some((text) => /Connecting to .* violates .* "default-src 'none'"/.test(text)), problems.join());
  await close();
});

test("a profile, and names that look like markup", async () => {
  const line = (n, middle) => Array.from({ length: n }, (_, i) => `${(middle + 0.05 * Math.sin(i * 7919)).toFixed(4)},${((i % 97) / 97).toFixed(4)}`).join("\n");
  for (const [name, middle] of [["a", 0.3], ["b", 0.6]]) {
    writeFileSync(join(folder, `${name}.csv`), `x,y\n${line(3000, middle)}\n`);
    shoal("release", `${name}.csv`, "--columns", "x", "--bounds", "0:1", "--grid", "32", "--percentile", "20", "--epsilon", "1", "--seed", "1", "--json", `<b>${name}.json`);
  }
  shoal("compare", "<b>a.json", "<b>b.json", "-o", "line.html");
  const { page, problems, close } = await open("line.html", { settled: false, ...laptop });
  assert.equal(await page.locator(".maps figcaption b").first().innerText(), "<b>a.json");
  const { x, y } = await at(page, 0, 0.3, 0.5);
  await page.mouse.move(x, y);
  const now = await lit(page);
  assert.equal(now.maps.includes(0) && now.rows.length === 1 && now.said.startsWith("<b>a.json to <b>b.json, gone"), true, now.said);
  assert.deepEqual(problems, []);
  await close();
});

for (const [name, options] of [["laptop", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]]) {
  test(`axe-core finds nothing: ${name}`, async () => {
    const { page, problems, close } = await opened(options);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "no sideways scrolling");
    assert.deepEqual(problems, []);
    // axe runs outside the page's policy, as an extension would.
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setBypassCSP", { enabled: true });
    await page.reload();
    await row(page, 1, 0).locator("button").focus();
    await page.addScriptTag({ content: axe });
    const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }));
    assert.deepEqual(found.violations.map((each) => `${each.id}: ${each.nodes[0].html}`), []);
    await close();
  });
}

test("without scripts and in print every map and every change is there; it is small", async () => {
  const { page, close } = await opened({ javaScriptEnabled: false });
  for (let i = 0; i < steps.length + 1; i++) assert.equal(await page.locator(".maps figure").nth(i).isVisible(), true);
  assert.equal(await page.locator("button").count(), 0);
  await close();
  const live = await opened({ viewport: { width: 800, height: 1000 } });
  await live.page.emulateMedia({ media: "print" });
  const overflowing = await live.page.evaluate(() => [...document.querySelectorAll(".maps figure")].some((of) => of.getBoundingClientRect().right > innerWidth));
  assert.equal(overflowing, false);
  await live.close();
  assert.ok(readFileSync(join(folder, "changes.html")).length < 150_000);
});
