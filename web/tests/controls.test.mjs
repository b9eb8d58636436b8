// Every control of the page by mouse, by touch and by keyboard, each against what the program says.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, makePages, open, settled, shoal, stopBrowser } from "./support.mjs";

before(() => {
  makePages(["48", "60"], ["64,32", "80"]);
  writeFileSync(join(folder, "few.csv"), readFileSync(join(folder, "spirals.csv"), "utf8").split("\n").slice(0, 200).join("\n") + "\n");
});
after(stopBrowser);

const canvas = (page) => page.locator(".stage canvas");
const picks = (page) => page.locator("section.clusters button.pick").count();
const expected = (...options) => JSON.parse(shoal("reshape", "spirals.json", ...options, "--json", "-")).clusters.length;
/** What is drawn: ticks tell which part of the plane is seen. */
const seen = (page) => page.evaluate(async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return JSON.stringify(globalThis.drawn.get(document.querySelector(".stage canvas")));
});
async function changes(page, work, what) {
  const before = await seen(page);
  await work();
  assert.notEqual(await seen(page), before, what);
}

/** A finger that moves; two that move apart or together. */
async function fingers(page, ...paths) {
  await canvas(page).scrollIntoViewIfNeeded();
  const box = await canvas(page).boundingBox();
  const session = await page.context().newCDPSession(page);
  const points = (share) => paths.map(([from, to], id) => ({ id, x: box.x + from[0] + share * (to[0] - from[0]), y: box.y + from[1] + share * (to[1] - from[1]) }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(0) });
  for (let i = 1; i <= 4; i++) await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(i / 4) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.locator("h1").tap(); // Chromium takes the first tap after such a move for its end
}

/** How each hand presses, moves and sets. */
const hands = {
  mouse: {
    options: { viewport: { width: 1280, height: 900 } },
    press: (page, target) => target.click(),
    zoomIn: async (page) => {
      await canvas(page).hover();
      await page.mouse.wheel(0, -400);
    },
    pan: async (page) => {
      const box = await canvas(page).boundingBox();
      await page.mouse.move(box.x + 400, box.y + 200);
      await page.mouse.down();
      await page.mouse.move(box.x + 250, box.y + 260, { steps: 4 });
      await page.mouse.up();
    },
    ask: (page, at) => canvas(page).hover({ position: at }),
    pick: (page, at) => canvas(page).click({ position: at }),
    slide: async (page, slider, share) => {
      await slider.scrollIntoViewIfNeeded();
      const box = await slider.boundingBox();
      await page.mouse.click(box.x + 8 + (box.width - 16) * share, box.y + box.height / 2);
    },
    number: async (page, input) => {
      await input.click({ clickCount: 3 });
      await page.keyboard.type("4");
      await page.locator("h1").click();
    },
    choose: (page, select, value) => select.selectOption(value),
    file: (page, input, file) => input.setInputFiles(file),
  },
  touch: {
    options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    /** A tap becomes a click a little later. */
    press: async (page, target) => {
      const clicked = target.evaluate((element) => new Promise((done) => element.addEventListener("click", () => done(), { once: true, capture: true })));
      await target.tap();
      await clicked;
    },
    zoomIn: (page) => fingers(page, [[150, 150], [90, 150]], [[200, 150], [260, 150]]),
    pan: (page) => fingers(page, [[220, 150], [120, 190]]),
    ask: (page, at) => canvas(page).tap({ position: at }),
    pick: (page, at) => canvas(page).tap({ position: at }),
    slide: async (page, slider, share) => {
      await slider.scrollIntoViewIfNeeded();
      const box = await slider.boundingBox();
      await page.touchscreen.tap(box.x + 8 + (box.width - 16) * share, box.y + box.height / 2);
    },
    number: async (page, input) => {
      await input.tap();
      await page.keyboard.press("Control+a"); // the phone's own keys
      await page.keyboard.type("4");
      await page.locator("h1").tap();
    },
    choose: (page, select, value) => select.selectOption(value),
    file: (page, input, file) => input.setInputFiles(file),
  },
  keyboard: {
    options: { viewport: { width: 1280, height: 900 } },
    press: async (page, target) => {
      await target.focus();
      await page.keyboard.press("Enter");
    },
    zoomIn: async (page) => {
      await canvas(page).focus();
      for (let i = 0; i < 4; i++) await page.keyboard.press("+");
    },
    pan: async (page) => {
      await canvas(page).focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
    },
    ask: async (page) => {
      await canvas(page).focus();
      await page.keyboard.press("ArrowLeft");
    },
    /** From cell to cell until one lies in a cluster. */
    pick: async (page) => {
      await canvas(page).focus();
      for (let i = 0; i < 24 && !/Cluster \d/.test(await page.locator(".tip").innerText().catch(() => "")); i++) await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Enter");
    },
    slide: async (page, slider) => {
      await slider.focus();
      for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
    },
    number: async (page, input) => {
      await input.focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("4");
      await page.keyboard.press("Tab");
    },
    choose: async (page, select, value) => {
      await select.focus();
      for (let i = 0; i < 5 && (await select.inputValue()) !== value; i++) await page.keyboard.press("ArrowDown");
    },
    file: async (page, input, file) => {
      const chooser = page.waitForEvent("filechooser");
      await input.focus();
      await page.keyboard.press("Enter");
      await (await chooser).setFiles(file);
    },
  },
};

