// Kinds of axes in the page: dates, logarithms, names, circles, maps. The texts that are drawn on the canvas are recorded.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, open, shoal, stopBrowser } from "./support.mjs";

// A fixed sequence (xorshift), and bell-shaped numbers from it.
let state = 987654321;
function uniform() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}
const bell = (mean, deviation) => mean + deviation * (Array.from({ length: 12 }, uniform).reduce((a, b) => a + b) - 6);
const round = (value, digits = 3) => Number(value.toFixed(digits));
const wards = ["Surgery", "Intensive care", "Maternity"];
const day = (n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);

function write(name, head, rows) {
  writeFileSync(join(folder, name), `${head}\n${rows.map((row) => row.join(",")).join("\n")}\n`);
}
function release(name, csv, bounds, ...options) {
  shoal("release", csv, "--bounds", bounds, "--epsilon", "1", "--seed", "1", "--json", `${name}.json`, ...options);
  shoal("reshape", `${name}.json`, "-o", `${name}.html`);
}
const clustersOf = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")).clusters;

before(() => {
  const stays = Array.from({ length: 4000 }, (_, i) => {
    const ward = i % 3;
    return [round((bell([9, 0, 17][ward], 1) + 24) % 24), wards[ward]];
  });
  write("stays.csv", "hour,ward", stays);
  release("stays", "stays.csv", `hour=0:24:circle,ward=${wards.join("|")}:category`, "--grid", "48", "--percentile", "50");
  const sales = Array.from({ length: 4000 }, (_, i) => [
    day(Math.floor(Math.max(0, bell(i % 2 ? 80 : 250, 15)))),
    round(Math.exp(bell(i % 2 ? 3 : 6, 0.5)), 2),
    round(bell(i % 2 ? 160 : 180, 6), 1),
  ]);
  write("sales.csv", "day,amount,height", sales);
  release("sales", "sales.csv", "day=2026-01-01:2026-12-31,amount=1:10000:log:EUR", "--auto");
  release("three", "sales.csv", "day=2026-01-01:2026-12-31,amount=1:10000:log:EUR,height=100:250:cm", "--auto");
  const fiji = Array.from({ length: 4000 }, (_, i) =>
    i % 2 ? [round(((bell(0, 6) + 360) % 360) - 180), round(bell(-17, 5))] : [round(bell(10, 5)), round(bell(50, 5))]);
  write("fiji.csv", "lon,lat", fiji);
  release("fiji", "fiji.csv", "lon=-180:180,lat=-90:90", "--geo", "--grid", "72,36", "--percentile", "50");
  write("turned.csv", "lat,lon", fiji.map(([lon, lat]) => [lat, lon]));
  release("turned", "turned.csv", "lat=-60:80,lon=-180:180", "--grid", "35,72", "--percentile", "50");
});
after(stopBrowser);

async function opened(file) {
  const result = await open(file, { viewport: { width: 1280, height: 900 } });
  await result.page.waitForFunction(() => [...globalThis.drawn.values()].some((texts) => texts.length > 4));
  return result;
}
const texts = (page, plane = 0) => page.evaluate(async (i) => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));  // planes are drawn with the next frame
  return globalThis.drawn.get(document.querySelectorAll(".stage canvas")[i]);
}, plane);

/** Of texts: the numbers of ticks. The number of a cluster is bold, and how many it holds stands below it. */
const tickNumbers = (all) => {
  const ids = all.filter(([, , , bold]) => bold);
  const isSize = ([, x, y]) => ids.some(([, idX, idY]) => idX === x && y - idY === 15);
  return all.filter((one) => !one[3] && /^-?\d+$/.test(one[0]) && !isSize(one));
};

/** The frame of the only plane: as the page lays it out. */
async function frame(page, left = 58) {
  const box = await page.locator(".stage canvas").boundingBox();
  return { x: left, y: 12, width: box.width - left - 14, height: box.height - 54 };
}
const tip = (page) => page.innerText(".tip");

test("ticks are dates and powers, labels have units", async () => {
  const { page, problems, close } = await opened("sales.html");
  const all = (await texts(page)).map(([text]) => text);
  for (const text of ["2026-03", "2026-09", "10", "100", "1000", "day", "amount (EUR)"]) assert.ok(all.includes(text), `${text}: ${all}`);
  const at = Object.fromEntries((await texts(page)).map(([text, x, y]) => [text, { x, y }]));
  assert.ok(Math.abs(at["10"].y - at["100"].y - (at["100"].y - at["1000"].y)) < 1, "powers of ten are equally far apart");
  assert.match(await page.textContent("section.clusters table"), /Centre, amount \(EUR\).*2026-0[39]-\d\d/s);
  assert.deepEqual(problems, []);
  await close();
});

