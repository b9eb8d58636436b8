// One release, or one part of a file of several, explored: map, settings, tree, table and exports. Clusters follow every move of a
// slider at once; what takes longer, how sure each is, follows from the worker.
import { type Beside, Replaced } from "./beside.js";
import { type Cell } from "./camera.js";
import { type Axis, type Cluster, type Core, type ReleaseFacts, type View } from "./core.js";
import { type Sight } from "./camera.js";
import { CellsTable } from "./cells.js";
import { choice, Controls } from "./controls.js";
import { button, el } from "./dom.js";
import { exportsSection, labellingSection } from "./keeping.js";
import { Legend } from "./legend.js";
import { LevelsView } from "./levels.js";
import { describe, found, listing, plural, whereIs } from "./listing.js";
import { type Inset, Plane } from "./plane.js";
import { degrees, equalArea, type Projection } from "./projection.js";
import { Ranking } from "./ranking.js";
import { type Color, type Paint, pair, Raster, type Slice } from "./raster.js";
import { type Pane, Tip } from "./tip.js";
import { type Texts } from "./publishing.js";
import { type BaseMap } from "./sheet.js";
import { TreeView } from "./tree.js";

const mostOfATree = 2 ** 20; // noisy values, for which a tree takes some seconds
const computing = "Computing how sure each cluster is …";
const mostPanels = 12; // of categories
const mostSlices = 16;
const pause = 250; // milliseconds without a move of the slider, then confidence is computed

/** What the link holds; it outlives a change of parts. */
export interface State {
  settings: Map<string, string>;
  selected: number;
  /** Whether the controls and tables are unfolded. */
  explore: boolean;
  /** Whether cells that noise may explain are drawn. */
  noise: boolean;
  /** What of an axis lies behind the planes of the others, as "axis:number"; empty: all. */
  slice: string;
}

export interface Part {
  number: number;
  name: string; // empty: the file holds one release
  title: string;
  /** What stands before the headline; empty: the part shows all that the file is about. */
  heading: string;
  file: string;
  base: BaseMap;
  /** After every change: the link, the other parts. */
  changed(explorer: Explorer): void;
  /** To the next part or the one before; null: there is one. */
  turn: ((by: number) => void) | null;
  /** Shows another part with one of its clusters; 0: none. */
  goTo(part: number, cluster: number): void;
  /** Sizes over all parts, shown below the map; null: there is one part, or they lie in each other. */
  chart: HTMLElement | null;
  /** The headline of the release as it was made. */
  found: string;
  /** What the report says below its picture. */
  said: HTMLElement[];
  /** Where the texts of the page are changed, and what they are; undefined: as they came. */
  publishing: HTMLElement;
  texts(): Texts | undefined;
}

