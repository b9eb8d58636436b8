// What a publisher and a reader do with a page that shows time, places and three axes: texts, parts that are played, insets, slices.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, open, root, settled, shoal, stopBrowser } from "./support.mjs";

const axe = readFileSync(join(root, "web/node_modules/axe-core/axe.min.js"), "utf8");
const laptop = { viewport: { width: 1280, height: 900 } };
const city = ["--columns", "lon,lat", "--bounds", "lon=13.1:13.7,lat=52.3:52.7", "--auto", "--epsilon", "1", "--seed", "1"];
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const near = (middle, width) => middle + width * (random() + random() + random() - 1.5);
const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
const number = (text) => Number(text.replaceAll(",", ""));

before(() => {
  const days = ["2026-01-05", "2026-01-12", "2026-01-19"];
  const rows = Array.from({ length: 24000 }, (_, i) => `${days[i % 3]},${near(i % 4 ? 13.3 : 13.55, 0.05).toFixed(5)},${near(i % 4 ? 52.5 : 52.4, 0.04).toFixed(5)}`);
  writeFileSync(join(folder, "visits.csv"), `day,lon,lat\n${rows.join("\n")}\n`);
  const square = (west, south, side) => [[[west, south], [west + side, south], [west + side, south + side], [west, south + side], [west, south]]];
  const feature = (type, coordinates, properties) => ({ type: "Feature", properties, geometry: { type, coordinates } });
  writeFileSync(join(folder, "map.geojson"), JSON.stringify({
    type: "FeatureCollection", attribution: "Map: City of Springfield.",
    features: [feature("Polygon", square(13.2, 52.4, 0.2), { name: "Bigtown" }), feature("Point", [13.5, 52.6], { name: "Station" })],
  }));
  shoal("release", "visits.csv", ...city, "--json", "city.json");
  shoal("reshape", "city.json", "-o", "city.html");
  shoal("reshape", "city.json", "--basemap", "map.geojson", "--title", "Before", "-o", "own.html");
  shoal("release", "visits.csv", ...city, "--by", "day=2026-W02..2026-W04", "--json", "weeks.json");
  shoal("reshape", "weeks.json", "-o", "weeks.html");
  const wards = ["North", "South"];
  const cubes = Array.from({ length: 12000 }, (_, i) => `${near(i % 2 ? 0.3 : 0.7, 0.1).toFixed(4)},${near(0.5, 0.1).toFixed(4)},${near(i % 2 ? 0.25 : 0.75, 0.1).toFixed(4)},${wards[i % 2]}`);
  writeFileSync(join(folder, "cubes.csv"), `x,y,z,ward\n${cubes.join("\n")}\n`);
  shoal("release", "cubes.csv", "--columns", "x,y,z", "--bounds", "x=0:1,y=0:1,z=0:1", "--auto", "--epsilon", "1", "--seed", "1", "--json", "cubes.json");
  shoal("reshape", "cubes.json", "-o", "cubes.html");
  shoal("release", "cubes.csv", "--columns", "x,y,ward", "--bounds", "x=0:1,y=0:1,ward=North|South:category", "--auto",
        "--epsilon", "1", "--seed", "1", "--json", "wards.json");
  shoal("reshape", "wards.json", "-o", "wards.html");
  const spots = Array.from({ length: 24000 }, (_, i) => i % 12
    ? `${near(i % 2 ? 13.16 : 13.2, 0.004).toFixed(5)},${near(i % 4 < 2 ? 52.34 : 52.37, 0.004).toFixed(5)}` : `${near(13.5, 0.05).toFixed(5)},${near(52.55, 0.05).toFixed(5)}`);
  writeFileSync(join(folder, "spots.csv"), `lon,lat\n${spots.join("\n")}\n`);
  shoal("release", "spots.csv", "--columns", "lon,lat", "--bounds", "lon=13.1:13.7,lat=52.3:52.7", "--auto", "--insets", "2", "--epsilon", "2", "--seed", "1", "--json", "spots.json");
  shoal("reshape", "spots.json", "-o", "spots.html");
});
after(stopBrowser);

