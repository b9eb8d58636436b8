// The cells that the picture shows, as a table: where each lies, about how many it holds with the interval, and its cluster.
import { type ReleaseFacts } from "./core.js";
import { el } from "./dom.js";
import { type Pane, type Tip } from "./tip.js";

const most = 200; // rows of each picture

export class CellsTable {
  readonly element: HTMLElement;
  private readonly details = el("details", { class: "cells" }, el("summary", {}, "Show the densest cells as a table"));
  private readonly tables = el("div");

  constructor(private readonly facts: ReleaseFacts, private readonly panes: Pane[], private readonly tip: Tip) {
    this.details.append(this.tables);
    this.details.addEventListener("toggle", () => this.show());
    this.element = el("section", { class: "by-level" }, el("h2", {}, "Cells"), this.details);
  }

  /** Nothing is computed while it is folded. */
  show(): void {
    if (this.details.open) this.tables.replaceChildren(...this.panes.map((pane) => this.tableOf(pane)));
  }

  private tableOf(pane: Pane): HTMLElement {
    const { a, b, raster, slice } = pane;
    const { axes, counted_many: counted } = this.facts;
    const own = a === b ? [a] : [a, b];
    const cells = raster.shownCells();
    const row = ({ column, row: up, value, label }: { column: number; row: number; value: number; label: number }): HTMLElement =>
      el("tr", {},
        ...own.map((axis, i) => el("td", {}, this.tip.rangeOf(axis, i === 0 ? column : up, i === 0 ? raster.across : raster.up).filter((text, at, all) => at === 0 || text !== all[0]).join(" to "))),
        el("td", { class: "n" }, this.tip.value(pane, value)),
        el("td", { class: "n" }, label ? String(label) : "none"));
    const more = cells.length > most ? ` The ${most} densest of ${cells.length.toLocaleString("en")} are listed; the CSV export holds all.` : "";
    return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Cells by ${own.map((axis) => axes[axis]!.label).join(" and ")}` },
      el("table", {},
        el("caption", {}, `${slice ? `${this.tip.sliceIn(slice)}: ` : ""}cells that the picture shows, with 95 % intervals.${more}`),
        el("thead", {}, el("tr", {}, ...own.map((axis) => el("th", { scope: "col" }, axes[axis]!.label)),
          el("th", { scope: "col", class: "n" }, `${counted[0]!.toUpperCase()}${counted.slice(1)}`), el("th", { scope: "col", class: "n" }, "Cluster"))),
        el("tbody", {}, ...cells.slice(0, most).map(row))));
  }
}
