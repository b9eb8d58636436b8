// The parts of a file side by side, as small maps to choose from, with one scale and the base map. Each takes the settings of the explored
// one. Where they have the same cells, a cluster has one colour in all of them, and a chart shows its size in each. Groups that follow each
// other can be played.
import { type Beside, type Panel, Replaced } from "./beside.js";
import { Camera } from "./camera.js";
import { Chart, type Series } from "./chart.js";
import { type Cluster, type Contents } from "./core.js";
import { button, el } from "./dom.js";
import { type Explorer, isDark, settingsText, type State } from "./explorer.js";
import { found, whereIs } from "./listing.js";
import { highestBar, Painting } from "./painting.js";
import { type Inset } from "./plane.js";
import { degrees } from "./projection.js";
import { type Color, Raster } from "./raster.js";
import { type BaseMap, noBaseMap, Sheet } from "./sheet.js";

const mostValues = 2 ** 17; // noisy values, of which confidence is quick
const mostCharted = 60; // parts
const stepTime = 1400; // milliseconds that a part is shown when they are played
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8b6bc4", "#f0e442"];

interface Entry { button: HTMLButtonElement; canvas: HTMLCanvasElement; caption: HTMLElement; panel: Panel | null; raster: Raster | null; asked: string; seen: boolean }

const sameCells = (one: Panel, other: Panel): boolean => one.plane === other.plane && one.across === other.across && one.up === other.up;

/** For each cluster of `panel` the number of the one on the other panel that it shares most cells with; 0: none. */
export function counterparts(panel: Panel, other: Panel): number[] {
  const result = new Array<number>(panel.view.clusters.length + 1).fill(0);
  if (!sameCells(panel, other)) return result;
  const shared = new Map<string, number>();
  for (let i = 0; i < panel.labels.length; i++) {
    const [a, b] = [panel.labels[i]!, other.labels[i]!];
    if (a && b) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1);
  }
  for (const [key] of [...shared].sort(([, one], [, two]) => one - two)) {
    const [a, b] = key.split(" ").map(Number) as [number, number];
    result[a] = b;
  }
  return result;
}

/** A cluster as it goes through the parts: its number in each; 0: it is not there. */
interface Identity { color: string; name: string; numbers: number[] }

/** Where a cluster of a panel lies, in words. */
function placeIn({ axes: [across, up], places, spans, geographic }: Panel, cluster: Cluster): string {
  if (!up) return `${across.label} ${spans[cluster.id] ?? ""}`;
  return whereIs(cluster, [[across, places[0]], [up, places[1]]], geographic);
}

/** Which clusters of the panels are the same: each is the one of the last panel before that it shares most cells with. */
export function identities(panels: (Panel | null)[]): Identity[] {
  const all: Identity[] = [];
  panels.forEach((panel, i) => {
    if (!panel) return;
    const free = new Set(panel.view.clusters.filter(({ doubtful }) => !doubtful).map(({ id }) => id));
    for (let before = i - 1; before >= 0 && free.size > 0; before--) {
      const earlier = panels[before];
      if (!earlier || !sameCells(panel, earlier)) continue;
      const other = counterparts(panel, earlier);
      for (const id of [...free]) {
        const known = other[id] ? all.find(({ numbers }) => numbers[before] === other[id] && !numbers[i]) : undefined;
        if (!known) continue;
        known.numbers[i] = id;
        free.delete(id);
      }
    }
    for (const id of free) {
      const cluster = panel.view.clusters[id - 1]!;
      const numbers = new Array<number>(panels.length).fill(0);
      numbers[i] = id;
      all.push({ color: palette[all.length % palette.length]!, name: placeIn(panel, cluster), numbers });
    }
  });
  return all;
}

export class Parts {
  readonly element = el("nav", { class: "parts" });
  readonly chart: HTMLElement | null;
  private readonly entries: Entry[];
  private readonly lines: Chart | null;
  private readonly slider: HTMLInputElement;
  private readonly shownPart = el("output", { for: "set-part" });
  private readonly playing: HTMLButtonElement;
  private timer = 0;
  private explored = -1;
  private selected = 0;
  private explorer: Explorer | null = null;
  private same: Identity[] = [];
  private thorough = true;

