// From the axes' units to the plane. Every projection here maps each axis by itself, so that a cell stays a rectangle.
import { type Axis } from "./core.js";

export interface Projection {
  name: string;
  /** Monotonic; increasing upwards. */
  y(latitude: number): number;
  back(y: number): number;
  /** Width of a degree of longitude, where a degree of latitude near the centre is 1. */
  x: number;
}

const radians = Math.PI / 180;

export const plain: Projection = { name: "plain", y: (v) => v, back: (v) => v, x: 1 };

/** Lambert's cylindrical equal-area projection, true to shape at the given latitude. */
export function equalArea(latitude: number): Projection {
  const cosine = Math.max(0.1, Math.cos(latitude * radians));
  return {
    name: "equal-area",
    y: (v) => Math.sin(v * radians) / radians / cosine,
    back: (v) => Math.asin(Math.max(-1, Math.min(1, v * radians * cosine))) / radians,
    x: cosine,
  };
}

/** Degrees as they are, with longitude scaled to the given latitude. */
export function degrees(latitude: number): Projection {
  return { name: "degrees", y: (v) => v, back: (v) => v, x: Math.max(0.1, Math.cos(latitude * radians)) };
}

/** Kilometres that a degree of longitude has at a latitude. */
export const kilometres = (latitude: number): number => 111.195 * Math.cos(latitude * radians);

/** Where a value lies along an axis, as a share of it, and back. Edges of cells are exact. */
export function shareOf(axis: Axis, value: number): number {
  const { lo, hi, edges } = axis;
  if (!edges) return (value - lo) / (hi - lo);
  let first = 0;
  let last = edges.length - 1;
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    if (edges[middle]! <= value) first = middle;
    else last = middle;
  }
  return (first + (value - edges[first]!) / (edges[last]! - edges[first]!)) / (edges.length - 1);
}
export function valueAt(axis: Axis, share: number): number {
  const { lo, hi, edges } = axis;
  if (!edges) return lo + share * (hi - lo);
  const at = Math.max(0, Math.min(edges.length - 1, share * (edges.length - 1)));
  const first = Math.min(Math.floor(at), edges.length - 2);
  return edges[first]! + (at - first) * (edges[first + 1]! - edges[first]!);
}

/** 1, 2 or 5 times a power of ten, at most `most`. */
export function roundBelow(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return power * (most / power >= 5 ? 5 : most / power >= 2 ? 2 : 1);
}

/** About `count` round numbers from lo to hi. */
export function ticks(lo: number, hi: number, count: number): number[] {
  const step = roundBelow(((hi - lo) / Math.max(1, count)) * 1.6);
  const result: number[] = [];
  for (let i = Math.ceil(lo / step); i * step <= hi; i++) result.push(i * step);
  return result;
}

export function tidy(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });
}

/** To about a hundredth of a span. */
export function rounded(value: number, span: number): string {
  const digits = Math.max(0, Math.min(12, 2 - Math.floor(Math.log10(span))));
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

export const grouped = (value: number): string => Math.round(value).toLocaleString("en");