for (const [name, hand] of Object.entries(hands)) {
  test(`every control by ${name}`, { timeout: 120_000 }, async () => {
    const { page, problems, close } = await open("spirals.html", hand.options);
    const setting = (id) => page.locator(`#set-${id}`);
    const named = (text) => page.getByRole("button", { name: text, exact: true });
    const all = await seen(page);

    // The plane: zoom, pan, buttons, show all.
    await changes(page, () => hand.zoomIn(page), "zooms in");
    await changes(page, () => hand.pan(page), "pans");
    await changes(page, () => hand.press(page, named("Zoom in")), "the button zooms in");
    await changes(page, () => hand.press(page, named("Zoom out")), "the button zooms out");
    await hand.press(page, named("Show all"));
    assert.equal(await seen(page), all, "shows all");

    // A cell, and its cluster: outline, row and branch together.
    const release = JSON.parse(readFileSync(join(folder, "spirals.json"), "utf8"));
    const box = await canvas(page).evaluate((of) => ({ width: of.clientWidth, height: of.clientHeight }));
    const [x, y] = release.clusters[0].outline[0][0][0];
    const at = { x: 58 + 3 + x * (box.width - 72), y: 12 - 3 + (1 - y) * (box.height - 54) };
    await hand.ask(page, at);
    assert.equal(await page.isVisible(".tip"), true);
    assert.match(await page.innerText(".tip"), /x .* to .*\ny .* to .*\nabout [\d,]+ records? \([\d,]+ to [\d,]+\)/);
    if (name === "touch") await hand.press(page, page.locator("tr.selected button.pick")); // a tap asks and picks
    await hand.pick(page, at);
    assert.equal(await page.locator("tr.selected").count(), 1);
    const chosen = Number((await page.locator("tr.selected button.pick").innerText()).trim());
    assert.match(page.url(), new RegExp(`cluster=${chosen}`));
    assert.equal(await page.locator(".tree .branch.selected").count(), await page.locator(".tree .name", { hasText: new RegExp(`^${chosen}$`) }).count());
    await hand.press(page, page.locator("tr.selected button.pick"));
    assert.equal(await page.locator("tr.selected").count(), 0);
    await hand.press(page, page.locator("section.clusters button.pick").first());
    assert.equal(await page.locator("tr.selected").count(), 1);
    const branch = page.locator(".tree .name").first();
    await hand.press(page, branch);
    assert.match(page.url(), new RegExp(`cluster=${parseInt(await branch.textContent(), 10)}|^[^#]*$`));

    // Settings.
    await hand.slide(page, setting("threshold"), 0.8);
    await page.waitForFunction(() => location.hash.includes("percentile"));
    const percentile = Number(new URL(page.url()).hash.match(/percentile=([\d.]+)/)[1]);
    assert.ok(percentile > 60);
    const options = ["--percentile", String(percentile)];
    assert.equal(await picks(page), expected(...options));
    await hand.choose(page, setting("adjacency"), "face");
    options.push("--adjacency", "face");
    assert.equal(await picks(page), expected(...options));
    await hand.number(page, setting("min-cells"));
    options.push("--min-cells", "4");
    assert.equal(await picks(page), expected(...options));
    await hand.choose(page, setting("level"), "2");
    options.push("--level", "2");
    assert.equal(await picks(page), expected(...options));
    for (const [rule, flag, value] of [["coverage", "--coverage", "80"], ["density", "--density", null]]) {
      await hand.choose(page, setting("rule"), rule);
      const shown = value ?? new URL(page.url()).hash.match(/density=([\d.]+)/)[1];
      assert.equal(await picks(page), expected(...options.slice(2), flag, shown), rule);
    }
    assert.match(await page.textContent("pre code"), /^shoal reshape release\.json .*--density [\d.]+ -o view\.html$/);
    const link = page.url();
    await hand.press(page, named("As released"));
    assert.equal(await picks(page), release.clusters.length);
    assert.doesNotMatch(page.url(), /density/);
    await page.evaluate((hash) => (location.hash = hash), new URL(link).hash); // the link restores
    await page.waitForFunction(() => document.querySelector("pre code").textContent.includes("--density"));

    // Doubtful clusters fold out; files are saved; points are labelled.
    await hand.press(page, named("As released"));
    await settled(page);
    const doubtful = page.locator("details.doubtful summary");
    if ((await doubtful.count()) > 0 && (await page.locator("details.doubtful[open]").count()) === 0) {
      await hand.press(page, doubtful);
      assert.equal(await page.locator("details.doubtful[open]").count(), 1);
    }
    for (const suffix of ["JSON", "GeoJSON", "CSV", "SVG", "PNG"]) {
      const saved = page.waitForEvent("download");
      await hand.press(page, named(suffix));
      assert.equal((await saved).suggestedFilename(), `clusters.${suffix.toLowerCase()}`);
    }
    const labels = page.waitForEvent("download");
    await hand.file(page, page.locator("#label-file"), join(folder, "few.csv"));
    assert.equal((await labels).suggestedFilename(), "labels.csv");
    assert.deepEqual(problems, []);
    await close();

    const map = await open("world.html", hand.options);
    await changes(map.page, () => hand.choose(map.page, map.page.locator("#set-projection"), "equal-area"), "another projection");
    assert.deepEqual(map.problems, []);
    await map.close();
  });
}
