// The page in a real browser: every control by mouse, touch and keyboard, and the program's own answers beside the page's.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, makePages, open, root, settled, shoal, stopBrowser } from "./support.mjs";

const axe = readFileSync(join(root, "web/node_modules/axe-core/axe.min.js"), "utf8");

before(() => makePages(["64", "40"], ["128,64", "70"]));
after(stopBrowser);

const headline = (page) => page.textContent("#headline");
const said = /^(Most records (on this map|within the bounds) are in|(One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve|[\d,]+) (area|cluster)s? stands? out:|No (area|cluster) stands out)/;

test("counts have a singular, and count people where each person counts once", async () => {
  const [head, ...rows] = readFileSync(join(folder, "spirals.csv"), "utf8").trim().split("\n");
  writeFileSync(join(folder, "people.csv"), [`${head},person`, ...rows.map((row, i) => `${row},p${i % 900}`)].join("\n") + "\n");
  shoal("release", "people.csv", "--bounds", "x=0:1,y=0:1", "--unit", "person", "--contribution", "share", "--grid", "32", "--percentile", "40",
        "--technique", "privqt", "--epsilon", "1", "--seed", "1", "--json", "people.json");
  shoal("reshape", "people.json", "-o", "people.html");
  for (const [file, word, many] of [["spirals.html", "record", "records"], ["people.html", "person", "people"]]) {
    const { page, close } = await open(file);
    assert.match(await page.innerText("section.clusters table"), new RegExp(`Numbers of ${many} are noisy[^]*Cluster\\s+${many}\\s+Cells`, "i"));
    const [size, least, most] = (await page.innerText("section.clusters tbody tr:first-child td:nth-child(2)")).match(/[\d,]+/g).map((text) => Number(text.replaceAll(",", "")));
    assert.ok(least <= size && size <= most, `${size} is not within ${least} to ${most}`);
    await page.locator(".stage canvas").focus();
    let tips = "";
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press("ArrowRight");
      tips += await page.innerText(".tip");
    }
    assert.match(tips, new RegExp(`about 1 ${word} \\(0 to \\d+\\)`));
    assert.match(tips, new RegExp(`about [02-9] ${many} \\(`));
    assert.doesNotMatch(tips, new RegExp(`about 1 ${many}`));
    await close();
  }
});

test("the page opens from the disk, asks for nothing and breaks no policy", async () => {
  for (const file of ["spirals.html", "world.html"]) {
    const { page, problems, close } = await open(file);
    assert.match(await headline(page), said);
    assert.equal(await page.isVisible("main > figure"), false);
    assert.equal(await page.locator("main > section[id*=clusters]:visible >> text=/^(Doubtful c|C)lusters$/").count(), 0);
    assert.deepEqual(problems, []);
    await close();
  }
});

test("the message comes first; controls and tables are folded, and the link remembers when they are not", async () => {
  shoal("reshape", "world.json", "--title", "Check-ins <2026>", "--source", "An example", "--date", "May 2026", "--contact", "data@example.org", "-o", "titled.html");
  const { page, problems, close } = await open("titled.html", { folded: true, viewport: { width: 1280, height: 900 } });
  assert.equal(await page.textContent("h1"), "Check-ins <2026>");
  assert.match(await page.textContent("p.lead"), said);
  assert.equal(await page.isVisible("section.clusters"), false);
  assert.equal(await page.isVisible("#set-threshold"), false);
  assert.equal(await page.innerText("p.credits"), "Source: An example · Date: May 2026 · Contact: data@example.org");
  const canvas = await page.locator(".stage canvas").boundingBox();
  const main = await page.locator("#shoal-app").boundingBox();
  assert.ok(canvas.width >= main.width - 2, "the map has the full width");
  await page.locator("details.explore > summary").click();
  assert.equal(await page.isVisible("section.clusters"), true);
  await page.waitForFunction(() => location.hash.includes("explore=open"));
  const hash = new URL(page.url()).hash;
  await page.locator("details.explore > summary").click();
  await page.waitForFunction(() => !location.hash.includes("explore"));
  const again = await open("titled.html", { folded: true }, hash);
  assert.equal(await again.page.isVisible("section.clusters"), true);
  await again.close();
  assert.deepEqual(problems, []);
  await close();
});

