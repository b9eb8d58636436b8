// The first step: a file, what separates its fields, how its values are written, and the columns in which clusters are sought. The owner sees the
// first rows.
import { checkSection } from "./check.js";
import { bytes, button, el, field, get, post, send, takesFiles } from "./dom.js";
import { columnName, draft, type Draft, guarded, isText, ownerMark, say, screen, setCommand, showCommand, useFile } from "./frame.js";
import { kinds } from "./places.js";
import { kindOfName } from "./proposals.js";
import { writingSection } from "./writing.js";

interface Seen { columns: Draft["columns"]; delimiter?: string; rows?: string[][] }

/** What a declared type suggests; the owner may say otherwise. */
const kindOfType = (type: string): string => ({ "whole number": "whole", "date": "date", "text": "list" })[type] ?? "number";

export async function dataScreen(next: HTMLElement): Promise<void> {
  setCommand("shoal release FILE --columns …");
  const state = await get<{ folder: string; files: { name: string; bytes: number }[] }>("/api/state");
  const files = el("div", { class: "choices", role: "radiogroup", "aria-label": "Files in the folder" });
  const columns = el("div");
  const choose = async (file: string, table = ""): Promise<void> => {
    useFile(file, table);
    columns.replaceChildren();
    if (file.endsWith(".duckdb") && table === "") return tableOf(columns, (chosen) => choose(file, chosen));
    await showColumns(columns);
  };
  for (const file of state.files) {
    files.append(el("label", { class: "choice" },
      el("input", { type: "radio", name: "file", value: file.name, checked: draft.file === file.name, change: () => void guarded(() => choose(file.name)) }),
      el("span", {}, el("b", {}, file.name), el("small", {}, bytes(file.bytes)))));
  }
  const path = el("input", { type: "text", placeholder: "subfolder/patients.csv", autocomplete: "off", spellcheck: "false" });
  const address = el("input", { type: "text", placeholder: "postgresql://me@server/city", autocomplete: "off", spellcheck: "false" });
  const table = el("input", { type: "text", placeholder: "public.visits", autocomplete: "off", spellcheck: "false" });
  const drop = dropZone(async (file) => {
    await send(`/api/upload?name=${encodeURIComponent(file.name)}`, file);
    await choose(file.name);
    await dataScreen(next);
  });
  screen("Which data?", `A table with one row per record. The studio sees the folder “${state.folder}” and nothing else. Your data stays on this machine.`,
    state.files.length > 0 ? files : el("p", { class: "hint" }, "The folder holds no file of data yet."),
    el("details", {}, el("summary", {}, "Another file: drop it here, or give its path"), drop,
      field("Path inside the folder", path), button("Use this path", () => void guarded(async () => choose(path.value.trim())))),
    el("details", {}, el("summary", {}, "A table of a PostgreSQL server"),
      field("Address", address, "Without a password: that comes from PGPASSWORD or ~/.pgpass, where the studio was started."), field("Table", table),
      button("Use this table", () => void guarded(async () => choose(address.value.trim(), table.value.trim())))),
    columns, next);
  if (draft.file !== "") await showColumns(columns);
}

function tableOf(into: HTMLElement, take: (table: string) => Promise<void>): void {
  const table = el("input", { type: "text", placeholder: "main.visits", autocomplete: "off", spellcheck: "false" });
  into.replaceChildren(field("Table", table, "The table of the database that holds the records."), button("Use this table", () => void guarded(() => take(table.value.trim()))));
}

function dropZone(take: (file: File) => Promise<void>): HTMLElement {
  const input = el("input", { type: "file", accept: ".csv,.gz,.zst,.tsv,.txt,.parquet,.duckdb" });
  const zone = el("div", { class: "drop" }, field("Copy a file into the folder", input, "It is copied on this machine only."));
  const busy = async (file: File): Promise<void> => {
    if (/\.(xlsx?|ods)$/i.test(file.name)) return say(`${file.name} is a spreadsheet. Save it as “CSV UTF-8” in the program that made it, and drop that file.`);
    say(`Copying ${file.name} …`);
    await guarded(() => take(file));
  };
  return takesFiles(zone, input, (file) => void busy(file));
}

function firstRows(rows: string[][]): HTMLElement {
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "First rows" }, el("table", { class: "rows" },
    el("caption", {}, "The first rows of the file, as they are written"),
    el("thead", {}, el("tr", {}, ...draft.columns.map((_, index) => el("th", { scope: "col" }, columnName(index + 1))))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((text) => el("td", {}, text)))))));
}

