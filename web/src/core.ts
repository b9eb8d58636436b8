// The public side of the library, compiled to WebAssembly: the same code as the program's, so the same clusters.

import { type Texts } from "./publishing.js";

/** What Emscripten's module gives us. */
interface Module {
  HEAPU8: Uint8Array;
  _shoal_buffer(size: number): number;
  _shoal_result(): number;
  _shoal_result_size(): number;
  _shoal_open(): number;
  _shoal_part(number: number): number;
  _shoal_noise(count: number): number;
  _shoal_view(thorough: number): number;
  _shoal_values(): number;
  _shoal_values_size(): number;
  _shoal_labels(): number;
  _shoal_labels_size(): number;
  _shoal_tree(): number;
  _shoal_ticks(axis: number, from: number, to: number, wanted: number): number;
  _shoal_range(axis: number, index: number, count: number): number;
  _shoal_parse(axis: number, rows: number): number;
  _shoal_base_map(): number;
  _shoal_publish(): number;
  _shoal_file(): number;
  _shoal_predict(rows: number): number;
}
export type MakeModule = (options: {
  instantiateWasm(imports: WebAssembly.Imports, take: (instance: WebAssembly.Instance) => void): object;
}) => Promise<Module>;

export interface Axis {
  name: string;
  /** The name, with the unit where there is one. */
  label: string;
  lo: number;
  hi: number;
  cells: number;
  /** More than plain numbers: the core makes its texts. */
  special: boolean;
  /** The first and the last cell touch; no cells touch. */
  circle: boolean;
  apart: boolean;
  /** Fields of a file are dates or names. */
  text: boolean;
  /** Of the cells, where these are not equally wide in the axis' units. */
  edges?: number[];
}

export interface Tick {
  /** The share of the axis before it. */
  at: number;
  text: string;
}

/** What a file holds. The one part of a release has an empty name. */
export interface Contents {
  holds: "release" | "groups" | "insets";
  /** Whether groups follow each other, as weeks do. */
  ordered: boolean;
  parts: { name: string; title: string }[];
  texts: Texts;
}

/** The release as it was made: public parameters, and what may be changed. */
export interface ReleaseFacts {
  private: boolean;
  /** What values and sizes count: "record", or the word for the unit if each unit counts once. */
  counted: string;
  counted_many: string;
  axes: Axis[];
  levels: { level: number; refused: string }[];
  reshapes: boolean;
  /** Half the width of a value's 95 % interval; null where the noise has no simple law. */
  noise: number | null;
  values: number[] | null;
  geographic?: [number, number];
}

export interface Cluster {
  id: number;
  cells: number;
  size: number;
  interval?: [number, number];
  centroid: number[];
  /** Texts of the centroid where numbers say too little. */
  places: (string | null)[];
  /** "near Brooklyn": a help for reading, by the names of the base map. Empty: none is near. */
  near?: string;
  color: string;
  /** Rings, each x0, y0, x1, y1, ... in the axes' units. */
  outline: number[][];
  real?: number;
  words?: string;
  doubtful?: boolean;
}

/** The clusters that the current settings give. */
export interface View {
  k: number;
  threshold: number;
  rule: { rule: string; value: number | null };
  adjacency: string;
  min_cells: number;
  level: number;
  wavelet: string;
  transform: string;
  shape: number[];
  clusters: Cluster[];
  without_confidence: string;
  /** Null in a view that is not thorough: they follow from confidence. */
  notices: string[] | null;
  /** The result in one sentence; null like notices. */
  headline: string | null;
  /** How the values are rounded, as --auto found it: whole sentences. */
  rounding: string[];
}

export interface Branch {
  id: number;
  name: string | null;
  parent: number | null;
  stable: boolean;
  leaf: boolean;
  birth: number;
  death: number;
  cells: number;
  noisy_size: number;
}
export interface Tree {
  threshold: number;
  lowest: number;
  branches: Branch[];
}

export class Core {
  private current = { part: -1, facts: null as ReleaseFacts | null };
  private constructor(private readonly module: Module) {}

  static async start(make: MakeModule, compiled: WebAssembly.Module): Promise<Core> {
    const instantiateWasm = (imports: WebAssembly.Imports, take: (instance: WebAssembly.Instance) => void): object => {
      void WebAssembly.instantiate(compiled, imports).then(take);
      return {};
    };
    return new Core(await make({ instantiateWasm }));
  }