const drawn = (page, plane = 0) => page.evaluate(async (at) => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return globalThis.drawn.get(document.querySelectorAll(".stage canvas")[at]);
}, plane);
const pictureOf = (page, at) => page.locator(".stage canvas").nth(at).evaluate(async (canvas) => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return canvas.toDataURL();
});

test("beside the map the clusters are listed with their sizes and intervals, and chosen by mouse and keys", async () => {
  const { page, problems, close } = await open("city.html", { ...laptop, folded: true });
  const { clusters } = json("city.json");
  const rows = page.locator(".ranking li button");
  assert.ok((await rows.count()) >= 2);
  for (const row of await rows.all()) {
    const text = await row.innerText();
    const id = Number(await row.getAttribute("data-id"));
    const { size, size_95: interval } = clusters[id - 1];
    const numbers = (await row.locator(".size").innerText()).match(/[\d,]+/g).map(number);
    assert.deepEqual(numbers, [size, ...interval], text);
  }
  const sizes = (await rows.locator(".size b").allInnerTexts()).map(number);
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
  await rows.first().click();
  assert.equal(await rows.first().getAttribute("aria-pressed"), "true");
  assert.match(page.url(), /cluster=\d/);
  await page.keyboard.press("Enter"); // the focus stays
  assert.equal(await rows.first().getAttribute("aria-pressed"), "false");
  assert.deepEqual(problems, []);
  await close();
});

test("a map has no degrees along its sides; its scale lies inside", async () => {
  const { page, close } = await open("city.html", { ...laptop, folded: true });
  const texts = (await drawn(page)).map(([text]) => text);
  assert.ok(texts.some((text) => /^\d+ km$/.test(text)));
  assert.ok(!texts.some((text) => /^(lon|lat|\d+\.\d+)$/.test(text)), texts.join());
  const corner = await page.locator(".stage canvas").evaluate((canvas) => [...canvas.getContext("2d").getImageData(3, 3, 1, 1).data]);
  assert.deepEqual(corner, [0xfa, 0xf8, 0xf3, 255]); // land up to the edge
  const { width, height } = await page.locator(".stage canvas").boundingBox();
  const [map, below] = [await page.locator(".stage canvas").boundingBox(), await page.locator(".zoom").boundingBox()];
  assert.ok(below.x + below.width <= map.x + map.width + 1 && below.y >= map.y + map.height, "the buttons belong to the map");
  const bounds = (0.6 * Math.cos((52.5 * Math.PI) / 180)) / 0.4;
  assert.ok(Math.abs(width / height - bounds) < 0.03, `${width} x ${height}`);
  await close();
});

test("texts are changed on the page, and the saved page and its release hold them", async () => {
  const { page, problems, close } = await open("own.html", { ...laptop, acceptDownloads: true });
  assert.equal(await page.textContent("h1"), "Before");
  const found = await page.textContent("#headline");
  await page.getByLabel("Title").fill("Where <b>visitors</b> stay & sleep");
  await page.getByLabel("Source").fill("City of Springfield");
  await page.getByLabel("Contact").fill("data@example.org");
  assert.equal(await page.textContent("h1"), "Where <b>visitors</b> stay & sleep");
  assert.equal(await page.textContent("#headline"), found);
  assert.equal(await page.textContent("p.credits"), "Source: City of Springfield \u00b7 Contact: data@example.org");
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save this page" }).click();
  await (await waiting).saveAs(join(folder, "saved.html"));
  const svg = page.waitForEvent("download");
  await page.locator("[data-export=svg]").click();
  await (await svg).saveAs(join(folder, "saved.svg"));
  assert.ok(readFileSync(join(folder, "saved.svg"), "utf8").includes("Where &lt;b&gt;visitors&lt;/b&gt; stay &amp; sleep"));
  await page.getByLabel("Title").fill("");
  assert.equal(await page.textContent("h1"), found);
  assert.equal(await page.locator("h1#headline").count(), 1);
  assert.deepEqual(problems, []);
  await close();

  const again = await open("saved.html", { ...laptop, folded: true });
  assert.equal(await again.page.textContent("h1"), "Where <b>visitors</b> stay & sleep");
  assert.equal(await again.page.textContent("#headline"), found);
  assert.equal(await again.page.textContent("p.credits"), "Source: City of Springfield \u00b7 Contact: data@example.org");
  assert.equal(await again.page.locator(".ranking li").count() > 0, true);
  const release = await again.page.textContent("#shoal-release");
  assert.deepEqual(again.problems, []);
  await again.close();
  writeFileSync(join(folder, "inside.json"), release);
  shoal("reshape", "inside.json", "-o", "inside.html"); // its checksum fits
  const { publication } = JSON.parse(release);
  assert.deepEqual({ ...publication, base_map: undefined }, {
    title: "Where <b>visitors</b> stay & sleep", source: "City of Springfield", contact: "data@example.org", base_map: undefined,
  });
  assert.deepEqual(publication.base_map.places.map(([name]) => name), ["Station", "Bigtown"]);
});

