// What `shoal check` finds in the owner's file: shown before anything is planned or spent.
import { button, el, post } from "./dom.js";
import { guarded, ownerMark, setCommand, settings } from "./frame.js";
import { grouped, tidy } from "./projection.js";

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

function shown(found: DataCheck, bounded: boolean): HTMLElement[] {
  const rows = `${grouped(found.rows)} rows can be read, ${grouped(found.bad_rows)} cannot.${bounded ? ` ${grouped(found.inside)} would be counted.` : ""}`;
  const lines = found.bad_lines.map(({ line, fault }) => `line ${line}${fault}\n`).join("");
  const { units } = found;
  return [
    ownerMark(), el("p", {}, rows),
    ...(lines === "" ? [] : [el("pre", { class: "said", tabindex: "0" }, lines)]),
    table(found, bounded),
    ...(units ? [el("p", {}, `${grouped(units.units)} units; half have at most ${grouped(units.median)} rows, 95\u00a0% at most ${grouped(units.nineteen_of_twenty)}, the largest ${grouped(units.most)}.`)] : []),
    ...found.advice.map((sentence) => el("p", { class: "message" }, sentence)),
    el("p", { class: "hint" }, "Choose no range and no epsilon by what stands here: that would tell something about the data."),
  ];
}

/** A button that checks the file with what is known so far. bounded: whether the ranges are known. */
export function checkSection(bounded: () => boolean): HTMLElement {
  const result = el("div", { class: "checked", "aria-live": "polite" });
  const run = async (): Promise<void> => {
    result.replaceChildren(el("p", { class: "busy" }, "Reading the data \u2026"));
    try {
      const { command, check } = await post<{ command: string; check: DataCheck }>("/owner/check", settings());
      setCommand(command, "The studio ran this command. It spends nothing and stores nothing.");
      result.replaceChildren(...shown(check, bounded()));
    } catch (error) {
      result.replaceChildren();
      throw error;
    }
  };
  return el("section", { class: "card" }, el("h2", {}, "Check the data"), el("p", { class: "hint" }, "Counts rows that cannot be read, missing values and values outside. It spends nothing."),
    button("Check", () => void guarded(run)), result);
}
