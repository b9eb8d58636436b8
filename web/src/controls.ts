// The settings of a view: threshold, adjacency, least cells, level. What the release does not allow is shown as not available.
import { type ReleaseFacts, type View } from "./core.js";
import { el } from "./dom.js";
import { tidy } from "./projection.js";

const thresholds = ["percentile", "coverage", "density", "top"] as const;
const meanings: Record<string, string> = {
  "": "Each cluster is a peak of the density, with the cells around it.",
  percentile: "This share of the cells, the least dense, is dropped.",
  coverage: "The densest cells are kept that hold this share of the records.",
  density: "Cells of at least this density are kept.",
  top: "So many of the densest cells are kept.",
};
interface Range { min: number; max: number; step: number; start: number; unit: string }

export interface Choice {
  input: HTMLSelectElement;
  row: HTMLElement;
}

export function choice(key: string, label: string, options: [string, string, string?][]): Choice {
  const input = el("select", { id: `set-${key}` }, ...options.map(([value, text, refused]) =>
    el("option", { value, disabled: Boolean(refused), title: refused || undefined }, text)));
  return { input, row: el("div", { class: "row" }, el("label", { for: `set-${key}` }, label), input) };
}

export class Controls {
  readonly element: HTMLElement;
  private readonly inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private readonly slider = el("input", { type: "range", id: "set-threshold" });
  private readonly meaning = el("p", { class: "small" });
  private readonly shown = el("output", { for: "set-threshold" });
  private readonly ranges: Record<string, Range>;
  private readonly densest: number; // an upper limit of the values of W, in its units
  private rule = "";

  /** highest: of the noisy values. use: takes settings; while a slider moves not at its end. */
  constructor(private readonly facts: ReleaseFacts, private readonly settings: Map<string, string>, view: View, highest: number, values: number,
              private readonly use: (atEnd: boolean) => void) {
    this.densest = Math.max(2, highest * 2 ** facts.axes.length);
    this.ranges = {
      percentile: { min: 0, max: 99, step: 0.5, start: 50, unit: "%" },
      coverage: { min: 1, max: 100, step: 0.5, start: 80, unit: "%" },
      density: { min: 0, max: 1000, step: 1, start: Math.round(this.densityPlace(view.threshold || this.densest / 4)), unit: "" },
      top: { min: 1, max: Math.min(values, 100000), step: 1, start: 50, unit: " cells" },
    };
    this.element = el("div", {}, this.threshold(view), this.others());
  }

  private threshold(view: View): HTMLElement {
    const names: [string, string][] = [["percentile", "Percentile"], ["coverage", "Coverage"], ["density", "Density"]];
    if (view.rule.rule === "modes") names.unshift(["", "Peaks, as released"]);
    if (view.rule.rule === "top") names.unshift(["top", "Densest cells"]);
    const rule = choice("rule", "Threshold", names);
    this.inputs.set("rule", rule.input);
    const { slider } = this;
    const apply = (atEnd: boolean): void => {
      for (const name of thresholds) this.settings.delete(name);
      const value = this.rule === "density" ? Number((this.densest ** (Number(slider.value) / 1000)).toPrecision(4)) : Number(slider.value);
      if (this.rule) this.settings.set(this.rule, String(value));
      this.use(atEnd);
    };
    rule.input.addEventListener("change", () => {
      this.rule = rule.input.value;
      const range = this.ranges[this.rule];
      if (range) {
        this.limit(range);
        slider.value = String(range.start);
      }
      apply(true);
    });
    slider.addEventListener("input", () => apply(false));
    slider.addEventListener("change", () => apply(true));
    return el("div", {}, rule.row, el("div", { class: "row" }, el("label", { for: "set-threshold" }, "Value"), slider, this.shown), this.meaning);
  }

  private limit({ min, max, step }: Range): void {
    Object.assign(this.slider, { min: String(min), max: String(max), step: String(step) });
  }

  /** Of the slider, which is logarithmic for densities. */
  private densityPlace(value: number): number {
    return (1000 * Math.log(Math.max(1, value))) / Math.log(this.densest);
  }

  private others(): HTMLElement {
    const { levels } = this.facts;
    const adjacency = choice("adjacency", "Adjacency", [["full", "Full: corners touch"], ["face", "Face: sides only"]]);
    const level = choice("level", "Level", levels
      .filter(({ level: each, refused }) => refused === "" || each <= 4)
      .map(({ level: each, refused }) => [String(each), refused ? `${each} (not available)` : String(each), refused]));
    const least = el("input", { type: "number", id: "set-min-cells", min: "1", max: "1000", step: "1" });
    for (const [key, input] of [["adjacency", adjacency.input], ["level", level.input], ["min-cells", least]] as const) {
      this.inputs.set(key, input);
      input.addEventListener("change", () => {
        this.settings.set(key, input.value);
        this.use(true);
      });
    }
    const refused = levels.find((each) => each.refused !== "" && each.level <= 4);
    return el(
      "div",
      {},
      adjacency.row,
      el("div", { class: "row" }, el("label", { for: "set-min-cells" }, "Least cells"), least),
      level.row,
      refused && el("p", { class: "small" }, `Level ${refused.level} is not available: ${refused.refused}.`),
    );
  }

  /** The controls follow the view, but for the one in use. */
  show(view: View): void {
    const set = (key: string, value: string): void => {
      const input = this.inputs.get(key);
      if (input && document.activeElement !== input) input.value = value;
    };
    const { rule, value } = view.rule;
    this.rule = rule === "modes" ? "" : rule;
    set("adjacency", view.adjacency);
    set("level", String(view.level));
    set("min-cells", String(view.min_cells));
    set("rule", this.rule);
    this.meaning.textContent = meanings[this.rule] ?? "";
    this.slider.disabled = this.rule === "";
    const range = this.ranges[this.rule];
    this.shown.textContent = range && value !== null ? tidy(value) + range.unit : "";
    if (!range || value === null) return;
    this.limit(range);
    if (document.activeElement !== this.slider) this.slider.value = String(this.rule === "density" ? this.densityPlace(value) : value);
  }
}
