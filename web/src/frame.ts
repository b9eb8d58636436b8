// What the screens of the studio share: what the owner has said so far, where a screen is shown, and the command line
// that it amounts to.
import { el, post, Refused } from "./dom.js";
import { kinds } from "./places.js";

export interface Column {
  name: string;
  position: number; // starting at 1
  kind: string; // of places.ts
  low: string;
  high: string;
  list: string;
}

/** All that the owner has said so far. */
export interface Draft {
  file: string;
  hasNames: boolean;
  /** Of a text without names: what separates its fields, as --delimiter takes it. */
  delimiter: string;
  table: string; // of a database
  columns: { name: string; type: string }[]; // as the input declares them; for the owner only
  axes: Column[];
  protects: "record" | "column" | ""; // "": not chosen yet
  unit: number; // position of the column; 0: none
  share: boolean | null; // each unit counts once; null: not chosen yet
  mostRows: string;
  insets: boolean;
  records: string;
  epsilons: string;
  epsilon: string;
  dataset: string;
  name: string;
}

interface Account { dataset: string; cap: string; spent: string; left: string; debits: number }
export interface Budget { accounts: Account[]; debits: { id: number; time: string; dataset: string; epsilon: string }[] }

export const draft: Draft = {
  file: "", table: "", hasNames: true, delimiter: "comma", columns: [], axes: [], protects: "", unit: 0, share: null, mostRows: "", insets: false, records: "", epsilons: "0.1, 0.5, 1",
  epsilon: "", dataset: "", name: "",
};

export const main = el("main", { id: "main" });
const command = el("pre", { class: "command", tabindex: "0", "aria-label": "Command line" });
export const commandHint = el("p", { class: "hint" });
const sofar = "What you have chosen so far. The studio runs the finished command in its folder; you can keep it in a script.";
export const aside = el("aside", { "aria-labelledby": "command-title" }, el("h2", { id: "command-title" }, "The same by command line"), command, commandHint);
const status = el("p", { class: "message", role: "alert" });
export const ownerMark = (): HTMLElement => el("p", { class: "owner" }, el("strong", {}, "For the owner only. "), "What stands here comes from your file. Do not share it.");

export function columnName(position: number): string {
  return draft.columns[position - 1]?.name || `column ${position}`;
}

function rangeOf(axis: Column, words: string): string {
  if (axis.kind === "list") {
    const names = axis.list.split("\n").map((name) => name.trim()).filter((name) => name !== "");
    return names.length > 0 ? names.join("|") + words : "";
  }
  return axis.low.trim() !== "" && axis.high.trim() !== "" ? `${axis.low.trim()}:${axis.high.trim()}${words}` : "";
}

/** Returns the settings as the server expects them. A column name that occurs twice in the file is not used as a name. */
export function settings(): Record<string, unknown> {
  const named = (position: number): string => {
    const name = columnName(position);
    return draft.columns.filter((each) => each.name === name).length === 1 ? name : "";
  };
  return {
    file: draft.file,
    table: draft.table,
    has_names: draft.hasNames,
    delimiter: draft.delimiter,
    axes: draft.axes.map((axis) => ({ name: named(axis.position), position: axis.position, range: rangeOf(axis, kinds[axis.kind]?.words ?? "") })),
    unit: draft.protects === "column" && draft.unit > 0 && draft.share !== null ? { name: named(draft.unit), position: draft.unit } : null,
    share: draft.share === true,
    most_rows: Number.parseInt(draft.mostRows, 10) || 0,
    insets: draft.insets ? 8 : 0,
    records: Number.parseInt(draft.records.replaceAll(/[ ,.'_]/g, ""), 10) || 0,
    epsilons: draft.epsilons.split(/[,; ]+/).filter((text) => text !== ""),
    epsilon: draft.epsilon,
    dataset: draft.dataset,
    name: draft.name,
  };
}

/** Shows what the settings amount to so far; a refusal is shown where people look. */
export async function showCommand(of: "release" | "plan" | "account", more: Record<string, unknown> = {}): Promise<boolean> {
  try {
    setCommand((await post<{ command: string }>("/api/command", { ...settings(), of, ...more })).command, of === "account" ? "The studio runs this command in its folder." : sofar);
    say("");
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message);
    return false;
  }
}
export function setCommand(text: string, hint = sofar): void {
  command.textContent = text;
  commandHint.textContent = hint;
}

export function say(text: string): void {
  status.textContent = text;
}

/** Runs what a button starts; a refusal is said. */
export async function guarded(work: () => Promise<void>): Promise<void> {
  say("");
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message);
  }
}

/** A screen: its question, what it means, its controls. The heading gets the focus. */
export function screen(question: string, meaning: string, ...content: (HTMLElement | null)[]): void {
  const heading = el("h1", { tabindex: "-1" }, question);
  main.replaceChildren(heading, el("p", { class: "lead" }, meaning), ...content.filter((each) => each !== null), status);
  say("");
  heading.focus();
}