test("privacy is one line with a link to the whole statement", async () => {
  shoal("release", "spirals.csv", "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "32", "--percentile", "40", "--epsilon", "1", "-o", "private.html");
  const { page, close } = await open("private.html", { folded: true });
  assert.match(await page.innerText("p.privacy"), /Private release Differentially private with epsilon 1 for each single record\. It may be shared\./);
  await page.locator("p.privacy a").click();
  assert.equal(await page.evaluate(() => location.hash), "#privacy-guarantee");
  await page.waitForFunction(() => document.querySelector("#privacy-guarantee").getBoundingClientRect().top < innerHeight);
  await close();
});

test("a warning of an empty release is shown once", async () => {
  shoal("release", "spirals.csv", "--columns", "x,y", "--bounds", "x=5:6,y=5:6", "--grid", "16", "--percentile", "40", "--epsilon", "1", "--seed", "1", "--json", "empty.json");
  shoal("reshape", "empty.json", "-o", "empty.html");
  const { page, close } = await open("empty.html");
  const warnings = await page.locator(".banner.amber:visible").allInnerTexts();
  assert.ok(warnings.length > 0);
  assert.equal(new Set(warnings).size, warnings.length);
  await close();
});

/** The number of pixels of the map that are neither paper nor line. */
const inked = (page) => page.locator(".stage canvas").evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) count++;
  return count;
});

test("cells that noise may explain are drawn only on demand, and the link remembers it", async () => {
  const { page, close } = await open("spirals.html", { folded: true });
  const clean = await inked(page);
  await page.getByLabel("Show cells that noise may explain").check();
  await page.waitForFunction(() => location.hash.includes("cells=all"));
  await page.waitForTimeout(100);
  assert.ok((await inked(page)) > 1.2 * clean, `${clean} to ${await inked(page)}`);
  await close();
  const again = await open("spirals.html", { folded: true }, "#cells=all");
  assert.equal(await again.page.getByLabel("Show cells that noise may explain").isChecked(), true);
  await again.close();
});

test("the legend says what colour, grey, hatching and numbers mean, and the zoom buttons cover no data", async () => {
  for (const [file, counted] of [["spirals.html", "records"], ["people.html", "people"]]) {
    const { page, close } = await open(file, { folded: true });
    const legend = await page.innerText(".legend");
    for (const text of [`the more ${counted}`, `about how many ${counted} it holds`]) assert.ok(legend.includes(text), `${text}: ${legend}`);
    // Grey is spoken of where something is grey.
    assert.equal(legend.includes("Grey"), false, legend);
    await page.getByLabel("Show cells that noise may explain").check();
    assert.ok((await page.innerText(".legend")).includes(`Grey: ${counted} in no cluster, or noise`));
    const doubtful = await page.locator("tr.doubtful").count();
    assert.equal(legend.includes("Hatched"), doubtful > 0);
    const [canvas, buttons] = [await page.locator(".stage canvas").boundingBox(), await page.locator(".zoom").boundingBox()];
    assert.ok(buttons.y >= canvas.y + canvas.height);
    await close();
  }
});

test("a map of the world names countries where they have room, and a city is named by its towns alone", async () => {
  const { page, close } = await open("world.html", { folded: true, viewport: { width: 1280, height: 900 } });
  const texts = await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return globalThis.drawn.get(document.querySelector(".stage canvas")).map(([text]) => text);
  });
  for (const name of ["Australia", "Russia"]) assert.ok(texts.includes(name), texts.join());
  assert.ok(!texts.includes("Belgium"), "Belgium has no room");
  await close();
});

test("names and numbers on a map do not cover each other", async () => {
  const { page, close } = await open("world.html", { folded: true, viewport: { width: 1280, height: 900 } });
  const texts = await page.evaluate(() => {
    const canvas = document.querySelector(".stage canvas");
    const context = canvas.getContext("2d");
    context.font = "11.5px system-ui, sans-serif";
    // Of the last frame: names of towns start at x, numbers and names of countries are centred.
    return globalThis.drawn.get(canvas).filter(([text]) => /^[\d,]+$|[^\d.,-]{4}/.test(text)).map(([text, x, y, , align]) => {
      const width = context.measureText(text).width;
      const left = align === "center" ? x - width / 2 : x;
      return { text, y, left, right: left + width };
    });
  });
  assert.ok(texts.length > 20);
  const collide = texts.flatMap((one, i) => texts.slice(i + 1).filter((other) => Math.abs(one.y - other.y) < 9 && one.left < other.right && other.left < one.right).map((other) => `${one.text} and ${other.text}`));
  assert.deepEqual(collide, []);
  await close();
});

