// The texts of the page, which its publisher may change before sharing it: title, source, date and contact. They are public text, so
// changing them costs nothing. "Save this page" makes a new file with them in the page and in the release that it holds.
import { button, el } from "./dom.js";
import { download } from "./keeping.js";

export const fields = ["title", "source", "date", "contact"] as const;
export type Texts = Record<(typeof fields)[number], string>;
const names: Texts = { title: "Title", source: "Source", date: "Date", contact: "Contact" };
const hints: Texts = { title: "Where visitors stay", source: "City of Springfield", date: "May 2026", contact: "data@example.org" };
const longest = 500; // bytes, as the release allows

/** Puts the texts into a page, this one or one that is to be saved. */
export function write(page: Document, texts: Texts): void {
  const heading = page.querySelector("h1")!;
  const headline = page.getElementById("headline")!;
  const found = headline.textContent;
  if (texts.title && heading === headline) {
    heading.removeAttribute("id");
    const lead = page.createElement("p");
    lead.className = "lead";
    lead.id = "headline";
    lead.textContent = found;
    heading.after(lead);
  } else if (!texts.title && heading !== headline) {
    headline.remove();
    heading.id = "headline";
  }
  heading.textContent = texts.title || found;
  page.title = texts.title || found;
  page.querySelector("p.credits")?.remove();
  const parts = fields.filter((field) => field !== "title" && texts[field]).map((field) => {
    const part = page.createElement("span");
    part.textContent = `${names[field]}: ${texts[field]}`;
    return part;
  });
  if (parts.length === 0) return;
  const credits = page.createElement("p");
  credits.className = "credits";
  parts.forEach((part, i) => credits.append(...(i > 0 ? [" \u00b7 "] : []), part));
  page.querySelector("p.privacy")?.after(credits);
}

/** The page as it came, with other texts and the release that holds them. */
export function rewritten(source: string, texts: Texts, release: string): string {
  const page = new DOMParser().parseFromString(source, "text/html");
  write(page, texts);
  page.getElementById("shoal-release")!.textContent = release.replaceAll("<", "\\u003c");
  return `<!DOCTYPE html>\n${page.documentElement.outerHTML}\n`;
}

/** source: the page as it came. change: the texts have changed. release: the whole file with these texts. */
export function publishingSection(source: string, texts: Texts, change: (texts: Texts) => void, release: (texts: Texts) => Promise<string>): HTMLElement {
  const said = el("p", { role: "status" });
  const current = { ...texts };
  const inputs = fields.map((field) => {
    const input = el("input", { type: "text", id: `text-${field}`, maxlength: longest, placeholder: hints[field], value: texts[field] });
    input.addEventListener("input", () => {
      current[field] = input.value.trim();
      change({ ...current });
    });
    return el("div", { class: "row" }, el("label", { for: input.id }, names[field]), input);
  });
  const save = async (): Promise<void> => {
    said.textContent = "Computing the page …";
    try {
      download("clusters.html", rewritten(source, current, await release({ ...current })), "text/html");
      said.textContent = "Saved clusters.html.";
    } catch (problem) {
      said.textContent = `Not saved: ${(problem as Error).message}`;
    }
  };
  return el("section", { class: "publishing" }, el("h2", {}, "Texts of this page"),
    el("p", {}, "They are public text for readers. They cost nothing and change nothing else."), ...inputs,
    el("div", { class: "buttons" }, button("Save this page", () => void save())), said);
}
