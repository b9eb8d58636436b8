// A file of several parts in a real browser: all of them side by side, and each explored.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, open, settled, shoal, stopBrowser } from "./support.mjs";

const wards = ["Surgery", "Intensive care", "Maternity"];

before(() => {
  shoal("datasets", "ds2", "--seed", "1", "-o", "spirals.csv");
  const rows = readFileSync(join(folder, "spirals.csv"), "utf8").trim().split("\n").slice(1);
  const stays = rows.map((row, i) => `${row.split(",").slice(0, 2)},${wards[i % 3]}`);
  writeFileSync(join(folder, "stays.csv"), `x,y,ward\n${stays.join("\n")}\n`);
  shoal("release", "stays.csv", "--by", `ward=${wards.join("|")}`, "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--auto",
        "--epsilon", "1", "--seed", "1", "--json", "wards.json");
  shoal("reshape", "wards.json", "-o", "wards.html");
});
after(stopBrowser);

const laptop = { viewport: { width: 1280, height: 900 } };
const clustersOf = (group, ...options) => JSON.parse(shoal("reshape", "wards.json", "--group", group, ...options, "--json", "-")).clusters;
const picks = (page) => page.locator("section.clusters button.pick").count();
const part = (page, name) => page.getByRole("navigation", { name: "Parts of this file" }).getByRole("button", { name });

test("all parts are shown side by side and each is explored, by mouse, touch and keys", async () => {
  const { page, problems, close } = await open("wards.html", { ...laptop, hasTouch: true });
  assert.equal(await page.getByRole("navigation").getByRole("button").count(), 3);
  assert.match(await page.textContent("#headline"), /^Surgery: (Most records|\w+ clusters? stands? out|No cluster)/);
  assert.equal(await picks(page), clustersOf("Surgery").length);
  await part(page, "Maternity").click();
  await settled(page);
  assert.match(await page.textContent("#headline"), /^Maternity: /);
  assert.equal(await part(page, "Maternity").getAttribute("aria-current"), "true");
  assert.equal(await part(page, "Surgery").getAttribute("aria-current"), null);
  assert.equal(await picks(page), clustersOf("Maternity").length);
  await part(page, "Surgery").tap();
  assert.match(await page.textContent("#headline"), /^Surgery: /);
  await part(page, "Intensive care").focus();
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#headline"), /^Intensive care: /);
  await page.locator(".stage canvas").focus();
  await page.keyboard.press("PageDown");
  assert.match(await page.textContent("#headline"), /^Maternity: /);
  assert.equal(await page.evaluate(() => document.activeElement.matches(".stage canvas")), true);
  await page.keyboard.press("PageUp");
  assert.match(await page.textContent("#headline"), /^Intensive care: /);
  assert.deepEqual(problems, []);
  await close();
});

test("what holds for all parts is said once, and the sizes of wards stand beside their whole names", async () => {
  const rows = readFileSync(join(folder, "stays.csv"), "utf8").trim().split("\n");
  writeFileSync(join(folder, "patients.csv"), rows.map((row, i) => `${i ? `p${i % 9000}` : "patient"},${row}`).join("\n") + "\n");
  shoal("release", "patients.csv", "--by", `ward=${wards.join("|")}`, "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--auto",
        "--unit", "patient", "--contribution", "share", "--epsilon", "1", "--seed", "1", "--json", "patients.json");
  shoal("reshape", "patients.json", "-o", "patients.html");
  const { page, problems, close } = await open("patients.html", laptop);
  for (const name of ["Surgery", "Maternity"]) {
    await part(page, name).click();
    await settled(page);
    const notices = await page.locator(".banner.amber:visible").allInnerTexts();
    assert.equal(notices.filter((text) => text.includes("chosen at random")).length, 1, notices.join("\n"));
    assert.equal(new Set(notices).size, notices.length);
  }
  await page.locator(".charts .row").first().waitFor();
  const charts = await page.locator(".charts .one").count();
  assert.deepEqual(await page.locator(".charts .one").first().locator(".row .name").allTextContents(), wards);
  assert.deepEqual(await page.locator(".charts .row.now .name").allTextContents(), Array(charts).fill("Maternity"));
  const apart = await page.locator(".charts .one").first().evaluate((chart) => {
    const names = [...chart.querySelectorAll(".name")].map((name) => name.getBoundingClientRect());
    const { left, right } = chart.getBoundingClientRect();
    return names.every((box, i) => box.left >= left && box.right <= right && (i === 0 || box.top >= names[i - 1].bottom - 3));
  });
  assert.ok(apart);
  assert.deepEqual(problems, []);
  await close();
});