test("the owner's base map lies under the map, with its source in the legend", async () => {
  const { page, close } = await open("own.html", { ...laptop, folded: true });
  const texts = (await drawn(page)).map(([text]) => text);
  assert.ok(texts.includes("Station") && !texts.includes("Potsdam"), texts.join());
  assert.equal(await page.innerText(".legend .sources"), "Map: City of Springfield.");
  await close();
});

test("groups that follow each other are played and moved through by a slider; the view stays", async () => {
  const { page, problems, close } = await open("weeks.html", { ...laptop, folded: true });
  const now = () => page.locator(".multiples [aria-current] b").innerText();
  assert.equal(await now(), "2026-W02");
  for (let i = 0; i < 4; i++) await page.getByRole("button", { name: "Zoom in" }).click();
  const scale = async () => (await drawn(page)).find(([text]) => / k?m$/.test(text))[0];
  const zoomed = await scale();
  await page.getByRole("slider", { name: "Part that is shown" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await now(), "2026-W03");
  assert.equal(await page.getByRole("slider", { name: "Part that is shown" }).getAttribute("aria-valuetext"), "2026-W03");
  assert.equal(await scale(), zoomed);
  assert.ok(await page.isVisible("p.privacy"));
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => document.querySelector(".multiples [aria-current] b").textContent === "2026-W04");
  await page.getByRole("button", { name: "Play" }).waitFor(); // it stops at the end
  assert.equal(await now(), "2026-W04");
  await page.getByRole("button", { name: "Play" }).click(); // from the first again
  assert.equal(await now(), "2026-W02");
  await page.getByRole("button", { name: "Pause" }).click();
  assert.deepEqual(problems, []);
  await close();
});

test("the sizes over the groups are drawn and stand in a table, with the intervals of the release", async () => {
  const { page, close } = await open("weeks.html", { ...laptop, folded: true });
  const { groups } = json("weeks.json");
  assert.ok(groups.every(({ release }) => release.clusters.length === 2));
  assert.equal(await page.locator(".charts svg").count(), 2);
  assert.equal(await page.locator(".charts circle").count(), 6);
  assert.equal(await page.locator(".charts .range").count(), 6);
  await page.getByText("The same as a table").click();
  for (const row of await page.locator(".sizes tbody tr").all()) {
    const cells = (await row.locator("td").allInnerTexts()).map((text) => text.match(/[\d,]+/g).map(number));
    cells.forEach((cell, i) => {
      const cluster = groups[i].release.clusters.find(({ size }) => size === cell[0]);
      assert.deepEqual(cell, [cluster.size, ...cluster.size_95], `group ${i}`);
      const other = groups[0].release.clusters.find(({ size }) => size === cells[0][0]);
      assert.ok(Math.hypot(cluster.centroid[0] - other.centroid[0], cluster.centroid[1] - other.centroid[1]) < 0.05, "another place");
    });
  }
  await page.locator(".charts circle").nth(2).click();
  assert.equal(await page.locator(".multiples [aria-current] b").innerText(), "2026-W04");
  assert.equal(await page.locator(".ranking [aria-pressed=true]").count(), 1);
  await close();
});

test("the small maps have the shape of the map and the base map", async () => {
  const { page, close } = await open("weeks.html", { ...laptop, folded: true });
  const small = page.locator(".multiples canvas").first();
  const { width, height } = await small.boundingBox();
  const large = await page.locator(".stage canvas").boundingBox();
  assert.ok(Math.abs(width / height - large.width / large.height) < 0.05);
  const land = await small.evaluate((canvas) => [...canvas.getContext("2d").getImageData(2, 2, 1, 1).data]);
  assert.deepEqual(land, [0xfa, 0xf8, 0xf3, 255]);
  await close();
});