test("zoomed in, the ticks are days", async () => {
  const { page, close } = await opened("sales.html");
  for (let i = 0; i < 8; i++) await page.getByRole("button", { name: "Zoom in" }).click();
  await page.waitForFunction(() => globalThis.drawn.get(document.querySelector(".stage canvas")).some(([text]) => /^2026-\d\d-\d\d$/.test(text)));
  await close();
});

test("hover says days, amounts and names", async () => {
  const { page, close } = await opened("sales.html");
  const box = await frame(page);
  await page.locator(".stage canvas").hover({ position: { x: box.x + box.width * 0.7, y: box.y + box.height / 2 } });
  assert.match(await tip(page), /day 2026-\d\d-\d\d to 2026-\d\d-\d\d\namount \(EUR\) [\d.]+ to [\d.]+\nabout/);
  await close();
  const names = await opened("stays.html");
  await names.page.locator(".stage canvas").focus();
  await names.page.keyboard.press("ArrowRight");
  assert.match(await tip(names.page), /hour 1[23] to 1[34]\nward Intensive care/);
  const all = (await texts(names.page)).map(([text]) => text);
  for (const text of [...wards, "0", "6", "24"]) assert.ok(all.includes(text), `${text}: ${all}`);
  await names.close();
});

test("a cluster over midnight is one on both sides of the seam", async () => {
  const { page, close } = await opened("stays.html");
  const left = await page.evaluate(() => Math.max(...globalThis.drawn.get(document.querySelector(".stage canvas"))
    .filter(([text]) => text === "Intensive care").map(([, x]) => x + 7)));
  const box = await frame(page, left);
  const canvas = page.locator(".stage canvas");
  const found = [];
  for (const share of [0.01, 0.99]) {
    await canvas.hover({ position: { x: box.x + box.width * share, y: box.y + box.height / 2 } });
    found.push(/Cluster (\d+)/.exec(await tip(page))?.[1]);
  }
  assert.ok(found[0] && found[0] === found[1], `${found}`);
  assert.equal(await page.locator("section.clusters button.pick").count(), clustersOf("stays").length);
  assert.equal(clustersOf("stays").length, 3);
  // Its outline is not drawn along the seam, and its number is not cut by the frame.
  const number = (await texts(page)).filter(([text]) => text === found[0]).at(-1);
  assert.ok(number[1] >= box.x + 9 && number[1] <= box.x + box.width - 9);
  await close();
});

test("files of dates and names are labelled as predict labels them", async () => {
  for (const name of ["stays", "sales"]) {
    const { page, problems, close } = await open(`${name}.html`);
    const waiting = page.waitForEvent("download");
    await page.setInputFiles("#label-file", join(folder, `${name}.csv`));
    const saved = join(folder, `${name}-page.csv`);
    await (await waiting).saveAs(saved);
    shoal("predict", `${name}.json`, `${name}.csv`, "-o", `${name}-labels.csv`);
    assert.equal(readFileSync(saved, "utf8"), readFileSync(join(folder, `${name}-labels.csv`), "utf8"));
    writeFileSync(join(folder, "bare.csv"), "2026-01-01,1\n");
    await page.setInputFiles("#label-file", join(folder, "bare.csv"));
    await page.getByText("the file needs a header with").waitFor();
    assert.deepEqual(problems, []);
    await close();
  }
});

test("on a map of equal areas the cell under the pointer is the one that is named, in kilometres", async () => {
  const { page, close } = await opened("fiji.html");
  assert.equal(clustersOf("fiji").length, 2);
  const canvas = page.locator(".stage canvas");
  for (const projection of ["degrees", "equal-area"]) {
    await page.selectOption("#set-projection", projection);
    const numbers = tickNumbers(await texts(page));
    const lowest = Math.max(...numbers.map(([, , y]) => y));
    const ticks = Object.fromEntries(numbers.map(([text, x, y]) => [`${text}${y === lowest ? "x" : "y"}`, { x, y }]));
    for (const latitude of [-60, -20, 20, 40, 60]) {
      const y = ticks[`${latitude}y`]?.y;
      if (y === undefined) continue;
      await canvas.hover({ position: { x: ticks["40x"].x, y: y - 1 } });
      const [, south, north] = /lat (-?[\d.]+) to (-?[\d.]+)/.exec(await tip(page)).map(Number);
      assert.ok(south - 1.5 <= latitude && latitude <= north + 1.5, `${projection}: ${latitude} in ${south} to ${north}`);
      const [, wide, tall] = /([\d.]+) by ([\d.]+) km/.exec(await tip(page)).map(Number);
      assert.ok(Math.abs(tall - (north - south) * 111.195) < 3);
      assert.ok(Math.abs(wide * tall - (510.1e6 / (36 * 18))) < 0.06 * (510.1e6 / (36 * 18)), `cells of equal area: ${wide} by ${tall}`);
    }
  }
  assert.ok((await texts(page)).some(([text]) => /^[\d,]+ km$/.test(text)), "a scale");
  await close();
});