test("settings hold for every part, and the link restores part and settings", async () => {
  const { page, problems, close } = await open("wards.html", laptop, "#group=Maternity&percentile=80");
  assert.match(await page.textContent("#headline"), /^Maternity: /);
  assert.equal(await picks(page), clustersOf("Maternity", "--percentile", "80").length);
  assert.match(await page.textContent("pre code"), /^shoal reshape groups\.json --group Maternity --percentile 80 -o view\.html$/);
  await part(page, "Intensive care").click();
  await settled(page);
  const expected = clustersOf("Intensive care", "--percentile", "80");
  assert.equal(await picks(page), expected.length);
  assert.match(page.url(), /#group=Intensive\+care&percentile=80(&explore=open)?$/);
  assert.match(await page.textContent("pre code"), /--group 'Intensive care' /);
  // The small picture says what the explored one says.
  const sure = await page.locator("section.clusters tr:not(.doubtful) button.pick").count();
  assert.ok((await part(page, "Intensive care").innerText()).includes(`${sure} cluster`));
  const waiting = page.waitForEvent("download");
  await page.locator("[data-export=json]").click();
  const file = await waiting;
  assert.equal(file.suggestedFilename(), "clusters-Intensive-care.json");
  await file.saveAs(join(folder, "one.json"));
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "one.json"))).clusters.map((each) => each.runs), expected.map((each) => each.runs));
  assert.deepEqual(problems, []);
  await close();
});

test("a chosen cluster stands out in every part, in one colour", async () => {
  const { page, close } = await open("wards.html", laptop);
  const colours = () => page.locator(".parts canvas").evaluateAll((canvases) => canvases.map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b, a] = data.slice(i, i + 4);
      if (a > 120 && Math.max(r, g, b) - Math.min(r, g, b) > 60) {
        // The hue is that of the cluster, whatever the density.
        const [top, low] = [Math.max(r, g, b), Math.min(r, g, b)];
        const turn = top === r ? (g - b) / (top - low) : top === g ? 2 + (b - r) / (top - low) : 4 + (r - g) / (top - low);
        const key = String(Math.floor(turn)); // blue 3, orange 0, green 2
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return [...counts].sort((x, y) => y[1] - x[1]).slice(0, 3).map(([key]) => key).sort();
  }));
  const before = await colours();
  assert.equal(before[0].length, 3);
  assert.deepEqual(before[1], before[0]);
  assert.deepEqual(before[2], before[0]);
  await page.locator("section.clusters button.pick").first().click();
  const chosen = await colours();
  assert.ok(chosen.every((of) => of.length === 1 && of[0] === chosen[0][0]), JSON.stringify(chosen));
  await close();
});

test("a file of parts without scripts, as --static, and its size", async () => {
  const { page, close } = await open("wards.html", { javaScriptEnabled: false });
  assert.equal(await page.isVisible("main > figure"), true);
  assert.equal(await page.isVisible("#group-2"), true);
  await close();
  shoal("reshape", "wards.json", "--static", "-o", "static.html");
  assert.equal(readFileSync(join(folder, "static.html"), "utf8").includes("<script"), false);
  const size = (name) => readFileSync(join(folder, name)).length;
  assert.ok(size("wards.html") <= size("wards.json") + 800_000, `${size("wards.html")}`);
});

test("a release with insets is explored part by part, and each has clusters of its own", async () => {
  // Many records in a corner, in four spots; few anywhere else.
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const near = (middle, width) => middle + width * (random() + random() + random() - 1.5);
  const rows = Array.from({ length: 24000 }, (_, i) => i % 12
    ? `${near(i % 2 ? 0.06 : 0.1, 0.006)},${near(i % 4 < 2 ? 0.06 : 0.1, 0.006)}` : `${near(0.7, 0.1)},${near(0.6, 0.1)}`);
  writeFileSync(join(folder, "towns.csv"), `x,y\n${rows.join("\n")}\n`);
  shoal("release", "towns.csv", "--bounds", "x=0:1,y=0:1", "--auto", "--insets", "2", "--epsilon", "2", "--seed", "1", "--json", "towns.json");
  shoal("reshape", "towns.json", "-o", "towns.html");
  const file = JSON.parse(readFileSync(join(folder, "towns.json"), "utf8"));
  const { page, problems, close } = await open("towns.html", laptop);
  assert.equal(await page.getByRole("navigation").getByRole("button").count(), file.parts.length);
  assert.match(await page.textContent("#headline"), /^(Most records|\w+ (cluster|area)s? stands? out|No)/);
  assert.equal(await page.locator("#where-the-insets-lie figure").isVisible(), false); // the map itself shows them
  await part(page, "inset 1").click();
  await settled(page);
  assert.match(await page.textContent("#headline"), /^Inset 1: (Most records|\w+ clusters? stands? out|No)/);
  assert.match(await page.innerText(".labelling"), /by the clusters of inset 1 alone/);
  const { clusters } = JSON.parse(shoal("reshape", "towns.json", "--group", "1", "--json", "-"));
  assert.ok(clusters.length >= 4, `${clusters.length} clusters`);
  assert.equal(await picks(page), clusters.length);
  assert.match(await page.textContent("pre code"), /^shoal reshape insets\.json --group 1 -o view\.html$/);
  assert.match(page.url(), /#group=1/);
  assert.deepEqual(problems, []);
  await close();
});
