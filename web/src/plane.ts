// One canvas: the cells of two axes (or of one, as bars) with clusters, coastlines, ticks; zoom, pan and a cursor.
import { type Axis, type Cluster, type Tick } from "./core.js";
import { type Projection, kilometres, plain, roundBelow, shareOf, tidy, ticks, valueAt } from "./projection.js";
import { type Raster, tileSize } from "./raster.js";

export interface Cell {
  column: number;
  row: number;
}

export interface PlaneOptions {
  across: Axis;
  up: Axis | null; // null: one axis, drawn as bars
  places: readonly [number, number]; // of both among the release's axes
  geographic: boolean;
  coast: number[][]; // lines, each lon, lat, lon, lat, ...
  label: string;
  /** Of an axis of the release that is more than plain numbers, between two shares of it. */
  ticks(axis: number, from: number, to: number, wanted: number): Tick[];
  hover(cell: Cell | null, x: number, y: number): void;
  pick(cell: Cell | null): void;
}

const strips = 128; // of a map, from its south to its north: within them a projection is as good as linear
const margin = { right: 14, top: 12, bottom: 42 };
const tickFont = "11.5px system-ui, sans-serif";
const leastLeft = 58;
const mostLeft = 150; // for names of categories
const mostZoom = 4096;

export class Plane {
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d")!;
  private zoom = 1;
  private centre = { x: 0.5, y: 0.5 }; // of the plane, from 0 to 1, y upwards
  private projection: Projection = plain;
  private clusters: { cluster: Cluster; path: Path2D }[] = [];
  private coast: Path2D | null = null;
  private selected = 0;
  private cursor: Cell | null = null;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private moved = 0;
  private pending = false;
  private left = leastLeft; // margin
  frames = 0;

