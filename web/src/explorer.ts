// One release, or one part of a file of several, explored: map, settings, tree, table and exports. Clusters follow every move of a
// slider at once; what takes longer, how sure each is, follows from the worker.
import { type Beside, Replaced } from "./beside.js";
import { type Cell } from "./camera.js";
import { type Core, type ReleaseFacts, type View } from "./core.js";
import { choice, Controls } from "./controls.js";
import { button, el } from "./dom.js";
import { exportsSection, labellingSection } from "./keeping.js";
import { Legend } from "./legend.js";
import { LevelsView } from "./levels.js";
import { describe, found, listing } from "./listing.js";
import { type BaseMap, Plane } from "./plane.js";
import { degrees, equalArea, type Projection } from "./projection.js";
import { type Color, type Paint, pair, Raster } from "./raster.js";
import { type Pane, Tip } from "./tip.js";
import { TreeView } from "./tree.js";

const mostOfATree = 2 ** 20; // noisy values, for which a tree takes some seconds
const computing = "Computing how sure each cluster is …";
const pause = 250; // milliseconds without a move of the slider, then confidence is computed

/** What the link holds; it outlives a change of parts. */
export interface State {
  settings: Map<string, string>;
  selected: number;
  /** Whether the controls and tables are unfolded. */
  explore: boolean;
  /** Whether cells that noise may explain are drawn. */
  noise: boolean;
}

export interface Part {
  number: number;
  name: string; // empty: the file holds one release
  title: string;
  file: string;
  base: BaseMap;
  /** After every change: the link, the other parts. */
  changed(explorer: Explorer): void;
  /** To the next part or the one before; null: there is one. */
  turn: ((by: number) => void) | null;
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
  private readonly explore = el("details", { class: "explore" });
  private readonly tip: Tip;
  private readonly controls: Controls | null;
  private tree: TreeView | null = null;
  private levels: LevelsView | null = null;
  private readonly said = document.getElementById("headline")?.textContent ?? "";
  private applied = ""; // settings of the view
  private later = 0;
  private closed = false;