const delimiters: [string, string][] = [["comma", "comma"], ["tab", "tab"], ["semicolon", "semicolon"], ["space", "space"], ["|", "vertical bar"], [":", "colon"]];

async function showColumns(into: HTMLElement): Promise<void> {
  if (!draft.hasNames && draft.delimiter === "") draft.delimiter = "comma";
  const again = async (focused: string): Promise<void> => {
    await showColumns(into);
    into.querySelector<HTMLElement>(focused)?.focus();
  };
  const names = el("input", { type: "checkbox", checked: draft.hasNames, change: () => void guarded(async () => {
    Object.assign(draft, { hasNames: names.checked, axes: [], unit: 0, by: null });
    if (names.checked) draft.delimiter = "";
    await again("input");
  }) });
  const delimiter = el("select", { change: () => void guarded(async () => {
    Object.assign(draft, { delimiter: delimiter.value, axes: [], unit: 0, by: null });
    await again("select");
  }) }, ...[...(draft.hasNames ? [["", "as the line of names shows"] as [string, string]] : []), ...delimiters].map(([value, name]) =>
    el("option", { value, selected: draft.delimiter === value }, name)));
  const layout = isText() ? [el("label", { class: "check" }, names, "The first line holds the names of the columns"),
    field("What separates the fields", delimiter, draft.hasNames ? undefined : "Without a line of names, the file cannot tell.")] : [];
  let seen: Seen;
  try {
    seen = await post<Seen>("/owner/columns", { file: draft.file, table: draft.table, has_names: draft.hasNames, delimiter: draft.delimiter });
  } catch (error) {
    into.replaceChildren(...layout); // what may mend it
    throw error;
  }
  draft.columns = seen.columns;
  const declared = draft.columns.some((column) => column.type !== "");
  const list = el("fieldset", { class: "choices" }, el("legend", {}, "Look for clusters in these columns"));
  draft.columns.forEach(({ type }, index) => list.append(columnChoice(index + 1, type)));
  const german = seen.delimiter === ";" && draft.decimal === "";
  const writing = el("div");
  const drawWriting = (): void => writing.replaceChildren(writingSection(() => void showCommand("release")) ?? "");
  drawWriting();
  into.replaceChildren(ownerMark(), ...layout, seen.rows ? firstRows(seen.rows) : "",
    german ? el("p", { class: "hint" }, "Files with semicolons often have a decimal comma (12,5). Look at the rows above, and say so here if it is true.") : "",
    writing, list,
    el("p", { class: "hint" }, `Two columns make a map. ${declared ? "Names and types are those that the table declares." : "Names are read from the first line, and what a column holds is proposed from its name. No value decides about it."}`),
    checkSection(() => false, drawWriting));
  if (draft.axes.length > 0) await showCommand("release");
}

/** A column with what it holds, if clusters are sought in it. */
function columnChoice(position: number, type: string): HTMLElement {
  const holds = el("span", { class: "holds" });
  const proposed = kindOfName(columnName(position));
  const show = (): void => {
    const axis = draft.axes.find((each) => each.position === position);
    if (!axis) return holds.replaceChildren();
    const kind = el("select", { "aria-label": `What ${columnName(position)} holds`, change: () => {
      Object.assign(axis, { kind: kind.value, low: kinds[kind.value]?.low ?? "", high: kinds[kind.value]?.high ?? "" });
      void showCommand("release");
    } }, ...Object.entries(kinds).map(([key, each]) => el("option", { value: key, selected: axis.kind === key }, each.label)));
    holds.replaceChildren(kind, proposed !== undefined && type === "" && axis.kind === proposed ? el("small", {}, "proposed from the name") : "");
  };
  const box = el("input", { type: "checkbox", checked: draft.axes.some((axis) => axis.position === position), change: () => {
    draft.axes = draft.axes.filter((axis) => axis.position !== position);
    const kind = type === "" ? proposed ?? "number" : kindOfType(type);
    if (box.checked) draft.axes.push({ name: columnName(position), position, kind, low: kinds[kind]?.low ?? "", high: kinds[kind]?.high ?? "", list: "" });
    draft.axes.sort((a, b) => a.position - b.position);
    show();
    void showCommand("release");
  } });
  box.disabled = type === "other";
  show();
  return el("div", { class: "choice" }, el("label", {}, box, el("span", {}, columnName(position), type === "" ? null : el("small", {}, type))), holds);
}
