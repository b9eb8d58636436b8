// The parts of a file side by side, as small pictures to choose from. Each takes the settings of the explored one. Where they have the
// same cells, a cluster has the colour of the one that it shares most cells with on the explored map.
import { type Beside, type Panel, Replaced } from "./beside.js";
import { type View } from "./core.js";
import { el } from "./dom.js";
import { type Explorer, isDark, settingsText, type State } from "./explorer.js";
import { found } from "./listing.js";

const mostPixels = 160;
const mostValues = 2 ** 17; // noisy values, of which confidence is quick

interface Entry { button: HTMLButtonElement; canvas: HTMLCanvasElement; caption: HTMLElement; panel: Panel | null; asked: string; seen: boolean }

const sameCells = (one: Panel, other: Panel): boolean => one.plane === other.plane && one.across === other.across && one.up === other.up;

/** For each cluster of `panel` the number of the one on the explored map; 0: none. */
export function counterparts(panel: Panel, explored: Panel): number[] {
  const result = new Array<number>(panel.view.clusters.length + 1).fill(0);
  if (!sameCells(panel, explored)) return result;
  const shared = new Map<string, number>();
  for (let i = 0; i < panel.labels.length; i++) {
    const [a, b] = [panel.labels[i]!, explored.labels[i]!];
    if (a && b) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1);
  }
  for (const [key] of [...shared].sort(([, one], [, other]) => one - other)) {
    const [a, b] = key.split(" ").map(Number) as [number, number];
    result[a] = b;
  }
  return result;
}

export class Parts {
  readonly element = el("nav", { class: "parts" });
  private readonly entries: Entry[];
  private explored = -1;
  private selected = 0;

  constructor(names: string[], private readonly beside: Beside, private readonly state: State, choose: (number: number) => void) {
    const watch = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        const entry = this.entries.find(({ button }) => button === target)!;
        entry.seen ||= isIntersecting;
      }
      this.fill();
    });
    this.entries = names.map((name, number) => {
      const canvas = el("canvas", { width: 1, height: 1, "aria-hidden": "true" });
      const caption = el("span");
      const button = el("button", { type: "button", click: () => choose(number) }, canvas, el("b", {}, name), caption);
      watch.observe(button);
      return { button, canvas, caption, panel: null, asked: "-", seen: false };
    });
    this.element.setAttribute("aria-label", "Parts of this file");
    this.element.append(...this.entries.map(({ button }) => button));
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
    if (changed) this.entries[number]?.button.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.thorough = (explorer.facts.values ?? []).reduce((product, count) => product * count, 1) <= mostValues;
    this.fill();
    this.repaint();
  }
  private thorough = true;

  /** Asks for the pictures that are seen and out of date. */
  private fill(): void {
    const settings = settingsText(this.state.settings);
    this.entries.forEach((entry, part) => {
      if ((!entry.seen && part !== this.explored) || entry.asked === settings) return;
      entry.asked = settings;
      entry.caption.textContent = "computing …";
      this.beside.ask(`panel ${part}`, { ask: "panel", part, settings, thorough: this.thorough }).then((panel) => {
        entry.panel = panel;
        entry.caption.textContent = found(panel.view);
        if (part === this.explored) this.repaint();
        else this.draw(entry);
      }).catch((problem: unknown) => {
        if (!(problem instanceof Replaced)) entry.caption.textContent = `not available: ${(problem as Error).message}`;
      });
    });
  }

  repaint(): void {
    for (const entry of this.entries) this.draw(entry);
  }

  private draw({ panel, canvas }: Entry): void {
    if (!panel) return;
    const explored = this.entries[this.explored]?.panel;
    const other = explored ? counterparts(panel, explored) : [];
    const colorOf = (id: number): string | null => {
      if (panel.view.clusters[id - 1]?.doubtful) return null;
      if (!explored || !sameCells(panel, explored)) return panel.view.clusters[id - 1]!.color;
      return colorIn(explored.view, other[id] ?? 0);
    };
    drawPanel(canvas, panel, (id) => ({ color: colorOf(id), faint: this.selected > 0 && explored != null && sameCells(panel, explored) && other[id] !== this.selected }));
  }
}

const elsewhere = "#5d6470"; // a cluster that the explored map does not have
const colorIn = (view: View, id: number): string => view.clusters[id - 1]?.color ?? elsewhere;

/** Darker is denser; clusters in their colours. */
function drawPanel(canvas: HTMLCanvasElement, { across, up, values, labels }: Panel, look: (id: number) => { color: string | null; faint: boolean }): void {
  const bars = up === 1;
  const width = Math.min(across, mostPixels);
  const height = bars ? 60 : Math.min(up, mostPixels);
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d")!;
  const dense = values.filter((value) => value > 0).sort();
  const highest = dense[Math.floor(dense.length * (bars ? 1 : 0.995)) - (bars ? 1 : 0)] ?? 1;
  const looks = new Map<number, ReturnType<typeof look>>();
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < (bars ? 1 : height); y++) {
      const at = Math.floor(((x + 0.5) * across) / width) * up + Math.floor(((y + 0.5) * up) / (bars ? 1 : height));
      const share = Math.min(1, Math.max(0, values[at]!) / highest);
      const label = labels[at]!;
      if (label && !looks.has(label)) looks.set(label, look(label));
      const { color, faint } = looks.get(label) ?? { color: null, faint: false };
      context.globalAlpha = color ? (faint ? 0.3 : 0.5 + 0.5 * Math.sqrt(share)) : bars ? 0.5 : 0.55 * Math.sqrt(share);
      context.fillStyle = color ?? (isDark() ? "#a9adb4" : "#70757c");
      if (bars) context.fillRect(x, height * (1 - share), 1, height * share);
      else context.fillRect(x, height - 1 - y, 1, 1);
    }
  }
}
