// What takes long is computed beside the page, in a worker that runs the page's own script: confidence, the tree, exports, labels and
// the pictures of the other parts. Where a browser has no workers the page computes it itself.
import { type Axis, Core, type MakeModule, type Tree, type View } from "./core.js";
import { type Texts } from "./publishing.js";
import { pair } from "./raster.js";

/** Of a part of the file, with settings as in the page's link. */
export type Question = { part: number } & (
  | { ask: "view"; settings: string } // with confidence
  | { ask: "tree" }
  | { ask: "file"; settings: string; suffix: string; texts?: Texts } // texts: in place of those that the page came with
  | { ask: "labels"; settings: string; columns: (Float64Array | string[])[] }
  | { ask: "panel"; settings: string; thorough: boolean }
);

/** A part as a small picture: its first two axes. */
export interface Panel {
  across: number;
  up: number;
  plane: string; // its axes: equal where panels show the same cells
  axes: [Axis, Axis | null];
  places: [number, number]; // of these axes among the release's
  geographic: boolean;
  outlined: boolean; // whether clusters have outlines on these axes
  /** Along one axis: from where to where a cluster goes, by its number. */
  spans: string[];
  noise: (number | null)[]; // half the width of the 95 % interval of a value, and of 4, 16, ... of them together
  values: Float32Array;
  labels: Uint32Array;
  view: View;
}
export interface Answers {
  view: View;
  tree: Tree;
  file: Uint8Array<ArrayBuffer>;
  labels: Uint32Array;
  panel: Panel;
}

export function answer(core: Core, question: Question): Answers[keyof Answers] {
  if (question.ask === "file" && question.texts) core.publish(question.texts);
  const facts = core.part(question.part);
  if (question.ask === "tree") return core.tree();
  const view = core.view(question.settings, question.ask === "view" || (question.ask === "panel" && question.thorough));
  if (question.ask === "view") return view;
  if (question.ask === "file") return core.file(question.suffix);
  if (question.ask === "labels") {
    return core.predict(question.columns.map((column, axis) => (Array.isArray(column) ? parsed(core, axis, column, facts.axes[axis]!.apart) : column)));
  }
  const [a, b] = facts.geographic ?? [0, Math.min(1, facts.axes.length - 1)];
  const cells = pair(facts.values ?? view.shape, facts.values ? core.values() : null, view.shape, core.labels(), a, b);
  const summed = (facts.values ?? []).reduce((product, count, axis) => (axis === a || axis === b ? product : product * count), 1);
  return {
    ...cells, plane: JSON.stringify([facts.axes[a], facts.axes[b]]), view, axes: [facts.axes[a]!, a === b ? null : facts.axes[b]!], places: [a, b],
    geographic: facts.geographic !== undefined, spans: a === b ? spans(core, cells.labels) : [], outlined: facts.axes.length <= 2,
    noise: facts.values ? Array.from({ length: 10 }, (_, mip) => core.noise(summed * 4 ** mip)) : [],
  };
}

/** "0 to 17" of each cluster along the first axis, by its number. */
function spans(core: Core, labels: Uint32Array): string[] {
  const result: string[] = [];
  const first = new Map<number, number>();
  labels.forEach((label, i) => {
    if (label === 0) return;
    if (!first.has(label)) first.set(label, i);
    result[label] = String(i);
  });
  for (const [label, from] of first) result[label] = `${core.range(0, from, labels.length)[0]} to ${core.range(0, Number(result[label]), labels.length)[1]}`;
  return result;
}

/** A name outside of the list lies in no cell; what is not a date is refused, as shoal predict refuses it. */
function parsed(core: Core, axis: number, texts: string[], listed: boolean): Float64Array {
  const values = core.parse(axis, texts);
  const row = listed ? -1 : values.findIndex((value) => Number.isNaN(value));
  if (row >= 0) throw new Error(`record ${row + 1}: '${texts[row]}' is not a date; correct it`);
  return values;
}

interface Start { module: WebAssembly.Module; file: string; base: string }
interface Asked { question: Question }
interface Said { said?: Answers[keyof Answers]; problem?: string }

/** The worker's side: one answer to each question, in their order. */
export function serve(make: MakeModule): void {
  let core: Promise<Core>;
  addEventListener("message", (event: MessageEvent<Start | Asked>) => {
    const { data } = event;
    if ("module" in data) {
      core = Core.start(make, data.module).then((started) => {
        started.open(data.file, data.base);
        return started;
      });
      return;
    }
    const send = postMessage as (message: Said) => void;
    core.then((ready) => send({ said: answer(ready, data.question) })).catch((problem: unknown) => send({ problem: (problem as Error).message }));
  });
}

/** Thrown to those whose question was replaced by a newer one. */
export class Replaced extends Error {}

interface Waiting { key: string; question: Question; done(said: Said): void }
const tooLong = 500; // milliseconds after which a question that is no longer asked is given up

export class Beside {
  private worker: Worker | null = null;
  private readonly address: string;
  private running: (Waiting & { since: number }) | null = null;
  private waiting: Waiting[] = [];

  /** spare: a core for browsers without workers. */
  constructor(script: string, private readonly start: Start, private readonly spare: () => Promise<Core>) {
    this.address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.hire();
  }

  /** A question of the same key that has no answer yet is replaced. Urgent ones go before the others. */
  ask<Kind extends keyof Answers>(key: string, question: Question & { ask: Kind }, urgent = false): Promise<Answers[Kind]> {
    this.forget(key);
    return new Promise((resolve, reject) => {
      const done = ({ said, problem }: Said): void =>
        problem === undefined ? resolve(said as Answers[Kind]) : reject(problem === "" ? new Replaced() : new Error(problem));
      const one = { key, question, done };
      if (urgent) this.waiting.unshift(one);
      else this.waiting.push(one);
      this.next();
    });
  }

  forget(key: string): void {
    this.waiting.filter((each) => each.key === key).forEach((each) => each.done({ problem: "" }));
    this.waiting = this.waiting.filter((each) => each.key !== key);
    const { running } = this;
    if (running?.key !== key) return;
    running.done({ problem: "" });
    if (!this.worker || performance.now() - running.since < tooLong) return;
    this.worker.terminate();
    this.running = null;
    this.hire();
    this.next();
  }

  private hire(): void {
    try {
      const worker = new Worker(this.address);
      worker.addEventListener("message", ({ data }: MessageEvent<Said>) => this.answered(data));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        this.worker = null;
        if (this.running) this.waiting.unshift(this.running);
        this.running = null;
        this.next();
      });
      worker.postMessage(this.start);
      this.worker = worker;
    } catch {
      this.worker = null;
    }
  }

  private next(): void {
    if (this.running) return;
    const first = this.waiting.shift();
    if (!first) return;
    this.running = { ...first, since: performance.now() };
    if (this.worker) this.worker.postMessage({ question: first.question });
    else {
      this.spare().then((core) => this.answered({ said: answer(core, first.question) }))
        .catch((problem: unknown) => this.answered({ problem: (problem as Error).message }));
    }
  }

  private answered(said: Said): void {
    const done = this.running?.done;
    this.running = null;
    done?.(said);
    this.next();
  }
}
