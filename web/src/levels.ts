// Several resolutions at once: a picture with a map per level, and which cluster of a level holds which of the finer one.
import { Replaced } from "./beside.js";
import { el } from "./dom.js";

export class LevelsView {
  readonly element: HTMLElement;
  private readonly details = el("details", { class: "levels" });
  private readonly said = el("p", { role: "status" });
  private readonly picture = el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Maps of all levels" });
  private address = "";
  private drawn: string | null = null; // settings of the picture; null: none was drawn

  /** picture: the SVG of these settings, the level left aside. */
  constructor(private readonly settings: () => string, private readonly ask: () => Promise<Uint8Array<ArrayBuffer>>) {
    this.details.append(el("summary", {}, "Show the clusters of every level, and which holds which"), this.said, this.picture);
    this.details.addEventListener("toggle", () => this.refresh());
    this.element = el("section", { class: "by-level" }, el("h2", {}, "Levels side by side"), this.details);
  }

  /** The settings have changed, or the picture is asked for: drawn anew where it is open. */
  refresh(): void {
    const settings = this.settings();
    if (!this.details.open || settings === this.drawn) return;
    this.said.textContent = "Computing the levels …";
    this.drawn = settings;
    this.ask().then((bytes) => {
      URL.revokeObjectURL(this.address);
      this.address = URL.createObjectURL(new Blob([bytes], { type: "image/svg+xml" }));
      this.picture.replaceChildren(el("img", { src: this.address, alt: "Clusters at several levels, and which cluster holds which" }));
      this.said.textContent = "";
    }).catch((problem: unknown) => {
      if (problem instanceof Replaced) return;
      this.picture.replaceChildren();
      this.said.textContent = `Not available: ${(problem as Error).message}`;
    });
  }
}
