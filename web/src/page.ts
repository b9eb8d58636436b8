// The page: a release that its reader can explore. Everything is computed here; nothing is fetched or sent.
import { type Cluster, Core, type MakeModule, type ReleaseFacts, type View } from "./core.js";
import { parsePoints } from "./csv.js";
import { type Cell, Plane } from "./plane.js";
import { degrees, equalArea, grouped, kilometres, plain, tidy, valueAt } from "./projection.js";
import { Raster, pair } from "./raster.js";
import { TreeView } from "./tree.js";
import makeModule from "shoal-core";

type Settings = Map<string, string>;
const thresholds = ["percentile", "coverage", "density", "top"] as const;
const pageKeys = new Set(["cluster", "projection", "doubtful"]);
// Up to so many noisy values confidence and tree are there when the page opens, up to so many soon after. Of more there is no tree,
// and only the release as it was made has its confidence.
const fewValues = 2 ** 17;
const manyValues = 2 ** 20;
const tooMany = "not computed in a page for more than a million cells";

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function rgb(color: string): [number, number, number] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
}

function plural(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? "" : "s"}`;
}

class Page {
  private settings: Settings = new Map();
  private view: View;
  private selected = 0;
  private readonly planes: { plane: Plane; raster: Raster; a: number; b: number }[] = [];
  private readonly headline = document.querySelector("h1")!;
  private readonly message = make("p", { class: "message", role: "status" });
  private readonly tip = make("div", { class: "tip", hidden: "" });
  private readonly live = make("div", { class: "visually-hidden", "aria-live": "polite" });
  private readonly table = make("div", { class: "wide", tabindex: "0" });
  private readonly command = make("code");
  private readonly notices = make("div");
  private tree: TreeView | null = null;
  private readonly controls = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private rule = "";
  private readonly shownThreshold = make("output");
  private thoroughly = 0;
  private readonly values: number; // noisy values

  constructor(
    private readonly core: Core,
    private readonly facts: ReleaseFacts,
    private readonly coast: number[][],
    private readonly root: HTMLElement,
  ) {
    this.values = (facts.values ?? facts.axes.map((axis) => axis.cells)).reduce((all, each) => all * each, 1);
    this.view = core.view("", this.values <= fewValues || this.values > manyValues);
    this.readLink();
    this.build();
    this.redraw();
    if (this.settings.size > 0) this.apply(this.values <= fewValues);
    else if (this.values > fewValues && this.values <= manyValues) this.applyLater();
    addEventListener("hashchange", () => {
      this.readLink();
      this.apply(true);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
  }

  // ---- the link ---------------------------------------------------------------------------------------------------

  private readLink(): void {
    const link = new URLSearchParams(location.hash.slice(1));
    this.settings = new Map([...link].filter(([key]) => !pageKeys.has(key)));
    this.selected = Number(link.get("cluster") ?? 0) || 0;
  }

  private writeLink(): void {
    const link = new URLSearchParams([...this.settings]);
    if (this.selected) link.set("cluster", String(this.selected));
    const text = link.toString();
    try {
      history.replaceState(null, "", text ? `#${text}` : location.href.split("#")[0]);
    } catch {
      // A frame inside a notebook has no address of its own.
    }
  }

  private settingsText(): string {
    return [...this.settings].map(([key, value]) => `${key}=${value}`).join("&");
  }

  // ---- what is shown ----------------------------------------------------------------------------------------------

  /** Thorough: with confidence, which takes longer. While a slider moves it waits. */
  private apply(wanted: boolean): void {
    clearTimeout(this.thoroughly);
    const thorough = wanted && (this.values <= manyValues || this.settings.size === 0);
    try {
      this.view = this.core.view(this.settingsText(), thorough);
      this.message.textContent = "";
    } catch (problem) {
      this.message.textContent = `Not available: ${(problem as Error).message}`;
      return;
    }
    if (this.selected > this.view.clusters.length) this.selected = 0;
    this.writeLink();
    this.redraw();
    if (!thorough) this.applyLater();
  }

  private applyLater(): void {
    if (this.values <= manyValues) this.thoroughly = window.setTimeout(() => this.apply(true), 250);
  }

  private redraw(): void {
    const labels = this.core.labels();
    const values = this.facts.values ? this.core.values() : null;
    for (const each of this.planes) {
      const cells = pair(this.facts.values ?? this.view.shape, values, this.view.shape, labels, each.a, each.b);
      each.raster.relabel(cells.labels);
      each.raster.repaint(this.paint());
      each.plane.show(each.raster, this.view.clusters);
      each.plane.select(this.selected);
    }
    this.writeHeadline();
    this.writeTable();
    this.writeCommand();
    this.showControls();
    if (this.view.notices) {
      this.notices.replaceChildren(
        ...this.view.notices.map((text) => make("div", { class: "banner amber", role: "note" }, text)),
      );
    }
    this.tree?.show(this.view.threshold, this.selected);
  }

  private repaint(): void {
    for (const { plane, raster } of this.planes) {
      raster.repaint(this.paint());
      plane.draw();
    }
  }

  private paint() {
    const clusters = this.view.clusters;
    return {
      dark: matchMedia("(prefers-color-scheme: dark)").matches,
      color: (id: number) => {
        const cluster = clusters[id - 1];
        return cluster && (!cluster.doubtful || cluster.id === this.selected) ? rgb(cluster.color) : null;
      },
    };
  }

  private writeHeadline(): void {
    const doubtful = this.view.clusters.filter((cluster) => cluster.doubtful).length;
    const sure = this.view.clusters.length - doubtful;
    this.headline.textContent = plural(sure, "cluster") + (doubtful > 0 ? `, ${grouped(doubtful)} more doubtful` : "");
  }

  private size(cluster: Cluster): string {
    const about = grouped(Math.max(0, cluster.size));
    if (!cluster.interval) return about;
    return `${about} (${grouped(Math.max(0, cluster.interval[0]))} to ${grouped(Math.max(0, cluster.interval[1]))})`;
  }

  private writeTable(): void {
    const axes = this.facts.axes;
    const head = make(
      "tr",
      {},
      ...["Cluster", "Records", "Cells", ...axes.map((axis) => `Centre, ${axis.label}`), "Confidence"].map((name) =>
        make("th", { scope: "col" }, name),
      ),
    );
    const row = (cluster: Cluster) => {
      const button = make("button", { type: "button", class: "pick", "aria-pressed": String(cluster.id === this.selected) });
      const swatch = make("span", { class: "swatch" });
      swatch.style.background = cluster.color;
      button.append(swatch, String(cluster.id));
      button.setAttribute("aria-label", `Cluster ${cluster.id}`);
      button.addEventListener("click", () => this.select(cluster.id));
      return make(
        "tr",
        { class: (cluster.id === this.selected ? "selected" : "") + (cluster.doubtful ? " doubtful" : "") },
        make("td", {}, button),
        make("td", { class: "n" }, this.size(cluster)),
        make("td", { class: "n" }, grouped(cluster.cells)),
        ...cluster.centroid.map((value, i) => make("td", { class: "n" }, cluster.places[i] ?? tidy(value))),
        make("td", {}, cluster.words ?? (this.view.without_confidence ? "unavailable" : this.values > manyValues ? tooMany : "…")),
      );
    };
    const sure = this.view.clusters.filter((cluster) => !cluster.doubtful);
    const doubtful = this.view.clusters.filter((cluster) => cluster.doubtful);
    const most = 200;
    const table = make("table", {}, make("caption", {}, "Clusters of this view. Records are noisy counts."));
    table.append(make("thead", {}, head), make("tbody", {}, ...sure.slice(0, most).map(row)));
    if (doubtful.length > 0) {
      const title = make("th", { colspan: String(4 + axes.length), scope: "rowgroup" }, "Doubtful: these may be noise");
      table.append(make("tbody", {}, make("tr", {}, title), ...doubtful.slice(0, most).map(row)));
    }
    this.table.replaceChildren(table);
    if (Math.max(sure.length, doubtful.length) > most) {
      this.table.append(make("p", {}, `The ${most} largest of each kind are listed; the exports hold all.`));
    }
  }

  private writeCommand(): void {
    const options = [...this.settings].map(([key, value]) => ` --${key} ${value}`).join("");
    this.command.textContent = `shoal reshape release.json${options} -o view.html`;
  }

  private select(id: number): void {
    this.selected = this.selected === id ? 0 : id;
    const cluster = this.view.clusters[this.selected - 1];
    if (cluster) this.live.textContent = this.describe(cluster);
    this.writeLink();
    for (const { plane } of this.planes) plane.select(this.selected);
    if (this.view.clusters.some((each) => each.doubtful)) this.repaint();
    this.writeTable();
    this.tree?.show(this.view.threshold, this.selected);
  }

  private describe(cluster: Cluster): string {
    const words = cluster.words ? `, ${cluster.words}` : "";
    return `Cluster ${cluster.id}: about ${this.size(cluster)} records in ${plural(cluster.cells, "cell")}${words}`;
  }

  private hover(at: { raster: Raster; a: number; b: number; plane: Plane }, cell: Cell | null, x: number, y: number): void {
    if (!cell) {
      this.tip.hidden = true;
      return;
    }
    const lines: string[] = [];
    const { axes } = this.facts;
    const range = (axis: number, index: number, count: number) => {
      const { label, lo, hi, special } = axes[axis]!;
      const [first, last] = special
        ? this.core.range(axis, index, count)
        : [tidy(lo + ((hi - lo) * index) / count), tidy(lo + ((hi - lo) * (index + 1)) / count)];
      return first === last ? `${label} ${first}` : `${label} ${first} to ${last}`;
    };
    lines.push(range(at.a, cell.column, at.raster.across));
    if (at.b !== at.a) lines.push(range(at.b, cell.row, at.raster.up));
    if (this.isMap(at.a, at.b)) lines.push(this.extent(at.raster, cell, at.a, at.b));
    if (this.facts.values) {
      const value = at.raster.value(cell.column, cell.row);
      const summed = axes.length > (at.b === at.a ? 1 : 2);
      const noise = summed ? null : this.facts.noise;
      lines.push(
        `about ${grouped(Math.max(0, value))} records` +
          (noise === null
            ? ""
            : ` (${grouped(Math.max(0, value - noise))} to ${grouped(Math.max(0, value + noise))})`),
      );
    }
    const cluster = this.view.clusters[at.raster.label(cell.column, cell.row) - 1];
    lines.push(cluster ? this.describe(cluster) : "in no cluster");
    this.tip.replaceChildren(...lines.map((line) => make("div", {}, line)));
    this.tip.hidden = false;
    const frame = at.plane.canvas.getBoundingClientRect();
    const base = this.root.getBoundingClientRect();
    const width = this.tip.offsetWidth;
    const wanted = frame.left - base.left + x + 14;
    this.tip.style.left = `${Math.max(0, Math.min(wanted, base.width - width - 4))}px`;
    this.tip.style.top = `${frame.top - base.top + y + 14}px`;
    if (document.activeElement === at.plane.canvas) this.live.textContent = lines.join(", ");
  }

  private isMap(a: number, b: number): boolean {
    return this.facts.geographic?.[0] === a && this.facts.geographic[1] === b;
  }

  /** How large a cell of a map is. */
  private extent(raster: Raster, cell: Cell, longitude: number, latitude: number): string {
    const [x, y] = [this.facts.axes[longitude]!, this.facts.axes[latitude]!];
    const south = valueAt(y, cell.row / raster.up);
    const north = valueAt(y, Math.min(1, (cell.row + 1) / raster.up));
    const wide = ((x.hi - x.lo) / raster.across) * kilometres((south + north) / 2);
    const tall = (north - south) * kilometres(0);
    return `${Number(wide.toPrecision(3))} by ${Number(tall.toPrecision(3))} km`;
  }

  // ---- building ---------------------------------------------------------------------------------------------------

  private build(): void {
    const stage = make("div", { class: "stage" });
    const axes = this.facts.axes;
    const values = this.facts.values ? this.core.values() : null;
    const pairs: [number, number][] = [];
    if (this.facts.geographic && axes.length === 2) pairs.push(this.facts.geographic);
    else if (axes.length === 1) pairs.push([0, 0]);
    else for (let a = 0; a < axes.length; a++) for (let b = a + 1; b < axes.length; b++) pairs.push([a, b]);
    for (const [a, b] of pairs) {
      const geographic = this.isMap(a, b);
      const cells = pair(this.facts.values ?? this.view.shape, values, this.view.shape, this.core.labels(), a, b);
      const raster = new Raster(cells.across, cells.up, cells.values, cells.labels, this.paint());
      const holder: { current: Plane | null } = { current: null };
      const plane = new Plane(
        {
          across: axes[a]!,
          up: a === b ? null : axes[b]!,
          places: [a, b],
          geographic,
          coast: geographic ? this.coast : [],
          label:
            `Clusters by ${axes[a]!.label}${a === b ? "" : ` and ${axes[b]!.label}`}. ` +
            "Arrow keys move over the cells, plus and minus zoom, Enter selects the cluster, 0 shows all.",
          ticks: (axis, from, to, wanted) => this.core.ticks(axis, Math.max(0, from), Math.min(1, to), wanted),
          hover: (cell, x, y) => this.hover({ raster, a, b, plane: holder.current! }, cell, x, y),
          pick: (cell) => {
            const id = cell ? raster.label(cell.column, cell.row) : 0;
            if (id || this.selected) this.select(id || this.selected);
          },
        },
        raster,
      );
      holder.current = plane;
      if (geographic) plane.project(this.projectionNamed("degrees"));
      stage.append(plane.canvas);
      this.planes.push({ plane, raster, a, b });
    }
    if (pairs.length > 1) stage.classList.add("many");
    const zoom = make("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
    const zoomButton = (text: string, label: string, act: (plane: Plane) => void) => {
      const button = make("button", { type: "button", "aria-label": label, title: label }, text);
      button.addEventListener("click", () => this.planes.forEach(({ plane }) => act(plane)));
      zoom.append(button);
    };
    zoomButton("+", "Zoom in", (plane) => plane.zoomBy(1.5));
    zoomButton("−", "Zoom out", (plane) => plane.zoomBy(1 / 1.5));
    zoomButton("⤢", "Show all", (plane) => plane.reset());
    const left = make("div", { class: "left" }, this.notices, make("div", { class: "framed" }, stage, zoom));
    this.root.append(
      make("div", { class: "columns" }, left, this.panel()),
      make("section", { class: "clusters" }, make("h2", {}, "Clusters"), this.table),
      this.exports(),
      this.labelling(),
      this.tip,
      this.live,
    );
    if (this.view.without_confidence) {
      this.table.after(make("p", {}, `Confidence unavailable: ${this.view.without_confidence}.`));
    }
  }

  private projectionNamed(name: string) {
    const axis = this.facts.axes[this.facts.geographic![1]]!;
    const centre = (axis.lo + axis.hi) / 2;
    return name === "plain" ? plain : name === "equal-area" ? equalArea(centre) : degrees(centre);
  }

  private panel(): HTMLElement {
    const panel = make("form", { class: "panel", "aria-label": "Settings of this view" });
    panel.addEventListener("submit", (event) => event.preventDefault());
    if (!this.facts.reshapes) {
      panel.append(make("p", {}, "This release was written without its noisy values: its clusters cannot be changed."));
    } else {
      panel.append(this.thresholdControl(), this.otherControls());
    }
    if (this.facts.geographic && this.facts.axes.length === 2) {
      const select = this.choice("projection", "Projection", [
        ["degrees", "Degrees"],
        ["equal-area", "Equal area"],
      ]);
      select.input.addEventListener("change", () => {
        for (const { plane } of this.planes) plane.project(this.projectionNamed(select.input.value));
      });
      panel.append(select.row);
    }
    const reset = make("button", { type: "button" }, "As released");
    reset.addEventListener("click", () => {
      this.settings.clear();
      this.apply(true);
    });
    panel.append(this.message);
    if (this.facts.reshapes) {
      panel.append(reset);
      panel.append(make("h3", {}, "Density tree"), this.treeBox());
    }
    panel.append(
      make("h3", {}, "Command"),
      make("p", {}, "The program gives the same clusters from the release file:"),
      make("pre", { tabindex: "0", "aria-label": "Command" }, this.command),
    );
    return panel;
  }

  private treeBox(): HTMLElement {
    const box = make("div");
    if (this.values > manyValues) box.append(make("p", {}, `The tree is ${tooMany}; shoal tree computes it.`));
    else if (this.values > fewValues) window.setTimeout(() => this.fillTree(box), 500);
    else this.fillTree(box);
    return box;
  }

  private fillTree(box: HTMLElement): void {
    try {
      const tree = this.core.tree();
      if (!tree.branches.some((branch) => branch.stable)) {
        box.append(make("p", {}, "No branch stands out from noise and chance."));
        return;
      }
      this.tree = new TreeView(tree, (name) => {
        const id = parseInt(name, 10);
        if (id <= this.view.clusters.length) this.select(id);
      });
      box.append(this.tree.element, make("p", { class: "small" }, "Dashed: the threshold of this view."));
    } catch (problem) {
      box.append(make("p", {}, `Not available: ${(problem as Error).message}`));
    }
    this.tree?.show(this.view.threshold, this.selected);
  }

  private choice(key: string, label: string, options: [string, string, string?][]) {
    const input = make("select", { id: `set-${key}` });
    for (const [value, text, refused] of options) {
      const option = make("option", { value }, text);
      if (refused) {
        option.disabled = true;
        option.title = refused;
      }
      input.append(option);
    }
    this.controls.set(key, input);
    return { input, row: make("div", { class: "row" }, make("label", { for: `set-${key}` }, label), input) };
  }

  private ranges(): Record<string, { min: number; max: number; step: number; log: boolean; unit: string }> {
    const values = this.core.values();
    let highest = 1;
    for (const value of values) highest = Math.max(highest, value);
    return {
      percentile: { min: 0, max: 99, step: 0.5, log: false, unit: "%" },
      coverage: { min: 1, max: 100, step: 0.5, log: false, unit: "%" },
      density: { min: 0, max: 1000, step: 1, log: true, unit: "" },
      top: { min: 1, max: Math.min(values.length, 100000), step: 1, log: false, unit: " cells" },
    };
  }

  private thresholdControl(): HTMLElement {
    const ranges = this.ranges();
    const names: [string, string][] = [
      ["percentile", "Percentile: drop the least dense cells"],
      ["coverage", "Coverage: keep this share of the records"],
      ["density", "Density: keep cells of at least this density"],
    ];
    if (this.view.rule.rule === "modes") names.unshift(["", "As released: the peaks of the density"]);
    const rule = this.choice("rule", "Threshold", names);
    const slider = make("input", { type: "range", id: "set-threshold" });
    const row = make(
      "div",
      { class: "row" },
      make("label", { for: "set-threshold" }, "Value"),
      slider,
      this.shownThreshold,
    );
    this.shownThreshold.setAttribute("for", "set-threshold");
    this.controls.set("threshold", slider);
    const densest = Math.max(1, ...this.view.clusters.map(() => 1), this.highestW());
    const toValue = () =>
      this.rule === "density" ? Number((densest ** (Number(slider.value) / 1000)).toPrecision(4)) : Number(slider.value);
    const use = (thorough: boolean) => {
      for (const name of thresholds) this.settings.delete(name);
      if (this.rule) this.settings.set(this.rule, String(toValue()));
      this.apply(thorough);
    };
    rule.input.addEventListener("change", () => {
      this.rule = rule.input.value;
      const range = ranges[this.rule];
      if (range) {
        slider.min = String(range.min);
        slider.max = String(range.max);
        slider.step = String(range.step);
        const start: Record<string, number> = { percentile: 50, coverage: 80, density: this.densityAt(densest) };
        slider.value = String(start[this.rule] ?? 50);
      }
      use(true);
    });
    slider.addEventListener("input", () => use(false));
    slider.addEventListener("change", () => use(true));
    return make("div", {}, rule.row, row);
  }

  private densityAt(densest: number): number {
    return Math.round((1000 * Math.log(Math.max(1, this.view.threshold || densest / 4))) / Math.log(densest));
  }

  /** An upper limit of the values of W, in its units. */
  private highestW(): number {
    let highest = 1;
    for (const value of this.core.values()) highest = Math.max(highest, value);
    return highest * 2 ** this.facts.axes.length;
  }

  private otherControls(): HTMLElement {
    const adjacency = this.choice("adjacency", "Adjacency", [
      ["full", "Full: corners touch"],
      ["face", "Face: sides only"],
    ]);
    const level = this.choice(
      "level",
      "Level",
      this.facts.levels
        .filter(({ level: each, refused }) => refused === "" || each <= 4)
        .map(({ level: each, refused }) => [String(each), refused ? `${each} (not available)` : String(each), refused]),
    );
    const least = make("input", { type: "number", id: "set-min-cells", min: "1", max: "1000", step: "1" });
    this.controls.set("min-cells", least);
    const set = (key: string, input: HTMLInputElement | HTMLSelectElement) =>
      input.addEventListener("change", () => {
        this.settings.set(key, input.value);
        this.apply(true);
      });
    set("adjacency", adjacency.input);
    set("level", level.input);
    set("min-cells", least);
    const refused = this.facts.levels.find((each) => each.refused !== "" && each.level <= 4);
    const box = make(
      "div",
      {},
      adjacency.row,
      make("div", { class: "row" }, make("label", { for: "set-min-cells" }, "Least cells"), least),
      level.row,
    );
    if (refused) box.append(make("p", { class: "small" }, `Level ${refused.level} is not available: ${refused.refused}.`));
    return box;
  }

  /** The controls follow the view. */
  private showControls(): void {
    const set = (key: string, value: string) => {
      const control = this.controls.get(key);
      if (control && document.activeElement !== control) control.value = value;
    };
    set("adjacency", this.view.adjacency);
    set("level", String(this.view.level));
    set("min-cells", String(this.view.min_cells));
    const { rule, value } = this.view.rule;
    this.rule = rule === "modes" ? "" : rule;
    const slider = this.controls.get("threshold");
    set("rule", this.rule);
    if (!slider) return;
    (slider as HTMLInputElement).disabled = this.rule === "";
    const range = this.ranges()[this.rule];
    if (range && value !== null) {
      (slider as HTMLInputElement).min = String(range.min);
      (slider as HTMLInputElement).max = String(range.max);
      (slider as HTMLInputElement).step = String(range.step);
      const at = this.rule === "density" ? (1000 * Math.log(Math.max(1, value))) / Math.log(this.highestW()) : value;
      if (document.activeElement !== slider) slider.value = String(at);
      this.shownThreshold.textContent = tidy(value) + range.unit;
    } else {
      this.shownThreshold.textContent = "";
    }
  }

  private download(name: string, bytes: Uint8Array<ArrayBuffer> | string, type: string): void {
    const address = URL.createObjectURL(new Blob([bytes], { type }));
    const link = make("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  private exports(): HTMLElement {
    const kinds: [string, string, string][] = [
      ["json", "JSON", "application/json"],
      ["geojson", "GeoJSON", "application/geo+json"],
      ["csv", "CSV", "text/csv"],
      ["svg", "SVG", "image/svg+xml"],
      ["png", "PNG", "image/png"],
    ];
    const said = make("p", { role: "status" });
    const row = make("div", { class: "buttons" });
    for (const [suffix, text, type] of kinds) {
      if (suffix === "geojson" && this.facts.axes.length !== 2) continue;
      const button = make("button", { type: "button", "data-export": suffix }, text);
      button.addEventListener("click", () => {
        try {
          this.download(`clusters.${suffix}`, this.core.file(`.${suffix}`), type);
          said.textContent = `Saved clusters.${suffix}.`;
        } catch (problem) {
          said.textContent = `Not available: ${(problem as Error).message}`;
        }
      });
      row.append(button);
    }
    return make("section", { class: "exports" }, make("h2", {}, "Export this view"), row, said);
  }

  private labelling(): HTMLElement {
    const said = make("p", { role: "status" });
    const input = make("input", { type: "file", id: "label-file", accept: ".csv,.txt,text/csv" });
    const zone = make(
      "div",
      { class: "drop" },
      make("label", { for: "label-file" }, "Choose a CSV file, or drop it here: "),
      input,
    );
    const label = async (file: File | undefined) => {
      if (!file) return;
      try {
        const { axes } = this.facts;
        const points = parsePoints(await file.text(), axes.map((axis) => axis.name), axes.map((axis) => axis.text));
        const columns = points.columns.map((column, i) => (Array.isArray(column) ? this.core.parse(i, column) : column));
        const labels = this.core.predict(columns);
        const mark = this.facts.private ? "" : ",false";
        const head = this.facts.private ? "cluster" : "cluster,private";
        this.download("labels.csv", `${head}\n${Array.from(labels, (each) => `${each}${mark}\n`).join("")}`, "text/csv");
        const inside = labels.reduce((sum, each) => sum + (each === 0 ? 0 : 1), 0);
        said.textContent =
          `${plural(labels.length, "row")} labelled by ${points.chosen}; ${grouped(inside)} lie in a cluster. ` +
          "Saved labels.csv.";
      } catch (problem) {
        said.textContent = `${file.name}: ${(problem as Error).message}`;
      }
    };
    input.addEventListener("change", () => void label(input.files?.[0]));
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      void label(event.dataTransfer?.files[0]);
    });
    return make(
      "section",
      { class: "labelling" },
      make("h2", {}, "Label your own points"),
      make("p", {}, "The file stays in this browser. The result has one row per record, in the same order; 0 means no cluster."),
      zone,
      said,
    );
  }
}

async function unzipped(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const textOf = (id: string): string | null => document.getElementById(id)?.textContent ?? null;

async function start(): Promise<void> {
  const root = document.getElementById("shoal-app");
  const release = textOf("shoal-release");
  const binary = textOf("shoal-wasm");
  if (!root || !release || !binary) return;
  try {
    const core = await Core.start(makeModule as MakeModule, await unzipped(binary));
    const facts = core.open(release);
    new Page(core, facts, JSON.parse(textOf("shoal-coast") ?? "[]") as number[][], root);
    document.documentElement.classList.add("live");
    root.hidden = false;
  } catch (problem) {
    console.warn("The static report is shown:", problem);
  }
}

void start();
