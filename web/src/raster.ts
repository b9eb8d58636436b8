// The cells of two axes, coloured: tiles at halving resolutions, made when they are first seen.

/** Values and labels over two axes, seen at a resolution of 2^mip cells per pixel. */
interface Layer {
  across: number;
  up: number;
  values: Float32Array;
  labels: Uint32Array;
}

export const tileSize = 256;
const mostSmoothed = 2 ** 18; // cells, of which a density is smoothed; finer ones are smaller than a pixel
const weights = [1, 4, 6, 4, 1]; // of neighbours along an axis

export type Color = `#${string}`; // "#rrggbb"
/** What a tile shows: cells in no cluster, or the density within the clusters of one colour or of all. */
export type Kind = "rest" | "all" | Color;

export interface Paint {
  /** "#rrggbb" of cluster id; null: drawn as unclustered. */
  color(id: number): Color | null;
  dark: boolean;
  /** Whether cells that noise may explain are drawn. */
  noise: boolean;
}

export class Raster {
  readonly across: number;
  readonly up: number;
  private readonly layers: Layer[];
  private readonly tiles = new Map<string, HTMLCanvasElement>();
  private readonly shownBy = new Map<Kind, Uint8Array>();
  /** The value of a cell in full colour, by these cells alone. */
  readonly own: number;
  private highest: number;
  /** The bar that fills the picture; 0: the highest of these. */
  tallest = 0;

  /** labels: at `shift` fewer bits of resolution along both axes. noise: half the width of the 95 % interval of a sum of
   * `cells` cells; null: it has none. outlined: a density is drawn within outlines of clusters, so it may go on past them. */
  constructor(across: number, up: number, values: Float32Array, labels: Uint32Array, private paint: Paint,
              private readonly noise: (cells: number) => number | null, private readonly outlined: boolean) {
    this.across = across;
    this.up = up;
    this.layers = [{ across, up, values, labels }];
    // The colour scale ends where one cell in two hundred is denser, so that a single peak does not hide the rest.
    const positive = values.filter((value) => value > 0).sort();
    this.own = positive[Math.floor(positive.length * 0.995)] ?? 1;
    this.highest = this.own;
  }

  /** The value of a cell in full colour. */
  get densest(): number {
    return this.highest;
  }

  /** Gives several rasters one scale. */
  scaleTo(densest: number, tallest: number): void {
    this.highest = densest;
    this.tallest = tallest;
    this.forget();
  }

  value(column: number, row: number): number {
    return this.layers[0]!.values[column * this.up + row] ?? 0;
  }

  label(column: number, row: number): number {
    return this.layers[0]!.labels[column * this.up + row] ?? 0;
  }

  /** Whether cells of a cluster lie on the plane. */
  holds(id: number): boolean {
    return this.layers[0]!.labels.includes(id);
  }

  /** Whether cells in no cluster are drawn; said of large rasters without looking. */
  get hasRest(): boolean {
    const { values, labels } = this.layers[0]!;
    if (values.length > mostSmoothed) return true;
    const least = this.paint.noise || this.up === 1 ? 0 : this.limit(0);
    return values.some((value, i) => labels[i] === 0 && value > 0 && value >= least);
  }

  /** The cells that are drawn, the densest first. */
  shownCells(): { column: number; row: number; value: number; label: number }[] {
    const { values, labels } = this.layers[0]!;
    const least = this.paint.noise || this.up === 1 ? 0 : this.limit(0);
    const shown: number[] = [];
    values.forEach((value, i) => {
      if (labels[i] !== 0 || (value > 0 && value >= least)) shown.push(i);
    });
    return shown.sort((i, j) => values[j]! - values[i]!)
      .map((i) => ({ column: Math.floor(i / this.up), row: i % this.up, value: values[i]!, label: labels[i]! }));
  }

  relabel(labels: Uint32Array): void {
    this.layers.length = 1;
    this.layers[0]!.labels = labels;
    this.forget();
  }

  /** Other cells on the same plane. The scale stays. */
  refill(values: Float32Array, labels: Uint32Array): void {
    this.layers[0]!.values = values;
    this.relabel(labels);
  }

  repaint(paint: Paint): void {
    this.paint = paint;
    this.forget();
  }

  private forget(): void {
    this.tiles.clear();
    this.shownBy.clear();
  }

  /** Whether the density is smoothed, so that colours must not mix where clusters touch. */
  get smooths(): boolean {
    return this.outlined && this.across * this.up <= mostSmoothed;
  }