test("outlines of a release with latitude first lie on its map", async () => {
  const { page, close } = await opened("turned.html");
  const clusters = clustersOf("turned");
  const canvas = page.locator(".stage canvas");
  const { axes } = JSON.parse(readFileSync(join(folder, "turned.json"), "utf8")); // latitude first
  const { width, height } = await canvas.evaluate((element) => ({ width: element.clientWidth, height: element.clientHeight }));
  const x = (longitude) => ((longitude - axes[1].lo) / (axes[1].hi - axes[1].lo)) * width;
  const y = (latitude) => (1 - (latitude - axes[0].lo) / (axes[0].hi - axes[0].lo)) * height;
  const darkest = (px, py) => page.evaluate(([cx, cy]) => {
    const data = document.querySelector(".stage canvas").getContext("2d").getImageData(cx - 2, cy - 2, 5, 5).data;
    let least = 765;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) least = Math.min(least, data[i] + data[i + 1] + data[i + 2]);
    return least;
  }, [Math.round(px), Math.round(py)]);
  let edges = 0;
  for (const cluster of clusters.slice(0, 3)) {
    const ring = cluster.outline[0][0]; // latitude first
    for (let i = 0; i + 1 < ring.length; i++) {
      const [from, to] = [ring[i], ring[i + 1]];
      const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
      if (Math.abs(middle[1]) > 179 || middle[0] < -59 || middle[0] > 79) continue;
      assert.ok(await darkest(x(middle[1]), y(middle[0])) < 330, `no line at ${middle}`);
      edges++;
    }
    await canvas.hover({ position: { x: x(cluster.centroid[1]), y: y(cluster.centroid[0]) } });
    assert.match(await tip(page), new RegExp(`Cluster ${cluster.id}(, near [^:]+)?:|in no cluster`));
  }
  assert.ok(edges > 10);
  await close();
});

test("every plane of three axes has the numbers of the clusters at their centres", async () => {
  const { page, close } = await opened("three.html");
  const clusters = clustersOf("three");
  assert.ok(clusters.length >= 2);
  assert.equal(await page.locator(".stage canvas").count(), 3);
  const { axes } = JSON.parse(readFileSync(join(folder, "three.json"), "utf8"));
  const share = (axis, value) => {
    const { lo, hi, scale } = axes[axis];
    return scale === "log" ? Math.log(value / lo) / Math.log(hi / lo) : (value - lo) / (hi - lo);
  };
  const pairs = [[0, 1], [0, 2], [1, 2]];
  for (let plane = 0; plane < 3; plane++) {
    const [a, b] = pairs[plane];
    const drawn = await texts(page, plane);
    const { width, height } = await page.locator(".stage canvas").nth(plane).evaluate((canvas) => ({ width: canvas.clientWidth, height: canvas.clientHeight }));
    for (const { id, centroid } of clusters.slice(0, 2)) {
      const written = drawn.filter(([text, , , bold]) => bold && text === String(id)).at(-1);
      assert.ok(written, `plane ${plane} has no number ${id}`);
      assert.ok(Math.abs(written[1] - (58 + share(a, centroid[a]) * (width - 72))) < 8, `plane ${plane}, ${id}: ${written}`);
      assert.ok(Math.abs(written[2] - (12 + (1 - share(b, centroid[b])) * (height - 54))) < 8, `plane ${plane}, ${id}: ${written}`);
    }
  }
  await close();
});

test("the planes of three axes are linked: a cell of one is marked on the others along the axis that they share", async () => {
  const { page, problems, close } = await opened("three.html");
  const dashes = () => page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return [...document.querySelectorAll(".stage canvas")].map((canvas) => canvas.toDataURL());
  });
  const before = await dashes();
  const canvas = page.locator(".stage canvas").first();
  const box = await canvas.boundingBox();
  await canvas.hover({ position: { x: box.width / 2, y: box.height / 2 } });
  const marked = await dashes();
  assert.notEqual(marked[1], before[1]);
  assert.notEqual(marked[2], before[2]);
  await page.mouse.move(2, 2);
  assert.deepEqual(await dashes(), before);
  assert.deepEqual(problems, []);
  await close();
});

