// Clusters in words: the headline, the table, what is said of one.
import { type Axis, type Cluster, type ReleaseFacts, type View } from "./core.js";
import { el } from "./dom.js";
import { grouped, rounded, tidy } from "./projection.js";

const most = 200; // rows of each kind

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** What is surely there counts. */
export function found(view: View): string {
  const doubtful = view.clusters.filter((cluster) => cluster.doubtful).length;
  return plural(view.clusters.length - doubtful, "cluster") + (doubtful > 0 ? `, ${grouped(doubtful)} more doubtful` : "");
}

/** " (120 to 134)"; nothing without an interval. */
export function within(interval: readonly [number, number] | null | undefined): string {
  return interval ? ` (${grouped(Math.max(0, interval[0]))} to ${grouped(Math.max(0, interval[1]))})` : "";
}

export function describe(cluster: Cluster, { counted, counted_many }: ReleaseFacts): string {
  const words = cluster.words ? `, ${cluster.words}` : "";
  const size = plural(cluster.size, counted, counted_many) + within(cluster.interval);
  return `Cluster ${cluster.id}${cluster.near ? `, ${cluster.near}` : ""}: about ${size} in ${plural(cluster.cells, "cell")}${words}`;
}

/** The middle of a cluster: "near Brooklyn", "40.70° N, 74.18° W", "age 70, days 21". axes: those of the release that are shown, with their
 * places among all. isMap: the first two are longitude and latitude. */
export function whereIs(cluster: Cluster, axes: [Axis, number][], isMap: boolean): string {
  if (cluster.near) return cluster.near;
  const at = (place: number): number => cluster.centroid[place] ?? 0;
  if (isMap) {
    const degrees = (value: number, signs: string): string => `${Math.abs(value).toFixed(2)}° ${signs[value < 0 ? 1 : 0]!}`;
    return `${degrees(at(axes[1]![1]), "NS")}, ${degrees(at(axes[0]![1]), "EW")}`;
  }
  return axes.map(([axis, place]) => `${axis.label} ${cluster.places[place] ?? rounded(at(place), axis.hi - axis.lo)}`).join(", ");
}

/** unknown: what stands where confidence would. */
export function listing(view: View, { axes, counted_many }: ReleaseFacts, selected: number, unknown: string, pick: (id: number) => void): HTMLElement[] {
  const named = view.clusters.some(({ near }) => near);
  const names = ["Cluster", ...(named ? ["Place"] : []), `${counted_many[0]!.toUpperCase()}${counted_many.slice(1)}`, "Cells", ...axes.map((axis) => `Centre, ${axis.label}`), "Confidence"];
  const row = (cluster: Cluster): HTMLElement => {
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = cluster.color;
    const chosen = cluster.id === selected;
    return el(
      "tr",
      { class: (chosen ? "selected" : "") + (cluster.doubtful ? " doubtful" : "") },
      el("td", {}, el("button", {
        type: "button", class: "pick", "aria-pressed": String(chosen), "aria-label": `Cluster ${cluster.id}`, click: () => pick(cluster.id),
      }, swatch, String(cluster.id))),
      ...(named ? [el("td", {}, cluster.near ?? "")] : []),
      el("td", { class: "n" }, grouped(cluster.size) + within(cluster.interval)),
      el("td", { class: "n" }, grouped(cluster.cells)),
      ...cluster.centroid.map((value, i) => el("td", { class: "n" }, cluster.places[i] ?? tidy(value))),
      el("td", {}, cluster.words ?? unknown),
    );
  };
  const table = (caption: string, clusters: Cluster[]): HTMLElement => el(
    "table",
    {},
    el("caption", {}, caption + (clusters.length > most ? ` The ${most} largest are listed; the exports hold all.` : "")),
    el("thead", {}, el("tr", {}, ...names.map((name, i) => el("th", { scope: "col", class: i > (named ? 1 : 0) && i + 1 < names.length ? "n" : undefined }, name)))),
    el("tbody", {}, ...clusters.slice(0, most).map(row)),
  );
  const doubtful = view.clusters.filter((cluster) => cluster.doubtful);
  const sure = table(`Clusters of this view. Numbers of ${counted_many} are noisy.`, view.clusters.filter((cluster) => !cluster.doubtful));
  const rounding = view.rounding.map((sentence) => el("p", { class: "small" }, sentence));
  if (named) rounding.unshift(el("p", { class: "small" }, "Places are a help for reading: the nearest to the middle of the cluster in a public list."));
  if (doubtful.length === 0) return [sure, ...rounding];
  const open = doubtful.some(({ id }) => id === selected);
  return [sure, el("details", { class: "doubtful", open }, el("summary", {}, `${plural(doubtful.length, "doubtful cluster")}: these may be noise`),
    table("Chance and noise may explain these.", doubtful)), ...rounding];
}
