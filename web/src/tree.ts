// The density tree: each branch from the density where it appears down to where it joins another.
import { type Tree } from "./core.js";
import { tidy } from "./projection.js";

const svg = "http://www.w3.org/2000/svg";

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const result = document.createElementNS(svg, name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, String(value));
  return result;
}

const least = 320;
const perLeaf = 19; // of a tree with many leaves, which is then wider than its place
const height = 230;
const left = 44;
const bottom = 14;

export class TreeView {
  readonly element = element("svg", {
    role: "group",
    "aria-label": "Density tree",
    class: "tree",
  });
  private readonly cut = element("line", { x1: left, class: "cut" });
  private readonly bars = new Map<string, SVGElement>();

  constructor(private readonly tree: Tree, pick: (name: string) => void) {
    const shown = tree.branches.filter((branch) => branch.stable);
    // A branch whose own branches do not stand out ends like a leaf.
    const isLast = (id: number): boolean => !shown.some((branch) => branch.parent === id);
    const leaves = shown.filter((branch) => isLast(branch.id));
    const width = Math.max(least, left + 28 + perLeaf * leaves.length);
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (width > least) this.element.setAttribute("style", `width:${width}px`);
    this.cut.setAttribute("x2", String(width - 4));
    const x = new Map<number, number>();
    const place = (id: number): number => {
      const known = x.get(id);
      if (known !== undefined) return known;
      const children = shown.filter((branch) => branch.parent === id);
      const at =
        children.length > 0
          ? children.reduce((sum, child) => sum + place(child.id), 0) / children.length
          : left + 14 + ((width - left - 34) * (order.get(id)! + 0.5)) / Math.max(1, leaves.length);
      x.set(id, at);
      return at;
    };
    const order = new Map<number, number>();
    const visit = (parent: number | null) => {
      for (const branch of shown.filter((each) => each.parent === parent)) {
        if (isLast(branch.id)) order.set(branch.id, order.size);
        visit(branch.id);
      }
    };
    visit(null);
    for (const branch of leaves) if (!order.has(branch.id)) order.set(branch.id, order.size);
    for (const label of [this.top(), Math.sqrt(this.top() * this.low()), this.low()]) {
      const text = element("text", { x: left - 6, y: this.y(label) + 4, class: "tick" });
      text.textContent = tidy(Number(label.toPrecision(2)));
      this.element.append(text);
    }
    for (const branch of shown) {
      const at = place(branch.id);
      const parent = shown.find((each) => each.id === branch.parent);
      if (parent) {
        this.element.append(
          element("line", { x1: at, x2: place(parent.id), y1: this.y(branch.death), y2: this.y(branch.death), class: "join" }),
        );
      }
      const bar = element("line", { x1: at, x2: at, y1: this.y(branch.birth), y2: this.y(branch.death), class: "branch" });
      this.element.append(bar);
      if (!branch.leaf || branch.name === null) continue;
      const name = branch.name;
      this.bars.set(name, bar);
      const text = element("text", { x: at, y: this.y(branch.birth) - 5, class: "name", tabindex: 0, role: "button" });
      if (leaves.length > 16) text.setAttribute("style", "font-size:10px");
      text.setAttribute("aria-label", `Branch of cluster ${name}`);
      text.textContent = name;
      text.addEventListener("click", () => pick(name));
      text.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          pick(name);
        }
      });
      this.element.append(text);
    }
    this.element.append(this.cut);
  }

  private top(): number {
    return Math.max(1e-9, ...this.tree.branches.map((branch) => branch.birth));
  }

  private low(): number {
    const lowest = Math.min(...this.tree.branches.map((branch) => branch.death).filter((value) => value > 0));
    return Number.isFinite(lowest) ? Math.min(lowest, this.top() / 2) : this.top() / 10;
  }

  /** Logarithmic: the densest at the top. */
  private y(density: number): number {
    const span = Math.log(this.top() / this.low());
    const share = Math.log(Math.max(density, this.low()) / this.low()) / span;
    return height - bottom - (height - bottom - 24) * share;
  }

  /** threshold: of the current view; 0: none. */
  show(threshold: number, selected: number): void {
    this.cut.setAttribute("visibility", threshold > 0 ? "visible" : "hidden");
    const y = this.y(threshold);
    this.cut.setAttribute("y1", String(y));
    this.cut.setAttribute("y2", String(y));
    for (const [name, bar] of this.bars) bar.classList.toggle("selected", parseInt(name, 10) === selected);
  }
}