test("the tooltip follows a change of the threshold", async () => {
  const { page, close } = await open("spirals.html");
  await page.locator(".stage canvas").focus();
  for (let i = 0; i < 24 && !/Cluster \d/.test(await page.innerText(".tip").catch(() => "")); i++) await page.keyboard.press("ArrowLeft");
  assert.match(await page.innerText(".tip"), /Cluster \d/);
  await page.evaluate(() => (location.hash = "#percentile=99")); // by a link: the cursor stays where it is
  await page.waitForFunction(() => !/Cluster \d/.test(document.querySelector(".tip").innerText), undefined, { timeout: 5000 });
  assert.match(await page.innerText(".tip"), /in no cluster/);
  await close();
});

test("without scripts the static report is shown", async () => {
  const { page, close } = await open("spirals.html", { javaScriptEnabled: false });
  assert.equal(await page.isVisible("main > figure"), true);
  assert.equal(await page.isVisible("#shoal-app"), false);
  await close();
});

test("confidence, tree, exports and labels are computed beside the page, which stays free", async () => {
  shoal("release", "spirals.csv", "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "256", "--percentile", "99", "--min-cells", "3",
        "--technique", "privqt", "--epsilon", "1", "--seed", "1", "--json", "large.json");
  shoal("reshape", "large.json", "-o", "large.html");
  // Answers of the worker wait until they are let go; its questions are counted.
  const held = (page) => page.addInitScript(() => {
    const { addEventListener, postMessage, terminate } = Worker.prototype;
    globalThis.asked = [];
    globalThis.said = [];
    globalThis.free = false;
    Worker.prototype.postMessage = function (message) {
      globalThis.asked.push(message.question?.ask ?? "start");
      return postMessage.call(this, message);
    };
    Worker.prototype.addEventListener = function (kind, listener) {
      const late = (event) => (globalThis.free || kind !== "message" ? listener(event) : globalThis.said.push(() => this.ended || listener(event)));
      return addEventListener.call(this, kind, late);
    };
    Worker.prototype.terminate = function () {
      this.ended = true; // its answers, held or not, are never heard
      return terminate.call(this);
    };
  });
  const { page, problems, close } = await open("large.html", { prepare: held, settled: false, folded: true }, "#explore=open");
  const table = () => page.textContent("section.clusters table");
  assert.match(await table(), /computing …/);
  assert.equal(await page.isVisible(".working"), true);
  assert.match(await page.textContent(".panel"), /Computing the tree/);
  await page.locator("#set-threshold").fill("98"); // meanwhile the clusters follow
  assert.match(await page.textContent("pre code"), /--percentile 98/);
  await page.evaluate(() => {
    globalThis.free = true;
    globalThis.said.forEach((work) => work());
  });
  await settled(page);
  assert.doesNotMatch(await table(), /computing/);
  assert.equal(await page.isVisible(".working"), false);
  assert.match(await page.textContent(".panel"), /Dashed: the threshold|No branch stands out/);
  const waiting = page.waitForEvent("download");
  await page.locator("[data-export=geojson]").click();
  await waiting;
  await page.setInputFiles("#label-file", join(folder, "spirals.csv"));
  await page.getByText("rows labelled by").waitFor();
  assert.deepEqual(new Set(await page.evaluate(() => globalThis.asked)), new Set(["start", "view", "tree", "file", "labels"]));
  assert.deepEqual(problems, []);
  await close();
});

test("a browser without workers computes in the page", async () => {
  const none = (page) => page.addInitScript(() => {
    globalThis.Worker = class {
      constructor() {
        throw new Error("no workers");
      }
    };
  });
  const { page, problems, close } = await open("spirals.html", { prepare: none });
  assert.match(await page.textContent("section.clusters table"), /real/);
  assert.match(await page.textContent(".panel"), /Dashed: the threshold/);
  assert.deepEqual(problems, []);
  await close();
});

