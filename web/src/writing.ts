// How the values of a text are written, as the owner says it: the marks of numbers, dates, what stands for a missing value, and rows that
// cannot be read. Nothing of it is guessed from values.
import { button, el, field } from "./dom.js";
import { draft, isText } from "./frame.js";

const dateFormats: [string, string][] = [
  ["", "2026-12-31"],
  ["%d.%m.%Y", "31.12.2026"],
  ["%d.%m.%Y %H:%M", "31.12.2026 14:30"],
  ["%d/%m/%Y", "31/12/2026"],
  ["%m/%d/%Y", "12/31/2026"],
  ["%Y%m%d", "20261231"],
];
/** What --na gets if only empty fields are missing: a text that no field holds by chance. */
const emptyAlone = "NA";

/** The controls. changed: called after each change. */
export function writingSection(changed: () => void): HTMLElement | null {
  if (!isText()) return null;
  const set = (change: () => void): void => {
    change();
    changed();
  };
  const choose = (options: [string, string][], value: string, take: (value: string) => void): HTMLSelectElement => {
    const known = options.some(([each]) => each === value) ? options : [...options, [value, value] as [string, string]];
    const select = el("select", { change: () => set(() => take(select.value)) }, ...known.map(([each, text]) => el("option", { value: each, selected: each === value }, text)));
    return select;
  };
  const format = el("input", { type: "text", value: draft.dateFormat, spellcheck: "false", placeholder: "%d.%m.%Y", change: () => set(() => (draft.dateFormat = format.value.trim())) });
  const missing = el("input", { type: "text", value: draft.missing === emptyAlone ? "" : draft.missing, spellcheck: "false", placeholder: "NA, -, 999", change: () => set(() => {
    const words = missing.value.split(",").map((word) => word.trim()).filter((word) => word !== "");
    draft.missing = words.length > 0 ? words.join(",") : draft.missing === "" ? "" : emptyAlone;
  }) });
  const empty = el("input", { type: "checkbox", checked: draft.missing !== "", change: () => set(() => (draft.missing = empty.checked ? missing.value.trim() || emptyAlone : "")) });
  const skip = el("input", { type: "checkbox", checked: draft.skipsBadRows, change: () => set(() => (draft.skipsBadRows = skip.checked)) });
  return el("details", { class: "writing", open: isChanged() }, el("summary", {}, "How values are written"),
    el("div", { class: "range" },
      field("Decimal mark", choose([["", "point: 12.5"], ["comma", "comma: 12,5"]], draft.decimal, (value) => {
        draft.decimal = value;
        if (value === draft.thousands) draft.thousands = "";
      })),
      field("Thousands mark", choose([["", "none: 1234"], ["point", "point: 1.234"], ["comma", "comma: 1,234"], ["space", "space: 1 234"], ["apostrophe", "apostrophe: 1'234"]], draft.thousands, (value) => (draft.thousands = value))),
      field("Dates", choose(dateFormats, draft.dateFormat, (value) => (draft.dateFormat = value))),
      field("Dates of another layout", format, "%d day, %m month, %Y year, %H hour, %M minute, %S second; all else as it is written.")),
    el("label", { class: "check" }, empty, el("span", {}, "An empty field means that the value is missing", el("small", {}, "Such rows are not counted. Otherwise a row with an empty field cannot be read."))),
    field("Other texts that mean a missing value", missing, "Separated by commas."),
    el("label", { class: "check" }, skip, el("span", {}, "Leave out rows that cannot be read", el("small", {}, "Otherwise the first such row ends the release, before anything is spent."))));
}

function isChanged(): boolean {
  return draft.decimal !== "" || draft.thousands !== "" || draft.dateFormat !== "" || draft.missing !== "" || draft.skipsBadRows;
}

/** What may help where rows cannot be read, as buttons. The owner knows which of them is true. */
export function remedies(changed: () => void): HTMLElement | null {
  const offers: [boolean, string, () => void][] = [
    [draft.decimal === "", "Numbers have a decimal comma: 12,5", () => {
      draft.decimal = "comma";
      if (draft.thousands === "comma") draft.thousands = "";
    }],
    [draft.dateFormat === "" && draft.axes.some((axis) => axis.kind === "date"), "Dates are written 31.12.2026", () => (draft.dateFormat = "%d.%m.%Y")],
    [draft.missing === "", "Empty fields are missing values", () => (draft.missing = emptyAlone)],
    [!draft.skipsBadRows, "Leave these rows out", () => (draft.skipsBadRows = true)],
  ];
  const shown = isText() ? offers.filter(([wanted]) => wanted) : [];
  if (shown.length === 0) return null;
  return el("div", { class: "remedies", role: "group", "aria-label": "What may help" }, el("p", {}, "Which of these is true of your file?"),
    ...shown.map(([, text, take]) => button(text, () => {
      take();
      changed();
    })));
}
