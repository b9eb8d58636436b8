// One map per group of a public list, or per week, month or day: wards, districts, weeks. Optional.
import { el, field } from "./dom.js";
import { columnName, draft, type Groups } from "./frame.js";

const forms: [Groups["kind"], string][] = [["list", "names of a public list"], ["weeks", "weeks"], ["months", "months"], ["days", "days"]];

export function groupsSection(changed: () => void): HTMLElement {
  const more = el("div");
  const column = el("select", { change: () => {
    const position = Number(column.value);
    draft.by = position === 0 ? null : { kind: "list", list: "", first: "", last: "", most: "1", ...draft.by, position };
    show();
    changed();
  } }, el("option", { value: "0" }, "One map of all rows"),
  ...draft.columns.map((_, index) => index + 1).filter((position) => position !== draft.unit && !draft.axes.some((axis) => axis.position === position))
    .map((position) => el("option", { value: position, selected: draft.by?.position === position }, `One map per ${columnName(position)}`)));
  const show = (): void => {
    const { by } = draft;
    if (!by) return more.replaceChildren();
    const kind = el("select", { change: () => {
      by.kind = kind.value as Groups["kind"];
      show();
      changed();
    } }, ...forms.map(([value, text]) => el("option", { value, selected: by.kind === value }, text)));
    const typed = (key: "list" | "first" | "last" | "most", input: HTMLInputElement | HTMLTextAreaElement): HTMLInputElement | HTMLTextAreaElement => {
      input.addEventListener("input", () => {
        by[key] = input.value;
        changed();
      });
      return input;
    };
    const groups = by.kind === "list"
      ? [field("Groups, one a line", typed("list", el("textarea", { rows: "4" }, by.list)), "From a public list, not from the data: also those that may have no rows.")]
      : [field("First day", typed("first", el("input", { type: "date", value: by.first }))), field("Last day", typed("last", el("input", { type: "date", value: by.last })))];
    const most = draft.protects === "column" ? field("In how many groups may one person count?", typed("most", el("input", { type: "number", min: "1", max: "1000", value: by.most })),
      "The release costs epsilon as many times. Someone with rows in more groups counts in some of them, chosen at random.") : el("span");
    more.replaceChildren(field("What it holds", kind), el("div", { class: "range" }, ...groups), most);
  };
  show();
  return el("section", { class: "card" }, el("h2", {}, "Groups"), field("Maps", column, "A row lies in one group, so all maps together cost epsilon once if single rows are protected."), more);
}
