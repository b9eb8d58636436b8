// Which part of a plane is seen, and where: from the axes' units to the plane (0 to 1 along both axes, y upwards) to the canvas.
// Along a circle the plane has no end: what leaves on one side comes back on the other.
import { type Axis } from "./core.js";
import { type Projection, plain, shareOf, valueAt } from "./projection.js";

const framed = { right: 14, top: 12, bottom: 42 };
const unframed = { right: 0, top: 0, bottom: 0 };
const leastLeft = 58;
const mostLeft = 150; // for names of categories
const mostZoom = 4096;

export interface Cell {
  column: number;
  row: number;
}
export interface Cells {
  across: number;
  up: number;
}
export interface Scene {
  across: Axis;
  up: Axis | null; // null: one axis, drawn as bars
  geographic: boolean;
  /** Whether there are no ticks and no names of axes: a map, or a small picture. */
  bare: boolean;
  counted: string; // in the plural
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
const onCircle = (value: number): number => value - Math.floor(value);

/** What is seen, to be looked at again on another part. */
export interface Sight {
  zoom: number;
  x: number;
  y: number;
}

export class Camera {
  projection: Projection = plain;
  left: number;
  private zoom = 1;
  private centre = { x: 0.5, y: 0.5 };
  private readonly margin: typeof framed;

  constructor(private readonly canvas: HTMLCanvasElement, readonly scene: Scene, readonly cells: Cells) {
    this.margin = scene.bare ? unframed : framed;
    this.left = scene.bare ? 0 : leastLeft;
  }

  get sight(): Sight {
    return { zoom: this.zoom, ...this.centre };
  }
  set sight({ zoom, x, y }: Sight) {
    this.zoom = zoom;
    this.centre = { x, y };
  }

  get magnification(): number {
    return this.zoom;
  }

  reset(): void {
    this.zoom = 1;
    this.centre = { x: 0.5, y: 0.5 };
  }

  zoomBy(factor: number, x?: number, y?: number): void {
    const box = this.box();
    const before = this.toPlane(x ?? box.x + box.width / 2, y ?? box.y + box.height / 2);
    this.zoom = within(this.zoom * factor, 1, mostZoom);
    const after = this.toPlane(x ?? box.x + box.width / 2, y ?? box.y + box.height / 2);
    this.move(before.x - after.x, before.y - after.y);
  }

  /** By pixels of the canvas. */
  pan(dx: number, dy: number): void {
    const box = this.box();
    this.move(-dx / box.width / this.zoom, dy / box.height / this.zoom);
  }

  private move(x: number, y: number): void {
    const half = 0.5 / this.zoom;
    const placed = (at: number, axis: Axis | null): number => (axis?.circle ? onCircle(at) : within(at, half, 1 - half));
    this.centre = { x: placed(this.centre.x + x, this.scene.across), y: placed(this.centre.y + y, this.scene.up) };
  }

  /** So that a cell is inside the frame. */
  reveal(cell: Cell): void {
    const place = this.placeOf(cell);
    const box = this.box();
    const outside = place.x < box.x || place.x > box.x + box.width || place.y < box.y || place.y > box.y + box.height;
    if (outside) this.pan(box.x + box.width / 2 - place.x, box.y + box.height / 2 - place.y);
  }

  /** Width by height of a map. */
  aspect(): number {
    const { across, up } = this.scene;
    const height = this.projection.y(up!.hi) - this.projection.y(up!.lo);
    return ((across.hi - across.lo) * this.projection.x) / height;
  }

  /** Room for the longest text beside the plane. */
  makeRoom(widest: number): void {
    if (!this.scene.bare) this.left = Math.round(within(widest + 34, leastLeft, mostLeft));
  }

  /** The frame on the canvas; maps keep their proportions. Only it is painted. */
  box(): { x: number; y: number; width: number; height: number } {
    const width = Math.max(50, this.canvas.clientWidth - this.left - this.margin.right);
    const height = Math.max(50, this.canvas.clientHeight - this.margin.top - this.margin.bottom);
    if (!this.scene.geographic) return { x: this.left, y: this.margin.top, width, height };
    const aspect = this.aspect();
    const fitted = Math.min(width, height * aspect);
    return {
      x: this.left + (width - fitted) / 2,
      y: this.margin.top + (height - fitted / aspect) / 2,
      width: fitted,
      height: fitted / aspect,
    };
  }

  unitX(value: number): number {
    return shareOf(this.scene.across, value);
  }

  /** The place of a value in the plane. A map is projected; else cells are equally high. */
  unitY(value: number): number {
    const up = this.scene.up!;
    if (!this.scene.geographic) return shareOf(up, value);
    const lo = this.projection.y(up.lo);
    return (this.projection.y(value) - lo) / (this.projection.y(up.hi) - lo);
  }

