// The page: a release, or a file of several, that its reader can explore. Everything is computed here; nothing is fetched or sent.
import { base85 } from "./base85.js";
import { Beside, serve } from "./beside.js";
import { type Contents, Core, type MakeModule } from "./core.js";
import { el } from "./dom.js";
import { Explorer, type State } from "./explorer.js";
import { Parts } from "./parts.js";
import { type BaseMap, noBaseMap } from "./sheet.js";
import { publishingSection, type Texts, write } from "./publishing.js";
import makeModule from "shoal-core";

const make = makeModule as MakeModule;
const pageKeys = new Set(["cluster", "group", "explore", "cells", "slice"]);

/** A link to a place on the page, such as #privacy-guarantee, holds no state. */
const isPlace = (hash: string): boolean => hash.length > 1 && !hash.includes("=");

/** A name stays as it is; "inset 1" is a word. */
const headingOf = (title: string, isWord: boolean): string => (isWord ? `${title[0]!.toUpperCase()}${title.slice(1)}` : title);

/** How the release was made is for those who ask. */
function foldReport(): HTMLDetailsElement {
  const sections = [...document.querySelectorAll("#privacy-budget,#how-the-clusters-were-found")];
  const making = el("details", { class: "making" }, el("summary", {}, "How this was made: budget, grid and method"));
  sections[0]?.before(making);
  making.append(...sections);
  return making;
}

class Page {
  private readonly state: State = { settings: new Map(), selected: 0, explore: false, noise: false, slice: "" };
  private readonly found = document.getElementById("headline")!.textContent;
  private readonly said = [...document.querySelectorAll<HTMLElement>("p.privacy,p.credits")];
  private readonly publishing: HTMLElement;
  private texts: Texts | undefined;
  private readonly parts: Parts | null;
  private explorer: Explorer | null = null;
  private number = 0;

  constructor(
    private readonly core: Core,
    private readonly beside: Beside,
    private readonly file: Contents,
    private readonly base: BaseMap,
    private readonly root: HTMLElement,
    source: string,
  ) {
    this.readLink();
    this.publishing = publishingSection(source, file.texts, (texts) => this.write(texts), async (texts) => {
      const bytes = await this.beside.ask("file", { ask: "file", suffix: ".whole.json", part: 0, settings: "", texts }, true);
      return new TextDecoder().decode(bytes);
    });
    this.parts = file.holds === "release" ? null
      : new Parts(file, beside, this.base, this.state, (number) => this.show(number), (cluster) => this.explorer?.choose(cluster));
    if (this.parts) root.append(this.parts.element);
    this.show(this.number);
    addEventListener("hashchange", () => {
      if (isPlace(location.hash)) return;
      const before = this.number;
      this.readLink();
      if (this.number === before) this.explorer?.apply(true);
      else this.show(this.number);
    });
    const making = foldReport();
    // Paper has no folds.
    let wasOpen = false;
    addEventListener("beforeprint", () => {
      this.explorer?.unfold(true);
      wasOpen = making.open;
      making.open = true;
    });
    addEventListener("afterprint", () => {
      this.explorer?.unfold(this.state.explore);
      making.open = wasOpen;
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.explorer?.repaint();
      this.parts?.repaint();
    });
  }

  private show(number: number): void {
    const inside = this.explorer?.element.contains(document.activeElement) ?? false;
    this.number = number;
    this.explorer?.close();
    this.explorer?.element.remove();
    const sight = this.explorer && this.file.holds === "groups" ? this.explorer.sight : null; // groups share their axes
    const part = {
      number,
      ...this.file.parts[number]!,
      heading: this.file.holds === "release" || (this.file.holds === "insets" && number === 0) ? "" : headingOf(this.file.parts[number]!.title, this.file.holds === "insets"),
      file: `${this.file.holds}.json`,
      base: this.base,
      changed: (explorer: Explorer) => this.changed(explorer),
      chart: this.parts?.chart ?? null,
      found: this.found,
      said: this.said,
      publishing: this.publishing,
      texts: () => this.texts,
      goTo: (to: number, cluster: number) => {
        this.state.selected = cluster;
        this.show(to);
      },
      turn: this.parts && ((by: number) => this.show((this.number + by + this.file.parts.length) % this.file.parts.length)),
    };
    this.explorer = new Explorer(this.core, this.beside, part, this.state, this.root);
    this.root.append(this.explorer.element);
    this.explorer.sight = sight;
    this.parts?.tell(this.explorer);
    if (inside) this.explorer.element.querySelector<HTMLElement>(".stage canvas")?.focus();
  }

  private write(texts: Texts): void {
    this.texts = texts;
    write(document, texts);
    this.said.splice(0, this.said.length, ...document.querySelectorAll<HTMLElement>("p.privacy,p.credits"));
  }

  private changed(explorer: Explorer): void {
    this.writeLink();
    this.parts?.follow(this.number, this.state.selected, explorer);
  }

  private readLink(): void {
    const link = new URLSearchParams(isPlace(location.hash) ? "" : location.hash.slice(1));
    this.state.settings.clear();
    for (const [key, value] of link) if (!pageKeys.has(key)) this.state.settings.set(key, value);
    this.state.selected = Number(link.get("cluster") ?? 0) || 0;
    this.state.explore = link.get("explore") === "open";
    this.state.noise = link.get("cells") === "all";
    this.state.slice = link.get("slice") ?? "";
    this.number = Math.max(0, this.file.parts.findIndex(({ name }) => name === link.get("group")));
  }

  private writeLink(): void {
    const link = new URLSearchParams();
    if (this.parts) link.set("group", this.file.parts[this.number]!.name);
    for (const [key, value] of this.state.settings) link.set(key, value);
    if (this.state.selected) link.set("cluster", String(this.state.selected));
    if (this.state.explore) link.set("explore", "open");
    if (this.state.noise) link.set("cells", "all");
    if (this.state.slice) link.set("slice", this.state.slice);
    const text = link.toString();
    try {
      history.replaceState(null, "", text ? `#${text}` : location.href.split("#")[0]);
    } catch {
      // A frame inside a notebook has no address of its own.
    }
  }
}

async function compiled(text: string): Promise<WebAssembly.Module> {
  const stream = new Blob([base85(text.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

async function start(script: string): Promise<void> {
  const textOf = (id: string): string | null => document.getElementById(id)?.textContent ?? null;
  const root = document.getElementById("shoal-app");
  const file = textOf("shoal-release");
  const binary = textOf("shoal-wasm");
  if (!root || !file || !binary) return;
  const source = document.documentElement.outerHTML; // before anything is changed
  try {
    const module = await compiled(binary);
    const base = textOf("shoal-coast") ?? "{}";
    const opened = async (): Promise<[Core, Contents]> => {
      const core = await Core.start(make, module);
      return [core, core.open(file, base)];
    };
    let spare: Promise<Core> | null = null;
    const beside = new Beside(script, { module, file, base }, () => (spare ??= opened().then(([core]) => core)));
    const [core, contents] = await opened();
    new Page(core, beside, contents, { ...noBaseMap, ...(JSON.parse(base) as Partial<BaseMap>) }, root, source);
    document.documentElement.classList.add("live");
    root.hidden = false;
  } catch (problem) {
    console.warn("The static report is shown:", problem);
  }
}

// The worker runs this same script.
if (typeof document === "undefined") serve(make);
else void start(document.currentScript?.textContent ?? "");
