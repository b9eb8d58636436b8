// The cells of two axes, coloured: tiles at halving resolutions, made when they are first seen.

/** Values and labels over two axes, seen at a resolution of 2^mip cells per pixel. */
interface Layer {
  across: number;
  up: number;
  values: Float32Array;
  labels: Uint32Array;
}

export const tileSize = 256;
const steps = 16;

export interface Paint {
  /** Red, green, blue of cluster id; null: drawn as unclustered. */
  color(id: number): readonly [number, number, number] | null;
  dark: boolean;
}

export class Raster {
  readonly across: number;
  readonly up: number;
  private readonly layers: Layer[];
  private readonly tiles = new Map<string, HTMLCanvasElement>();
  private highest: number;

  /** labels: at `shift` fewer bits of resolution along both axes. */
  constructor(across: number, up: number, values: Float32Array, labels: Uint32Array, private paint: Paint) {
    this.across = across;
    this.up = up;
    this.layers = [{ across, up, values, labels }];
    // The colour scale ends where one cell in two hundred is denser, so that a single peak does not hide the rest.
    const positive = values.filter((value) => value > 0).sort();
    this.highest = positive[Math.floor(positive.length * 0.995)] ?? 1;
  }

  value(column: number, row: number): number {
    return this.layers[0]!.values[column * this.up + row] ?? 0;
  }

  label(column: number, row: number): number {
    return this.layers[0]!.labels[column * this.up + row] ?? 0;
  }

  relabel(labels: Uint32Array): void {
    this.layers.length = 1;
    this.layers[0]!.labels = labels;
    this.tiles.clear();
  }

  repaint(paint: Paint): void {
    this.paint = paint;
    this.tiles.clear();
  }

  layer(mip: number): Layer {
    while (this.layers.length <= mip) this.layers.push(halved(this.layers[this.layers.length - 1]!));
    return this.layers[mip]!;
  }

  /** Pixel (x, y) is cell (x, up - 1 - y) of the tile: the axis points upwards, the canvas downwards. */
  tile(mip: number, tx: number, ty: number): HTMLCanvasElement {
    const key = `${mip}/${tx}/${ty}`;
    let canvas = this.tiles.get(key);
    if (!canvas) {
      if (this.tiles.size > 400) this.tiles.clear();
      canvas = this.painted(this.layer(mip), tx, ty, mip);
      this.tiles.set(key, canvas);
    }
    return canvas;
  }

  private painted(layer: Layer, tx: number, ty: number, mip: number): HTMLCanvasElement {
    const width = Math.min(tileSize, layer.across - tx * tileSize);
    const height = Math.min(tileSize, layer.up - ty * tileSize);
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d")!;
    const image = context.createImageData(width, height);
    const highest = this.highest * 2 ** mip;
    const dark = this.paint.dark;
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < height; y++) {
        const at = (tx * tileSize + x) * layer.up + ty * tileSize + y;
        const value = layer.values[at]!;
        const label = layer.labels[at]!;
        const step = value <= 0 ? 0 : Math.ceil(Math.min(1, Math.sqrt(value / highest)) * (steps - 1)) / (steps - 1);
        const color = label === 0 ? null : this.paint.color(label);
        const pixel = ((height - 1 - y) * width + x) * 4;
        if (color) {
          const share = 0.45 + 0.55 * step;
          const ground = dark ? 30 : 255;
          for (let i = 0; i < 3; i++) image.data[pixel + i] = ground + (color[i]! - ground) * share;
          image.data[pixel + 3] = 255;
        } else if (step > 0) {
          const grey = dark ? 45 + 120 * step : 236 - 136 * step;
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

/** Sums over all other axes, and of the labels behind each other the one with the densest cell. */
export function pair(
  shape: number[],
  values: Float64Array | null,
  labelShape: number[],
  labels: Uint32Array,
  a: number,
  b: number,
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
    for (let axis = axes - 1; axis >= 0; axis--) {
      if (++index[axis]! < cellShape[axis]!) break;
      index[axis] = 0;
    }
  }
  return { across, up, values: sums, labels: chosen };
}
