// How a plane is drawn: cells or bars, coastlines, outlines and numbers of clusters, ticks, a scale.
import { Camera, type Cell } from "./camera.js";
import { type Axis, type Cluster, type Tick } from "./core.js";
import { type BaseMap } from "./sheet.js";
import { grouped, kilometres, roundBelow, tidy, ticks, valueAt } from "./projection.js";
import { type Kind, type Raster, tileSize } from "./raster.js";

const strips = 128; // of a map, from its south to its north: within them a projection is as good as linear
const tickFont = "11.5px system-ui, sans-serif";
const numberFont = "600 13px system-ui, sans-serif";
const countryFont = "italic 12px system-ui, sans-serif";
const mostTicks = 100;
const hatchStep = 6; // pixels between two lines over a doubtful cluster

export interface Drawn {
  clusters: { cluster: Cluster; path: Path2D }[];
  /** isLand: without land of its own, all of it is land. */
  base: { land: Path2D; lakes: Path2D; rivers: Path2D; shores: Path2D; borders: Path2D; states: Path2D; places: BaseMap["places"]; isLand: boolean } | null;
  selected: number;
  cursor: Cell | null;
  /** Lines at shares of both axes, as another plane points there. */
  marks: [number | null, number | null];
  /** Whether clusters have no numbers and the map no scale: a small picture. */
  quiet: boolean;
  /** What stands before the number of a cluster: of an inset, its own. */
  prefix: string;
  /** Whether an inset hides that place of the canvas. */
  covered: (x: number, y: number) => boolean;
}
/** Of an axis that is more than plain numbers, between two shares of it. */
type SpecialTicks = (axis: number, from: number, to: number, wanted: number) => Tick[];

