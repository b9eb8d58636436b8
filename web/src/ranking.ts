// The clusters beside the map, the largest first: number, place, about how many, and the 95 % interval as a line.
import { type Cluster, type ReleaseFacts, type View } from "./core.js";
import { el } from "./dom.js";
import { plural } from "./listing.js";
import { grouped } from "./projection.js";

const most = 10;
const mostFiner = 5; // of each inset

/** Clusters of a part that lies on the map. */
export interface Finer {
  name: string;
  clusters: Cluster[];
  pick(id: number): void;
}

const largest = (clusters: Cluster[]): Cluster[] => clusters.filter(({ doubtful }) => !doubtful).sort((a, b) => b.size - a.size);

export class Ranking {
  readonly element = el("section", { class: "ranking", "aria-label": "The largest clusters" });

  /** pick: selects a cluster. place: where one lies, in words; empty: nothing to say. */
  constructor(private readonly facts: ReleaseFacts, private readonly pick: (id: number) => void, private readonly place: (cluster: Cluster) => string) {}

  /** finer: what lies on the map in finer cells. */
  show(view: View, selected: number, finer: Finer[] = []): void {
    const inside = this.element.contains(document.activeElement) ? document.activeElement!.getAttribute("data-id") : null;
    const sure = largest(view.clusters);
    const shown = sure.slice(0, most);
    const end = Math.max(1, ...shown.map(({ size, interval }) => interval?.[1] ?? size));
    const share = (value: number): string => `${(100 * Math.max(0, value)) / end}%`;
    const row = (cluster: Cluster, isSelected: boolean, number: string, pick: () => void): HTMLElement => {
      const { size, interval, color } = cluster;
      const bar = el("span", { class: "bar", "aria-hidden": "true" }, el("span", { class: "fill" }));
      bar.style.setProperty("--color", color);
      bar.style.setProperty("--size", share(size));
      if (interval) {
        const range = el("span", { class: "range" });
        range.style.left = share(interval[0]);
        range.style.right = `calc(100% - ${share(interval[1])})`;
        bar.append(range);
      }
      return el("li", {}, el("button", { type: "button", "data-id": number, "aria-pressed": String(isSelected), click: pick },
        el("b", { class: "number" }, number),
        el("span", { class: "place" }, this.place(cluster)),
        el("span", { class: "size" }, el("b", {}, grouped(size)), interval ? ` ${grouped(Math.max(0, interval[0]))} to ${grouped(Math.max(0, interval[1]))}` : ""),
        bar));
    };
    const rest = sure.length - shown.length;
    this.element.replaceChildren(
      el("h2", {}, shown.length === 0 ? "No cluster stands out" : `${this.facts.counted_many[0]!.toUpperCase()}${this.facts.counted_many.slice(1)} in each cluster`),
      el("ol", {}, ...shown.map((cluster) => row(cluster, cluster.id === selected, String(cluster.id), () => this.pick(cluster.id)))),
      ...finer.flatMap(({ name, clusters, pick }) => {
        const inset = largest(clusters);
        const more = inset.length - mostFiner;
        return inset.length === 0 ? [] : [
          el("h3", {}, `Of these in inset ${name}, in finer cells${more > 0 ? `, the ${mostFiner} largest of ${inset.length}` : ""}`),
          el("ol", {}, ...inset.slice(0, mostFiner).map((cluster) => row(cluster, false, `${name}.${cluster.id}`, () => pick(cluster.id))))];
      }),
      el("p", { class: "small" }, shown.length === 0 ? (view.clusters.length > 0 ? "All clusters shown are doubtful: chance or noise may explain them."
          : "What is here may be spread evenly, or be too little to be told from noise.") + (this.facts.reshapes ? " Settings under Explore may show some." : "")
        : (rest > 0 ? `And ${plural(rest, "smaller cluster")}, in the table under Explore. ` : "") + (shown.some(({ interval }) => interval) ? "Lines and small numbers: 95 % intervals." : "")),
    );
    this.element.classList.toggle("empty", shown.length === 0);
    if (inside) this.element.querySelector<HTMLElement>(`[data-id="${inside}"]`)?.focus();
  }
}