test("insets are drawn where they lie; the pointer asks them and a click opens them", async () => {
  const inset = json("spots.json").parts[1].release;
  const { page, problems, close } = await open("spots.html", { ...laptop, folded: true });
  const canvas = page.locator(".stage canvas");
  const { width, height } = await canvas.boundingBox();
  const cluster = inset.clusters[0];
  const position = { x: ((cluster.centroid[0] - 13.1) / 0.6) * width, y: ((52.7 - cluster.centroid[1]) / 0.4) * height };
  await canvas.hover({ position });
  assert.match(await page.innerText(".tip"), new RegExp(`^Inset 1: click to explore it[^]*Cluster ${cluster.id}\\b`));
  await canvas.click({ position });
  assert.equal(await page.locator(".multiples [aria-current] b").innerText(), "inset 1");
  assert.match(page.url(), new RegExp(`group=1&.*cluster=${cluster.id}|cluster=${cluster.id}&.*group=1`));
  assert.deepEqual(problems, []);
  await close();
});

test("clusters of insets are listed below those of the overview, with the numbers that the map shows", async () => {
  const { page, problems, close } = await open("spots.html", { ...laptop, folded: true });
  const insets = json("spots.json").parts.slice(1);
  const expected = insets.flatMap(({ name, release }) => release.clusters.filter(({ confidence }) => !(confidence?.real < 0.8)).map(({ id }) => `${name}.${id}`));
  const rows = page.locator(".ranking [data-id*='.']");
  assert.match(await page.innerText(".ranking"), /Of these in inset 1, in finer cells/);
  const listed = await rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-id")));
  assert.ok(listed.length > 0 && listed.every((number) => expected.includes(number)), `${listed} of ${expected}`);
  const { width, height } = await page.locator(".stage canvas").boundingBox();
  const [x, y] = insets[0].release.clusters[0].centroid;
  await page.locator(".stage canvas").hover({ position: { x: ((x - 13.1) / 0.6) * width, y: ((52.7 - y) / 0.4) * height } });
  for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -60);
  const texts = (await drawn(page)).filter(([, , , bold]) => bold).map(([text]) => text);
  assert.ok(texts.includes(`1.${insets[0].release.clusters[0].id}`), texts.join());
  const first = listed[0];
  await rows.first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".multiples [aria-current] b").innerText(), `inset ${first.split(".")[0]}`);
  assert.equal(await page.locator(".ranking [aria-pressed=true]").getAttribute("data-id"), first.split(".")[1]);
  assert.deepEqual(problems, []);
  await close();
});

test("the cells of the picture are a table as well, which follows the settings", async () => {
  const { page, problems, close } = await open("city.html", laptop);
  await page.getByText("Show the densest cells as a table").focus();
  await page.keyboard.press("Enter");
  const rows = page.locator("[aria-label='Cells by lon and lat'] tbody tr");
  await rows.first().waitFor();
  const { clusters } = json("city.json");
  const cells = clusters.reduce((sum, each) => sum + each.cells, 0);
  assert.ok((await rows.count()) > 5 && (await rows.count()) <= 200);
  const first = await rows.first().locator("td").allInnerTexts();
  assert.match(first[0], /^13\.\d+ to 13\.\d+$/);
  assert.match(first[2], /^about [\d,]+ records \([\d,]+ to [\d,]+\)$/);
  assert.ok(clusters.some(({ id }) => String(id) === first[3]));
  const sizes = (await rows.locator("td:nth-child(3)").allInnerTexts()).map((text) => number(/[\d,]+/.exec(text)[0]));
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
  const count = await rows.count();
  assert.ok(count >= Math.min(200, cells), `${count} of ${cells}`);
  const drawnCells = async () => number(/The 200 densest of ([\d,]+) are listed/.exec(await page.locator("[aria-label='Cells by lon and lat'] caption").innerText())[1]);
  const before = await drawnCells();
  await page.getByLabel("Show cells that noise may explain").check();
  assert.ok((await drawnCells()) > before, `${await drawnCells()} after ${before}`);
  assert.deepEqual(problems, []);
  await close();
});