  layer(mip: number): Layer {
    while (this.layers.length <= mip) this.layers.push(halved(this.layers[this.layers.length - 1]!));
    return this.layers[mip]!;
  }

  /** The value that a cell of pure noise reaches in one of a hundred pictures: the noise is Laplace's or has lighter tails. */
  limit(mip: number): number {
    const half = this.noise(4 ** mip);
    return half === null ? 0 : (half * Math.log((50 * this.across * this.up) / 4 ** mip)) / Math.log(20);
  }

  /** Pixel (x, y) is cell (x, up - 1 - y) of the tile: the axis points upwards, the canvas downwards. */
  tile(mip: number, tx: number, ty: number, kind: Kind): HTMLCanvasElement {
    const key = `${kind}/${mip}/${tx}/${ty}`;
    let canvas = this.tiles.get(key);
    if (!canvas) {
      if (this.tiles.size > 400) this.tiles.clear();
      canvas = this.painted(this.layer(mip), tx, ty, mip, kind);
      this.tiles.set(key, canvas);
    }
    return canvas;
  }

  /** By label: whether a tile of that kind shows it. */
  private shown(kind: Kind): Uint8Array {
    const known = this.shownBy.get(kind);
    if (known) return known;
    let most = 0;
    for (const label of this.layers[0]!.labels) if (label > most) most = label;
    const result = new Uint8Array(most + 1);
    result[0] = kind === "rest" ? 1 : 0;
    const grey = this.outlined ? null : "rest"; // within outlines, doubtful clusters are filled by themselves
    for (let id = 1; id <= most; id++) {
      const color = this.paint.color(id);
      result[id] = (kind === "all" ? color !== null : (color ?? grey) === kind) ? 1 : 0;
    }
    this.shownBy.set(kind, result);
    return result;
  }

  private painted(layer: Layer, tx: number, ty: number, mip: number, kind: Kind): HTMLCanvasElement {
    const width = Math.min(tileSize, layer.across - tx * tileSize);
    const height = Math.min(tileSize, layer.up - ty * tileSize);
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d")!;
    const image = context.createImageData(width, height);
    const highest = this.highest * 2 ** mip;
    const least = this.paint.noise ? 0 : this.limit(mip);
    const { dark } = this.paint;
    const smooth = mip === 0 && this.smooths;
    const ground = dark ? 30 : 255;
    const colors = new Map<number, number[]>(); // by label
    const colorOf = (label: number): number[] => {
      let color = colors.get(label);
      if (!color) colors.set(label, (color = [1, 3, 5].map((i) => parseInt((this.paint.color(label) ?? "#000000").slice(i, i + 2), 16))));
      return color;
    };
    const isShown = this.shown(kind);
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < height; y++) {
        const column = tx * tileSize + x;
        const row = ty * tileSize + y;
        const at = column * layer.up + row;
        const pixel = ((height - 1 - y) * width + x) * 4;
        const own = layer.labels[at]!;
        if (kind !== "rest") {
          const near = isShown[own] ? at : smooth ? nearest(layer, column, row, isShown) : -1;
          if (near < 0) continue;
          const color = colorOf(layer.labels[near]!);
          const value = smooth ? smoothed(layer, Math.floor(near / layer.up), near % layer.up) : layer.values[near]!;
          const share = 0.28 + 0.72 * Math.min(1, Math.sqrt(Math.max(0, value) / highest));
          for (let i = 0; i < 3; i++) image.data[pixel + i] = ground + (color[i]! - ground) * share;
          image.data[pixel + 3] = 255;
        } else if (isShown[own]) {
          const value = layer.values[at]!;
          if (value <= 0 || (own === 0 && value < least)) continue;
          const step = Math.min(1, Math.sqrt(value / highest));
          const grey = dark ? 58 + 100 * step : 228 - 110 * step;
          image.data[pixel] = image.data[pixel + 1] = grey;
          image.data[pixel + 2] = grey + 4;
          image.data[pixel + 3] = 255;
        }
      }
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }
}

/** The densest of the cells around one whose labels are shown; -1: none. A density that is drawn smoothly so goes on past the edge of
 * its cluster. */
function nearest({ across, up, values, labels }: Layer, column: number, row: number, isShown: Uint8Array): number {
  let best = -1;
  for (let x = Math.max(0, column - 1); x <= Math.min(across - 1, column + 1); x++) {
    for (let y = Math.max(0, row - 1); y <= Math.min(up - 1, row + 1); y++) {
      const at = x * up + y;
      if (isShown[labels[at]!] && (best < 0 || values[at]! > values[best]!)) best = at;
    }
  }
  return best;
}

