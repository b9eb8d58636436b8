// The page's core beside the program, over random settings: the same clusters, cells and k, other numbers to ten digits.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { transform } from "esbuild";
import { root, folder, shoal } from "./support.mjs";

// Emscripten's loader expects these of Node.
globalThis.__dirname = folder;
globalThis.require = createRequire(import.meta.url);
const { default: make } = await import(join(root, "build/page/shoal.js"));
const { code } = await transform(readFileSync(join(root, "web/src/base85.ts"), "utf8"), { loader: "ts", format: "esm" });
const { base85 } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
const literal = /const char\* const wasm =([^]*?);\n\n/.exec(readFileSync(join(root, "build/page/page_data.cpp"), "utf8"))[1];
const packed = [...literal.matchAll(/R"~\(([^]*?)\)~"/g)].map(([, text]) => text).join("");
const module = await make({ wasmBinary: gunzipSync(base85(packed)) });

function put(text) {
  const bytes = new TextEncoder().encode(text);
  module.HEAPU8.set(bytes, module._shoal_buffer(bytes.length));
}
function result(status) {
  const at = module._shoal_result();
  const text = new TextDecoder().decode(module.HEAPU8.subarray(at, at + module._shoal_result_size()));
  return { status, text };
}

// A fixed sequence (xorshift).
let state = 123456789;
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}

function close(a, b, where) {
  assert.ok(Math.abs(a - b) <= 1e-10 * Math.max(1, Math.abs(a), Math.abs(b)), `${where}: ${a} and ${b}`);
}

test("random settings give what reshape gives", () => {
  shoal("datasets", "ds1", "--seed", "2", "-o", "ds1.csv");
  const techniques = ["privqt", "privthr", "privthr-em", "privwave"];
  for (const technique of techniques) {
    shoal("release", "ds1.csv", "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "40", "--percentile", "40",
          "--technique", technique, "--epsilon", "1", "--seed", "3", "--json", `${technique}.json`,
          ...(technique === "privthr-em" ? ["--max-density", "2000"] : []));
    put(readFileSync(join(folder, `${technique}.json`), "utf8"));
    assert.deepEqual([result(module._shoal_open()).status, result(module._shoal_part(0)).status], [0, 0]);
    for (let i = 0; i < 60; i++) {
      const rule = [["percentile", 20 + random(75)], ["coverage", 20 + random(80)], ["density", 3 + random(40)], ["top", 1 + random(300)]][random(4)];
      const settings = [rule, ["adjacency", ["full", "face"][random(2)]], ["min-cells", 1 + random(4)]];
      if (random(4) === 0) settings.push(["level", 1 + random(3)]);
      put(settings.map(([key, value]) => `${key}=${value}`).join("&"));
      const ours = result(module._shoal_view(1));
      let theirs;
      try {
        theirs = JSON.parse(shoal("reshape", `${technique}.json`, ...settings.flatMap(([key, value]) => [`--${key}`, String(value)]), "--json", "-"));
      } catch (refused) {
        assert.equal(ours.status, 1, `${technique} ${settings}: the program says ${refused.stderr}`);
        continue;
      }
      assert.equal(ours.status, 0, `${technique} ${settings}: ${ours.text}`);
      const view = JSON.parse(ours.text);
      assert.equal(view.k, theirs.k);
      close(view.threshold, theirs.threshold, "threshold");
      assert.deepEqual(view.clusters.map((c) => [c.id, c.cells, c.size]), theirs.clusters.map((c) => [c.id, c.cells, c.size ?? Math.max(0, c.noisy_size)]));
      const labels = new Uint32Array(module.HEAPU8.buffer, module._shoal_labels(), module._shoal_labels_size());
      const expected = new Uint32Array(labels.length);
      for (const cluster of theirs.clusters) {
        for (let at = 0; at < cluster.runs.length; at += 2) expected.fill(cluster.id, cluster.runs[at], cluster.runs[at] + cluster.runs[at + 1]);
      }
      assert.deepEqual(labels, expected);
      view.clusters.forEach((cluster, at) => {
        cluster.centroid.forEach((value, axis) => close(value, theirs.clusters[at].centroid[axis], "centroid"));
        if (cluster.real !== undefined) close(cluster.real, theirs.clusters[at].confidence.real, "real");
      });
    }
  }
});

test("half the width of an interval holds 95 of 100 sums, and no narrower one does", () => {
  const [text] = [readFileSync(join(folder, "privqt.json"), "utf8")];
  put(text);
  result(module._shoal_open());
  result(module._shoal_part(0));
  const { spent } = JSON.parse(text);
  const rate = spent.find(({ mechanism }) => /count/.test(mechanism))?.epsilon ?? JSON.parse(text).epsilon;
  const q = Math.exp(-rate);
  const far = 400;
  const one = Float64Array.from({ length: 2 * far + 1 }, (_, i) => ((1 - q) / (1 + q)) * q ** Math.abs(i - far));
  const convolved = (a, b) => {
    const sum = new Float64Array(a.length);
    for (let i = 0; i < a.length; i++) {
      if (a[i] < 1e-18) continue;
      for (let j = Math.max(0, far - i); j < Math.min(b.length, b.length + far - i); j++) sum[i + j - far] += a[i] * b[j];
    }
    return sum;
  };
  let law = one;
  for (let count = 1; count <= 40; count++) {
    if (count > 1) law = convolved(law, one);
    const half = JSON.parse(result(module._shoal_noise(count)).text);
    const within = (h) => law.slice(far - h, far + h + 1).reduce((sum, each) => sum + each, 0);
    assert.ok(within(half) >= 0.95 - 1e-9 && (half === 0 || within(half - 1) < 0.95 + 1e-9), `${count}: ${half} holds ${within(half)}`);
  }
});

test("the picture of all levels is the one that reshape --levels draws", () => {
  shoal("datasets", "ds1", "--seed", "2", "-o", "levels.csv");
  shoal("release", "levels.csv", "--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "40", "--coverage", "60", "--technique", "privqt",
        "--epsilon", "1", "--seed", "3", "--json", "levels.json");
  put(readFileSync(join(folder, "levels.json"), "utf8"));
  assert.deepEqual([result(module._shoal_open()).status, result(module._shoal_part(0)).status], [0, 0]);
  put("coverage=50");
  assert.equal(result(module._shoal_view(0)).status, 0);
  put(".levels.svg");
  const ours = result(module._shoal_file());
  assert.equal(ours.status, 0, ours.text);
  shoal("reshape", "levels.json", "--coverage", "50", "--levels", "1-5", "-o", "levels.svg");
  assert.equal(ours.text, readFileSync(join(folder, "levels.svg"), "utf8"));
});
