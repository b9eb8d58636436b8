// The result: how far the release is, then its page, and what may be shared apart from what may not.
import { button, el, get } from "./dom.js";
import { type Budget, draft, guarded, ownerMark, screen, setCommand, spent } from "./frame.js";
import { remedies } from "./writing.js";

interface Job { state: "none" | "running" | "done" | "failed"; name: string; progress: number; message: string; shows_nothing: boolean }

let watching = 0;

/** What the ledger says of the budget that the release was charged to. */
async function sayBudget(made: boolean): Promise<void> {
  const { accounts } = await get<Budget>("/api/budget");
  const account = accounts.find((each) => each.dataset === draft.dataset);
  const state = account ? ` Of the budget “${account.dataset}”, ${account.spent} of ${account.cap} is spent and ${account.left} is left.` : "";
  spent((made ? "This release is paid for." : "") + state);
}

/** back: the way to the steps before; retry: goes to the step that spends. */
export async function showResult(back: HTMLElement, retry: () => void): Promise<void> {
  const watch = (watching += 1);
  let job = await get<Job>("/owner/job");
  if (job.state === "running") {
    const bar = el("progress", { max: "1", "aria-label": "Progress" });
    screen("Making the release", "You may close this page: the release goes on, and the studio shows it when you come back.", bar);
    spent("The budget is charged before the noise is drawn. What is paid for is kept.");
    while (job.state === "running" && watch === watching) {
      if (job.progress >= 0) bar.value = job.progress;
      await new Promise((done) => setTimeout(done, 150));
      job = await get<Job>("/owner/job");
    }
    if (watch !== watching) return;
  }
  if (job.state === "failed") {
    screen("There is no release", "The command stopped. It says why:", ownerMark(), el("pre", { class: "said", tabindex: "0" }, job.message),
      /(^|, )line \d/.test(job.message) ? remedies(retry) : null,
      el("p", {}, "All that you have chosen is still there."), back);
    await sayBudget(false);
  } else if (job.state === "done") {
    showRelease(job.name, job.shows_nothing ? job.message : "");
    await sayBudget(true);
  } else {
    screen("No release yet", "Go through the steps first.", back);
  }
}

/** Leaves the running job unwatched: another screen is shown. */
export function stopWatching(): void {
  watching += 1;
}

/** warning: what the command said last; empty where it found nothing wrong. */
export function showRelease(name: string, warning = ""): void {
  setCommand(`shoal serve releases/${name}.json`, "Shows the page of this release again, without the studio.");
  const at = `/release/${encodeURIComponent(name)}`;
  const link = (suffix: string, what: string): HTMLElement => el("li", {}, el("a", { href: `${at}.${suffix}`, download: "" }, `${name}.${suffix}`), ` ${what}`);
  screen(`Release “${name}”`, "It is private: what it says is nearly the same without any one of those whom it protects. Looking at it in other ways costs nothing more.",
    warning === "" ? null : el("p", { class: "message", role: "alert" }, warning),
    el("div", { class: "sides" },
      el("section", { class: "shared", "aria-labelledby": "may" }, el("h2", { id: "may" }, "What may be shared"),
        el("ul", {}, link("html", "– the page below, as one file"), link("json", "– the release itself"), link("geojson", "– outlines for maps"), link("csv", "– cells as a table"))),
      el("section", { class: "kept", "aria-labelledby": "may-not" }, el("h2", { id: "may-not" }, "What may not be shared"),
        el("ul", {}, el("li", {}, draft.file === "" ? "the data" : `${draft.table || draft.file}, your data`), el("li", {}, "the link of this studio"), el("li", {}, "what is marked “for the owner only”")))),
    el("iframe", { src: at, title: `Page of the release ${name}`, sandbox: "allow-scripts allow-downloads" }),
    el("div", { class: "buttons" }, button("Open the page alone", () => void guarded(async () => {
      window.open(at, "_blank", "noopener");
    }))));
}
