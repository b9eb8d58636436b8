// What a reader takes along: files of the view, and labels of points of their own.
import { type ReleaseFacts } from "./core.js";
import { parsePoints } from "./csv.js";
import { el, takesFiles } from "./dom.js";
import { plural } from "./listing.js";
import { grouped } from "./projection.js";

export function download(name: string, bytes: Uint8Array<ArrayBuffer> | string, type: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const kinds: [string, string, string][] = [
  ["json", "JSON", "application/json"],
  ["geojson", "GeoJSON", "application/geo+json"],
  ["csv", "CSV", "text/csv"],
  ["svg", "SVG", "image/svg+xml"],
  ["png", "PNG", "image/png"],
  ["slide.png", "PNG for slides", "image/png"],
];

/** stem: of the file's name; file: what one of that suffix holds. */
export function exportsSection(stem: string, facts: ReleaseFacts, file: (suffix: string) => Promise<Uint8Array<ArrayBuffer>>): HTMLElement {
  const said = el("p", { role: "status" });
  const save = async (suffix: string, type: string): Promise<void> => {
    said.textContent = `Preparing ${stem}.${suffix} …`;
    try {
      download(`${stem}.${suffix}`, await file(`.${suffix}`), type);
      said.textContent = `Saved ${stem}.${suffix}.`;
    } catch (problem) {
      said.textContent = `Not available: ${(problem as Error).message}`;
    }
  };
  const shown = kinds.filter(([suffix]) => suffix !== "geojson" || facts.axes.length === 2);
  const buttons = shown.map(([suffix, text, type]) => el("button", { type: "button", "data-export": suffix, click: () => void save(suffix, type) }, text));
  return el("section", { class: "exports" }, el("h2", {}, "Export this view"), el("div", { class: "buttons" }, ...buttons), said);
}

/** part: the title of what labels, where the file holds more. */
export function labellingSection(part: string, facts: ReleaseFacts, label: (columns: (Float64Array | string[])[]) => Promise<Uint32Array>): HTMLElement {
  const said = el("p", { role: "status" });
  const input = el("input", { type: "file", id: "label-file", accept: ".csv,.txt,text/csv" });
  const zone = el("div", { class: "drop" }, el("label", { for: "label-file" }, "Choose a CSV file, or drop it here: "), input);
  const take = async (file: File): Promise<void> => {
    try {
      said.textContent = `Labelling ${file.name} …`;
      const { axes } = facts;
      const points = parsePoints(await file.text(), axes.map((axis) => axis.name), axes.map((axis) => axis.text));
      const labels = await label(points.columns);
      const mark = facts.private ? "" : ",false";
      download("labels.csv", `${facts.private ? "cluster" : "cluster,private"}\n${Array.from(labels, (each) => `${each}${mark}\n`).join("")}`, "text/csv");
      const inside = labels.reduce((sum, each) => sum + (each === 0 ? 0 : 1), 0);
      said.textContent = `${plural(labels.length, "row")} labelled by ${points.chosen}; ${grouped(inside)} lie in a cluster. Saved labels.csv.`;
    } catch (problem) {
      said.textContent = `${file.name}: ${(problem as Error).message}`;
    }
  };
  return el(
    "section",
    { class: "labelling" },
    el("h2", {}, "Label your own points"),
    el("p", {}, "The file stays in this browser. The result has one row per record, in the same order; 0 means no cluster." +
      (part ? ` Rows are labelled by the clusters of ${part} alone; shoal predict uses all parts of the file.` : "")),
    takesFiles(zone, input, (file) => void take(file)),
    said,
  );
}
