// What the page says, tried on releases where it is true and on releases where it is false: a sentence stands on a page if and only
// if its condition holds, and the pages hold both cases. tests/program/sentence_conditions.py lists the sentences.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, open, settled, shoal, stopBrowser } from "./support.mjs";

const plane = ["--bounds", "x=0:1,y=0:1"];
const releases = {
  blobs: ["blobs.csv", ...plane, "--grid", "32", "--percentile", "60", "--technique", "privqt", "--epsilon", "2"],
  auto: ["blobs.csv", ...plane, "--auto", "--epsilon", "2"],
  flat: ["flat.csv", ...plane, "--auto", "--epsilon", "1"],
  nothing: ["few.csv", ...plane, "--auto", "--epsilon", "0.1"],
  bars: ["blobs.csv", "--columns", "x", "--bounds", "x=0:1", "--grid", "32", "--percentile", "60", "--epsilon", "2"],
  cube: ["blobs.csv", "--columns", "x,y,z", "--bounds", "x=0:1,y=0:1,z=0:1", "--grid", "8", "--percentile", "60", "--epsilon", "2"],
  map: ["world.csv", "--bounds", "lon=-180:180,lat=-90:90", "--grid", "128,64", "--percentile", "70", "--epsilon", "1"],
  groups: ["blobs.csv", ...plane, "--auto", "--by", "kind=a|b", "--epsilon", "2"],
  fine: ["blobs.csv", ...plane, "--grid", "2048", "--percentile", "60", "--technique", "privqt", "--epsilon", "2"],
  censored: ["blobs.csv", ...plane, "--grid", "32", "--percentile", "60", "--epsilon", "8"],
};
const said = {};
const facts = {};

before(async () => {
  let state = 7;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const blobs = Array.from({ length: 8000 }, (_, i) => `${"ab"[i % 2]},${[0.3, 0.7][i % 2] + 0.04 * normal()},${0.5 + 0.04 * normal()},${0.5 + 0.04 * normal()}`);
  writeFileSync(join(folder, "blobs.csv"), `kind,x,y,z\n${blobs.join("\n")}\n`);
  writeFileSync(join(folder, "few.csv"), `x,y\n${Array.from({ length: 300 }, () => `${random()},${random()}`).join("\n")}\n`);
  writeFileSync(join(folder, "flat.csv"), `x,y\n${Array.from({ length: 8000 }, () => `${random()},${random()}`).join("\n")}\n`);
  shoal("datasets", "world", "--seed", "1", "-o", "world.csv");
  for (const [name, options] of Object.entries(releases)) {
    try {
      shoal("release", ...options, "--seed", "1", "--json", `${name}.json`);
    } catch (problem) {
      if (problem.status !== 5) throw problem; // 5: the release shows nothing
    }
    shoal("reshape", `${name}.json`, "-o", `${name}.html`);
    const file = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
    facts[name] = file.groups ? file.groups[0].release : file;
    const { page, close } = await open(`${name}.html`, { timeout: 60000 });
    await settled(page);
    said[name] = await page.evaluate(() => {
      const labels = [...document.querySelectorAll("[aria-label]")].map((element) => element.getAttribute("aria-label"));
      return [document.querySelector("#shoal-app").textContent, ...labels].join("\n");
    });
    await close();
  }
}, { timeout: 300000 });
after(stopBrowser);

const doubtful = ({ confidence }) => confidence && (confidence.real < 0.8 || confidence.plain >= 0.5);
const axes = (name) => facts[name].axes.length;
const sure = (name) => facts[name].clusters.some((cluster) => !doubtful(cluster));
const isModes = (name) => name !== "groups" && releases[name].includes("--auto");

const conditions = {
  "Each colour is a cluster; the height is": (name) => sure(name) && axes(name) === 1,
  "Each colour is a cluster; the stronger": (name) => sure(name) && axes(name) > 1,
  "Number of the cluster, and about how many": (name) => sure(name) && axes(name) === 2,
  "Hatched: doubtful": (name) => facts[name].clusters.some(doubtful),
  "Show cells that noise may explain": (name) => axes(name) > 1,
  "Base map: Natural Earth": (name) => name === "map",
  "Names of places: GeoNames": (name) => name === "map",
  "Page up and page down change the part": (name) => name === "groups",
  " Rows are labelled by the clusters of": (name) => name === "groups",
  "A page computes no tree of more than a million cells": (name) => name === "fine",
  "No branch stands out from noise and chance": (name) => ["flat", "nothing"].includes(name),
  "Level 2 is not available": (name) => (facts[name].noisy_sums?.lowest ?? 0) > 0, // a censored release
  "Lines and small numbers: 95 % intervals": (name) => facts[name].clusters.some((cluster) => !doubtful(cluster) && cluster.size_95),
  "No cluster stands out": (name) => !sure(name),
  "Nothing here stands out from chance and noise.": (name) => facts[name].clusters.length === 0,
  " Settings under Explore may show some.": (name) => !sure(name), // all of these hold their noisy values
  "What is here may be spread evenly": (name) => facts[name].clusters.length === 0,
  "All clusters shown are doubtful": (name) => facts[name].clusters.length > 0 && !sure(name),
  "in the table under Explore. ": (name) => facts[name].clusters.filter((cluster) => !doubtful(cluster)).length > 10,
  "Size of each cluster": (name) => name === "groups",
  "Place of the slice": (name) => axes(name) === 3,
  "may be noise": (name) => facts[name].clusters.some(doubtful),
};

for (const [sentence, holds] of Object.entries(conditions)) {
  test(`"${sentence}" stands where it is true and nowhere else`, () => {
    const names = Object.keys(releases);
    const truth = Object.fromEntries(names.map((name) => [name, Boolean(holds(name))]));
    assert.deepEqual(new Set(Object.values(truth)), new Set([true, false]), `no page tries both cases: ${JSON.stringify(truth)}`);
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, said[name].includes(sentence)])), truth);
  });
}

test("a peak is spoken of only where there is no threshold", () => {
  for (const name of ["blobs", "auto", "bars"]) assert.equal(said[name].includes("Each cluster is a peak"), isModes(name), name);
});

test("the stated size lies inside its interval and is that of the file", () => {
  for (const name of ["blobs", "auto", "map"]) {
    for (const { size, size_95: [least, most] } of facts[name].clusters) {
      assert.ok(size < most && (least === 0 || least < size), `${name}: ${size} (${least} to ${most})`);
    }
  }
});