export class Painting {
  private ink = "";
  private soft = "";
  private line = "";
  private paper = "";
  private water = "";
  private land = "";
  private shore = "";
  private river = "";
  private pale = ""; // of what lies in no cluster

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly camera: Camera,
    private readonly places: readonly [number, number],
    private readonly specialTicks: SpecialTicks,
    /** Where something is written on the picture: middle and size. */
    private readonly taken: { x: number; y: number; width: number; height: number }[] = [],
  ) {}

  /** On the same canvas, through another camera. */
  beside(camera: Camera): Painting {
    return new Painting(this.context, camera, this.places, this.specialTicks, this.taken);
  }

  /** Takes the size of the canvas and the colours of the page. Returns false where there is nothing to see. */
  prepare(): boolean {
    const { context } = this;
    const { canvas } = context;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return false;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const style = getComputedStyle(canvas);
    this.ink = style.color;
    this.soft = style.getPropertyValue("--soft") || this.ink;
    this.line = style.getPropertyValue("--line") || this.ink;
    this.paper = style.getPropertyValue("--paper") || "#fff";
    this.water = style.getPropertyValue("--water") || this.paper;
    this.land = style.getPropertyValue("--land") || this.paper;
    this.shore = style.getPropertyValue("--shore") || this.soft;
    this.river = style.getPropertyValue("--river") || this.water;
    this.pale = style.getPropertyValue("--pale") || this.soft;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return true;
  }

  /** insets: what lies on this plane, drawn by others. */
  paint(raster: Raster, drawn: Drawn, insets: () => void = () => undefined): void {
    const { context, camera } = this;
    if (!this.prepare()) return;
    context.clearRect(0, 0, context.canvas.clientWidth, context.canvas.clientHeight);
    this.makeRoom(raster);
    const box = camera.box();
    this.taken.length = 0;
    if (camera.scene.geographic) this.taken.push({ x: box.x + box.width - 95, y: box.y + box.height - 14, width: 190, height: 30 }); // the scale
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    camera.around(() => {
      if (camera.scene.up) {
        this.ground(drawn);
        this.cells(raster, "rest");
        this.shores(drawn);
        this.density(raster, drawn);
        this.outlines(drawn);
        insets();
        this.names(drawn);
      } else {
        this.bars(raster, drawn);
      }
      this.parts();
      this.marks(drawn.marks);
      this.cursor(drawn.cursor);
    });
    context.restore();
    if (camera.scene.geographic && !drawn.quiet) this.scale();
    if (camera.scene.bare) return;
    context.strokeStyle = this.line;
    context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
    this.ticks();
    if (!camera.scene.up) this.barScale(raster);
  }

  /** An inset, on the map that is painted: it hides what lies below it. */
  paintOn(raster: Raster, drawn: Drawn, name: string): void {
    const { camera, context } = this;
    if (!this.prepare()) return;
    const box = camera.box();
    if (box.width < 1 || box.height < 1) return;
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    this.ground(drawn);
    this.cells(raster, "rest");
    this.shores(drawn);
    this.density(raster, drawn);
    this.outlines({ ...drawn, quiet: box.width < 90 });
    context.restore();
    context.lineWidth = 1.4;
    context.strokeStyle = this.ink;
    context.strokeRect(box.x, box.y, box.width, box.height);
    context.font = tickFont;
    const width = context.measureText(name).width + 8;
    this.taken.push({ x: box.x + width / 2, y: Math.max(0, box.y - 16) + 8, width, height: 16 });
    context.fillStyle = this.ink;
    context.fillRect(box.x, Math.max(0, box.y - 16), width, 16);
    context.fillStyle = this.paper;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(name, box.x + 4, Math.max(0, box.y - 16) + 8);
  }

  /** From the unit square to the canvas. */
  private matrix(): DOMMatrix {
    const { camera } = this;
    const [x, y] = [camera.canvasX(0), camera.canvasY(0)];
    return new DOMMatrix([camera.canvasX(1) - x, 0, 0, camera.canvasY(1) - y, x, y]);
  }

  /** Smooth within the outlines of clusters; as cells where clusters have none, because they have more axes than the plane. Clusters of
   * one colour do not touch, so each colour that is smoothed is drawn by itself and ends at its outlines. */
  private density(raster: Raster, { clusters, selected }: Drawn): void {
    const { context } = this;
    const outlined = clusters.some(({ cluster }) => cluster.outline.length > 0);
    const areas = new Map<Kind, Path2D>();
    for (const { cluster, path } of clusters) {
      if (cluster.doubtful && cluster.id !== selected) continue;
      const color: Kind = raster.smooths ? (cluster.color as Kind) : "all";
      if (!areas.has(color)) areas.set(color, new Path2D());
      areas.get(color)!.addPath(path, this.matrix());
    }
    for (const [color, area] of areas) {
      context.save();
      if (outlined) context.clip(area, "evenodd");
      context.imageSmoothingEnabled = raster.smooths;
      context.imageSmoothingQuality = "high";
      this.cells(raster, color);
      context.restore();
    }
  }

  private cells(raster: Raster, kind: Kind): void {
    const { camera, context } = this;
    if (kind === "rest") context.imageSmoothingEnabled = false;
    const { a, d } = this.matrix();
    const pixels = Math.min(a / raster.across, -d / raster.up);
    const mip = Math.max(0, Math.min(12, Math.floor(Math.log2(1 / pixels))));
    const size = tileSize * 2 ** mip;
    const seen = camera.seen();
    const left = seen.left * raster.across;
    const right = seen.right * raster.across;
    const bottom = camera.rowOf(seen.bottom);
    const top = camera.rowOf(seen.top);
    const { geographic, up } = camera.scene;
    const linear = !geographic || (camera.projection.name !== "equal-area" && !up!.edges);
    for (let tx = Math.max(0, Math.floor(left / size)); tx * size < Math.min(right, raster.across); tx++) {
      const x0 = camera.canvasX((tx * size) / raster.across);
      const x1 = camera.canvasX(Math.min((tx + 1) * size, raster.across) / raster.across);
      for (let ty = Math.max(0, Math.floor(bottom / size)); ty * size < Math.min(top, raster.up); ty++) {
        const tile = raster.tile(mip, tx, ty, kind);
        const strip = linear ? tile.height : Math.max(1, Math.floor(raster.up / 2 ** mip / strips));
        for (let row = 0; row < tile.height; row += strip) {
          const rows = Math.min(strip, tile.height - row);
          const low = ty * size + row * 2 ** mip;
          const high = low + rows * 2 ** mip;
          if (high < bottom || low > top) continue;
          const y0 = camera.canvasY(camera.unitOfRow(high));
          const y1 = camera.canvasY(camera.unitOfRow(low));
          context.drawImage(tile, 0, tile.height - row - rows, tile.width, rows, x0, y0, x1 - x0, y1 - y0);
        }
      }
    }
  }

  /** Water and land under a map. */
  private ground({ base }: Drawn): void {
    if (!base) return;
    const { camera, context } = this;
    const box = camera.box();
    const matrix = this.matrix();
    const fill = (path: Path2D, color: string): void => {
      const placed = new Path2D();
      placed.addPath(path, matrix);
      context.fillStyle = color;
      context.fill(placed, "evenodd");
    };
    context.fillStyle = base.isLand ? this.land : this.water;
    context.fillRect(box.x, box.y, box.width, box.height);
    fill(base.land, this.land);
    this.stroke(base.rivers, this.river, 1, []);
    fill(base.lakes, this.water);
  }

  private shores({ base }: Drawn): void {
    if (!base) return;
    this.stroke(base.shores, this.shore, 0.8, []);
    this.stroke(base.states, this.shore, 0.6, [1, 3]);
    this.stroke(base.borders, this.shore, 1, [4, 3]);
  }

  /** Lines keep their width on the canvas. */
  private stroke(path: Path2D, color: string, width: number, dash: number[]): void {
    const { context } = this;
    const placed = new Path2D();
    placed.addPath(path, this.matrix());
    context.lineWidth = width;
    context.strokeStyle = color;
    context.setLineDash(dash);
    context.stroke(placed);
    context.setLineDash([]);
  }

  private outlines({ clusters, selected, quiet, prefix, covered }: Drawn): void {
    const { context } = this;
    const matrix = this.matrix();
    const doubtful = clusters.filter(({ cluster }) => cluster.doubtful);
    context.fillStyle = this.pale;
    for (const { cluster, path } of doubtful) {
      if (cluster.id === selected) continue;
      const placed = new Path2D();
      placed.addPath(path, matrix);
      context.fill(placed, "evenodd");
    }
    this.hatch(doubtful.map(({ path }) => path), matrix);
    for (const { cluster, path } of clusters) if (cluster.id !== selected) this.stroke(path, this.ink, 1.2, cluster.doubtful ? [2, 4] : []);
    for (const { cluster, path } of clusters) if (cluster.id === selected) this.stroke(path, this.ink, 3, []);
    if (!quiet) this.numbers(clusters, selected, prefix, covered);
  }

  /** Slanted lines over doubtful clusters, as pictures and reports have them. */
  private hatch(paths: Path2D[], matrix: DOMMatrix): void {
    if (paths.length === 0) return;
    const { camera, context } = this;
    const box = camera.box();
    const area = new Path2D();
    for (const path of paths) area.addPath(path, matrix);
    context.save();
    context.clip(area, "evenodd");
    context.strokeStyle = this.ink;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = box.x - box.height; x < box.x + box.width; x += hatchStep) {
      context.moveTo(x, box.y + box.height);
      context.lineTo(x + box.height, box.y);
    }
    context.stroke();
    context.restore();
  }

  /** The number of each cluster, and below it how many it holds. A text that would lie on another is left out. */
  private numbers(clusters: Drawn["clusters"], selected: number, prefix: string, covered: (x: number, y: number) => boolean): void {
    const { camera, context, taken } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const box = camera.box();
    const free = this.isFree.bind(this);
    const write = this.write.bind(this);
    const places: { text: string; x: number; y: number }[] = [];
    context.font = numberFont;
    for (const { cluster } of clusters) {
      if (cluster.doubtful && cluster.id !== selected) continue;
      const number = prefix + String(cluster.id);
      const onCanvas = (at: [number, number]): [number, number] =>
        [inFrame(camera.canvasX(camera.unitX(at[0])), box.x, box.x + box.width), inFrame(camera.canvasY(camera.unitY(at[1])), box.y, box.y + box.height)];
      const middle = onCanvas(insideOf(cluster.outline, cluster.centroid));
      const width = context.measureText(number).width + 6;
      const isHidden = ([x, y]: [number, number]): boolean => [-1, 1].some((side) => covered(x + (side * width) / 2, y - 8) || covered(x + (side * width) / 2, y + 8));
      const seen = isHidden(middle) ? elsewhereIn(cluster.outline).map(onCanvas).find((at) => !isHidden(at)) : middle;
      if (!seen || !free(...seen, width, 16)) continue;
      const [x, y] = seen;
      taken.push({ x, y, width, height: 16 });
      write(number, x, y);
      if (cluster.outline.length > 0) places.push({ text: grouped(cluster.size), x, y: y + 15 });
    }
    context.font = tickFont;
    for (const { text, x, y } of places) {
      const width = context.measureText(text).width + 6;
      const inside = x - width / 2 > box.x && x + width / 2 < box.x + box.width && y + 8 < box.y + box.height;
      if (!inside || !free(x, y, width, 14)) continue;
      taken.push({ x, y, width, height: 14 });
      write(text, x, y);
    }
  }

  private isFree(x: number, y: number, width: number, height: number): boolean {
    return !this.taken.some((other) => Math.abs(other.x - x) < (other.width + width) / 2 && Math.abs(other.y - y) < (other.height + height) / 2);
  }

  private write(text: string, x: number, y: number, color = this.ink): void {
    const { context } = this;
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = this.paper;
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
  }

  /** Names of places where nothing else is written. */
  private names({ base, quiet }: Drawn): void {
    if (!base || quiet) return;
    const { camera, context, taken } = this;
    const box = camera.box();
    const free = this.isFree.bind(this);
    context.font = tickFont;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.globalAlpha = 0.85;
    for (const [text, longitude, latitude, room] of base.places) {
      const x = camera.canvasX(camera.unitX(longitude));
      const y = camera.canvasY(camera.unitY(latitude));
      if (room) {
        this.country(text, x, y, camera.canvasX(camera.unitX(longitude + room)) - x);
        continue;
      }
      const width = context.measureText(text).width + 16;
      const inside = x - 4 > box.x && x + width < box.x + box.width && y - 8 > box.y && y + 8 < box.y + box.height;
      if (!inside || !free(x + width / 2 - 4, y, width + 24, 26)) continue;
      taken.push({ x: x + width / 2 - 4, y, width: width + 24, height: 26 });
      this.write(text, x + 6, y);
      context.beginPath();
      context.arc(x, y, 2, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
    context.textAlign = "center";
  }

  /** The name of a country where it has room for it. */
  private country(text: string, x: number, y: number, room: number): void {
    const { camera, context, taken } = this;
    const box = camera.box();
    context.font = countryFont;
    const width = context.measureText(text).width;
    const inside = x - width / 2 > box.x && x + width / 2 < box.x + box.width && y - 8 > box.y && y + 8 < box.y + box.height;
    if (inside && width < room && this.isFree(x, y, width + 6, 18)) {
      taken.push({ x, y, width: width + 6, height: 18 });
      context.textAlign = "center";
      this.write(text, x, y, this.soft);
      context.textAlign = "left";
    }
    context.font = tickFont;
  }

  private bars(raster: Raster, { clusters, selected, quiet }: Drawn): void {
    const { camera, context } = this;
    const box = camera.box();
    const highest = highestBar(raster);
    context.fillStyle = this.line;
    if (!camera.scene.bare) for (const value of barTicks(highest, box.height)) context.fillRect(box.x, Math.round(barY(box, value, highest)), box.width, 1);
    const byId = new Map(clusters.map(({ cluster }) => [cluster.id, cluster]));
    const hatched = new Path2D();
    for (let i = 0; i < raster.across; i++) {
      const x0 = camera.canvasX(i / raster.across);
      const x1 = camera.canvasX((i + 1) / raster.across);
      const top = barY(box, Math.max(0, raster.value(i, 0)), highest);
      const cluster = byId.get(raster.label(i, 0));
      const width = Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 1 : 0));
      context.globalAlpha = selected && cluster?.id !== selected ? 0.45 : 1;
      context.fillStyle = cluster && (!cluster.doubtful || cluster.id === selected) ? cluster.color : this.pale;
      context.fillRect(x0, top, width, box.y + box.height - top);
      if (cluster?.doubtful) hatched.rect(x0, top, width, box.y + box.height - top);
    }
    context.globalAlpha = 1;
    this.hatch([hatched], new DOMMatrix());
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const { cluster } of quiet ? [] : clusters) {
      if (cluster.doubtful && cluster.id !== selected) continue;
      const tallest = tallestBar(raster, cluster.id);
      const x = camera.canvasX((tallest + 0.5) / raster.across);
      const y = barY(box, Math.max(0, raster.value(tallest, 0)), highest) - 5;
      context.fillStyle = this.ink;
      context.font = numberFont;
      context.fillText(String(cluster.id), x, y);
    }
  }

  /** How many a bar holds, along the left. */
  private barScale(raster: Raster): void {
    const { camera, context } = this;
    const box = camera.box();
    const highest = highestBar(raster);
    context.font = tickFont;
    context.fillStyle = this.soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of barTicks(highest, box.height)) {
      const y = barY(box, value, highest);
      context.fillText(tidy(value), box.x - 7, y);
      context.fillRect(box.x - 4, Math.round(y), 4, 1);
    }
    this.upwards(`${this.camera.scene.counted} in a cell`);
  }

  /** The name of what runs upwards, left of the ticks. */
  private upwards(text: string): void {
    const { camera, context } = this;
    const box = camera.box();
    context.save();
    context.fillStyle = this.ink;
    context.translate(box.x - camera.left + 12, box.y + box.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(text, 0, 0);
    context.restore();
  }

  private marks([across, up]: Drawn["marks"]): void {
    const { camera, context } = this;
    const box = camera.box();
    context.strokeStyle = this.ink;
    context.setLineDash([4, 3]);
    context.lineWidth = 1;
    context.beginPath();
    if (across !== null) {
      context.moveTo(camera.canvasX(across), box.y);
      context.lineTo(camera.canvasX(across), box.y + box.height);
    }
    if (up !== null && camera.scene.up) {
      context.moveTo(box.x, camera.canvasY(up));
      context.lineTo(box.x + box.width, camera.canvasY(up));
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** Categories touch nowhere: a line parts them. */
  private parts(): void {
    const { camera, context } = this;
    const { across, up } = camera.scene;
    const box = camera.box();
    context.fillStyle = this.line;
    for (let i = 1; across.apart && i < across.cells; i++) {
      context.fillRect(Math.round(camera.canvasX(i / across.cells)), box.y, 1, box.height);
    }
    for (let i = 1; up?.apart && i < up.cells; i++) {
      context.fillRect(box.x, Math.round(camera.canvasY(i / up.cells)), box.width, 1);
    }
  }

  private cursor(cursor: Cell | null): void {
    if (!cursor) return;
    const { camera, context } = this;
    const { column, row } = cursor;
    const x0 = camera.canvasX(column / camera.cells.across);
    const x1 = camera.canvasX((column + 1) / camera.cells.across);
    const box = camera.box();
    let y0 = box.y;
    let y1 = box.y + box.height;
    if (camera.scene.up) {
      y0 = camera.canvasY(camera.unitOfRow(row + 1));
      y1 = camera.canvasY(camera.unitOfRow(row));
    }
    context.strokeStyle = this.ink;
    context.lineWidth = 2;
    context.strokeRect(x0 - 1, y0 - 1, Math.max(4, x1 - x0) + 2, Math.max(4, y1 - y0) + 2);
  }

  /** Of a part of an axis, which goes on past the end of a circle. `plainly`: of one that is plain numbers. */
  private ticksOf(axis: Axis, place: number, from: number, to: number, wanted: number, plainly: (from: number, to: number, wanted: number) => Tick[]): Tick[] {
    const find = (first: number, last: number, most: number): Tick[] =>
      axis.special && !this.camera.scene.geographic ? this.specialTicks(place, first, last, most) : plainly(first, last, most);
    const turns = Camera.turns(axis, from, to);
    if (turns.length === 1) return find(from - turns[0]!, to - turns[0]!, wanted).map(({ at, text }) => ({ at: at + turns[0]!, text }));
    const whole = find(0, 1, Math.min(mostTicks, wanted / (to - from)));
    const last = turns[turns.length - 1]!;
    return turns.flatMap((turn) => whole.filter(({ at }) => at < 1 - 1e-9 || turn === last).map(({ at, text }) => ({ at: at + turn, text })))
      .filter(({ at }) => at >= from && at <= to);
  }

  private ticksAcross(wanted: number): Tick[] {
    const { camera } = this;
    const { across } = camera.scene;
    const { left, right } = camera.seen();
    return this.ticksOf(across, this.places[0], left, right, wanted, (from, to, most) =>
      ticks(valueAt(across, from), valueAt(across, to), most).map((value) => ({ at: camera.unitX(value), text: tidy(value) })));
  }

  /** In the plane: of a map by its projection. */
  private ticksUp(): Tick[] {
    const { camera } = this;
    const { bottom, top } = camera.seen();
    return this.ticksOf(camera.scene.up!, this.places[1], bottom, top, Math.max(1, camera.box().height / 50), (from, to, most) =>
      ticks(camera.backY(from), camera.backY(to), most).map((value) => ({ at: camera.unitY(value), text: tidy(value) })));
  }

  /** For the texts beside the axis that runs upwards. */
  private makeRoom(raster: Raster): void {
    if (this.camera.scene.bare) return;
    const texts = this.camera.scene.up ? this.ticksUp().map(({ text }) => text) : barTicks(highestBar(raster), this.camera.box().height).map(tidy);
    this.context.font = tickFont;
    this.camera.makeRoom(Math.max(...texts.map((text) => this.context.measureText(text).width), 0));
  }

  private ticks(): void {
    const { camera, context } = this;
    const box = camera.box();
    const { across, up } = camera.scene;
    context.fillStyle = this.soft;
    context.strokeStyle = this.soft;
    context.lineWidth = 1;
    context.font = tickFont;
    context.textAlign = "center";
    context.textBaseline = "top";
    let found = this.ticksAcross(Math.max(1, box.width / 80));
    const widest = Math.max(...found.map(({ text }) => context.measureText(text).width), 0) + 14;
    if (widest * found.length > box.width) found = this.ticksAcross(Math.max(1, Math.floor(box.width / widest)));
    for (const { at, text } of found) {
      const x = camera.canvasX(at);
      context.fillText(text, x, box.y + box.height + 7);
      context.fillRect(x, box.y + box.height, 1, 4);
    }
    context.fillStyle = this.ink;
    context.fillText(across.label, box.x + box.width / 2, box.y + box.height + 23);
    if (!up) return;
    context.fillStyle = this.soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { at, text } of this.ticksUp()) {
      const y = camera.canvasY(at);
      context.fillText(text, box.x - 7, y, camera.left - 28);
      context.fillRect(box.x - 4, y, 4, 1);
    }
    this.upwards(up.label);
  }

  private scale(): void {
    const { camera, context } = this;
    const box = camera.box();
    const { across } = camera.scene;
    const latitude = camera.backY(camera.toPlane(0, box.y + box.height / 2).y);
    const perPixel = ((across.hi - across.lo) * kilometres(latitude)) / (camera.canvasX(1) - camera.canvasX(0));
    const length = roundBelow(Math.min(140, box.width / 3) * perPixel);
    const pixels = length / perPixel;
    const x = box.x + box.width - pixels - 10;
    const y = box.y + box.height - 12;
    const text = length >= 1 ? `${tidy(length)} km` : `${tidy(length * 1000)} m`;
    context.font = tickFont;
    const wide = context.measureText(text).width + 6;
    context.globalAlpha = 0.8;
    context.fillStyle = this.paper;
    context.fillRect(x - wide - 6, y - 10, pixels + wide + 12, 18);
    context.globalAlpha = 1;
    context.fillStyle = this.ink;
    context.fillRect(x, y, pixels, 2);
    context.fillRect(x, y - 4, 1, 6);
    context.fillRect(x + pixels - 1, y - 4, 1, 6);
    context.font = tickFont;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(text, x - 6, y);
  }
}

export const highestBar = (raster: Raster): number => {
  if (raster.tallest > 0) return raster.tallest;
  let highest = 1;
  for (let i = 0; i < raster.across; i++) highest = Math.max(highest, raster.value(i, 0));
  return highest;
};
const tallestBar = (raster: Raster, id: number): number => {
  let tallest = -1;
  for (let i = 0; i < raster.across; i++) {
    if (raster.label(i, 0) === id && (tallest < 0 || raster.value(i, 0) > raster.value(tallest, 0))) tallest = i;
  }
  return Math.max(0, tallest);
};
/** Round numbers of which the last is not above the highest bar. */
const barTicks = (highest: number, height: number): number[] => ticks(0, highest, Math.max(1, height / 60));
const barY = (box: { y: number; height: number }, value: number, highest: number): number => box.y + box.height - (value / highest) * (box.height - 24);

/** A number near the frame is not cut by it. */
function inFrame(at: number, first: number, last: number): number {
  return at < first || at > last ? at : Math.max(first + 9, Math.min(last - 9, at));
}

const rowsTried = 24; // of an outline

/** From where to where rings are crossed at a height. */
function stretchesAt(rings: number[][], y: number): [number, number][] {
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
  return stretches;
}

/** The centroid where it lies inside the first ring; else the middle of the widest stretch at its height. */
function insideOf(rings: number[][], centroid: number[]): [number, number] {
  const [x, y] = [centroid[0] ?? 0, centroid[1] ?? 0];
  const stretches = stretchesAt(rings, y);
  if (stretches.length === 0 || stretches.some(([left, right]) => left <= x && x <= right)) return [x, y];
  const [left, right] = stretches.reduce((best, each) => (each[1] - each[0] > best[1] - best[0] ? each : best));
  return [(left + right) / 2, y];
}

/** Places inside the rings, those first that have the most room beside them. */
function elsewhereIn(rings: number[][]): [number, number][] {
  const heights = rings.flatMap((ring) => ring.filter((_, i) => i % 2 === 1));
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  return Array.from({ length: rowsTried }, (_, i) => low + ((high - low) * (i + 0.5)) / rowsTried)
    .flatMap((y) => stretchesAt(rings, y).map(([left, right]): [number, number, number] => [(left + right) / 2, y, right - left]))
    .sort((a, b) => b[2] - a[2]).map(([x, y]) => [x, y]);
}
