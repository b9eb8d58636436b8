// What `shoal check` finds in the owner's file: shown before anything is planned or spent.
import { button, el, post, Refused } from "./dom.js";
import { type Column, draft, guarded, ownerMark, rangeOf, setCommand, settings, showCommand } from "./frame.js";
import { kinds } from "./places.js";
import { grouped, tidy } from "./projection.js";
import { remedies } from "./writing.js";

interface ColumnCheck { name: string; missing: number; below: number; above: number; least: number | null; most: number | null; step: number | null; step_share: number | null }
interface DataCheck {
  rows: number; bad_rows: number; inside: number; advice: string[]; columns: ColumnCheck[];
  bad_lines: { line: number; fault: string }[];
  units?: { units: number; median: number; nineteen_of_twenty: number; most: number };
}

function steps({ step, step_share }: ColumnCheck): string {
  if (step === null || step_share === null) return "";
  const multiples = step === 1 ? "whole numbers" : `multiples of ${tidy(step)}`;
  return step_share === 1 ? `all are ${multiples}` : `${Math.floor(100 * step_share)}\u00a0% are ${multiples}`;
}

function table(found: DataCheck, bounded: boolean): HTMLElement {
  const titles = ["Column", "Missing", "Values", ...(bounded ? ["Outside the range"] : []), "Steps"];
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Check of the data" }, el("table", {},
    el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...found.columns.map((column) => el("tr", {}, el("th", { scope: "row" }, column.name), el("td", {}, grouped(column.missing)),
      el("td", {}, column.least === null || column.most === null ? "none" : `${tidy(column.least)} to ${tidy(column.most)}`),
      bounded ? el("td", {}, grouped(column.below + column.above)) : null, el("td", {}, steps(column)))))));
}

/** The settings, with wide ranges where the owner has given none yet: dates and names are read by their kind. */
function checkedSettings(): Record<string, unknown> {
  const given = settings();
  const axes = given["axes"] as { range: string }[];
  if (!draft.axes.some((axis) => axis.kind === "date" || axis.kind === "list") || axes.every(({ range }) => range !== "")) return given;
  const wide = (axis: Column): string => rangeOf(axis, kinds[axis.kind]?.words ?? "") || ({ date: "1700-01-01:2299-12-31", list: "", longitude: "-180:180", latitude: "-90:90" }[axis.kind] ?? "-1e15:1e15");
  return { ...given, geo: false, axes: axes.map((axis, index) => ({ ...axis, range: wide(draft.axes[index] as Column) })).filter(({ range }) => range !== "") };
}

function shown(found: DataCheck, bounded: boolean, again: () => void): HTMLElement[] {
  const rows = `${grouped(found.rows)} rows can be read, ${grouped(found.bad_rows)} cannot.${bounded ? ` ${grouped(found.inside)} would be counted.` : ""}`;
  const lines = found.bad_lines.map(({ line, fault }) => `line ${line}${fault}\n`).join("");
  const { units } = found;
  return [
    ownerMark(), el("p", {}, rows),
    ...(lines === "" ? [] : [el("pre", { class: "said", tabindex: "0" }, lines)]),
    ...(found.bad_rows > 0 ? [draft.skipsBadRows ? el("p", {}, "These rows are left out.") : remedies(again) ?? el("p")] : []),
    table(found, bounded),
    ...(units ? [el("p", {}, `${grouped(units.units)} units; half have at most ${grouped(units.median)} rows, 95\u00a0% at most ${grouped(units.nineteen_of_twenty)}, the largest ${grouped(units.most)}.`)] : []),
    ...found.advice.map((sentence) => el("p", { class: "message" }, sentence)),
    el("p", { class: "hint" }, "Choose no range and no epsilon by what stands here: that would tell something about the data."),
  ];
}

/** A button that checks the file with what is known so far. bounded: whether the ranges are known; changed: called after the owner has said here how
 * values are written. */
export function checkSection(bounded: () => boolean, changed: () => void = () => {}): HTMLElement {
  const result = el("div", { class: "checked", "aria-live": "polite" });
  const run = async (): Promise<void> => {
    if (draft.axes.length > 0 && (checkedSettings()["axes"] as unknown[]).length === 0) throw new Refused("The check needs the names that can occur; give them at the step Bounds, and check there.");
    result.replaceChildren(el("p", { class: "busy" }, "Reading the data \u2026"));
    try {
      const { command, check } = await post<{ command: string; check: DataCheck }>("/owner/check", checkedSettings());
      setCommand(command, "The studio ran this command. It spends nothing and stores nothing.");
      result.replaceChildren(...shown(check, bounded(), () => void guarded(async () => {
        changed();
        await showCommand("release");
        await run();
      })));
    } catch (error) {
      result.replaceChildren();
      throw error;
    }
  };
  return el("section", { class: "card" }, el("h2", {}, "Check the data"), el("p", { class: "hint" }, "Counts rows that cannot be read, missing values and values outside. It spends nothing."),
    button("Check", () => void guarded(run)), result);
}
