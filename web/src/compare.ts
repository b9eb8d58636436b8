// The page of a comparison: a row of a table and the clusters that it is about, on the maps before and after, light up together.
import { el } from "./dom.js";

interface MapFacts { box: [number, number, number, number]; columns: number; pixel: [number, number]; runs: number[] }
interface Change { before: number[]; after: number[]; changed: boolean; words: string }
interface Facts { maps: MapFacts[]; steps: Change[][] }

/** A map, and which cluster lies on which of its pixels; the first row is the lowest. */
class Shown {
  readonly labels: Uint32Array;
  private readonly lines: SVGPathElement[];

  constructor(readonly figure: HTMLElement, readonly svg: SVGSVGElement, private readonly facts: MapFacts) {
    this.labels = new Uint32Array(facts.runs.reduce((sum, value, i) => sum + (i % 2 ? value : 0), 0));
    for (let i = 0, at = 0; i < facts.runs.length; i += 2) {
      const end = at + facts.runs[i + 1]!;
      this.labels.fill(facts.runs[i]!, at, end);
      at = end;
    }
    const title = svg.querySelector("title")!; // a browser would show it over what is said
    svg.setAttribute("aria-label", title.textContent);
    title.remove();
    this.lines = ["rim", "lit"].map((name) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", name);
      svg.append(path);
      return path;
    });
  }

  /** The cluster under the pointer; 0: none. */
  at(event: MouseEvent): number {
    const [x, y, width, height] = this.facts.box;
    const inside = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM()!.inverse());
    const [across, up] = [inside.x - x, y + height - inside.y];
    if (across < 0 || up < 0 || across >= width || up >= height) return 0;
    return this.label(Math.floor(across / this.facts.pixel[0]), Math.floor(up / this.facts.pixel[1]));
  }

  /** Draws the outlines of these clusters and of no others. */
  outline(clusters: readonly number[]): void {
    const [left, top, width, height] = this.facts.box;
    const [wide, high] = this.facts.pixel;
    const rows = this.labels.length / this.facts.columns;
    const x = (i: number): string => (left + Math.min(i * wide, width)).toFixed(1);
    const y = (j: number): string => (top + height - Math.min(j * high, height)).toFixed(1);
    const own = (i: number, j: number): boolean => clusters.includes(this.label(i, j));
    let path = "";
    if (clusters.length > 0) {
      for (let j = 0; j <= rows; j++) {
        for (let i = 0; i <= this.facts.columns; i++) {
          if (own(i, j) !== own(i, j - 1)) path += `M${x(i)} ${y(j)}H${x(i + 1)}`;
          if (own(i, j) !== own(i - 1, j)) path += `M${x(i)} ${y(j)}V${y(j + 1)}`;
        }
      }
    }
    for (const line of this.lines) line.setAttribute("d", path);
  }

  private label(i: number, j: number): number {
    return i < 0 || i >= this.facts.columns || j < 0 ? 0 : (this.labels[j * this.facts.columns + i] ?? 0);
  }
}

const facts = JSON.parse(document.querySelector("#shoal-changes")!.textContent) as Facts;
const strip = document.querySelector<HTMLElement>(".maps")!;
const maps = [...strip.querySelectorAll("figure")].map((figure, i) => new Shown(figure, figure.querySelector("svg")!, facts.maps[i]!));
const hint = "Point to a cluster or to a row of a table: both maps show it.";
const said = el("p", { class: "said", role: "status" }, hint);
strip.after(said);
strip.tabIndex = 0;
strip.setAttribute("role", "group");
strip.setAttribute("aria-label", "Maps of the releases");
document.documentElement.classList.add("live");

interface Place { step: number; change: number }
const same = (a: Place | null, b: Place | null): boolean => a?.step === b?.step && a?.change === b?.change;
const rows = [...document.querySelectorAll(".step table")].map((table) => [...(table as HTMLTableElement).tBodies[0]!.rows]);
const picks = rows.map((list, step) => list.map((row, change) => {
  const cell = row.cells[0]!;
  const pick = el("button", { type: "button", class: "pick", "aria-pressed": "false", click: () => pin({ step, change }) }, ...cell.childNodes);
  cell.replaceChildren(pick);
  row.classList.toggle("same", !facts.steps[step]![change]!.changed);
  row.addEventListener("mouseenter", () => light({ step, change }));
  row.addEventListener("mouseleave", () => light(pinned));
  row.addEventListener("focusin", () => light({ step, change }));
  row.addEventListener("focusout", () => light(pinned));
  return pick;
}));
let pinned: Place | null = null;
let lit: Place | null = null;

/** Scrolls the strip and never the page. */
function reveal(step: number): void {
  const [first, last] = [maps[step]!.figure, maps[step + 1]!.figure];
  const [from, to] = [first.offsetLeft - strip.offsetLeft, last.offsetLeft + last.offsetWidth - strip.offsetLeft];
  if (from < strip.scrollLeft) strip.scrollLeft = from - 4;
  else if (to > strip.scrollLeft + strip.clientWidth) strip.scrollLeft = Math.min(from - 4, to - strip.clientWidth + 4);
}

function light(place: Place | null, moves = true): void {
  if (same(place, lit)) return;
  if (lit) rows[lit.step]![lit.change]!.classList.remove("lit-row");
  lit = place;
  const change = place && facts.steps[place.step]![place.change]!;
  maps.forEach((map, i) => {
    const clusters = !place || !change ? [] : i === place.step ? change.before : i === place.step + 1 ? change.after : [];
    map.outline(clusters);
    map.figure.classList.toggle("lit-map", place !== null && (i === place.step || i === place.step + 1));
  });
  said.textContent = change ? change.words : hint;
  if (!place) return;
  rows[place.step]![place.change]!.classList.add("lit-row");
  if (moves) reveal(place.step);
}

/** Keeps what is lit until it is pressed again. */
function pin(place: Place | null): void {
  if (pinned) picks[pinned.step]![pinned.change]!.setAttribute("aria-pressed", "false");
  pinned = same(place, pinned) ? null : place;
  if (pinned) picks[pinned.step]![pinned.change]!.setAttribute("aria-pressed", "true");
  light(pinned);
}

/** What became of a cluster of a map: since the map before, or to the next one where only that is a change. */
function changeOf(map: number, cluster: number): Place | null {
  const find = (step: number, side: "before" | "after"): Place | null => {
    const change = facts.steps[step]?.findIndex((of) => of[side].includes(cluster)) ?? -1;
    return change < 0 ? null : { step, change };
  };
  const [since, next] = [find(map - 1, "after"), find(map, "before")];
  if (!since || !next) return since ?? next;
  return !facts.steps[since.step]![since.change]!.changed && facts.steps[next.step]![next.change]!.changed ? next : since;
}

maps.forEach((map, i) => {
  map.svg.addEventListener("mousemove", (event) => {
    const cluster = map.at(event);
    light(cluster === 0 ? pinned : changeOf(i, cluster), false);
  });
  map.svg.addEventListener("mouseleave", () => light(pinned));
  map.svg.addEventListener("click", (event) => {
    const cluster = map.at(event);
    const place = cluster === 0 ? null : changeOf(i, cluster);
    if (same(place, pinned)) return;
    pin(place);
    if (!place) return;
    const row = rows[place.step]![place.change]!;
    row.closest("details")!.open = true;
    row.scrollIntoView({ block: "nearest" });
  });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") pin(null);
});