  constructor(
    private readonly core: Core,
    private readonly beside: Beside,
    private readonly part: Part,
    private readonly state: State,
    private readonly headline: HTMLElement,
    root: HTMLElement,
  ) {
    this.facts = core.part(part.number);
    this.view = core.view("", false);
    this.tip = new Tip(core, this.facts, root, this.live);
    let highest = 1;
    for (const value of core.values()) highest = Math.max(highest, value);
    this.controls = this.facts.reshapes
      ? new Controls(this.facts, state.settings, this.view, highest, core.values().length, (atEnd) => this.apply(atEnd))
      : null;
    this.legend = new Legend(this.facts, part.base, (noise) => {
      this.state.noise = noise;
      this.repaint();
      this.legend.show(this.view, this.state.noise);
      this.part.changed(this);
    });
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

  private redraw(): void {
    const labels = this.core.labels();
    const values = this.facts.values ? this.core.values() : null;
    for (const each of this.panes) {
      const cells = pair(this.facts.values ?? this.view.shape, values, this.view.shape, labels, each.a, each.b);
      each.raster.relabel(cells.labels);
      each.raster.repaint(this.paint());
      each.plane.show(this.view.clusters);
      each.plane.select(this.state.selected);
    }
    this.tip.update(this.view);
    this.legend.show(this.view, this.state.noise);
    this.writeHeadline();
    this.writeTable();
    this.writeCommand();
    this.controls?.show(this.view);
    if (this.view.notices) {
      if (!this.part.name) document.querySelectorAll("main>.notice").forEach((notice) => notice.remove());
      this.notices.replaceChildren(...this.view.notices.map((text) => el("div", { class: "banner amber", role: "note" }, text)));
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
    if (headline === null && released) this.headline.textContent = this.said;
    else this.headline.textContent = (this.part.title && `${this.part.title}: `) + (headline ?? found(this.view));
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

  private select(id: number): void {
    this.state.selected = this.state.selected === id ? 0 : id;
    const cluster = this.view.clusters[this.state.selected - 1];
    if (cluster) this.live.textContent = describe(cluster, this.facts);
    for (const { plane } of this.panes) plane.select(this.state.selected);
    if (this.view.clusters.some((each) => each.doubtful)) this.repaint();
    this.writeTable();
    this.tree?.show(this.view.threshold, this.state.selected);
    this.part.changed(this);
  }

  // ---- building ---------------------------------------------------------------------------------------------------

  private pairs(): [number, number][] {
    const { axes, geographic } = this.facts;
    if (axes.length === 1) return [[0, 0]];
    if (geographic && axes.length === 2) return [geographic];
    return axes.flatMap((_, a) => axes.slice(a + 1).map((__, i): [number, number] => [a, a + 1 + i]));
  }

  private build(): void {
    const stage = el("div", { class: "stage" });
    const pairs = this.pairs();
    for (const [a, b] of pairs) {
      const pane = this.pane(a, b);
      this.panes.push(pane);
      stage.append(pane.plane.canvas);
    }
    if (pairs.length > 1) stage.classList.add("many");
    if (this.facts.axes.length === 1) stage.classList.add("bars");
    const each = (act: (plane: Plane) => void) => () => this.panes.forEach(({ plane }) => act(plane));
    const zoom = el("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", each((plane) => plane.zoomBy(1.5)), { "aria-label": "Zoom in", title: "Zoom in" }),
      button("−", each((plane) => plane.zoomBy(1 / 1.5)), { "aria-label": "Zoom out", title: "Zoom out" }),
      button("⤢", each((plane) => plane.reset()), { "aria-label": "Show all", title: "Show all" }));
    const question = (): { part: number; settings: string } => ({ part: this.part.number, settings: settingsText(this.state.settings) });
    const stem = this.part.name ? `clusters-${this.part.title.replaceAll(/[^\w.-]+/g, "-")}` : "clusters";
    if (this.facts.reshapes) {
      const withoutLevel = (): string => settingsText(new Map([...this.state.settings].filter(([key]) => key !== "level")));
      this.levels = new LevelsView(withoutLevel, () => this.beside.ask("levels", { ask: "file", suffix: ".levels.svg", ...question() }, true));
    }
    this.explore.append(
      el("summary", {}, "Explore: settings, table, tree, exports"),
      el("div", { class: "columns" }, this.panel(), el("section", { class: "clusters" }, el("h2", {}, "Clusters"), this.table)),
      ...(this.levels ? [this.levels.element] : []),
      exportsSection(stem, this.facts, (suffix) => this.beside.ask("file", { ask: "file", suffix, ...question() }, true)),
      labellingSection(this.part.name && this.part.title, this.facts, (columns) => this.beside.ask("labels", { ask: "labels", columns, ...question() }, true)),
    );
    this.explore.open = this.state.explore;
    this.explore.firstElementChild!.addEventListener("click", () => {
      this.state.explore = !this.explore.open; // it opens or closes after the click
      this.part.changed(this);
    });
    const said = [...document.querySelectorAll<HTMLElement>("p.privacy,p.credits")]; // what the report says below its picture
    this.element.append(
      this.notices,
      stage,
      el("div", { class: "below" }, this.legend.element, el("div", { class: "tools" }, this.working, zoom)),
      ...said,
      this.explore,
      this.tip.element,
      this.live,
    );
  }

  /** Does not change what the link says. */
  unfold(open: boolean): void {
    this.explore.open = open;
  }

  private pane(a: number, b: number): Pane {
    const { axes, geographic } = this.facts;
    const isMap = geographic?.[0] === a && geographic[1] === b;
    const cells = pair(this.facts.values ?? this.view.shape, this.facts.values ? this.core.values() : null, this.view.shape, this.core.labels(), a, b);
    const summed = (this.facts.values ?? []).reduce((product, count, axis) => (axis === a || axis === b ? product : product * count), 1);
    const noise = (cellsInOne: number): number | null => (this.facts.values ? this.core.noise(summed * cellsInOne) : null);
    const raster = new Raster(cells.across, cells.up, cells.values, cells.labels, this.paint(), noise, axes.length <= 2);
    const plane: Plane = new Plane(
      {
        across: axes[a]!,
        up: a === b ? null : axes[b]!,
        places: [a, b],
        geographic: isMap,
        counted: this.facts.counted_many,
        base: isMap ? this.part.base : null,
        label:
          `Clusters by ${axes[a]!.label}${a === b ? "" : ` and ${axes[b]!.label}`}. ` +
          "Arrow keys move over the cells, plus and minus zoom, Enter selects the cluster, 0 shows all." +
          (this.part.name ? " Page up and page down change the part." : ""),
        ticks: (axis, from, to, wanted) => this.core.ticks(axis, Math.max(0, from), Math.min(1, to), wanted),
        hover: (cell, x, y) => {
          this.tip.show(pane, cell, this.view, x, y);
          this.link(pane, cell);
        },
        pick: (cell) => {
          const id = cell ? raster.label(cell.column, cell.row) : 0;
          if (id || this.state.selected) this.select(id || this.state.selected);
        },
        turn: this.part.turn,
      },
      raster,
    );
    const pane: Pane = { plane, raster, a, b, noise: noise(1) };
    if (isMap) plane.project(this.projectionNamed("degrees"));
    return pane;
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
