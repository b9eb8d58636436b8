// Natural Earth's coastlines and borders as lines of whole numbers, small enough to live in the program: for each of three
// resolutions the lines, each the number of its points and then the steps from point to point, in 1/1000 degrees; packed as the
// noisy values of a release are.
import { readFileSync } from "node:fs";
import { mesh } from "topojson-client";
import { deflate } from "./deflate.mjs";

const perDegree = 1000;

function varint(bytes, value) {
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
}

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

/** name: 110m, 50m or 10m. */
export function coast(folder, name) {
  const world = JSON.parse(readFileSync(`${folder}/countries-${name}.json`, "utf8"));
  const bytes = [];
  let numbers = 0;
  for (const line of mesh(world, world.objects.countries).coordinates) {
    const points = line.map(([x, y]) => [Math.round(x * perDegree), Math.round(y * perDegree)]);
    const kept = points.filter((point, i) => i === 0 || point[0] !== points[i - 1][0] || point[1] !== points[i - 1][1]);
    if (kept.length < 2) continue;
    varint(bytes, zigzag(kept.length));
    numbers += 1 + 2 * kept.length;
    let [x, y] = [0, 0];
    for (const point of kept) {
      varint(bytes, zigzag(point[0] - x));
      varint(bytes, zigzag(point[1] - y));
      [x, y] = point;
    }
  }
  return { numbers, text: deflate(Buffer.from(bytes)).toString("base64") };
}
