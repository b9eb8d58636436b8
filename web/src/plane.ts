// One canvas: the cells of two axes (or of one, as bars) with clusters, coastlines, ticks; zoom, pan and a cursor.
import { Camera, type Cell, type Scene } from "./camera.js";
import { type Axis, type Cluster, type Tick } from "./core.js";
import { type Drawn, Painting } from "./painting.js";
import { type Projection } from "./projection.js";
import { type Raster } from "./raster.js";

/** What lies under a map. Lines are lon, lat, lon, lat, ... */
export interface BaseMap {
  land: number[][]; // rings
  lakes: number[][]; // rings
  rivers: number[][];
  borders: number[][]; // of countries
  states: number[][];
  places: [string, number, number][]; // name, lon, lat; the most populous first
  credits: string;
}
export const noBaseMap: BaseMap = { land: [], lakes: [], rivers: [], borders: [], states: [], places: [], credits: "" };
const isEmpty = ({ land, lakes, rivers, borders, states, places }: BaseMap): boolean =>
  [land, lakes, rivers, borders, states, places].every((part) => part.length === 0);

export interface PlaneOptions extends Scene {
  places: readonly [number, number]; // of both axes among the release's
  base: BaseMap | null; // of a map
  label: string;
  /** Of an axis of the release that is more than plain numbers, between two shares of it. */
  ticks(axis: number, from: number, to: number, wanted: number): Tick[];
  hover(cell: Cell | null, x: number, y: number): void;
  pick(cell: Cell | null): void;
  /** To the next part of the file, or the one before; null: it has one. */
  turn: ((by: number) => void) | null;
}

/** The lines of a ring without those along which the map of the world is cut. */
function shoresOf(ring: number[]): number[][] {
  const lines: number[][] = [[]];
  const isEdge = (i: number): boolean => Math.abs(ring[i]!) > 179.999 || ring[i + 1]! < -89.999;
  for (let i = 0; i + 1 < ring.length; i += 2) {
    if (i > 0 && isEdge(i) && isEdge(i - 2)) lines.push([]);
    lines[lines.length - 1]!.push(ring[i]!, ring[i + 1]!);
  }
  return lines;
}

export class Plane {
  readonly canvas = document.createElement("canvas");
  private readonly camera: Camera;
  private readonly painting: Painting;
  private readonly drawn: Drawn = { clusters: [], base: null, selected: 0, cursor: null, marks: [null, null] };
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private moved = 0;
  private pending = false;

