// A CSV of points, read in the browser: one record per line, quotes as in RFC 4180. Nothing leaves the page.

export interface Points {
  /** Numbers, or texts where the axis reads them. */
  columns: (Float64Array | string[])[];
  /** How the columns were chosen, in words. */
  chosen: string;
}

/** The fields of one line. */
export function fields(line: string, delimiter: string): string[] {
  const result: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === '"') {
      let text = "";
      for (at++; at < line.length; at++) {
        if (line[at] !== '"') text += line[at];
        else if (line[at + 1] === '"') text += line[at++];
        else break;
      }
      if (at >= line.length) throw new Error("a quote does not close on its line");
      at++;
      if (at < line.length && line[at] !== delimiter) throw new Error("text follows a closing quote");
      result.push(text);
    } else {
      const next = line.indexOf(delimiter, at);
      result.push(line.slice(at, next < 0 ? line.length : next));
      at = next < 0 ? line.length : next;
    }
    if (at >= line.length) return result;
    at++;
    if (at === line.length) return [...result, ""];
  }
}

const numeric = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Words that `shoal predict` reads as numbers that lie in no cell. */
const nowhere = /^[+-]?(nan|inf|infinity)$/i;

/** Undefined for what is not a number. */
function number(text: string): number | undefined {
  const trimmed = text.trim();
  return numeric.test(trimmed) ? Number(trimmed) : nowhere.test(trimmed) ? NaN : undefined;
}

/** texts: whether the axis of that place reads texts. */
export function parsePoints(text: string, names: string[], texts: boolean[] = []): Points {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const rows = lines.map((line, i) => ({ line, at: i + 1 })).filter(({ line }) => line.trim() !== "");
  const first = rows[0];
  if (!first) throw new Error("the file is empty");
  const delimiter = [",", ";", "\t"].find((candidate) => first.line.includes(candidate)) ?? ",";
  const head = fields(first.line, delimiter).map((name) => name.trim());
  const byName = names.map((name) => head.indexOf(name));
  const named = byName.every((index) => index >= 0);
  const places = named ? byName : names.map((_, i) => i);
  if (!named && head.length < names.length) {
    throw new Error(`the file has ${head.length} columns and no header with ${names.join(", ")}`);
  }
  if (!named && texts.some((each) => each)) throw new Error(`the file needs a header with ${names.join(", ")}`);
  const isHeader = named || head.every((field) => number(field) === undefined);
  const records = isHeader ? rows.slice(1) : rows;
  const columns = names.map((_, i) => (texts[i] ? new Array<string>(records.length) : new Float64Array(records.length)));
  records.forEach(({ line, at }, row) => {
    let values: string[];
    try {
      values = fields(line, delimiter);
    } catch (problem) {
      throw new Error(`line ${at}: ${(problem as Error).message}`);
    }
    if (values.length !== head.length) {
      throw new Error(`line ${at} has ${values.length} fields; the first line has ${head.length}`);
    }
    places.forEach((place, axis) => {
      const text = values[place]!.trim();
      const value = texts[axis] ? text : number(text);
      // As shoal predict: a label of a row that cannot be read would be an invention.
      if (value === undefined) throw new Error(`line ${at}, column ${names[axis]}: ${text === "" ? "it is empty" : `'${text}' is not a number`}; correct it`);
      columns[axis]![row] = value;
    });
  });
  const chosen = named ? `columns ${names.join(", ")}` : `columns ${places.map((place) => place + 1).join(", ")}`;
  return { columns, chosen };
}