  backY(unit: number): number {
    const up = this.scene.up!;
    if (!this.scene.geographic) return valueAt(up, unit);
    const lo = this.projection.y(up.lo);
    return this.projection.back(lo + unit * (this.projection.y(up.hi) - lo));
  }

  /** From the plane to rows of cells, and back. */
  rowOf(unit: number): number {
    return (this.scene.geographic ? shareOf(this.scene.up!, this.backY(unit)) : unit) * this.cells.up;
  }

  unitOfRow(row: number): number {
    const share = Math.min(1, row / this.cells.up);
    return this.scene.geographic ? this.unitY(valueAt(this.scene.up!, share)) : share;
  }

  toPlane(x: number, y: number): { x: number; y: number } {
    const box = this.box();
    return {
      x: this.centre.x + ((x - box.x) / box.width - 0.5) / this.zoom,
      y: this.centre.y - ((y - box.y) / box.height - 0.5) / this.zoom,
    };
  }

  canvasX(unit: number): number {
    const box = this.box();
    return box.x + box.width * (0.5 + (unit - this.centre.x) * this.zoom);
  }

  canvasY(unit: number): number {
    const box = this.box();
    return box.y + box.height * (0.5 - (unit - this.centre.y) * this.zoom);
  }

  /** What is seen of both axes: shares, past 0 and 1 along a circle. */
  seen(): { left: number; right: number; bottom: number; top: number } {
    const box = this.box();
    const low = this.toPlane(box.x, box.y + box.height);
    const high = this.toPlane(box.x + box.width, box.y);
    return { left: low.x, right: high.x, bottom: low.y, top: high.y };
  }

  /** How many times around a circle the seen parts lie; 0 alone for other axes. */
  static turns(axis: Axis | null, from: number, to: number): number[] {
    if (!axis?.circle) return [0];
    const first = Math.floor(from + 1e-9);
    return Array.from({ length: Math.max(1, Math.ceil(to - 1e-9) - first) }, (_, i) => first + i);
  }

  /** Calls `work` for each time that the plane is seen, placed there. */
  around(work: () => void): void {
    const { left, right, bottom, top } = this.seen();
    const { centre } = this;
    for (const x of Camera.turns(this.scene.across, left, right)) {
      for (const y of Camera.turns(this.scene.up, bottom, top)) {
        this.centre = { x: centre.x - x, y: centre.y - y };
        work();
      }
    }
    this.centre = centre;
  }

  cellAt(x: number, y: number): Cell | null {
    const box = this.box();
    if (x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height) return null;
    const { across, up } = this.scene;
    const at = this.toPlane(x, y);
    const column = Math.floor((across.circle ? onCircle(at.x) : at.x) * this.cells.across);
    const row = up ? Math.floor(this.rowOf(up.circle ? onCircle(at.y) : at.y)) : 0;
    if (column < 0 || column >= this.cells.across || row < 0 || row >= this.cells.up) return null;
    return { column, row };
  }

  /** The middle of a cell on the canvas, where it is seen. */
  placeOf(cell: Cell): { x: number; y: number } {
    const { left, bottom } = this.seen();
    const { across, up } = this.scene;
    const seen = (unit: number, axis: Axis, first: number): number => (axis.circle ? unit + Math.ceil(first - unit) : unit);
    return {
      x: this.canvasX(seen((cell.column + 0.5) / this.cells.across, across, left)),
      y: up ? this.canvasY(seen(this.unitOfRow(cell.row + 0.5), up, bottom)) : this.box().y + 20,
    };
  }
}

/** An inset, which lies within the map that another camera looks at. */
export class InsetCamera extends Camera {
  constructor(canvas: HTMLCanvasElement, scene: Scene, cells: Cells, private readonly whole: Camera) {
    super(canvas, scene, cells);
  }

  /** What of the inset is seen on the canvas. */
  override box(): { x: number; y: number; width: number; height: number } {
    const all = this.whole.box();
    const [x0, x1, y0, y1] = [this.canvasX(0), this.canvasX(1), this.canvasY(1), this.canvasY(0)];
    const [left, right] = [Math.max(all.x, x0), Math.min(all.x + all.width, x1)];
    const [top, bottom] = [Math.max(all.y, y0), Math.min(all.y + all.height, y1)];
    return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
  }

  override canvasX(unit: number): number {
    return this.whole.canvasX(this.whole.unitX(valueAt(this.scene.across, unit)));
  }
  override canvasY(unit: number): number {
    return this.whole.canvasY(this.whole.unitY(this.backY(unit)));
  }
  override toPlane(x: number, y: number): { x: number; y: number } {
    const at = this.whole.toPlane(x, y);
    return { x: shareOf(this.scene.across, valueAt(this.whole.scene.across, at.x)), y: this.unitY(this.whole.backY(at.y)) };
  }
}
