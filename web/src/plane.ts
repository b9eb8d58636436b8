// One canvas: the cells of two axes (or of one, as bars) with clusters, coastlines, ticks; zoom, pan and a cursor.
import { Camera, type Cell, InsetCamera, type Scene, type Sight } from "./camera.js";
import { type Axis, type Cluster, type Tick } from "./core.js";
import { Painting } from "./painting.js";
import { type Projection } from "./projection.js";
import { type Raster } from "./raster.js";
import { type BaseMap, Sheet } from "./sheet.js";

export interface PlaneOptions extends Scene {
  places: readonly [number, number]; // of both axes among the release's
  base: BaseMap | null; // of a map
  label: string;
  /** Of an axis of the release that is more than plain numbers, between two shares of it. */
  ticks(axis: number, from: number, to: number, wanted: number): Tick[];
  hover(cell: Cell | null, x: number, y: number, inset: number): void;
  /** inset: the number of the part that lies there; 0: the plane itself. */
  pick(cell: Cell | null, inset: number): void;
  /** To the next part of the file, or the one before; null: it has one. */
  turn: ((by: number) => void) | null;
}

/** A part of the file that lies on the map. */
export interface Inset {
  number: number;
  name: string;
  axes: { across: Axis; up: Axis };
  raster: Raster;
  clusters: Cluster[];
}

export class Plane {
  readonly canvas = document.createElement("canvas");
  private readonly camera: Camera;
  private readonly painting: Painting;
  private readonly sheet: Sheet;
  private insets: (Inset & { camera: InsetCamera; sheet: Sheet })[] = [];
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private moved = 0;
  private pending = false;

  constructor(private readonly options: PlaneOptions, private readonly raster: Raster) {
    const canvas = this.canvas;
    this.camera = new Camera(canvas, options, raster);
    this.painting = new Painting(canvas.getContext("2d")!, this.camera, options.places, options.ticks);
    this.sheet = new Sheet(this.painting, this.camera, raster, options.places, options.base);
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
      if (event.pointerType === "mouse") this.options.hover(null, 0, 0, 0); // a lifted finger leaves too, and what it asked for stays
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.setCursor(null));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  show(clusters: Cluster[]): void {
    this.sheet.show(clusters);
    this.draw();
  }

  project(projection: Projection): void {
    this.sheet.project(projection);
    for (const { sheet } of this.insets) sheet.project(projection);
    this.draw();
  }

  /** Width by height of a map. */
  get aspect(): number {
    return this.camera.aspect();
  }

  get sight(): Sight {
    return this.camera.sight;
  }
  set sight(sight: Sight) {
    this.camera.sight = sight;
    this.draw();
  }

  /** Draws parts of the file that lie on this map, each where it lies. */
  lay(insets: Inset[]): void {
    this.insets = insets.map((inset) => {
      const camera = new InsetCamera(this.canvas, { ...this.options, ...inset.axes }, inset.raster, this.camera);
      const sheet = new Sheet(this.painting.beside(camera), camera, inset.raster, this.options.places, this.options.base);
      sheet.project(this.camera.projection);
      sheet.drawn.prefix = `${inset.name}.`;
      sheet.show(inset.clusters);
      return { ...inset, camera, sheet };
    });
    this.sheet.drawn.covered = (x, y) => this.insets.some(({ camera }) => camera.cellAt(x, y));
    this.draw();
  }

  select(id: number): void {
    this.sheet.drawn.selected = id;
    this.draw();
  }

  /** Lines at shares of both axes; null: none. */
  mark(across: number | null, up: number | null): void {
    this.sheet.drawn.marks = [across, up];
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
      this.painting.paint(this.raster, this.sheet.drawn, () => {
        for (const { sheet, raster, name } of this.insets) sheet.painting.paintOn(raster, sheet.drawn, name);
      });
    });
  }

  /** The cell at a place of the canvas, and the inset that it is of. */
  private at(x: number, y: number): [Cell | null, number, number, number] {
    const inset = this.insets.find(({ camera }) => camera.cellAt(x, y));
    return [(inset?.camera ?? this.camera).cellAt(x, y), x, y, inset?.number ?? 0];
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
      this.options.hover(...this.at(here.x, here.y));
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
      const [cell, x, y, inset] = this.at(event.offsetX, event.offsetY);
      this.options.pick(cell, inset);
      this.options.hover(cell, x, y, inset);
    }
  }

  private setCursor(cell: Cell | null): void {
    this.sheet.drawn.cursor = cell;
    if (cell) {
      this.camera.reveal(cell);
      const { x, y } = this.camera.placeOf(cell);
      this.options.hover(cell, x, y, 0);
    } else {
      this.options.hover(null, 0, 0, 0);
    }
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const step = event.shiftKey ? 10 : 1;
    const { across, up } = this.raster;
    const to = { ...(this.sheet.drawn.cursor ?? { column: across >> 1, row: up >> 1 }) };
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
      return this.options.pick(this.sheet.drawn.cursor, 0);
    } else if (event.key === "Escape") return this.setCursor(null);
    else return;
    event.preventDefault();
    const placed = (at: number, count: number, axis: Axis | null): number =>
      axis?.circle ? ((at % count) + count) % count : Math.max(0, Math.min(count - 1, at));
    this.setCursor({ column: placed(to.column, across, this.options.across), row: placed(to.row, up, this.options.up) });
  }
}
