// Elements, and requests to the server that the page came from.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | boolean | number | ((event: Event) => void) | undefined>;

/** An element. Functions are listeners; false and undefined leave an attribute out. Text is never taken as HTML. */
export function el<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

/** A label around a control, with a hint below it. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  const id = control.id || `field-${(fields += 1)}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return el("div", { class: "field" }, el("label", { for: id }, label), control, hint ? el("p", { class: "hint", id: `${id}-hint` }, hint) : null);
}
let fields = 0;

export function button(label: string, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", click: press, ...attributes }, label);
}

/** Files dropped on the zone or chosen by its input are taken. */
export function takesFiles(zone: HTMLElement, input: HTMLInputElement, take: (file: File) => void): HTMLElement {
  const first = (files: FileList | null | undefined): void => {
    if (files?.[0]) take(files[0]);
  };
  input.addEventListener("change", () => first(input.files));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    first(event.dataTransfer?.files);
  });
  return zone;
}

/** What a refusal says. */
export class Refused extends Error {}

async function answered<Result>(response: Response): Promise<Result> {
  const body = (await response.json()) as Result & { error?: string };
  if (!response.ok) throw new Refused(body.error ?? `the studio answered ${response.status}`);
  return body;
}

async function reached(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, options);
  } catch {
    throw new Refused("the studio does not answer; start it again with: shoal studio");
  }
}

export async function get<Result>(path: string): Promise<Result> {
  return answered<Result>(await reached(path, {}));
}

export async function post<Result>(path: string, body: unknown): Promise<Result> {
  return answered<Result>(await reached(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

export async function send(path: string, file: File): Promise<void> {
  const response = await reached(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
  if (!response.ok) await answered(response);
}

export function bytes(count: number): string {
  for (const [unit, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]] as const) if (count >= unit) return `${(count / unit).toFixed(1)} ${name}`;
  return `${count} bytes`;
}
