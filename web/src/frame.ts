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

/** One map per group of a public list, or per week, month or day. */
export interface Groups {
  position: number; // of the column
  kind: "list" | "weeks" | "months" | "days";
  list: string; // one name per line
  first: string; // dates
  last: string;
  most: string; // maximum number of groups per unit
}

/** All that the owner has said so far. */
export interface Draft {
  file: string;
  hasNames: boolean;
  /** What separates the fields of a text, as --delimiter takes it. Empty: the separator in the line of names. */
  delimiter: string;
  /** How values are written, as the options of these names take it. Empty: their default. */
  decimal: string;
  thousands: string;
  dateFormat: string;
  missing: string;
  skipsBadRows: boolean;
  table: string; // of a database
  columns: { name: string; type: string }[]; // as the input declares them; for the owner only
  axes: Column[];
  protects: "record" | "column" | ""; // "": not chosen yet
  unit: number; // position of the column; 0: none
  share: boolean | null; // each unit counts once; null: not chosen yet
  mostRows: string;
  unitName: string; // empty: by the column
  by: Groups | null; // one map per group
  geo: boolean;
  insets: boolean;
  records: string;
  epsilons: string;
  epsilon: string;
  dataset: string;
  name: string;
}

interface Account { dataset: string; cap: string; spent: string; left: string; debits: number }
export interface Budget { accounts: Account[]; debits: { id: number; time: string; dataset: string; epsilon: string }[] }

/** What belongs to a file: forgotten when another one is chosen, and found again when the owner comes back to it. */
const ofFile = (): Pick<Draft, "hasNames" | "delimiter" | "decimal" | "thousands" | "dateFormat" | "missing" | "skipsBadRows" | "columns" | "axes" | "unit" | "unitName" | "by" | "geo" | "dataset" | "name"> => ({
  hasNames: true, delimiter: "", decimal: "", thousands: "", dateFormat: "", missing: "", skipsBadRows: false, columns: [], axes: [], unit: 0, unitName: "", by: null, geo: false, dataset: "", name: "",
});
export const draft: Draft = {
  file: "", table: "", ...ofFile(), protects: "", share: null, mostRows: "", insets: false, records: "", epsilons: "0.1, 0.5, 1", epsilon: "",
};
const earlier = new Map<string, Partial<Draft>>();

/** Goes to another file. What was said about each file is kept. */
export function useFile(file: string, table: string): void {
  if (draft.file === file && draft.table === table) return;
  const key = (): string => JSON.stringify([draft.file, draft.table]);
  earlier.set(key(), Object.fromEntries(Object.keys(ofFile()).map((name) => [name, draft[name as keyof Draft]])));
  Object.assign(draft, { file, table });
  Object.assign(draft, ofFile(), earlier.get(key()));
}

/** Whether the input is a text, whose owner says how its values are written. */
export const isText = (): boolean => draft.file !== "" && draft.table === "" && !/\.(parquet|duckdb)$|^postgres(ql)?:/.test(draft.file);

// A page that is loaded again goes on where it was. What stands in the file is not among it, but for the names of columns.
const place = "shoal-studio-draft";
export function keepDraft(step: number, furthest: number): void {
  sessionStorage.setItem(place, JSON.stringify({ step, furthest, draft }));
}
export function keptDraft(): { step: number; furthest: number } | undefined {
  try {
    const { step, furthest, draft: kept } = JSON.parse(sessionStorage.getItem(place) ?? "") as { step: number; furthest: number; draft: Draft };
    Object.assign(draft, kept);
    return { step, furthest };
  } catch {
    return undefined;
  }
}

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

/** Whether two columns hold longitude and latitude, under names by which the program knows them. */
export function hasPlaces(): boolean {
  const is = (kind: string, names: RegExp): boolean => draft.axes.some((axis) => axis.kind === kind && names.test(columnName(axis.position)));
  return draft.hasNames && is("longitude", /^(lon|long|longitude|lng)$/i) && is("latitude", /^lat(itude)?$/i);
}

export function rangeOf(axis: Column, words: string): string {
  if (axis.kind === "list") {
    const names = lines(axis.list);
    return names.length > 0 ? names.join("|") + words : "";
  }
  return axis.low.trim() !== "" && axis.high.trim() !== "" ? `${axis.low.trim()}:${axis.high.trim()}${words}` : "";
}

const lines = (text: string): string[] => text.split("\n").map((name) => name.trim()).filter((name) => name !== "");

function week(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7)); // the Thursday of its week
  const first = Date.UTC(date.getUTCFullYear(), 0, 1);
  return `${date.getUTCFullYear()}-W${String(Math.ceil(((date.getTime() - first) / 86400000 + 1) / 7)).padStart(2, "0")}`;
}

/** The groups as --by takes them behind the column; empty until they are known. */
export function rangeOfGroups({ kind, list, first, last }: Groups): string {
  if (kind === "list") return lines(list).join("|");
  if (first === "" || last === "") return "";
  const name = kind === "weeks" ? week : kind === "months" ? (day: string) => day.slice(0, 7) : (day: string) => day;
  return `${name(first)}..${name(last)}`;
}

/** How much a release costs in all: a person who may count in several groups costs epsilon for each of them. */
export function cost(): string {
  const most = draft.by && draft.protects === "column" ? Math.max(1, Number.parseInt(draft.by.most, 10) || 1) : 1;
  return most === 1 ? draft.epsilon : String(Number((most * Number(draft.epsilon)).toFixed(12)));
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
    decimal: draft.decimal,
    thousands: draft.thousands,
    date_format: draft.dateFormat,
    missing: draft.missing,
    skips_bad_rows: draft.skipsBadRows,
    axes: draft.axes.map((axis) => ({ name: named(axis.position), position: axis.position, range: rangeOf(axis, kinds[axis.kind]?.words ?? "") })),
    unit: draft.protects === "column" && draft.unit > 0 && draft.share !== null ? { name: named(draft.unit), position: draft.unit } : null,
    share: draft.share === true,
    most_rows: Number.parseInt(draft.mostRows, 10) || 0,
    unit_name: draft.unitName.trim(),
    geo: draft.geo && hasPlaces(),
    by: draft.by && draft.by.position > 0 ? { name: named(draft.by.position), position: draft.by.position, range: rangeOfGroups(draft.by) } : null,
    max_groups: Number.parseInt(draft.by?.most ?? "", 10) || 1,
    insets: draft.insets && !draft.by ? 8 : 0,
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
  main.replaceChildren(where, heading, el("p", { class: "lead" }, meaning), ...content.filter((each) => each !== null), status, spending);
  say("");
  spent("Nothing is spent on this screen.");
  heading.focus();
}
/** Where the owner is, for screens that are too narrow for the names of the steps. */
export const where = el("p", { class: "where", "aria-hidden": "true" });
const spending = el("p", { class: "spending" });

/** Says on the screen that is shown whether something was spent. */
export function spent(text: string): void {
  spending.textContent = text;
}