  private put(bytes: Uint8Array): void {
    const at = this.module._shoal_buffer(bytes.length);
    this.module.HEAPU8.set(bytes, at);
  }

  private bytes(): Uint8Array {
    const at = this.module._shoal_result();
    return this.module.HEAPU8.slice(at, at + this.module._shoal_result_size());
  }

  private text(status: number): string {
    const text = new TextDecoder().decode(this.bytes());
    if (status !== 0) throw new Error(text);
    return text;
  }

  /** A file of one release or of several. */
  /** base: what pictures have under a map, as the page holds it. */
  open(file: string, base: string): Contents {
    this.put(new TextEncoder().encode(base));
    this.text(this.module._shoal_base_map());
    this.put(new TextEncoder().encode(file));
    this.current = { part: -1, facts: null };
    return JSON.parse(this.text(this.module._shoal_open())) as Contents;
  }

  /** All that follows is about this part. */
  part(number: number): ReleaseFacts {
    if (this.current.part !== number || !this.current.facts) {
      this.current = { part: number, facts: JSON.parse(this.text(this.module._shoal_part(number))) as ReleaseFacts };
    }
    return this.current.facts!;
  }

  /** settings: as in the page's link; empty: the release as it was made. Thorough: with confidence. */
  view(settings: string, thorough: boolean): View {
    this.put(new TextEncoder().encode(settings));
    return JSON.parse(this.text(this.module._shoal_view(thorough ? 1 : 0))) as View;
  }

  /** Valid until the next call. */
  values(): Float64Array {
    return new Float64Array(this.module.HEAPU8.buffer, this.module._shoal_values(), this.module._shoal_values_size());
  }

  /** Valid until the next call. */
  labels(): Uint32Array {
    return new Uint32Array(this.module.HEAPU8.buffer, this.module._shoal_labels(), this.module._shoal_labels_size());
  }

  tree(): Tree {
    return JSON.parse(this.text(this.module._shoal_tree())) as Tree;
  }

  /** Half the width of the 95 % interval of a sum of noisy values; null: it has none. */
  noise(count: number): number | null {
    return JSON.parse(this.text(this.module._shoal_noise(count))) as number | null;
  }

  /** Ticks of the part of an axis between two shares. */
  ticks(axis: number, from: number, to: number, wanted: number): Tick[] {
    const found = JSON.parse(this.text(this.module._shoal_ticks(axis, from, to, wanted))) as [number, string][];
    return found.map(([at, text]) => ({ at, text }));
  }

  /** The first and the last value of a cell, of `count` along the axis. */
  range(axis: number, index: number, count: number): [string, string] {
    return JSON.parse(this.text(this.module._shoal_range(axis, index, count))) as [string, string];
  }

  /** The coordinates that texts say; NaN: none. */
  parse(axis: number, texts: string[]): Float64Array {
    this.put(new TextEncoder().encode(texts.map((text) => text.replace(/[\r\n]/g, " ")).join("\n")));
    const at = this.module._shoal_parse(axis, texts.length);
    return new Float64Array(this.module.HEAPU8.buffer, at, texts.length).slice();
  }

  /** The texts that files have from now on. */
  publish(texts: Texts): void {
    this.put(new TextEncoder().encode(JSON.stringify(texts)));
    this.text(this.module._shoal_publish());
  }

  /** What a file of that suffix holds for the current view. */
  file(suffix: string): Uint8Array<ArrayBuffer> {
    this.put(new TextEncoder().encode(suffix));
    const status = this.module._shoal_file();
    if (status !== 0) this.text(status);
    return new Uint8Array(this.bytes());
  }

  /** Labels of points, given as one column per axis. */
  predict(columns: Float64Array[]): Uint32Array {
    const rows = columns[0]?.length ?? 0;
    const all = new Float64Array(rows * columns.length);
    columns.forEach((column, i) => all.set(column, i * rows));
    this.put(new Uint8Array(all.buffer));
    const at = this.module._shoal_predict(rows);
    return new Uint32Array(this.module.HEAPU8.buffer, at, rows).slice();
  }
}