/** As a shell takes it. */
const quoted = (text: string): string => (/^[\w.:@%+,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export const isDark = (): boolean => matchMedia("(prefers-color-scheme: dark)").matches;
export const settingsText = (settings: Map<string, string>): string => [...settings].map(([key, value]) => `${key}=${value}`).join("&");

export class Explorer {
  readonly element = el("div", { class: "explorer" });
  readonly facts: ReleaseFacts;
  view: View;
  private readonly panes: Pane[] = [];
  private readonly message = el("p", { class: "message", role: "status" });
  private readonly working = el("p", { class: "working", role: "status" });
  private readonly live = el("div", { class: "visually-hidden", "aria-live": "polite" });
  private readonly table = el("div", { class: "wide", tabindex: "0" });
  private readonly command = el("code");
  private readonly notices = el("div");
  private readonly treeBox = el("div", { class: "treebox" });
  private readonly legend: Legend;
  private readonly ranking: Ranking;
  private readonly stage = el("div", { class: "stage" });
  private readonly nothing = el("p", { class: "nothing" });
  private colors: (string | undefined)[] = []; // of clusters, as all parts share them
  private insets: Inset[] = [];
  private readonly explore = el("details", { class: "explore" });
  private readonly tip: Tip;
  private readonly controls: Controls | null;
  private tree: TreeView | null = null;
  private levels: LevelsView | null = null;
  private readonly cells: CellsTable;
  private applied = ""; // settings of the view
  private later = 0;
  private closed = false;

  constructor(
    private readonly core: Core,
    private readonly beside: Beside,
    private readonly part: Part,
    private readonly state: State,
    root: HTMLElement,
  ) {
    this.facts = core.part(part.number);
    this.view = core.view("", false);
    this.tip = new Tip(core, this.facts, root, this.live);
    this.cells = new CellsTable(this.facts, this.panes, this.tip);
    let highest = 1;
    for (const value of core.values()) highest = Math.max(highest, value);
    this.controls = this.facts.reshapes
      ? new Controls(this.facts, state.settings, this.view, highest, core.values().length, (atEnd) => this.apply(atEnd))
      : null;
    this.legend = new Legend(this.facts, part.base, (noise) => {
      this.state.noise = noise;
      this.repaint();
      this.cells.show();
      this.showLegend();
      this.part.changed(this);
    });
    this.ranking = new Ranking(this.facts, (id) => this.select(id), (cluster) => this.placeOf(cluster));
    this.build();
    this.apply(true);
    this.growTree();
  }

  /** Closes this view, because another part is shown. */
  close(): void {
    this.closed = true;
    clearTimeout(this.later);
    for (const key of ["view", "tree", "file", "labels", "levels"]) this.beside.forget(key);
  }

  // ---- what is shown ----------------------------------------------------------------------------------------------

  /** The settings have changed. atEnd: they stay for the moment, so confidence is worth its time. */
  apply(atEnd: boolean): void {
    clearTimeout(this.later);
    const settings = settingsText(this.state.settings);
    try {
      this.view = this.core.view(settings, false);
      this.message.textContent = "";
    } catch (problem) {
      this.message.textContent = `Not available: ${(problem as Error).message}`;
      this.redraw();
      if (!this.view.notices) void this.makeSure(this.applied);
      return;
    }
    this.applied = settings;
    if (this.state.selected > this.view.clusters.length) this.state.selected = 0;
    this.beside.forget("view");
    this.working.textContent = this.view.clusters.length > 0 ? computing : "";
    this.redraw();
    this.part.changed(this);
    if (atEnd) void this.makeSure(settings);
    else this.later = window.setTimeout(() => void this.makeSure(settings), pause);
  }

  /** Confidence, and what follows from it. */
  private async makeSure(settings: string): Promise<void> {
    try {
      this.view = await this.beside.ask("view", { ask: "view", part: this.part.number, settings }, true);
      this.working.textContent = "";
    } catch (problem) {
      if (problem instanceof Replaced) return;
      this.working.textContent = `How sure each cluster is was not computed: ${(problem as Error).message}`;
    }
    if (this.closed) return;
    this.redraw();
    this.levels?.refresh();
  }

  /** What is seen of the first plane, to be kept when another part of the same axes is shown. */
  get sight(): Sight | null {
    return this.panes.length === 1 ? this.panes[0]!.plane.sight : null;
  }
  set sight(sight: Sight | null) {
    if (sight && this.panes.length === 1) this.panes[0]!.plane.sight = sight;
  }

  /** Colours of clusters and the ends of the scales, as all parts of the file share them. */
  share(colors: (string | undefined)[], densest: number, tallest: number): void {
    const same = this.colors.join() === colors.join() && this.panes.every(({ raster }) => raster.densest === densest && raster.tallest === tallest);
    if (same) return;
    this.colors = colors;
    for (const { raster } of this.panes) raster.scaleTo(densest, tallest);
    this.redraw();
  }

  /** Draws the insets where they lie. */
  lay(insets: Inset[]): void {
    this.insets = insets;
    for (const { plane } of this.panes) plane.lay(insets);
    this.rank();
    this.showLegend();
  }

  private rank(): void {
    this.ranking.show(this.view, this.state.selected, this.insets.map(({ number, name, clusters }) => ({ name, clusters, pick: (id) => this.part.goTo(number, id) })));
  }

  private redraw(): void {
    for (const cluster of this.view.clusters) cluster.color = this.colors[cluster.id] ?? cluster.color;
    const labels = this.core.labels();
    const values = this.facts.values ? this.core.values() : null;
    for (const each of this.panes) {
      const cells = pair(this.facts.values ?? this.view.shape, values, this.view.shape, labels, each.a, each.b, each.slice);
      each.raster.refill(cells.values, cells.labels);
      each.raster.repaint(this.paint());
      each.plane.show(each.slice ? this.view.clusters.filter(({ id }) => each.raster.holds(id)) : this.view.clusters);
      each.plane.select(this.state.selected);
    }
    this.tip.update(this.view);
    this.cells.show();
    this.showLegend();
    this.rank();
    this.writeHeadline();
    this.writeTable();
    this.writeCommand();
    this.controls?.show(this.view);
    if (this.view.notices) {
      if (!this.part.name) document.querySelectorAll("main>.notice").forEach((notice) => notice.remove());
      const said = [...document.querySelectorAll("main>.notice")].map(({ textContent }) => textContent);
      this.notices.replaceChildren(...this.view.notices.filter((text) => !said.includes(text)).map((text) => el("div", { class: "banner amber", role: "note" }, text)));
    }
    this.tree?.show(this.view.threshold, this.state.selected);
  }

  repaint(): void {
    for (const { plane, raster } of this.panes) {
      raster.repaint(this.paint());
      plane.draw();
    }
  }

  private paint(): Paint {
    const { clusters } = this.view;
    return {
      dark: isDark(),
      noise: this.state.noise,
      color: (id) => {
        const cluster = clusters[id - 1];
        return cluster && (!cluster.doubtful || cluster.id === this.state.selected) ? (cluster.color as Color) : null;
      },
    };
  }

  private writeHeadline(): void {
    const { headline } = this.view;
    const released = this.state.settings.size === 0 && !this.part.name; // the page was written with its headline
    const prefix = this.part.heading && `${this.part.heading}: `;
    const text = headline === null && released ? this.part.found : prefix + (headline ?? found(this.view));
    document.getElementById("headline")!.textContent = text;
  }

  private writeTable(): void {
    const unknown = this.view.without_confidence ? "unavailable" : this.working.textContent === computing ? "computing …" : "not computed";
    this.table.replaceChildren(...listing(this.view, this.facts, this.state.selected, unknown, (id) => this.select(id)));
    if (this.view.without_confidence) this.table.append(el("p", {}, `Confidence unavailable: ${this.view.without_confidence}.`));
  }

  private writeCommand(): void {
    const group = this.part.name ? ` --group ${quoted(this.part.name)}` : "";
    const options = [...this.state.settings].map(([key, value]) => ` --${key} ${quoted(value)}`).join("");
    this.command.textContent = `shoal reshape ${this.part.file}${group}${options} -o view.html`;
  }

  /** Selects a cluster that is there; 0: none. */
  choose(id: number): void {
    if (id <= this.view.clusters.length && id !== this.state.selected) this.select(id || this.state.selected);
  }

  private select(id: number): void {
    this.state.selected = this.state.selected === id ? 0 : id;
    const cluster = this.view.clusters[this.state.selected - 1];
    if (cluster) this.live.textContent = describe(cluster, this.facts);
    for (const { plane } of this.panes) plane.select(this.state.selected);
    if (this.view.clusters.some((each) => each.doubtful)) this.repaint();
    this.rank();
    this.writeTable();
    this.tree?.show(this.view.threshold, this.state.selected);
    this.part.changed(this);
  }

  private showLegend(): void {
    const pane = this.panes[0];
    const isGrey = this.panes.some(({ raster }) => raster.hasRest);
    this.legend.show(this.view, this.state.noise, pane && this.facts.values ? pane.raster.densest : 0, pane ? this.tip.cellOf(pane) : "", isGrey);
    const isEmpty = !isGrey && this.view.clusters.length === 0 && this.insets.length === 0;
    this.nothing.replaceChildren(...(isEmpty ? [el("span", {}, "Nothing here stands out from chance and noise.")] : []));
  }

  /** Where a cluster lies, in words. */
  private placeOf(cluster: Cluster): string {
    const { axes, geographic } = this.facts;
    const isMap = geographic !== undefined && axes.length === 2;
    if (isMap) return whereIs(cluster, geographic.map((axis): [Axis, number] => [axes[axis]!, axis]), true);
    if (axes.length > 1) return whereIs(cluster, axes.map((axis, i): [Axis, number] => [axis, i]), false);
    const { raster } = this.panes[0]!;
    const own = Array.from({ length: raster.across }, (_, i) => i).filter((i) => raster.label(i, 0) === cluster.id);
    if (own.length === 0) return "";
    const [first] = this.tip.rangeOf(0, own[0]!, raster.across);
    const [, last] = this.tip.rangeOf(0, own[own.length - 1]!, raster.across);
    return `${axes[0]!.label} ${first} to ${last}`;
  }

  // ---- building ---------------------------------------------------------------------------------------------------

  private pairs(): { a: number; b: number; slice: Slice | null }[] {
    const { axes, geographic } = this.facts;
    const of = ([a, b]: [number, number], slice: Slice | null = null): { a: number; b: number; slice: Slice | null } => ({ a, b, slice });
    if (axes.length === 1) return [of([0, 0])];
    if (geographic && axes.length === 2) return [of(geographic)];
    const listed = this.listed();
    if (listed >= 0) {
      const others = geographic && !geographic.includes(listed) ? geographic : (axes.map((_, i) => i).filter((i) => i !== listed) as [number, number]);
      return Array.from({ length: axes[listed]!.cells }, (_, from) => of(others, { axis: listed, from, to: from + 1 }));
    }
    return axes.flatMap((_, a) => axes.slice(a + 1).map((__, i) => of([a, a + 1 + i])));
  }

  /** Of three axes the one of categories, which have a panel each; -1: there is none. */
  private listed(): number {
    const { axes, values } = this.facts;
    const shape = values ?? this.view.shape;
    return axes.length === 3 ? axes.findIndex(({ apart, cells }, axis) => apart && cells <= mostPanels && shape[axis] === cells) : -1;
  }

  /** How many slices an axis has. */
  private slicesOf(axis: number): { count: number; of: (number: number) => Slice } {
    const cells = (this.facts.values ?? this.view.shape)[axis]!;
    const thick = Math.max(1, Math.round(cells / mostSlices));
    return { count: Math.ceil(cells / thick), of: (number) => ({ axis, from: number * thick, to: Math.min(cells, (number + 1) * thick) }) };
  }

  /** The slice that the link asks for; null: none, or it is not there. */
  private sliceOfLink(): Slice | null {
    const [axis, number] = this.state.slice.split(":").map(Number);
    if (this.state.slice === "" || this.listed() >= 0 || this.facts.axes.length < 3 || !this.facts.axes[axis!]) return null;
    const slices = this.slicesOf(axis!);
    return number! >= 0 && number! < slices.count ? slices.of(number!) : null;
  }

  /** A choice of an axis, and a slider along it. */
  private slicer(): HTMLElement | null {
    const { axes } = this.facts;
    if (axes.length < 3 || this.listed() >= 0) return null;
    const { input, row } = choice("slice", "Slice", [["", "All together"], ...axes.map(({ label }, i): [string, string] => [String(i), `Along ${label}`])]);
    const slider = el("input", { type: "range", id: "set-slice-place", min: "0", step: "1", "aria-label": "Place of the slice" });
    const said = el("output", { for: "set-slice-place" });
    const show = (): void => {
      const slice = this.sliceOfLink();
      slider.hidden = said.hidden = slice === null;
      if (slice) said.textContent = this.tip.sliceIn(slice);
      for (const pane of this.panes) pane.slice = slice && slice.axis !== pane.a && slice.axis !== pane.b ? slice : null;
      for (const pane of this.panes) pane.noise = this.noiseOf(pane, 1);
      const middle = slice && (slice.from + slice.to) / 2 / (this.facts.values ?? this.view.shape)[slice.axis]!;
      for (const { plane, a, b } of this.panes) plane.mark(slice?.axis === a ? middle : null, slice?.axis === b ? middle : null);
    };
    const take = (): void => {
      this.state.slice = input.value === "" ? "" : `${input.value}:${slider.value}`;
      show();
      this.redraw();
      this.part.changed(this);
    };
    const limit = (axis: number): void => slider.setAttribute("max", String(this.slicesOf(axis).count - 1));
    input.addEventListener("change", () => {
      if (input.value !== "") {
        limit(Number(input.value));
        slider.value = String(this.slicesOf(Number(input.value)).count >> 1);
      }
      take();
    });
    slider.addEventListener("input", take);
    const slice = this.sliceOfLink();
    if (slice) {
      input.value = String(slice.axis);
      limit(slice.axis);
      slider.value = this.state.slice.split(":")[1]!;
    }
    show();
    row.classList.add("slicer");
    row.append(slider, said);
    return row;
  }

  /** Half the width of the 95 % interval of a value of a pane; null: it has none. */
  private noiseOf({ a, b, slice }: { a: number; b: number; slice: Slice | null }, cells: number): number | null {
    const { values } = this.facts;
    if (!values) return null;
    const behind = values.reduce((product, count, axis) => product * (axis === a || axis === b ? 1 : axis === slice?.axis ? slice.to - slice.from : count), 1);
    return this.core.noise(behind * cells);
  }

  private build(): void {
    const { stage } = this;
    const pairs = this.pairs();
    for (const { a, b, slice } of pairs) {
      const pane = this.pane(a, b, slice);
      this.panes.push(pane);
      stage.append(slice ? el("figure", {}, el("figcaption", {}, this.tip.sliceIn(slice)), pane.plane.canvas) : pane.plane.canvas);
    }
    if (pairs[0]?.slice) { // one scale
      const densest = Math.max(...this.panes.map(({ raster }) => raster.own));
      for (const { raster } of this.panes) raster.scaleTo(densest, 0);
    }
    if (pairs.length === 1) stage.append(this.nothing);
    const slicer = this.slicer();
    const isMap = pairs.length === 1 && this.facts.geographic !== undefined;
    stage.classList.add(pairs.length > 1 ? "many" : this.facts.axes.length === 1 ? "bars" : isMap ? "map" : "plane");
    this.measure();
    const each = (act: (plane: Plane) => void) => () => this.panes.forEach(({ plane }) => act(plane));
    const zoom = el("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", each((plane) => plane.zoomBy(1.5)), { "aria-label": "Zoom in", title: "Zoom in" }),
      button("−", each((plane) => plane.zoomBy(1 / 1.5)), { "aria-label": "Zoom out", title: "Zoom out" }),
      button("⤢", each((plane) => plane.reset()), { "aria-label": "Show all", title: "Show all" }));
    const question = (): { part: number; settings: string; texts?: Texts } =>
      ({ part: this.part.number, settings: settingsText(this.state.settings), ...(this.part.texts() && { texts: this.part.texts()! }) });
    const stem = this.part.name ? `clusters-${this.part.title.replaceAll(/[^\w.-]+/g, "-")}` : "clusters";
    if (this.facts.reshapes) {
      const withoutLevel = (): string => settingsText(new Map([...this.state.settings].filter(([key]) => key !== "level")));
      this.levels = new LevelsView(withoutLevel, () => this.beside.ask("levels", { ask: "file", suffix: ".levels.svg", ...question() }, true));
    }
    this.explore.append(
      el("summary", {}, "Explore: settings, table, tree, exports"),
      el("div", { class: "columns" }, this.panel(), el("section", { class: "clusters" }, el("h2", {}, "Clusters"), this.table)),
      ...(this.facts.values ? [this.cells.element] : []),
      ...(this.levels ? [this.levels.element] : []),
      this.part.publishing,
      exportsSection(stem, this.facts, (suffix) => this.beside.ask("file", { ask: "file", suffix, ...question() }, true)),
      labellingSection(this.part.name && this.part.title, this.facts, (columns) => this.beside.ask("labels", { ask: "labels", columns, ...question() }, true)),
    );
    this.explore.open = this.state.explore;
    this.explore.firstElementChild!.addEventListener("click", () => {
      this.state.explore = !this.explore.open; // it opens or closes after the click
      this.part.changed(this);
    });
    this.element.append(
      this.notices,
      el("div", { class: "front" },
        el("div", { class: `picture ${stage.classList.item(1)}` }, stage, slicer, el("div", { class: "below" }, this.legend.element, el("div", { class: "tools" }, this.working, zoom))),
        this.ranking.element),
      ...(this.part.chart ? [this.part.chart] : []),
      ...this.part.said,
      this.explore,
      this.tip.element,
      this.live,
    );
  }

  /** Does not change what the link says. */
  unfold(open: boolean): void {
    this.explore.open = open;
  }

  private pane(a: number, b: number, slice: Slice | null): Pane {
    const { axes, geographic } = this.facts;
    const isMap = geographic?.[0] === a && geographic[1] === b;
    const pane = { a, b, slice } as Pane;
    const cells = pair(this.facts.values ?? this.view.shape, this.facts.values ? this.core.values() : null, this.view.shape, this.core.labels(), a, b, slice);
    const noise = (cellsInOne: number): number | null => this.noiseOf(pane, cellsInOne);
    const raster = new Raster(cells.across, cells.up, cells.values, cells.labels, this.paint(), noise, axes.length <= 2);
    const plane: Plane = new Plane(
      {
        across: axes[a]!,
        up: a === b ? null : axes[b]!,
        places: [a, b],
        geographic: isMap,
        bare: isMap,
        counted: this.facts.counted_many,
        base: isMap ? this.part.base : null,
        label:
          `Clusters by ${axes[a]!.label}${a === b ? "" : ` and ${axes[b]!.label}`}. ` +
          "Arrow keys move over the cells, plus and minus zoom, Enter selects the cluster, 0 shows all." +
          (this.part.name ? " Page up and page down change the part." : ""),
        ticks: (axis, from, to, wanted) => this.core.ticks(axis, Math.max(0, from), Math.min(1, to), wanted),
        hover: (cell, x, y, inset) => {
          const there = this.insets.find(({ number }) => number === inset);
          if (there && cell) this.tip.say(plane.canvas, this.inInset(there, cell), x, y);
          else this.tip.show(pane, cell, this.view, x, y);
          this.link(pane, cell);
        },
        pick: (cell, inset) => {
          const there = this.insets.find(({ number }) => number === inset);
          if (there && cell) return this.part.goTo(inset, there.raster.label(cell.column, cell.row));
          const id = cell ? raster.label(cell.column, cell.row) : 0;
          if (id || this.state.selected) this.select(id || this.state.selected);
        },
        turn: this.part.turn,
      },
      raster,
    );
    pane.plane = plane;
    pane.raster = raster;
    pane.noise = noise(1);
    if (isMap) plane.project(this.projectionNamed("degrees"));
    return pane;
  }

  private inInset({ name, raster, clusters }: Inset, cell: Cell): string[] {
    const cluster = clusters[raster.label(cell.column, cell.row) - 1];
    const value = Math.round(Math.max(0, raster.value(cell.column, cell.row)));
    return [`Inset ${name}: click to explore it`, `about ${plural(value, this.facts.counted, this.facts.counted_many)} in this cell`,
      cluster ? describe(cluster, this.facts) : "in no cluster"];
  }

  /** The shape of the stage, which the style needs. */
  private measure(): void {
    const plane = this.panes[0]?.plane;
    const aspect = this.stage.classList.contains("map") && plane ? plane.aspect : this.stage.classList.contains("bars") ? 1.9 : 1.25;
    this.element.style.setProperty("--aspect", String(Math.round(aspect * 1000) / 1000));
  }

  /** Shows on the other planes where a cell lies along the axes that they share. */
  private link(pane: Pane, cell: Cell | null): void {
    const at = (axis: number): number | null =>
      !cell ? null : axis === pane.a ? (cell.column + 0.5) / pane.raster.across : axis === pane.b ? (cell.row + 0.5) / pane.raster.up : null;
    for (const other of this.panes) if (other !== pane) other.plane.mark(at(other.a), at(other.b));
  }

  private projectionNamed(name: string): Projection {
    const axis = this.facts.axes[this.facts.geographic![1]]!;
    const centre = (axis.lo + axis.hi) / 2;
    return name === "equal-area" ? equalArea(centre) : degrees(centre);
  }

  private panel(): HTMLElement {
    const panel = el("form", { class: "panel", "aria-label": "Settings of this view", submit: (event) => event.preventDefault() });
    panel.append(this.controls?.element ?? el("p", {}, "This release was written without its noisy values: its clusters cannot be changed."));
    if (this.facts.geographic && this.facts.axes.length === 2) {
      const { input, row } = choice("projection", "Projection", [["degrees", "Degrees"], ["equal-area", "Equal area"]]);
      input.addEventListener("change", () => {
        for (const { plane } of this.panes) plane.project(this.projectionNamed(input.value));
        this.measure();
      });
      panel.append(row);
    }
    panel.append(this.message);
    if (this.facts.reshapes) {
      const asReleased = button("As released", () => {
        this.state.settings.clear();
        this.apply(true);
      });
      panel.append(asReleased, el("h3", {}, "Density tree"), this.treeBox);
    }
    panel.append(
      el("h3", {}, "Command"),
      el("p", {}, "The program gives the same clusters from the release file:"),
      el("pre", { tabindex: "0", "aria-label": "Command" }, this.command),
    );
    return panel;
  }

  private growTree(): void {
    if (!this.facts.reshapes) return;
    const say = (text: string): void => this.treeBox.replaceChildren(el("p", {}, text));
    if (this.core.values().length > mostOfATree) return say("A page computes no tree of more than a million cells; shoal tree does.");
    say("Computing the tree …");
    this.beside.ask("tree", { ask: "tree", part: this.part.number }).then((tree) => {
      if (!tree.branches.some((branch) => branch.stable)) return say("No branch stands out from noise and chance.");
      this.tree = new TreeView(tree, (name) => {
        const id = parseInt(name, 10);
        if (id <= this.view.clusters.length) this.select(id);
      });
      this.treeBox.replaceChildren(this.tree.element, el("p", { class: "small" }, "Dashed: the threshold of this view."));
      this.tree.show(this.view.threshold, this.state.selected);
    }).catch((problem: unknown) => {
      if (!(problem instanceof Replaced)) say(`Not available: ${(problem as Error).message}`);
    });
  }
}
