// The size of each cluster in every part, with its 95 % interval: a line where parts follow each other, else marks. The same numbers are
// below it as a table.
import { type Cluster } from "./core.js";
import { el } from "./dom.js";
import { within } from "./listing.js";
import { grouped, tidy, ticks } from "./projection.js";

export interface Series {
  color: string;
  name: string; // "near Brooklyn"
  points: (Cluster | null)[]; // by part; null: it is not there
}

const space = "http://www.w3.org/2000/svg";
const height = 128;
const left = 46;
const bottom = 26;
const top = 10;
const gap = 22; // pixels between two pictures
const most = 12; // clusters
const mostRows = 24; // of parts that do not follow each other
const rowHeight = 22;

function shape(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const result = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, String(value));
  if (text !== undefined) result.textContent = text;
  return result;
}

export class Chart {
  readonly element = el("section", { class: "sizes" });
  private readonly picture = el("div", { class: "charts" });
  private readonly table = el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Sizes as a table" });
  private series: Series[] = [];
  private counted = "";
  private explored = 0;
  private selected = 0;

  /** pick: a cluster of a part was chosen. */
  constructor(private readonly parts: string[], private readonly ordered: boolean, private readonly pick: (part: number, cluster: number) => void) {
    this.element.append(el("h2", {}, "Size of each cluster"), el("p", { class: "small" }, "Each has its own scale, from zero. Thin lines: 95 % intervals."), this.picture,
      el("details", { class: "levels" }, el("summary", {}, "The same as a table"), this.table));
    this.element.hidden = true;
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  show(series: Series[], counted: string, explored: number, selected: number): void {
    const size = ({ points }: Series): number => Math.max(...points.map((point) => point?.size ?? 0));
    this.series = [...series].sort((a, b) => size(b) - size(a)).slice(0, most);
    this.counted = counted;
    this.element.hidden = this.series.length === 0;
    this.explored = explored;
    this.selected = selected;
    this.draw();
    this.table.replaceChildren(el("table", {},
      el("caption", {}, `About how many ${counted} each cluster holds, with 95 % intervals.`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Cluster"), ...this.parts.map((part) => el("th", { scope: "col", class: "n" }, part)))),
      el("tbody", {}, ...this.series.map((one) => {
        const swatch = el("span", { class: "swatch" });
        swatch.style.background = one.color;
        return el("tr", {}, el("th", { scope: "row" }, swatch, one.name),
          ...one.points.map((point) => el("td", { class: "n" }, point ? grouped(point.size) + within(point.interval) : "–")));
      }))));
  }

  select(explored: number, selected: number): void {
    if (explored === this.explored && selected === this.selected) return;
    this.explored = explored;
    this.selected = selected;
    this.draw();
  }

  /** A small picture per cluster, each with its own scale from zero: a large cluster does not flatten the others. */
  private draw(): void {
    const width = this.picture.clientWidth;
    if (width === 0 || this.series.length === 0) return;
    const columns = Math.max(1, Math.min(this.series.length, Math.floor(width / 290)));
    this.picture.style.gridTemplateColumns = `repeat(${columns},minmax(0,1fr))`;
    this.picture.replaceChildren(...this.series.map((one) => this.one(one, Math.floor((width - (columns - 1) * gap) / columns))));
  }

  private one({ color, name, points }: Series, width: number): HTMLElement {
    const highest = Math.max(1, ...points.map((point) => point?.interval?.[1] ?? point?.size ?? 0)) * 1.05;
    const inner = width - left - 10;
    const x = (part: number): number => left + (inner * (part + 0.5)) / this.parts.length;
    const y = (value: number): number => top + (height - top - bottom) * (1 - Math.max(0, value) / highest);
    const here = points[this.explored];
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = color;
    const title = el("h3", {}, swatch, here ? `${here.id} ` : "", name, here ? "" : el("span", {}, ` (not in ${this.parts[this.explored]!})`));
    const figure = el("div", { class: this.selected > 0 && here?.id === this.selected ? "one selected" : "one" }, title);
    if (!this.ordered && this.parts.length <= mostRows) {
      figure.append(this.rows(color, points, highest, width));
      return figure;
    }
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    for (const value of ticks(0, highest, 3)) {
      svg.append(shape("line", { x1: left, x2: left + inner, y1: y(value), y2: y(value), class: "rule" }), shape("text", { x: left - 6, y: y(value) + 4, class: "tick" }, tidy(value)));
    }
    svg.append(shape("line", { x1: x(this.explored), x2: x(this.explored), y1: top, y2: height - bottom, class: "now" }));
    const room = inner / 78;
    const every = Math.ceil(this.parts.length / Math.max(1, room));
    this.parts.forEach((part, i) => {
      const isNow = i === this.explored;
      const isClear = i % every === 0 && Math.abs(i - this.explored) >= every;
      const anchor = x(i) - 38 < left ? "start" : x(i) + 38 > width ? "end" : "middle";
      const at = anchor === "start" ? Math.max(left - 4, x(i) - 30) : anchor === "end" ? Math.min(width - 2, x(i) + 30) : x(i);
      if (isNow || isClear) svg.append(shape("text", { x: at, y: height - 8, class: isNow ? "now" : "part", "text-anchor": anchor }, part));
    });
    const group = shape("g", { class: "line", style: `--color:${color}` });
    let path = "";
    points.forEach((point, i) => {
      if (!point) return;
      if (this.ordered) path += `${i > 0 && points[i - 1] ? "L" : "M"}${x(i).toFixed(1)} ${y(point.size).toFixed(1)}`;
      if (point.interval) group.append(shape("line", { x1: x(i), x2: x(i), y1: y(point.interval[0]), y2: y(point.interval[1]), class: "range" }));
    });
    if (path) group.prepend(shape("path", { d: path }));
    points.forEach((point, i) => {
      if (!point) return;
      group.append(this.dot(x(i), y(point.size), i, point));
    });
    svg.append(group);
    figure.append(svg);
    return figure;
  }

  private dot(x: number, y: number, part: number, point: Cluster): SVGElement {
    const dot = shape("circle", { cx: x, cy: y, r: 4 });
    dot.append(shape("title", {}, `${this.parts[part]!}: cluster ${point.id}, about ${grouped(point.size)} ${this.counted}${within(point.interval)}`));
    dot.addEventListener("click", () => this.pick(part, point.id));
    return dot;
  }

  /** Parts that do not follow each other have a row each, with their whole names. */
  private rows(color: string, points: (Cluster | null)[], highest: number, width: number): SVGElement {
    const names = this.parts.map((part) => shape("text", { class: "name" }, part));
    const start = Math.min(width / 2, 14 + 7.2 * Math.max(...this.parts.map((part) => part.length)));
    const x = (value: number): number => start + ((width - start - 26) * Math.max(0, value)) / highest;
    const foot = top + rowHeight * this.parts.length;
    const svg = shape("svg", { viewBox: `0 0 ${width} ${foot + 20}`, width, height: foot + 20, "aria-hidden": "true" });
    for (const value of ticks(0, highest, Math.max(1, (width - start) / 90))) {
      svg.append(shape("line", { x1: x(value), x2: x(value), y1: top, y2: foot, class: "rule" }), shape("text", { x: x(value), y: foot + 15, "text-anchor": "middle" }, tidy(value)));
    }
    names.forEach((name, part) => {
      const y = top + rowHeight * (part + 0.5);
      const row = shape("g", { class: part === this.explored ? "row now" : "row", style: `--color:${color}` });
      name.setAttribute("x", String(start - 10));
      name.setAttribute("y", String(y + 4));
      row.append(name);
      const point = points[part];
      if (point) {
        row.append(shape("path", { d: `M${x(0).toFixed(1)} ${y}H${x(point.size).toFixed(1)}` }), this.dot(x(point.size), y, part, point));
        if (point.interval) row.append(shape("line", { x1: x(point.interval[0]), x2: x(point.interval[1]), y1: y, y2: y, class: "range" }));
      }
      svg.append(row);
    });
    return svg;
  }
}