test("--static writes the report alone", () => {
  shoal("reshape", "spirals.json", "--static", "-o", "small.html");
  const text = readFileSync(join(folder, "small.html"), "utf8");
  assert.equal(text.includes("<script"), false);
});

test("the page is at most 850 kB larger than the release", () => {
  const size = (name) => readFileSync(join(folder, name)).length;
  assert.ok(size("spirals.html") <= size("spirals.json") + 850_000, `${size("spirals.html")}`);
  assert.ok(size("world.html") <= size("world.json") + 1_130_000, `${size("world.html")}`);
});

test("the slider reshapes, the link restores it, and a button goes back", async () => {
  const { page, problems, close } = await open("spirals.html");
  const released = await headline(page);
  await page.locator("#set-threshold").fill("85");
  const reshaped = JSON.parse(shoal("reshape", "spirals.json", "--percentile", "85", "--json", "-"));
  await page.waitForFunction(() => location.hash.includes("percentile=85"));
  const rows = await page.locator("section.clusters button.pick").count();
  assert.equal(rows, reshaped.clusters.length);
  await settled(page);
  const shown = await headline(page);
  const again = await open("spirals.html", {}, "#percentile=85");
  assert.equal(await headline(again.page), shown);
  await again.close();
  await page.getByRole("button", { name: "As released" }).click();
  await settled(page);
  assert.equal(await headline(page), released);
  assert.deepEqual(problems, []);
  await close();
});

test("every control changes the view as the program does", async () => {
  const { page, close } = await open("spirals.html");
  const clusters = () => page.locator("section.clusters button.pick").count();
  const expected = (...options) => JSON.parse(shoal("reshape", "spirals.json", ...options, "--json", "-")).clusters.length;
  await page.selectOption("#set-adjacency", "face");
  assert.equal(await clusters(), expected("--adjacency", "face"));
  await page.locator("#set-min-cells").fill("4");
  await page.locator("#set-min-cells").press("Enter");
  await page.locator("#set-min-cells").blur();
  assert.equal(await clusters(), expected("--adjacency", "face", "--min-cells", "4"));
  await page.selectOption("#set-level", "2");
  assert.equal(await clusters(), expected("--adjacency", "face", "--min-cells", "4", "--level", "2"));
  await page.selectOption("#set-rule", "coverage");
  assert.equal(await clusters(), expected("--adjacency", "face", "--min-cells", "4", "--level", "2", "--coverage", "80"));
  assert.match(await page.textContent("pre code"), /--coverage 80/);
  await close();
});

test("hover, click and keys find a cluster", async () => {
  const { page, close } = await open("spirals.html");
  const canvas = page.locator(".stage canvas");
  const box = await canvas.boundingBox();
  const release = JSON.parse(readFileSync(join(folder, "spirals.json"), "utf8"));
  const [x, y] = release.clusters[0].outline[0][0][0];
  const at = { x: 58 + 1 + x * (box.width - 72), y: 12 - 1 + (1 - y) * (box.height - 54) };
  await canvas.hover({ position: { x: at.x + 2, y: at.y - 2 } });
  assert.match(await page.textContent(".tip"), /about [\d,]+ records?/);
  await canvas.click({ position: { x: at.x + 2, y: at.y - 2 } });
  await page.waitForSelector("tr.selected");
  assert.match(page.url(), /cluster=\d+/);
  await page.locator("tr.selected button.pick").click();
  assert.equal(await page.locator("tr.selected").count(), 0);
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.isVisible(".tip"), true);
  assert.match(await page.textContent("[aria-live]"), /x .* to .*, y .* to /);
  await page.keyboard.press("+");
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible(".tip"), false);
  await close();
});