test("how the release was made is folded, and unfolded on paper", async () => {
  const { page, close } = await open("city.html", { ...laptop, folded: true });
  assert.equal(await page.locator("#how-the-clusters-were-found table").isVisible(), false);
  await page.getByText("How this was made").click();
  assert.equal(await page.locator("#how-the-clusters-were-found table").isVisible(), true);
  await page.getByText("How this was made").click();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("#how-the-clusters-were-found table").isVisible(), true);
  await page.emulateMedia({ media: "print" });
  for (const hidden of [".zoom", ".publishing", ".exports", ".by-level", ".explore > summary"]) {
    assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
  }
  await close();
});

test("a slice of three axes shows the cells of that slice alone, with the interval of their sum; the link keeps it", async () => {
  const { page, problems, close } = await open("cubes.html", { ...laptop, folded: true });
  const whole = await pictureOf(page, 0);
  await page.getByLabel("Slice", { exact: true }).selectOption({ label: "Along z" });
  await page.getByRole("slider", { name: "Place of the slice" }).fill("4");
  assert.notEqual(await pictureOf(page, 0), whole);
  assert.match(page.url(), /slice=2%3A4/);
  const said = await page.innerText(".slicer output");
  const [from, to] = said.match(/^z ([\d.]+) to ([\d.]+)$/).slice(1).map(Number);
  assert.ok(from > 0 && to < 0.5 && to > from, said);
  const numbers = (await drawn(page)).filter(([, , , bold]) => bold).map(([text]) => text);
  const here = json("cubes.json").clusters.filter(({ centroid }) => centroid[2] < 0.5).map(({ id }) => String(id));
  assert.deepEqual(numbers, here);
  const canvas = page.locator(".stage canvas").first();
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  const tip = await page.innerText(".tip");
  assert.ok(tip.includes(said), tip);
  const [about, least, most] = tip.match(/about ([\d,]+) records? \(([\d,]+) to ([\d,]+)\)/).slice(1).map(number);
  await page.getByLabel("Slice", { exact: true }).selectOption("");
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  const all = (await page.innerText(".tip")).match(/about ([\d,]+) records? \(([\d,]+) to ([\d,]+)\)/).slice(1).map(number);
  assert.ok(most - about < all[2] - all[0], `${most - about} of a slice, ${all[2] - all[0]} of all; ${least}`);
  assert.deepEqual(problems, []);
  await close();
  const again = await open("cubes.html", { ...laptop, folded: true }, "#slice=2:4");
  assert.equal(await again.page.innerText(".slicer output"), said);
  await again.close();
});

test("of three axes, each category has a panel of its own with one scale", async () => {
  const { page, problems, close } = await open("wards.html", { ...laptop, folded: true });
  assert.deepEqual(await page.locator(".stage figcaption").allInnerTexts(), ["ward North", "ward South"]);
  const numbers = async (at) => (await drawn(page, at)).filter(([, , , bold]) => bold).map(([text]) => text);
  const { clusters } = json("wards.json");
  const [north, south] = [await numbers(0), await numbers(1)];
  assert.ok(north.length > 0 && south.length > 0 && !north.some((id) => south.includes(id)), `${north} | ${south}`);
  for (const { id, centroid } of clusters.slice(0, 2)) assert.ok((centroid[0] > 0.5 ? north : south).includes(String(id)));
  assert.deepEqual(problems, []);
  await close();
});

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }]]) {
  test(`axe finds nothing on pages of groups, insets and slices (${name})`, async () => {
    for (const file of ["weeks.html", "own.html", "cubes.html", "wards.html", "spots.html"]) {
      const { page, close } = await open(file, { ...laptop, ...options });
      // axe runs outside the page's policy, as an extension would.
      const session = await page.context().newCDPSession(page);
      await session.send("Page.setBypassCSP", { enabled: true });
      await page.reload();
      await page.waitForSelector("html.live");
      await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
      await page.locator("details.cells tbody tr").first().waitFor();
      await settled(page);
      await page.addScriptTag({ content: axe });
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${file} ${id}: ${nodes[0].html}`), []);
      await close();
    }
  });
}