test("bars of one axis have a scale of what they count", async () => {
  shoal("release", "sales.csv", "--columns", "amount", "--bounds", "amount=1:1000", "--grid", "64", "--percentile", "50", "--technique", "privqt", "--epsilon", "1", "--seed", "1", "--json", "amounts.json");
  shoal("reshape", "amounts.json", "-o", "amounts.html");
  const { page, problems, close } = await opened("amounts.html");
  const all = await texts(page);
  const scale = all.filter(([text, x]) => x < 58 && /^[\d,]+$/.test(text)).map(([text, , y]) => [Number(text.replaceAll(",", "")), y]);
  assert.ok(scale.length >= 3, JSON.stringify(all));
  assert.equal(scale[0][0], 0);
  for (let i = 2; i < scale.length; i++) {
    assert.ok(Math.abs(scale[i][0] - 2 * scale[i - 1][0] + scale[i - 2][0]) < 1e-9);
    assert.ok(Math.abs(scale[i][1] - 2 * scale[i - 1][1] + scale[i - 2][1]) < 1);
  }
  assert.ok(all.some(([text]) => text === "records in a cell"));
  assert.deepEqual(problems, []);
  await close();
});

test("along a circle the plane has no end; elsewhere it stops", async () => {
  const { page, close } = await opened("stays.html");
  const left = await page.evaluate(() => Math.max(...globalThis.drawn.get(document.querySelector(".stage canvas"))
    .filter(([text]) => text === "Intensive care").map(([, x]) => x + 7)));
  const box = await frame(page, left);
  const canvas = page.locator(".stage canvas");
  const at = await canvas.boundingBox();
  const middle = box.y + box.height / 2;
  const hour = async (share) => {
    await canvas.hover({ position: { x: box.x + box.width * share, y: middle } });
    return Number(/hour ([\d.]+)/.exec(await tip(page))[1]);
  };
  const drag = async (from, to, up = 0) => {
    await page.mouse.move(at.x + box.x + box.width * from, at.y + middle);
    await page.mouse.down();
    await page.mouse.move(at.x + box.x + box.width * to, at.y + middle - up, { steps: 4 });
    await page.mouse.up();
  };
  assert.equal(await hour(0.51), 12);
  await drag(0.2, 0.7); // half a day: midnight is in the middle
  assert.equal(await hour(0.51), 0);
  assert.equal(await hour(0.49), 23);
  const cluster = async (share) => {
    await canvas.hover({ position: { x: box.x + box.width * share, y: middle } });
    return /Cluster (\d+)/.exec(await tip(page))?.[1];
  };
  assert.ok((await cluster(0.49)) && (await cluster(0.49)) === (await cluster(0.51)));
  const ticks = (await texts(page)).filter(([text, , y]) => /^\d+$/.test(text) && y > box.y + box.height).map(([text, x]) => [Number(text), x]).sort((a, b) => a[1] - b[1]);
  assert.deepEqual(ticks.map(([value]) => value).filter((value, i, all) => i > 0 && value < all[i - 1]), [0], "one midnight");
  assert.equal(ticks.find(([value]) => value === 24), undefined);
  await drag(0.2, 0.7);
  assert.equal(await hour(0.51), 12, "once around");
  await drag(0.5, 0.5, 60); // wards are no circle
  assert.match(await tip(page), /Intensive care/);
  // By keys: past the last cell comes the first.
  await canvas.focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press("Shift+ArrowLeft"); // from 12 to 2 to 16
  assert.match(await page.textContent("[aria-live]"), /hour 16 to 17/);
  await close();
});

test("the keys move the view where the cursor leaves it", async () => {
  const { page, close } = await opened("sales.html");
  const canvas = page.locator(".stage canvas");
  await canvas.focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press("+");
  const days = async () => (await texts(page)).filter(([text]) => /^2026-\d\d/.test(text)).map(([text]) => text).sort();
  const before = await days();
  for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
  assert.ok((await days())[0] > before[0], `${before} then ${await days()}`);
  await close();
});

test("a value summed over the other axes has the interval of the sum", async () => {
  const { page, close } = await opened("three.html");
  await page.locator(".stage canvas").first().focus();
  await page.keyboard.press("ArrowRight");
  const [, value, least, most] = /about ([\d,]+) records? \(([\d,]+) to ([\d,]+)\)/.exec(await tip(page)).map((text) => Number(text.replaceAll(",", "")));
  // The noise of a cell is discrete Laplace; 95 % of a sum of n is near 1.96 deviations of it.
  const release = JSON.parse(readFileSync(join(folder, "three.json"), "utf8"));
  const { epsilon } = release.spent.at(-1);
  const q = Math.exp(-epsilon);
  const cells = release.noisy_sums.shape[2];
  const expected = (1.96 * Math.sqrt(2 * q * cells)) / (1 - q);
  assert.ok(Math.abs(most - value - expected) <= 0.06 * expected + 1, `${value} (${least} to ${most}), expected ${expected} of ${cells}`);
  await close();
});
