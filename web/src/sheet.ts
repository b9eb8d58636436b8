// What is drawn of a part on one plane: outlines of its clusters and its base map, as paths from 0 to 1 along both axes.
import { type Camera } from "./camera.js";
import { type Axis, type Cluster } from "./core.js";
import { type Drawn, type Painting } from "./painting.js";
import { type Projection } from "./projection.js";
import { type Raster } from "./raster.js";

/** What lies under a map. Lines are lon, lat, lon, lat, ... */
export interface BaseMap {
  land: number[][]; // rings
  lakes: number[][]; // rings
  rivers: number[][];
  borders: number[][]; // of countries
  states: number[][];
  places: [string, number, number, number?][]; // name, lon, lat, and of a country its width there in degrees; the largest first
  credits: string;
}
export const noBaseMap: BaseMap = { land: [], lakes: [], rivers: [], borders: [], states: [], places: [], credits: "" };
const isEmpty = ({ land, lakes, rivers, borders, states, places }: BaseMap): boolean =>
  [land, lakes, rivers, borders, states, places].every((part) => part.length === 0);

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

export class Sheet {
  readonly drawn: Drawn = { clusters: [], base: null, selected: 0, cursor: null, marks: [null, null], quiet: false, prefix: "", covered: () => false };

  /** places: of both axes among the release's. */
  constructor(readonly painting: Painting, private readonly camera: Camera, private readonly raster: Raster,
              private readonly places: readonly [number, number], private readonly base: BaseMap | null) {}

  show(clusters: Cluster[]): void {
    this.drawn.clusters = clusters.map((each) => {
      const cluster = this.turned(each);
      return { cluster, path: this.pathOf(cluster.outline, true) };
    });
  }

  project(projection: Projection): void {
    this.camera.projection = projection;
        const { base } = this;
    this.drawn.base = base && !isEmpty(base)
      ? {
          land: this.pathOf(base.land, false), lakes: this.pathOf(base.lakes, false), rivers: this.pathOf(base.rivers, false),
          shores: this.pathOf([...base.land.flatMap(shoresOf), ...base.lakes], false), borders: this.pathOf(base.borders, false),
          states: this.pathOf(base.states, false), places: base.places, isLand: base.land.length === 0,
        }
      : null;
    this.drawn.clusters = this.drawn.clusters.map(({ cluster }) => ({ cluster, path: this.pathOf(cluster.outline, true) }));
  }

  /** Centre and outline in the order of this plane's axes. Outlines have the order of the release's. */
  private turned(cluster: Cluster): Cluster {
    const [a, b] = this.places;
    const centroid = [cluster.centroid[a] ?? 0, cluster.centroid[b] ?? 0];
    if (a < b) return { ...cluster, centroid };
    const outline = cluster.outline.map((ring) => ring.map((_, i) => ring[i ^ 1]!));
    return { ...cluster, centroid, outline };
  }

  /** Whether an outline runs along the seam of a circle to this point: the cluster goes on behind it. */
  private isSeam(line: number[], i: number): boolean {
    const along = (axis: Axis | null, from: number, to: number): boolean =>
      axis?.circle === true && from === to && (to === axis.lo || to === axis.hi);
    const { across, up } = this.camera.scene;
    return along(across, line[i - 2]!, line[i]!) || along(up, line[i - 1]!, line[i + 1]!);
  }

  /** In the plane, from 0 to 1 along both axes. Corners of outlines are rounded, over at most a cell to each side. */
  private pathOf(lines: number[][], closed: boolean): Path2D {
    const path = new Path2D();
    if (!this.camera.scene.up) return path;
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
}
