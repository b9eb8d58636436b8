// What is said of the cell under the pointer or the cursor: its place, its value with the interval, its cluster.
import { type Cell } from "./camera.js";
import { type Axis, type Core, type ReleaseFacts, type View } from "./core.js";
import { el } from "./dom.js";
import { describe, plural, within } from "./listing.js";
import { type Plane } from "./plane.js";
import { kilometres, tidy, valueAt } from "./projection.js";
import { type Raster, type Slice } from "./raster.js";

export interface Pane {
  plane: Plane;
  raster: Raster;
  a: number; // its axes
  b: number;
  /** Half the width of the 95 % interval of a value of the pane; null: it has none. */
  noise: number | null;
  /** What lies behind the plane; null: all. */
  slice: Slice | null;
}

export class Tip {
  readonly element = el("div", { class: "tip", hidden: true });

  private shown: [Pane, Cell, number, number] | null = null;

  constructor(private readonly core: Core, private readonly facts: ReleaseFacts, private readonly root: HTMLElement, private readonly live: HTMLElement) {}

  show(pane: Pane, cell: Cell | null, view: View, x: number, y: number): void {
    this.element.hidden = !cell;
    this.shown = cell && [pane, cell, x, y];
    if (!cell) return;
    const lines = this.lines(pane, cell, view);
    this.element.replaceChildren(...lines.map((line) => el("div", {}, line)));
    this.move(pane.plane.canvas, x, y);
    if (document.activeElement === pane.plane.canvas) this.live.textContent = lines.join(", ");
  }

  /** Says something beside a place of a canvas. */
  say(canvas: HTMLCanvasElement, lines: string[], x: number, y: number): void {
    this.element.hidden = false;
    this.shown = null;
    this.element.replaceChildren(...lines.map((line) => el("div", {}, line)));
    this.move(canvas, x, y);
  }

  private move(canvas: HTMLCanvasElement, x: number, y: number): void {
    const frame = canvas.getBoundingClientRect();
    const base = this.root.getBoundingClientRect();
    const left = frame.left - base.left + x + 14;
    this.element.style.left = `${Math.max(0, Math.min(left, base.width - this.element.offsetWidth - 4))}px`;
    this.element.style.top = `${frame.top - base.top + y + 14}px`;
  }

  /** How large a cell of a map is, in words; empty: the axes are no map. */
  cellOf({ a, b, raster }: Pane): string {
    const { axes, geographic } = this.facts;
    const isMap = geographic?.[0] === a && geographic[1] === b;
    return isMap ? extent(axes[a]!, axes[b]!, raster, { column: 0, row: raster.up >> 1 }) : "";
  }

  /** The view has changed under the pointer. */
  update(view: View): void {
    if (this.shown) this.show(this.shown[0], this.shown[1], view, this.shown[2], this.shown[3]);
  }

  private lines(pane: Pane, cell: Cell, view: View): string[] {
    const { a, b, raster } = pane;
    const { axes, geographic, values } = this.facts;
    const lines = [this.range(a, cell.column, raster.across)];
    if (b !== a) lines.push(this.range(b, cell.row, raster.up));
    if (pane.slice) lines.push(this.sliceIn(pane.slice));
    if (geographic?.[0] === a && geographic[1] === b) lines.push(extent(axes[a]!, axes[b]!, raster, cell));
    if (values) lines.push(this.value(pane, raster.value(cell.column, cell.row)));
    const cluster = view.clusters[raster.label(cell.column, cell.row) - 1];
    return [...lines, cluster ? describe(cluster, this.facts) : "in no cluster"];
  }

  /** "about 12 people (3 to 21)". */
  value({ noise }: Pane, value: number): string {
    const about = `about ${plural(Math.round(Math.max(0, value)), this.facts.counted, this.facts.counted_many)}`;
    if (noise !== null) return about + within([value - noise, value + noise]);
    return `${about} (no interval: ${this.facts.noise === null ? "the noise of one cell has no simple law" : "small values are left out of the sum"})`;
  }

  /** The first and the last value of a cell. */
  rangeOf(axis: number, index: number, count: number): [string, string] {
    const { lo, hi, special } = this.facts.axes[axis]!;
    return special ? this.core.range(axis, index, count) : [tidy(lo + ((hi - lo) * index) / count), tidy(lo + ((hi - lo) * (index + 1)) / count)];
  }

  /** "ward Surgery", "z 0.4 to 0.5". */
  sliceIn({ axis, from, to }: Slice): string {
    const count = (this.facts.values ?? this.facts.axes.map(({ cells }) => cells))[axis]!;
    const first = this.rangeOf(axis, from, count)[0];
    const last = this.rangeOf(axis, to - 1, count)[1];
    return `${this.facts.axes[axis]!.label} ${first === last ? first : `${first} to ${last}`}`;
  }

  private range(axis: number, index: number, count: number): string {
    const { label } = this.facts.axes[axis]!;
    const [first, last] = this.rangeOf(axis, index, count);
    return first === last ? `${label} ${first}` : `${label} ${first} to ${last}`;
  }
}

/** How large a cell of a map is. */
function extent(longitude: Axis, latitude: Axis, raster: Raster, cell: Cell): string {
  const south = valueAt(latitude, cell.row / raster.up);
  const north = valueAt(latitude, Math.min(1, (cell.row + 1) / raster.up));
  const wide = ((longitude.hi - longitude.lo) / raster.across) * kilometres((south + north) / 2);
  const tall = (north - south) * kilometres(0);
  return `${tidy(Number(wide.toPrecision(3)))} by ${tidy(Number(tall.toPrecision(3)))} km`;
}
