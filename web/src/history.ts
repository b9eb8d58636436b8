// Releases that were made, their budgets, and what changed between two of them.
import { button, el, field, get, Refused } from "./dom.js";
import { type Budget, guarded, screen } from "./frame.js";
import { showRelease } from "./result.js";

interface Summary { name: string; file: string; time: string; headline: string; epsilon: string; unit: string; axes: string }

function table(head: string[], rows: (string | HTMLElement)[][]): HTMLElement {
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": head.join(", ") }, el("table", {},
    el("thead", {}, el("tr", {}, ...head.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, cell)))))));
}

const when = (time: string): string => time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

function comparing(releases: Summary[]): HTMLElement {
  const choose = (label: string, at: number): [HTMLElement, HTMLSelectElement] => {
    const select = el("select", {}, ...releases.map((release, index) => el("option", { value: release.name, selected: index === at }, release.name)));
    return [field(label, select), select];
  };
  const [beforeField, before] = choose("Earlier", 1);
  const [afterField, after] = choose("Later", 0);
  const frame = el("div");
  const show = button("Compare", () => void guarded(async () => {
    const address = `/api/compare?before=${encodeURIComponent(before.value)}&after=${encodeURIComponent(after.value)}`;
    const answer = await fetch(address);
    if (!answer.ok) throw new Refused(((await answer.json()) as { error: string }).error);
    frame.replaceChildren(el("iframe", { src: address, title: `What changed from ${before.value} to ${after.value}`, sandbox: "allow-scripts" }));
  }));
  return el("section", {}, el("h2", {}, "Compare two releases"), el("div", { class: "pair" }, beforeField, afterField, show), frame);
}

export async function showHistory(): Promise<void> {
  const { releases } = await get<{ releases: Summary[] }>("/api/releases");
  const budget = await get<Budget>("/api/budget");
  const lost = budget.debits.length - releases.length;
  screen("History", "Releases in this folder and the budgets that paid for them. Opening and comparing releases spends nothing.",
    releases.length === 0 ? el("p", { class: "hint" }, "No release yet.") : table(["Release", "Found", "Epsilon", "Protects", "Made"],
      releases.map((release) => [button(release.name, () => showRelease(release.name), { class: "link", "aria-label": `Open ${release.name}` }), release.headline,
        release.epsilon, release.unit, when(release.time)])),
    lost > 0 ? el("p", { class: "hint" }, `The ledger has ${lost} more ${lost === 1 ? "debit" : "debits"} than there are releases in this folder.`) : null,
    el("section", {}, el("h2", {}, "Budgets"), budget.accounts.length === 0 ? el("p", { class: "hint" }, "No budget yet.") : table(["Budget", "Cap", "Spent", "Left"],
      budget.accounts.map((account) => [account.dataset, account.cap, account.spent, account.left]))),
    budget.debits.length === 0 ? null : el("section", {}, el("h2", {}, "Debits"), table(["Number", "Time", "Budget", "Epsilon"],
      budget.debits.map((debit) => [String(debit.id), when(debit.time), debit.dataset, debit.epsilon]))),
    releases.length > 1 ? comparing(releases) : null);
}