  constructor(private readonly options: PlaneOptions, private readonly raster: Raster) {
    const canvas = this.canvas;
    this.camera = new Camera(canvas, options, raster);
    this.painting = new Painting(canvas.getContext("2d")!, this.camera, options.places, options.ticks);
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "map");
    canvas.setAttribute("aria-label", options.label);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.options.hover(null, 0, 0); // a lifted finger leaves too, and what it asked for stays
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.setCursor(null));
    new ResizeObserver(() => {
      this.camera.fit();
      this.draw();
    }).observe(canvas);
  }

  show(clusters: Cluster[]): void {
    this.drawn.clusters = clusters.map((each) => {
      const cluster = this.turned(each);
      return { cluster, path: this.pathOf(cluster.outline, true) };
    });
    this.draw();
  }

  project(projection: Projection): void {
    this.camera.projection = projection;
    this.camera.fit();
    const { base } = this.options;
    this.drawn.base = base && !isEmpty(base)
      ? {
          land: this.pathOf(base.land, false), lakes: this.pathOf(base.lakes, false), rivers: this.pathOf(base.rivers, false),
          shores: this.pathOf([...base.land.flatMap(shoresOf), ...base.lakes], false), borders: this.pathOf(base.borders, false),
          states: this.pathOf(base.states, false), places: base.places, isLand: base.land.length === 0,
        }
      : null;
    this.drawn.clusters = this.drawn.clusters.map(({ cluster }) => ({ cluster, path: this.pathOf(cluster.outline, true) }));
    this.draw();
  }

  /** Centre and outline in the order of this plane's axes. Outlines have the order of the release's. */
  private turned(cluster: Cluster): Cluster {
    const [a, b] = this.options.places;
    const centroid = [cluster.centroid[a] ?? 0, cluster.centroid[b] ?? 0];
    if (a < b) return { ...cluster, centroid };
    const outline = cluster.outline.map((ring) => ring.map((_, i) => ring[i ^ 1]!));
    return { ...cluster, centroid, outline };
  }

  select(id: number): void {
    this.drawn.selected = id;
    this.draw();
  }

  /** Lines at shares of both axes; null: none. */
  mark(across: number | null, up: number | null): void {
    this.drawn.marks = [across, up];
    this.draw();
  }

  reset(): void {
    this.camera.reset();
    this.draw();
  }

  zoomBy(factor: number, x?: number, y?: number): void {
    this.camera.zoomBy(factor, x, y);
    this.draw();
  }

  draw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.painting.paint(this.raster, this.drawn);
    });
  }

  /** Whether an outline runs along the seam of a circle to this point: the cluster goes on behind it. */
  private isSeam(line: number[], i: number): boolean {
    const along = (axis: Axis | null, from: number, to: number): boolean =>
      axis?.circle === true && from === to && (to === axis.lo || to === axis.hi);
    const { across, up } = this.options;
    return along(across, line[i - 2]!, line[i]!) || along(up, line[i - 1]!, line[i + 1]!);
  }

  /** In the plane, from 0 to 1 along both axes. Corners of outlines are rounded, over at most a cell to each side. */
  private pathOf(lines: number[][], closed: boolean): Path2D {
    const path = new Path2D();
    if (!this.options.up) return path;
    for (const line of lines) {
      const points: [number, number][] = [];
      let whole = closed;
      for (let i = 0; i + 1 < line.length; i += 2) {
        whole &&= !(i > 0 && this.isSeam(line, i));
        points.push([this.camera.unitX(line[i]!), this.camera.unitY(line[i + 1]!)]);
      }
      if (whole) this.round(path, points);
      else {
        points.forEach(([x, y], i) => {
          if (i === 0 || (closed && this.isSeam(line, 2 * i))) path.moveTo(x, y);
          else path.lineTo(x, y);
        });
      }
    }
    return path;
  }

  /** A ring whose last point is its first. */
  private round(path: Path2D, ring: [number, number][]): void {
    const { across, up } = this.raster;
    const cell = Math.max(1 / across, 1 / up);
    const count = ring.length - 1;
    /** From one corner towards another: half the way, or a cell. */
    const towards = (from: [number, number], to: [number, number]): [number, number] => {
      const share = Math.min(0.5, cell / Math.max(1e-12, Math.hypot(to[0] - from[0], to[1] - from[1])));
      return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    };
    for (let i = 0; i < count; i++) {
      const corner = ring[i]!;
      const [x0, y0] = towards(corner, ring[(i + count - 1) % count]!);
      const [x1, y1] = towards(corner, ring[(i + 1) % count]!);
      if (i === 0) path.moveTo(x0, y0);
      else path.lineTo(x0, y0);
      path.quadraticCurveTo(corner[0], corner[1], x1, y1);
    }
    path.closePath();
  }

  // ---- hands --------------------------------------------------------------------------------------------------

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoomBy(2 ** (-event.deltaY / 240), event.offsetX, event.offsetY);
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.moved = 0;
  }

  private move(event: PointerEvent): void {
    const last = this.pointers.get(event.pointerId);
    const here = { x: event.offsetX, y: event.offsetY };
    if (!last) {
      this.options.hover(this.camera.cellAt(here.x, here.y), here.x, here.y);
      return;
    }
    if (this.pointers.size === 1) {
      this.camera.pan(here.x - last.x, here.y - last.y);
      this.moved += Math.abs(here.x - last.x) + Math.abs(here.y - last.y);
      this.draw();
    } else {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)![1];
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(here.x - other.x, here.y - other.y);
      this.moved += 10;
      if (before > 0) this.zoomBy(after / before, (here.x + other.x) / 2, (here.y + other.y) / 2);
    }
    this.pointers.set(event.pointerId, here);
  }

  private up(event: PointerEvent): void {
    if (this.pointers.delete(event.pointerId) && this.pointers.size === 0 && this.moved < 5) {
      const cell = this.camera.cellAt(event.offsetX, event.offsetY);
      this.options.pick(cell);
      this.options.hover(cell, event.offsetX, event.offsetY);
    }
  }

  private setCursor(cell: Cell | null): void {
    this.drawn.cursor = cell;
    if (cell) {
      this.camera.reveal(cell);
      const { x, y } = this.camera.placeOf(cell);
      this.options.hover(cell, x, y);
    } else {
      this.options.hover(null, 0, 0);
    }
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const step = event.shiftKey ? 10 : 1;
    const { across, up } = this.raster;
    const to = { ...(this.drawn.cursor ?? { column: across >> 1, row: up >> 1 }) };
    if (event.key === "ArrowLeft") to.column -= step;
    else if (event.key === "ArrowRight") to.column += step;
    else if (event.key === "ArrowUp") to.row += step;
    else if (event.key === "ArrowDown") to.row -= step;
    else if (event.key === "+" || event.key === "=") return this.zoomBy(1.5);
    else if (event.key === "-") return this.zoomBy(1 / 1.5);
    else if (event.key === "0") return this.reset();
    else if (this.options.turn && (event.key === "PageDown" || event.key === "PageUp")) {
      event.preventDefault();
      return this.options.turn(event.key === "PageDown" ? 1 : -1);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.options.pick(this.drawn.cursor);
    } else if (event.key === "Escape") return this.setCursor(null);
    else return;
    event.preventDefault();
    const placed = (at: number, count: number, axis: Axis | null): number =>
      axis?.circle ? ((at % count) + count) % count : Math.max(0, Math.min(count - 1, at));
    this.setCursor({ column: placed(to.column, across, this.options.across), row: placed(to.row, up, this.options.up) });
  }
}