  constructor(private readonly options: PlaneOptions, private raster: Raster) {
    const canvas = this.canvas;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "map");
    canvas.setAttribute("aria-label", options.label);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.options.hover(null, 0, 0));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.setCursor(null));
    new ResizeObserver(() => {
      this.fit();
      this.draw();
    }).observe(canvas);
  }

  show(raster: Raster, clusters: Cluster[]): void {
    this.raster = raster;
    this.clusters = clusters.map((each) => {
      const cluster = this.turned(each);
      return { cluster, path: this.pathOf(cluster.outline, true) };
    });
    this.draw();
  }

  project(projection: Projection): void {
    this.projection = projection;
    this.fit();
    this.coast = this.options.coast.length > 0 ? this.pathOf(this.options.coast, false) : null;
    this.clusters = this.clusters.map(({ cluster }) => ({ cluster, path: this.pathOf(cluster.outline, true) }));
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
    this.selected = id;
    this.draw();
  }

  reset(): void {
    this.zoom = 1;
    this.centre = { x: 0.5, y: 0.5 };
    this.draw();
  }

  zoomBy(factor: number, x = this.box().x + this.box().width / 2, y = this.box().y + this.box().height / 2): void {
    const before = this.toPlane(x, y);
    this.zoom = Math.min(mostZoom, Math.max(1, this.zoom * factor));
    const after = this.toPlane(x, y);
    this.centre.x += before.x - after.x;
    this.centre.y += before.y - after.y;
    this.draw();
  }

  draw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }

  // ---- from units to the plane to the canvas ------------------------------------------------------------------

  private aspect(): number {
    const { across, up } = this.options;
    const height = this.projection.y(up!.hi) - this.projection.y(up!.lo);
    return ((across.hi - across.lo) * this.projection.x) / height;
  }

  /** A wide map needs no high canvas. */
  private fit(): void {
    if (!this.options.geographic) return;
    const height = (this.canvas.clientWidth - this.left - margin.right) / this.aspect() + margin.top + margin.bottom;
    this.canvas.style.maxHeight = `${Math.max(240, Math.round(height))}px`;
  }

  /** The frame on the canvas; maps keep their proportions. */
  private box(): { x: number; y: number; width: number; height: number } {
    const width = Math.max(50, this.canvas.clientWidth - this.left - margin.right);
    const height = Math.max(50, this.canvas.clientHeight - margin.top - margin.bottom);
    if (!this.options.geographic) return { x: this.left, y: margin.top, width, height };
    const aspect = this.aspect();
    const fitted = Math.min(width, height * aspect);
    return {
      x: this.left + (width - fitted) / 2,
      y: margin.top + (height - fitted / aspect) / 2,
      width: fitted,
      height: fitted / aspect,
    };
  }

  private unitX(value: number): number {
    return shareOf(this.options.across, value);
  }

  /** The place of a value in the plane. A map is projected; else cells are equally high. */
  private unitY(value: number): number {
    const up = this.options.up!;
    if (!this.options.geographic) return shareOf(up, value);
    const lo = this.projection.y(up.lo);
    return (this.projection.y(value) - lo) / (this.projection.y(up.hi) - lo);
  }

  private backY(unit: number): number {
    const up = this.options.up!;
    if (!this.options.geographic) return valueAt(up, unit);
    const lo = this.projection.y(up.lo);
    return this.projection.back(lo + unit * (this.projection.y(up.hi) - lo));
  }

  /** From the plane to rows of cells, and back. */
  private rowOf(unit: number): number {
    return (this.options.geographic ? shareOf(this.options.up!, this.backY(unit)) : unit) * this.raster.up;
  }

  private unitOfRow(row: number): number {
    const share = Math.min(1, row / this.raster.up);
    return this.options.geographic ? this.unitY(valueAt(this.options.up!, share)) : share;
  }

  private clampCentre(): void {
    const half = 0.5 / this.zoom;
    this.centre.x = Math.min(1 - half, Math.max(half, this.centre.x));
    this.centre.y = Math.min(1 - half, Math.max(half, this.centre.y));
  }

  private toPlane(x: number, y: number): { x: number; y: number } {
    const box = this.box();
    return {
      x: this.centre.x + ((x - box.x) / box.width - 0.5) / this.zoom,
      y: this.centre.y - ((y - box.y) / box.height - 0.5) / this.zoom,
    };
  }

  private canvasX(unit: number): number {
    const box = this.box();
    return box.x + box.width * (0.5 + (unit - this.centre.x) * this.zoom);
  }

  private canvasY(unit: number): number {
    const box = this.box();
    return box.y + box.height * (0.5 - (unit - this.centre.y) * this.zoom);
  }

  private cellAt(x: number, y: number): Cell | null {
    const box = this.box();
    if (x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height) return null;
    const plane = this.toPlane(x, y);
    const column = Math.floor(plane.x * this.raster.across);
    const row = this.options.up ? Math.floor(this.rowOf(plane.y)) : 0;
    if (column < 0 || column >= this.raster.across || row < 0 || row >= this.raster.up) return null;
    return { column, row };
  }

  /** Whether an outline runs along the seam of a circle to this point: the cluster goes on behind it. */
  private isSeam(line: number[], i: number): boolean {
    const along = (axis: Axis | null, from: number, to: number) =>
      axis?.circle === true && from === to && (to === axis.lo || to === axis.hi);
    const { across, up } = this.options;
    return along(across, line[i - 2]!, line[i]!) || along(up, line[i - 1]!, line[i + 1]!);
  }

  /** In the plane, from 0 to 1 along both axes. */
  private pathOf(lines: number[][], closed: boolean): Path2D {
    const path = new Path2D();
    if (!this.options.up) return path;
    for (const line of lines) {
      let whole = closed;
      for (let i = 0; i + 1 < line.length; i += 2) {
        const x = this.unitX(line[i]!);
        const y = this.unitY(line[i + 1]!);
        const seam = closed && i > 0 && this.isSeam(line, i);
        if (i === 0 || seam) path.moveTo(x, y);
        else path.lineTo(x, y);
        whole &&= !seam;
      }
      if (whole) path.closePath();
    }
    return path;
  }

  // ---- drawing ------------------------------------------------------------------------------------------------

  private paint(): void {
    this.frames++;
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.clampCentre();
    const context = this.context;
    const style = getComputedStyle(this.canvas);
    const ink = style.color;
    const soft = style.getPropertyValue("--soft") || ink;
    const line = style.getPropertyValue("--line") || ink;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.measure();
    const box = this.box();
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    if (this.options.up) {
      this.paintCells();
      this.paintLines(ratio, ink, soft);
    } else {
      this.paintBars(soft);
    }
    this.paintParts(line);
    this.paintCursor(ink);
    context.restore();
    context.strokeStyle = line;
    context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
    this.paintTicks(ink, soft);
    if (this.options.geographic) this.paintScale(ink, style.getPropertyValue("--paper"));
  }

  private paintCells(): void {
    const box = this.box();
    const context = this.context;
    context.imageSmoothingEnabled = false;
    const pixels = Math.min((box.width * this.zoom) / this.raster.across, (box.height * this.zoom) / this.raster.up);
    const mip = Math.max(0, Math.min(12, Math.floor(Math.log2(1 / pixels))));
    const size = tileSize * 2 ** mip;
    const left = this.toPlane(box.x, 0).x * this.raster.across;
    const right = this.toPlane(box.x + box.width, 0).x * this.raster.across;
    const bottom = this.rowOf(this.toPlane(0, box.y + box.height).y);
    const top = this.rowOf(this.toPlane(0, box.y).y);
    const yOfRow = (row: number) => this.canvasY(this.unitOfRow(row));
    const linear = !this.options.geographic || (this.projection.name !== "equal-area" && !this.options.up!.edges);
    for (let tx = Math.max(0, Math.floor(left / size)); tx * size < Math.min(right, this.raster.across); tx++) {
      const from = tx * size;
      const to = Math.min(from + size, this.raster.across);
      const x0 = this.canvasX(from / this.raster.across);
      const x1 = this.canvasX(to / this.raster.across);
      for (let ty = Math.max(0, Math.floor(bottom / size)); ty * size < Math.min(top, this.raster.up); ty++) {
        const tile = this.raster.tile(mip, tx, ty);
        const strip = linear ? tile.height : Math.max(1, Math.floor(this.raster.up / 2 ** mip / strips));
        for (let row = 0; row < tile.height; row += strip) {
          const rows = Math.min(strip, tile.height - row);
          const low = ty * size + row * 2 ** mip;
          const high = low + rows * 2 ** mip;
          if (high < bottom || low > top) continue;
          const y0 = yOfRow(high);
          const y1 = yOfRow(low);
          context.drawImage(tile, 0, tile.height - row - rows, tile.width, rows, x0, y0, x1 - x0, y1 - y0);
        }
      }
    }
  }

  private paintLines(ratio: number, ink: string, soft: string): void {
    const context = this.context;
    const box = this.box();
    const scaleX = box.width * this.zoom;
    const scaleY = box.height * this.zoom;
    const stroke = (path: Path2D, color: string, width: number, dash: number[]) => {
      // The path lies in the unit square; lines keep their width on the canvas.
      const matrix = new DOMMatrix([scaleX, 0, 0, -scaleY, this.canvasX(0), this.canvasY(0)]);
      const drawn = new Path2D();
      drawn.addPath(path, matrix);
      context.lineWidth = width;
      context.strokeStyle = color;
      context.setLineDash(dash);
      context.stroke(drawn);
      context.setLineDash([]);
    };
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.coast) stroke(this.coast, soft, 0.8, []);
    for (const { cluster, path } of this.clusters) {
      if (cluster.id === this.selected) continue;
      stroke(path, ink, 1, cluster.doubtful ? [2, 4] : []);
    }
    for (const { cluster, path } of this.clusters) {
      if (cluster.id === this.selected) stroke(path, ink, 3, []);
    }
    this.paintNumbers(ink);
  }

  private paintNumbers(ink: string): void {
    const context = this.context;
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const taken: { x: number; y: number }[] = [];
    const box = this.box();
    for (const { cluster } of this.clusters) {
      if (cluster.doubtful && cluster.id !== this.selected) continue;
      const at = insideOf(cluster.outline, cluster.centroid);
      const x = inFrame(this.canvasX(this.unitX(at[0])), box.x, box.x + box.width);
      const y = inFrame(this.canvasY(this.unitY(at[1])), box.y, box.y + box.height);
      if (taken.some((other) => Math.abs(other.x - x) < 18 && Math.abs(other.y - y) < 14)) continue;
      taken.push({ x, y });
      context.lineWidth = 3;
      context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--paper") || "#fff";
      context.strokeText(String(cluster.id), x, y);
      context.fillStyle = ink;
      context.fillText(String(cluster.id), x, y);
    }
  }

  private paintBars(soft: string): void {
    const box = this.box();
    const context = this.context;
    let highest = 1;
    for (let i = 0; i < this.raster.across; i++) highest = Math.max(highest, this.raster.value(i, 0));
    const colors = new Map(this.clusters.map(({ cluster }) => [cluster.id, cluster]));
    for (let i = 0; i < this.raster.across; i++) {
      const x0 = this.canvasX(i / this.raster.across);
      const x1 = this.canvasX((i + 1) / this.raster.across);
      const height = (Math.max(0, this.raster.value(i, 0)) / highest) * (box.height - 24);
      const cluster = colors.get(this.raster.label(i, 0));
      context.globalAlpha = cluster?.doubtful ? 0.4 : this.selected && cluster?.id !== this.selected ? 0.55 : 1;
      context.fillStyle = cluster?.color ?? soft;
      context.fillRect(x0, box.y + box.height - height, Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), height);
    }
    context.globalAlpha = 1;
  }

  private paintCursor(ink: string): void {
    if (!this.cursor) return;
    const { column, row } = this.cursor;
    const x0 = this.canvasX(column / this.raster.across);
    const x1 = this.canvasX((column + 1) / this.raster.across);
    const box = this.box();
    let y0 = box.y;
    let y1 = box.y + box.height;
    if (this.options.up) {
      y0 = this.canvasY(this.unitOfRow(row + 1));
      y1 = this.canvasY(this.unitOfRow(row));
    }
    this.context.strokeStyle = ink;
    this.context.lineWidth = 2;
    this.context.strokeRect(x0 - 1, y0 - 1, Math.max(4, x1 - x0) + 2, Math.max(4, y1 - y0) + 2);
  }

  private ticksAcross(from: number, to: number, wanted: number): Tick[] {
    const { across, places } = this.options;
    if (across.special && !this.options.geographic) return this.options.ticks(places[0], from, to, wanted);
    return ticks(valueAt(across, from), valueAt(across, to), wanted).map((value) => ({ at: this.unitX(value), text: tidy(value) }));
  }

  /** In the plane: of a map by its projection. */
  private ticksUp(): Tick[] {
    const box = this.box();
    const { up, places, geographic } = this.options;
    const bottom = this.toPlane(0, box.y + box.height).y;
    const top = this.toPlane(0, box.y).y;
    const wanted = Math.max(1, box.height / 50);
    if (up!.special && !geographic) return this.options.ticks(places[1], bottom, top, wanted);
    return ticks(this.backY(bottom), this.backY(top), wanted).map((value) => ({ at: this.unitY(value), text: tidy(value) }));
  }

  /** Room for the longest text beside the plane. */
  private measure(): void {
    if (!this.options.up?.text) return;
    this.context.font = tickFont;
    const widest = Math.max(...this.ticksUp().map(({ text }) => this.context.measureText(text).width), 0);
    this.left = Math.round(Math.min(mostLeft, Math.max(leastLeft, widest + 34)));
  }

  /** Categories touch nowhere: a line parts them. */
  private paintParts(line: string): void {
    const { across, up } = this.options;
    const box = this.box();
    this.context.fillStyle = line;
    for (let i = 1; across.apart && i < across.cells; i++) {
      this.context.fillRect(Math.round(this.canvasX(i / across.cells)), box.y, 1, box.height);
    }
    for (let i = 1; up?.apart && i < up.cells; i++) {
      this.context.fillRect(box.x, Math.round(this.canvasY(i / up.cells)), box.width, 1);
    }
  }

  private paintTicks(ink: string, soft: string): void {
    const box = this.box();
    const context = this.context;
    const { across, up } = this.options;
    context.fillStyle = soft;
    context.strokeStyle = soft;
    context.lineWidth = 1;
    context.font = tickFont;
    context.textAlign = "center";
    context.textBaseline = "top";
    const from = this.toPlane(box.x, 0).x;
    const to = this.toPlane(box.x + box.width, 0).x;
    let wanted = Math.max(1, box.width / 80);
    let found = this.ticksAcross(from, to, wanted);
    const widest = Math.max(...found.map(({ text }) => context.measureText(text).width), 0) + 14;
    if (widest * found.length > box.width) {
      wanted = Math.max(1, Math.floor(box.width / widest));
      found = this.ticksAcross(from, to, wanted);
    }
    for (const { at, text } of found) {
      const x = this.canvasX(at);
      context.fillText(text, x, box.y + box.height + 7);
      context.fillRect(x, box.y + box.height, 1, 4);
    }
    context.fillStyle = ink;
    context.fillText(across.label, box.x + box.width / 2, box.y + box.height + 23);
    if (!up) return;
    context.fillStyle = soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { at, text } of this.ticksUp()) {
      const y = this.canvasY(at);
      context.fillText(text, box.x - 7, y, this.left - 28);
      context.fillRect(box.x - 4, y, 4, 1);
    }
    context.save();
    context.fillStyle = ink;
    context.translate(box.x - this.left + 12, box.y + box.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(up.label, 0, 0);
    context.restore();
  }

  private paintScale(ink: string, paper: string): void {
    const box = this.box();
    const { across } = this.options;
    const latitude = this.backY(this.toPlane(0, box.y + box.height / 2).y);
    const perPixel = ((across.hi - across.lo) * kilometres(latitude)) / (box.width * this.zoom);
    const length = roundBelow(Math.min(140, box.width / 3) * perPixel);
    const pixels = length / perPixel;
    const x = box.x + box.width - pixels - 12;
    const y = box.y + box.height - 14;
    const context = this.context;
    context.fillStyle = paper || "#fff";
    context.globalAlpha = 0.8;
    context.fillRect(x - 6, y - 20, pixels + 12, 28);
    context.globalAlpha = 1;
    context.fillStyle = ink;
    context.fillRect(x, y, pixels, 3);
    context.font = "11.5px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(length >= 1 ? `${tidy(length)} km` : `${tidy(length * 1000)} m`, x + pixels / 2, y - 2);
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
      this.options.hover(this.cellAt(here.x, here.y), here.x, here.y);
      return;
    }
    const box = this.box();
    if (this.pointers.size === 1) {
      this.centre.x -= (here.x - last.x) / box.width / this.zoom;
      this.centre.y += (here.y - last.y) / box.height / this.zoom;
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
      const cell = this.cellAt(event.offsetX, event.offsetY);
      this.options.pick(cell);
      this.options.hover(cell, event.offsetX, event.offsetY);
    }
  }

  private setCursor(cell: Cell | null): void {
    this.cursor = cell;
    if (cell) {
      const x = this.canvasX((cell.column + 0.5) / this.raster.across);
      const y = this.options.up ? this.canvasY(this.unitOfRow(cell.row + 0.5)) : this.box().y + 20;
      this.options.hover(cell, x, y);
    } else {
      this.options.hover(null, 0, 0);
    }
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const step = event.shiftKey ? 10 : 1;
    const from = this.cursor ?? { column: this.raster.across >> 1, row: this.raster.up >> 1 };
    const to = { ...from };
    if (event.key === "ArrowLeft") to.column -= step;
    else if (event.key === "ArrowRight") to.column += step;
    else if (event.key === "ArrowUp") to.row += step;
    else if (event.key === "ArrowDown") to.row -= step;
    else if (event.key === "+" || event.key === "=") return this.zoomBy(1.5);
    else if (event.key === "-") return this.zoomBy(1 / 1.5);
    else if (event.key === "0") return this.reset();
    else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.options.pick(this.cursor);
    } else if (event.key === "Escape") return this.setCursor(null);
    else return;
    event.preventDefault();
    to.column = Math.max(0, Math.min(this.raster.across - 1, to.column));
    to.row = Math.max(0, Math.min(this.raster.up - 1, to.row));
    this.setCursor(to);
  }
}

/** A number near the frame is not cut by it. */
function inFrame(at: number, first: number, last: number): number {
  return at < first || at > last ? at : Math.max(first + 9, Math.min(last - 9, at));
}

/** The centroid where it lies inside the first ring; else the middle of the widest stretch at its height. */
function insideOf(rings: number[][], centroid: number[]): [number, number] {
  const y = centroid[1] ?? 0;
  const crossings: number[] = [];
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [x0, y0, x1, y1] = [ring[i]!, ring[i + 1]!, ring[i + 2]!, ring[i + 3]!];
      if (y0 <= y !== y1 <= y) crossings.push(x0 + ((y - y0) / (y1 - y0)) * (x1 - x0));
    }
  }
  crossings.sort((a, b) => a - b);
  const stretches: [number, number][] = [];
  for (let i = 0; i + 1 < crossings.length; i += 2) stretches.push([crossings[i]!, crossings[i + 1]!]);
  const x = centroid[0] ?? 0;
  if (stretches.length === 0 || stretches.some(([left, right]) => left <= x && x <= right)) return [x, y];
  const [left, right] = stretches.reduce((best, each) => (each[1] - each[0] > best[1] - best[0] ? each : best));
  return [(left + right) / 2, y];
}