  constructor(private readonly file: Contents, private readonly beside: Beside, private readonly base: BaseMap, private readonly state: State,
              private readonly choose: (number: number) => void, select: (cluster: number) => void) {
    const watch = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        const entry = this.entries.find(({ button }) => button === target)!;
        entry.seen ||= isIntersecting;
      }
      this.fill();
    });
    const names = file.parts.map(({ title }) => title);
    this.entries = names.map((name, number) => {
      const canvas = el("canvas", { width: 1, height: 1, "aria-hidden": "true" });
      const caption = el("span");
      const button = el("button", { type: "button", click: () => this.take(number) }, canvas, el("b", {}, name), caption);
      watch.observe(button);
      return { button, canvas, caption, panel: null, raster: null, asked: "-", seen: false };
    });
    this.slider = el("input", { type: "range", id: "set-part", min: "0", max: String(names.length - 1), step: "1", "aria-label": "Part that is shown" });
    this.slider.addEventListener("input", () => this.take(Number(this.slider.value)));
    this.playing = button("Play", () => (this.timer ? this.stop() : this.play()), { class: "play", "aria-pressed": "false" });
    this.element.setAttribute("aria-label", "Parts of this file");
    this.element.append(el("div", { class: "multiples" }, ...this.entries.map((entry) => entry.button)));
    const moves = file.holds === "groups" && names.length > 1;
    if (moves && file.ordered) this.element.append(el("div", { class: "time" }, this.playing, this.slider, this.shownPart));
    this.lines = moves && names.length <= mostCharted ? new Chart(names, file.ordered, (part, cluster) => {
      if (part !== this.explored) this.take(part);
      select(cluster);
    }) : null;
    this.chart = this.lines?.element ?? null;
    if (this.lines) for (const entry of this.entries) entry.seen = true; // the chart needs them all
    addEventListener("resize", () => this.repaint());
  }

  /** A part is chosen by hand. */
  private take(number: number): void {
    this.stop();
    this.choose(number);
  }

  private play(): void {
    this.playing.textContent = "Pause";
    this.playing.setAttribute("aria-pressed", "true");
    const step = (): void => this.choose((this.explored + 1) % this.entries.length);
    if (this.explored === this.entries.length - 1) step();
    this.timer = window.setInterval(() => {
      step();
      if (this.explored === this.entries.length - 1) this.stop();
    }, stepTime);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.playing.textContent = "Play";
    this.playing.setAttribute("aria-pressed", "false");
  }

  /** The explored part, its view or its selection has changed. */
  follow(number: number, selected: number, explorer: Explorer): void {
    const changed = number !== this.explored;
    this.explored = number;
    this.selected = selected;
    this.entries.forEach(({ button }, i) => {
      if (i === number) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    this.slider.value = String(number);
    this.shownPart.textContent = this.file.parts[number]!.title;
    this.slider.setAttribute("aria-valuetext", this.file.parts[number]!.title);
    if (changed) this.entries[number]?.button.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.thorough = (explorer.facts.values ?? []).reduce((product, count) => product * count, 1) <= mostValues;
    this.fill();
    this.repaint();
  }

  /** This explorer now shows the explored part. */
  tell(explorer: Explorer): void {
    this.explorer = explorer;
    this.share();
  }

  /** Asks for the pictures that are seen and out of date. */
  private fill(): void {
    const settings = settingsText(this.state.settings);
    this.entries.forEach((entry, part) => {
      if ((!entry.seen && part !== this.explored) || entry.asked === settings) return;
      entry.asked = settings;
      entry.caption.textContent = "computing …";
      this.beside.ask(`panel ${part}`, { ask: "panel", part, settings, thorough: this.thorough }).then((panel) => {
        entry.panel = panel;
        entry.raster = null;
        entry.caption.textContent = found(panel.view);
        if (this.entries.some((each) => each.seen && each.asked === settings && !each.panel)) this.draw(entry);
        else this.share();
      }).catch((problem: unknown) => {
        if (!(problem instanceof Replaced)) entry.caption.textContent = `not available: ${(problem as Error).message}`;
      });
    });
  }

  /** Gives all parts one scale, the same cluster one colour, and the insets to the overview. */
  private share(): void {
    const panels = this.entries.map(({ panel }) => panel);
    const first = panels[this.explored];
    const { explorer } = this;
    if (!first || !explorer) return;
    if (this.file.holds === "insets") {
      if (this.explored === 0) explorer.lay(this.insets());
    } else {
      this.same = identities(panels);
      const rasters = this.entries.map((entry) => this.rasterOf(entry)).filter((each) => each !== null);
      for (const each of rasters) each.tallest = 0;
      const own = rasters.map((each) => each.own);
      const [densest, tallest] = [Math.max(...own), first.up === 1 ? Math.max(...rasters.map(highestBar)) : 0];
      for (const raster of rasters) raster.scaleTo(densest, tallest);
      const colors: (string | undefined)[] = [];
      for (const { color, numbers } of this.same) if (numbers[this.explored]) colors[numbers[this.explored]!] = color;
      if (panels.every((panel) => panel && sameCells(panel, first))) explorer.share(colors, densest, tallest);
      this.lines?.show(this.series(panels), explorer.facts.counted_many, this.explored, this.selected);
    }
    this.repaint();
  }

  private series(panels: (Panel | null)[]): Series[] {
    return this.same.map(({ color, name, numbers }) => ({
      color, name, points: numbers.map((id, i): Cluster | null => (id && panels[i] ? panels[i]!.view.clusters[id - 1]! : null)),
    }));
  }

  private insets(): Inset[] {
    return this.entries.flatMap((entry, number) => {
      const { panel } = entry;
      const raster = this.rasterOf(entry);
      if (number === 0 || !panel || !raster || !panel.axes[1] || !panel.outlined) return [];
      return [{ number, name: this.file.parts[number]!.name, axes: { across: panel.axes[0], up: panel.axes[1] }, raster, clusters: panel.view.clusters }];
    });
  }

  repaint(): void {
    for (const entry of this.entries) this.draw(entry);
    this.lines?.select(this.explored, this.selected);
  }

  private rasterOf(entry: Entry): Raster | null {
    const { panel } = entry;
    if (!panel) return null;
    const number = this.entries.indexOf(entry);
    const paint = {
      dark: isDark(),
      noise: this.state.noise,
      color: (id: number): Color | null => {
        const cluster = panel.view.clusters[id - 1];
        const chosen = this.chosen();
        const isShown = cluster && !cluster.doubtful && (!chosen || chosen.numbers[number] === id);
        return isShown ? (this.colorOf(number, cluster) as Color) : null;
      },
    };
    const noise = (cells: number): number | null => panel.noise[Math.round(Math.log2(cells) / 2)] ?? null;
    entry.raster ??= new Raster(panel.across, panel.up, panel.values, panel.labels, paint, noise, panel.outlined);
    entry.raster.repaint(paint);
    return entry.raster;
  }

  /** The selected cluster as it goes through the parts; the others are grey while there is one. */
  private chosen(): Identity | undefined {
    return this.selected > 0 ? this.same.find(({ numbers }) => numbers[this.explored] === this.selected) : undefined;
  }

  private colorOf(part: number, cluster: Cluster): string {
    return this.same.find(({ numbers }) => numbers[part] === cluster.id)?.color ?? cluster.color;
  }

  private draw(entry: Entry): void {
    const { panel, canvas } = entry;
    const raster = this.rasterOf(entry);
    if (!panel || !raster || canvas.clientWidth === 0) return;
    const number = this.entries.indexOf(entry);
    const [across, up] = panel.axes;
    const camera = new Camera(canvas, { across, up, geographic: panel.geographic, bare: true, counted: "" }, raster);
    const painting = new Painting(canvas.getContext("2d")!, camera, panel.places, () => []);
    const sheet = new Sheet(painting, camera, raster, panel.places, panel.geographic ? { ...noBaseMap, ...this.base, places: [] } : null);
    if (up && panel.geographic) {
      sheet.project(degrees((up.lo + up.hi) / 2));
      canvas.style.aspectRatio = String(camera.aspect());
    }
    sheet.drawn.quiet = true;
    sheet.drawn.selected = this.chosen()?.numbers[number] ?? 0;
    sheet.show(panel.view.clusters.map((cluster) => ({ ...cluster, color: cluster.doubtful ? cluster.color : this.colorOf(number, cluster) })));
    painting.paint(raster, sheet.drawn);
  }
}