test("touch selects and pinches", async () => {
  const { page, close } = await open("spirals.html", { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  await page.locator("section.clusters button.pick").first().tap();
  await page.waitForSelector("tr.selected");
  await page.locator(".stage canvas").evaluate((canvas) => canvas.scrollIntoView());
  const box = await page.locator(".stage canvas").boundingBox();
  const session = await page.context().newCDPSession(page);
  const finger = (x, y, id) => ({ x: box.x + x, y: box.y + y, id });
  const before = await page.locator(".stage canvas").screenshot();
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [finger(150, 150, 0), finger(170, 150, 1)] });
  for (let i = 1; i <= 5; i++) {
    await session.send("Input.dispatchTouchEvent", {
      type: "touchMove", touchPoints: [finger(150 - 10 * i, 150, 0), finger(170 + 10 * i, 150, 1)],
    });
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  const zoomed = await page.locator(".stage canvas").screenshot();
  assert.equal(before.equals(zoomed), false);
  await close();
});

test("exports are the files that the program writes", async () => {
  const { page, close } = await open("spirals.html", {}, "#percentile=70&adjacency=face");
  for (const suffix of ["json", "geojson", "csv", "svg", "png"]) {
    const waiting = page.waitForEvent("download");
    await page.locator(`[data-export=${suffix}]`).click();
    const saved = join(folder, `page.${suffix}`);
    await (await waiting).saveAs(saved);
    shoal("reshape", "spirals.json", "--percentile", "70", "--adjacency", "face", "-o", `program.${suffix}`, "--force");
    const ours = readFileSync(saved);
    const theirs = readFileSync(join(folder, `program.${suffix}`));
    if (suffix === "json") assert.deepEqual(JSON.parse(ours).clusters.map((c) => c.runs), JSON.parse(theirs).clusters.map((c) => c.runs));
    else if (suffix === "csv") assert.equal(ours.toString(), theirs.toString());
    else assert.ok(ours.length > 500);
  }
  await close();
});

test("levels side by side are drawn when they are opened, and follow the settings", async () => {
  const { page, problems, close } = await open("spirals.html");
  const picture = page.locator("details.levels img");
  assert.equal(await picture.count(), 0, "nothing is computed before it is asked for");
  await page.locator("details.levels summary").click();
  await picture.waitFor();
  const height = () => picture.evaluate((image) => image.decode().then(() => image.naturalHeight));
  assert.ok((await height()) > 300);
  const address = await picture.getAttribute("src");
  await page.locator("#set-adjacency").selectOption("face");
  await page.waitForFunction((old) => document.querySelector("details.levels img")?.src !== old, address);
  assert.ok((await height()) > 300);
  assert.deepEqual(problems, []);
  await close();
});

test("a CSV is labelled as predict labels it", async () => {
  const { page, problems, close } = await open("spirals.html");
  const waiting = page.waitForEvent("download");
  await page.setInputFiles("#label-file", join(folder, "spirals.csv"));
  const saved = join(folder, "page-labels.csv");
  await (await waiting).saveAs(saved);
  shoal("predict", "spirals.json", "spirals.csv", "--columns", "x,y", "-o", "labels.csv");
  assert.equal(readFileSync(saved, "utf8"), readFileSync(join(folder, "labels.csv"), "utf8"));
  writeFileSync(join(folder, "ragged.csv"), "x,y\n0.1,0.2\n0.3\n");
  await page.setInputFiles("#label-file", join(folder, "ragged.csv"));
  await page.getByText("line 3 has 1 fields").waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test("a setting that the release does not allow is said, and nothing changes", async () => {
  const { page, close } = await open("world.html", {}, "#level=1&wavelet=bior2.2");
  assert.match(await headline(page), said);
  await page.evaluate(() => (location.hash = "#wavelet=bior2.2"));
  await page.getByText(/Not available: /).first().waitFor();
  await close();
});

for (const [name, options] of [
  ["laptop", { viewport: { width: 1280, height: 900 } }],
  ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing (${name})`, async () => {
    for (const file of ["spirals.html", "world.html"]) {
      const { page, close } = await open(file, options);
      // axe runs outside the page's policy, as an extension would.
      const session = await page.context().newCDPSession(page);
      await session.send("Page.setBypassCSP", { enabled: true });
      await page.reload();
      await page.waitForSelector("html.live");
      await settled(page);
      await page.addScriptTag({ content: axe });
      const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
      assert.deepEqual(found.violations.map((each) => `${each.id}: ${each.nodes[0].html}`), []);
      await close();
    }
  });
}
