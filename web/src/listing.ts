// Clusters in words: the headline, the table, what is said of one.
import { type Cluster, type ReleaseFacts, type View } from "./core.js";
import { el } from "./dom.js";
import { grouped, tidy } from "./projection.js";

const most = 200; // rows of each kind

export function plural(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? "" : "s"}`;
}

/** What is surely there counts. */
export function found(view: View): string {
  const doubtful = view.clusters.filter((cluster) => cluster.doubtful).length;
  return plural(view.clusters.length - doubtful, "cluster") + (doubtful > 0 ? `, ${grouped(doubtful)} more doubtful` : "");
}

function size(cluster: Cluster): string {
  const about = grouped(Math.max(0, cluster.size));
  if (!cluster.interval) return about;
  return `${about} (${grouped(Math.max(0, cluster.interval[0]))} to ${grouped(Math.max(0, cluster.interval[1]))})`;
}

export function describe(cluster: Cluster): string {
  const words = cluster.words ? `, ${cluster.words}` : "";
  return `Cluster ${cluster.id}: about ${size(cluster)} records in ${plural(cluster.cells, "cell")}${words}`;
}

/** unknown: what stands where confidence would. */
export function listing(view: View, { axes }: ReleaseFacts, selected: number, unknown: string, pick: (id: number) => void): HTMLElement[] {
  const names = ["Cluster", "Records", "Cells", ...axes.map((axis) => `Centre, ${axis.label}`), "Confidence"];
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
      el("td", { class: "n" }, size(cluster)),
      el("td", { class: "n" }, grouped(cluster.cells)),
      ...cluster.centroid.map((value, i) => el("td", { class: "n" }, cluster.places[i] ?? tidy(value))),
      el("td", {}, cluster.words ?? unknown),
    );
  };
  const table = (caption: string, clusters: Cluster[]): HTMLElement => el(
    "table",
    {},
    el("caption", {}, caption + (clusters.length > most ? ` The ${most} largest are listed; the exports hold all.` : "")),
    el("thead", {}, el("tr", {}, ...names.map((name, i) => el("th", { scope: "col", class: i > 0 && i + 1 < names.length ? "n" : undefined }, name)))),
    el("tbody", {}, ...clusters.slice(0, most).map(row)),
  );
  const doubtful = view.clusters.filter((cluster) => cluster.doubtful);
  const sure = table("Clusters of this view. Records are noisy counts.", view.clusters.filter((cluster) => !cluster.doubtful));
  if (doubtful.length === 0) return [sure];
  const open = doubtful.some(({ id }) => id === selected);
  return [sure, el("details", { class: "doubtful", open }, el("summary", {}, `${plural(doubtful.length, "doubtful cluster")}: these may be noise`),
    table("Chance and noise may explain these.", doubtful))];
}