/** The weighted mean over the cells around one that lie in its cluster. */
function smoothed({ across, up, values, labels }: Layer, column: number, row: number): number {
  const label = labels[column * up + row];
  let sum = 0;
  let weight = 0;
  for (let dx = -2; dx <= 2; dx++) {
    const x = column + dx;
    if (x < 0 || x >= across) continue;
    for (let dy = -2; dy <= 2; dy++) {
      const y = row + dy;
      if (y < 0 || y >= up || labels[x * up + y] !== label) continue;
      const each = weights[dx + 2]! * weights[dy + 2]!;
      sum += each * values[x * up + y]!;
      weight += each;
    }
  }
  return sum / weight;
}

/** Two by two cells become one: their sum, and the label of the densest labelled one. */
function halved(layer: Layer): Layer {
  const across = (layer.across + 1) >> 1;
  const up = (layer.up + 1) >> 1;
  const values = new Float32Array(across * up);
  const labels = new Uint32Array(across * up);
  for (let x = 0; x < across; x++) {
    for (let y = 0; y < up; y++) {
      let sum = 0;
      let label = 0;
      let densest = -Infinity;
      for (let dx = 0; dx < 2 && 2 * x + dx < layer.across; dx++) {
        for (let dy = 0; dy < 2 && 2 * y + dy < layer.up; dy++) {
          const at = (2 * x + dx) * layer.up + 2 * y + dy;
          const value = layer.values[at]!;
          sum += value;
          if (layer.labels[at] !== 0 && value > densest) {
            densest = value;
            label = layer.labels[at]!;
          }
        }
      }
      values[x * up + y] = sum;
      labels[x * up + y] = label;
    }
  }
  return { across, up, values, labels };
}

/** Cells of one axis, of all that lie behind a plane: those alone are summed. */
export interface Slice {
  axis: number;
  from: number;
  to: number; // the first cell that is no more of it
}

/** Sums over all other axes, and of the labels behind each other the one with the densest cell. */
export function pair(
  shape: number[],
  values: Float64Array | null,
  labelShape: number[],
  labels: Uint32Array,
  a: number,
  b: number,
  slice: Slice | null = null,
): { across: number; up: number; values: Float32Array; labels: Uint32Array } {
  const cellShape = values ? shape : labelShape;
  const across = cellShape[a]!;
  const up = a === b ? 1 : cellShape[b]!;
  const sums = new Float32Array(across * up);
  const chosen = new Uint32Array(across * up);
  const axes = cellShape.length;
  const index = new Array<number>(axes).fill(0);
  const strides = new Array<number>(axes).fill(1);
  for (let i = axes - 2; i >= 0; i--) strides[i] = strides[i + 1]! * labelShape[i + 1]!;
  // Labels may be coarser: by 2^shift along every axis.
  let shift = 0;
  while (shift < 32 && Math.ceil(cellShape[0]! / 2 ** shift) > labelShape[0]!) shift++;
  if (axes === 2 && a === 0 && b === 1) {
    // Nothing lies behind anything.
    for (let x = 0, i = 0; x < across; x++) {
      const row = (x >> shift) * labelShape[1]!;
      for (let y = 0; y < up; y++, i++) {
        const label = labels[row + (y >> shift)]!;
        sums[i] = values ? values[i]! : label === 0 ? 0 : 1;
        chosen[i] = label;
      }
    }
    return { across, up, values: sums, labels: chosen };
  }
  const densest = new Float32Array(across * up).fill(-Infinity);
  const total = cellShape.reduce((product, size) => product * size, 1);
  for (let i = 0; i < total; i++) {
    const isIn = !slice || (index[slice.axis]! >= slice.from && index[slice.axis]! < slice.to);
    if (isIn) {
      let labelAt = 0;
      for (let axis = 0; axis < axes; axis++) labelAt += (index[axis]! >> shift) * strides[axis]!;
      const at = index[a]! * up + (a === b ? 0 : index[b]!);
      const label = labels[labelAt]!;
      const value = values ? values[i]! : label === 0 ? 0 : 1;
      sums[at] = sums[at]! + value;
      if (label !== 0 && value > densest[at]!) {
        densest[at] = value;
        chosen[at] = label;
      }
    }
    for (let axis = axes - 1; axis >= 0; axis--) {
      if (++index[axis]! < cellShape[axis]!) break;
      index[axis] = 0;
    }
  }
  return { across, up, values: sums, labels: chosen };
}
