// What the picture means: colour, strength, grey, hatching and numbers, in words of what is counted.
import { type ReleaseFacts, type View } from "./core.js";
import { el } from "./dom.js";
import { grouped } from "./projection.js";
import { type BaseMap } from "./sheet.js";

export class Legend {
  readonly element = el("div", { class: "legend" });
  private readonly list = el("ul", { "aria-label": "Legend" });
  private readonly noise = el("input", { type: "checkbox", id: "show-noise" });

  /** show: whether cells that noise may explain are to be drawn. */
  constructor(private readonly facts: ReleaseFacts, base: BaseMap, show: (noise: boolean) => void) {
    this.noise.addEventListener("change", () => show(this.noise.checked));
    this.element.append(this.list);
    if (facts.noise !== null && facts.axes.length > 1) this.element.append(el("label", { class: "noise" }, this.noise, " Show cells that noise may explain"));
    if (facts.geographic && base.credits) this.element.append(el("p", { class: "sources" }, base.credits));
  }

  /** densest: the value of a cell in full colour; 0: unknown. cell: how large one is, if it can be said. isGrey: cells in no cluster are drawn. */
  show(view: View, noise: boolean, densest: number, cell: string, isGrey: boolean): void {
    this.noise.checked = noise;
    const { counted_many: counted, axes } = this.facts;
    const first = view.clusters.find(({ doubtful }) => !doubtful)?.color;
    const item = (key: string, words: string, color?: string): HTMLElement => {
      const sample = el("span", { class: `key ${key}`, "aria-hidden": "true" }, key === "number" ? "1" : "");
      if (color) sample.style.setProperty("--color", color);
      return el("li", {}, sample, words);
    };
    const bars = axes.length === 1;
    const items: HTMLElement[] = [];
    if (first) {
      items.push(bars
        ? item("flat", `Each colour is a cluster; the height is the number of ${counted}`, first)
        : item("strong", `Each colour is a cluster; the stronger, the more ${counted}${densest >= 1 ? ` (full: ${grouped(densest)} or more in a cell${cell && ` of ${cell}`})` : ""}`, first));
      if (axes.length === 2) items.push(item("number", `Number of the cluster, and about how many ${counted} it holds`));
    }
    if (isGrey) items.push(item("grey", bars ? `Grey: ${counted} in no cluster` : `Grey: ${counted} in no cluster${noise ? ", or noise" : ""}`));
    if (view.clusters.some(({ doubtful }) => doubtful)) items.push(item("hatched", "Hatched: doubtful, chance or noise may explain it"));
    this.list.replaceChildren(...items);
  }
}
