// The studio: one screen a decision, from a file to a release. All work is done by the program's commands, which the
// server runs; this page collects what they need and shows what they say.
import { boundsScreen } from "./bounds.js";
import { checkSection } from "./check.js";
import { dataScreen } from "./data.js";
import { button, el, field, get, post, Refused } from "./dom.js";
import { aside, type Budget, columnName, cost, draft, type Draft, guarded, keepDraft, keptDraft, main, ownerMark, rangeOfGroups, say, screen, setCommand, settings, showCommand, spent, where } from "./frame.js";
import { showHistory } from "./history.js";
import { roundedUp } from "./outward.js";
import { showResult, stopWatching } from "./result.js";

interface Planned { epsilon: number; most_sure: string; rand: { mean: number }; least_records: number | null; finest_units: number | null; size_error: number | null; finer?: number }

const titles = ["Data", "Protect whom", "Bounds", "What you would get", "Budget", "Result"];
const steps = el("ol", { class: "steps" });
let step = 0;
let furthest = 0;

function drawSteps(): void {
  const items = titles.map((title, index) =>
    el("li", {}, button(title, () => go(index), {
      disabled: index > furthest,
      "aria-current": index === step ? "step" : undefined,
    })));
  steps.replaceChildren(...items);
}

function nextButton(label: string, ready: () => Promise<boolean> | boolean): HTMLElement {
  const next = button(label, () => void guarded(async () => {
    if (await ready()) go(step + 1);
  }), { class: "primary" });
  return el("div", { class: "buttons" }, step > 0 ? button("Back", () => go(step - 1)) : null, next);
}

/** pushed: whether the browser's own Back leads from here to the step before. */
function go(to: number, pushed = true): void {
  if (pushed && to !== step) history.pushState(to, "");
  step = to;
  furthest = Math.max(furthest, to);
  keepDraft(step, furthest);
  drawSteps();
  where.textContent = `Step ${to + 1} of ${titles.length}: ${titles[to] ?? ""}`;
  aside.hidden = false;
  stopWatching();
  void guarded(async () => [dataStep, unitStep, boundsStep, planStep, budgetStep, resultStep][to]?.());
}

function dataStep(): Promise<void> {
  return dataScreen(nextButton("Continue", () => {
    if (draft.file === "") throw new Refused("Choose a file first.");
    if (draft.axes.length === 0) throw new Refused("Choose at least one column to look for clusters in.");
    return true;
  }));
}

function resultStep(): Promise<void> {
  return showResult(el("div", { class: "buttons" }, button("Back", () => go(4)), button("Back to the data", () => go(0))), () => go(4));
}

async function unitStep(): Promise<void> {
  const explain = el("p", { class: "explain", "aria-live": "polite" });
  const more = el("div");
  const called = el("input", { type: "text", value: draft.unitName, placeholder: "patients", autocomplete: "off", input: () => {
    draft.unitName = called.value;
    void showCommand("release");
  } });
  const describe = (): void => {
    explain.textContent = draft.protects === "" ? "Nothing is chosen yet."
      : draft.protects === "record"
        ? "This protects single rows. The release is nearly the same whether or not any one row is in the file. A person with many rows is protected row by row, not as a whole."
        : draft.unit === 0 ? "Choose the column that says whom a row belongs to, such as a patient number."
        : `The release is nearly the same whether or not any one ${columnName(draft.unit)} is in the file, with all of its rows. ${draft.share === null ? "" : draft.share
          ? "Each counts once, spread over the places of its rows, so sizes are numbers of people." : `Of each, ${draft.mostRows || "M"} rows at most are kept, chosen at random.`}`;
    void showCommand("release");
  };
  const select = el("select", { change: () => {
    draft.unit = Number(select.value);
    describe();
  } }, el("option", { value: "0" }, "Choose a column"),
  ...draft.columns.map((_, index) => el("option", { value: index + 1, selected: draft.unit === index + 1 }, columnName(index + 1))));
  const rows = el("input", { type: "number", min: "1", max: "1000000", value: draft.mostRows, input: () => {
    draft.mostRows = rows.value;
    describe();
  } });
  const countedAs = (share: boolean, title: string, text: string): HTMLElement => el("label", { class: "choice" },
    el("input", { type: "radio", name: "share", checked: draft.share === share, change: () => {
      draft.share = share;
      show();
      more.querySelector<HTMLElement>("input[name=share]:checked")?.focus();
    } }), el("span", {}, el("b", {}, title), el("small", {}, text)));
  const show = (): void => {
    const limit = draft.share !== false ? null : field("Maximum number of rows of each", rows, "Fewer rows need less noise. Choose what is usual, without looking at the data.");
    more.replaceChildren(...(draft.protects === "column" ? [field("Column", select), el("fieldset", { class: "choices" }, el("legend", {}, "How does someone with several rows count?"),
      countedAs(true, "Once", "No row is left out, and the noise is the least. Right for most questions."),
      countedAs(false, "By rows, up to a limit", "For sizes in rows, such as visits. A larger limit needs more noise.")), limit ?? el("span"),
      field("What are they called?", called, "The release says “about 300 patients”. Empty: after the column.")] : []));
    describe();
  };
  const choice = (value: Draft["protects"], title: string, text: string): HTMLElement => el("label", { class: "choice" },
    el("input", { type: "radio", name: "protects", value, checked: draft.protects === value, change: () => {
      draft.protects = value;
      show();
    } }), el("span", {}, el("b", {}, title), el("small", {}, text)));
  screen("Whom does the release protect?", "The release is nearly the same whether this person, or this row, is in your data or not. Epsilon, two steps further on, says how nearly.",
    ownerMark(),
    el("fieldset", { class: "choices" }, el("legend", {}, "Protect"),
      choice("column", "A person with all of their rows", "A column says whom a row belongs to. Choose this if someone can have several rows."),
      choice("record", "Each row by itself", "Choose this only if everyone has one row.")),
    more, explain,
    nextButton("Continue", () => {
      if (draft.protects === "") throw new Refused("Choose whom the release protects.");
      if (draft.protects === "column" && draft.unit === 0) throw new Refused("Choose the column that says whom a row belongs to.");
      if (draft.protects === "column" && draft.share === null) throw new Refused("Choose how someone with several rows counts.");
      if (draft.protects === "column" && !draft.share && !(Number(draft.mostRows) >= 1)) throw new Refused("Say how many rows of each are kept.");
      if (draft.axes.some((axis) => draft.protects === "column" && axis.position === draft.unit)) throw new Refused(`${columnName(draft.unit)} is a column to find clusters in; it cannot say whom a row belongs to as well.`);
      return showCommand("release");
    }));
  show();
}

async function planStep(): Promise<void> {
  const result = el("div", { "aria-live": "polite" });
  const records = el("input", { type: "text", inputmode: "numeric", value: draft.records, input: () => (draft.records = records.value) });
  const epsilons = el("input", { type: "text", value: draft.epsilons, input: () => (draft.epsilons = epsilons.value) });
  if (draft.by) draft.insets = false;
  const insets = el("input", { type: "checkbox", checked: draft.insets, change: () => {
    draft.insets = insets.checked;
    if (draft.records !== "" && draft.epsilon !== "") void guarded(simulate);
  } });
  const simulate = async (): Promise<void> => {
    result.replaceChildren(el("p", { class: "busy" }, "Simulating with made-up records …"));
    try {
      const answer = await post<{ command: string; plan: { epsilons: Planned[]; insets?: { epsilons: Planned[] } }; picture: string }>("/api/plan", settings());
      setCommand(answer.command, "The studio ran this command. It reads no data.");
      result.replaceChildren(planTable(answer.plan.epsilons, answer.plan.insets?.epsilons), planPicture(answer.picture));
    } catch (error) {
      result.replaceChildren();
      throw error;
    }
  };
  setCommand("shoal plan …", "The studio runs this command. It reads no data.");
  screen("What would you get?", "Epsilon is the privacy budget that a release spends. A smaller epsilon protects more and shows less. This simulates releases of made-up records; your data is not read.",
    field(`About how many ${draft.protects === "column" && draft.share === true ? draft.unitName.split("/").pop()?.trim() || "people" : "records"} ${draft.by ? "are in one group" : "do you have"}?`, records, "A guess is enough: 30000."),
    field("Epsilons to compare", epsilons),
    draft.by ? el("p", { class: "hint" }, `This plans the map of one group of ${columnName(draft.by.position)} (${rangeOfGroups(draft.by).replaceAll("|", ", ").slice(0, 120)}).`)
      : el("label", { class: "check" }, insets, el("span", {}, "Add finer maps (insets) of up to eight places where records crowd",
      el("small", {}, "For data of several scales, such as cities in a country. The overview gets 0.2 of epsilon, the insets 0.8."))),
    el("div", { class: "buttons" }, button("Simulate", () => void guarded(simulate))),
    result,
    nextButton("Continue", () => {
      if (draft.epsilon === "") throw new Refused("Simulate, then choose one epsilon.");
      return true;
    }));
  if (draft.records !== "" && draft.epsilon !== "") await simulate();
}

function planPicture(svg: string): HTMLElement {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = el("img", { src: address, alt: "Clusters of five made-up shapes: without noise, and as a release of each epsilon would show them", load: () => URL.revokeObjectURL(address) });
  return el("figure", { class: "picture" }, image,
    el("figcaption", {}, "Five made-up shapes with as many records as yours. From left to right: without noise, then as a release of each epsilon would show them."));
}

function planTable(rows: Planned[], insets: Planned[] | undefined): HTMLElement {
  const first = draft.axes[0];
  const line = (title: string, hint: string, value: (row: Planned) => string, of = rows): HTMLElement =>
    el("tr", {}, el("th", { scope: "row" }, title, el("small", {}, hint)), ...of.map((row) => el("td", {}, value(row))));
  const pick = (row: Planned): HTMLElement => {
    const text = String(row.epsilon);
    return el("td", {}, el("label", { class: "pick" }, el("input", { type: "radio", name: "epsilon", value: text, checked: draft.epsilon === text, change: () => {
      draft.epsilon = text;
      say("");
    } }), el("span", {}, `Choose ${text}`)));
  };
  const count = (value: number): string => Math.ceil(value).toLocaleString("en");
  const distance = (row: Planned): string => (row.finest_units === null ? "none" : roundedUp(row.finest_units, 2));
  const smallest = (title: string, of: Planned[]): HTMLElement =>
    line(title, "records it needs to be found in 19 of 20 cases", (row) => (row.least_records === null ? "none" : count(row.least_records)), of);
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Plan" }, el("table", { class: "plan" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Epsilon"), ...rows.map((row) => el("th", { scope: "col" }, String(row.epsilon))))),
    el("tbody", {},
      line("What someone can learn", "who guesses at 50 % that a person is in the data becomes at most so sure", (row) => `${row.most_sure}\u00a0%`),
      smallest("Smallest cluster", rows),
      line("Finest distance", first ? `between two clusters that are found as two, along ${columnName(first.position)}` : "", distance),
      line("Error of sizes", "records more or less, in 19 of 20 cases", (row) => (row.size_error === null ? "none" : `±\u00a0${count(row.size_error)}`)),
      line("Likeness", "to the clusters without noise; 1 is the same", (row) => row.rand.mean.toFixed(2)),
      ...(insets ? [
        line("Cells of an inset", "how many times finer; for an eighth of each axis with a tenth of the records", (row) => ((row.finer ?? 0) < 2 ? "no inset" : `${(row.finer ?? 0).toPrecision(2)}\u00a0×`), insets),
        smallest("Smallest cluster in it", insets),
        line("Finest distance in it", "between two clusters that are found as two", distance, insets),
      ] : []),
      el("tr", {}, el("th", { scope: "row" }, "Your choice"), ...rows.map(pick)))));
}

async function budgetStep(): Promise<void> {
  const budget = await get<Budget>("/api/budget");
  const taken = new Set((await get<{ releases: { name: string }[] }>("/api/releases")).releases.map((release) => release.name));
  const stem = (draft.table || draft.file.split("/").pop() || "release").replace(/\.(csv|tsv|txt|parquet|gz|zst)\b/g, "").replaceAll(/[^A-Za-z0-9_-]/g, "-");
  for (let number = 1; draft.name === "" || taken.has(draft.name); number += 1) draft.name = `${stem || "release"}-${number}`;
  if (draft.dataset === "") draft.dataset = budget.accounts.find((account) => account.dataset === stem)?.dataset ?? budget.accounts[0]?.dataset ?? "";
  const account = budget.accounts.find((each) => each.dataset === draft.dataset);
  if (!account) return newAccount(stem);
  const select = el("select", { change: () => {
    draft.dataset = select.value;
    if (draft.dataset === "") void guarded(async () => newAccount(stem));
    else void guarded(budgetStep);
  } }, ...budget.accounts.map((each) => el("option", { value: each.dataset, selected: each === account }, each.dataset)), el("option", { value: "" }, "New budget …"));
  const price = cost();
  const enough = Number(account.left) >= Number(price);
  const share = (text: string): number => (100 * Number(text)) / Number(account.cap);
  const meter = el("div", { class: "meter", role: "img", "aria-label": `${account.spent} of ${account.cap} spent, ${price} more for this release` },
    el("span", { class: "spent" }), el("span", { class: "now" }));
  (meter.children[0] as HTMLElement).style.width = `${share(account.spent)}%`;
  (meter.children[1] as HTMLElement).style.width = `${Math.min(share(price), 100 - share(account.spent))}%`;
  const name = el("input", { type: "text", value: draft.name, spellcheck: "false", input: () => {
    draft.name = name.value.trim();
    void showCommand("release");
  } });
  const sure = el("input", { type: "checkbox", change: () => (pay.disabled = !sure.checked || !enough) });
  const pay = button(`Spend epsilon ${price} and make the release`, () => void guarded(async () => {
    pay.disabled = true;
    await post("/api/release", { ...settings(), confirmed: draft.epsilon });
    go(5);
  }), { class: "primary", disabled: true });
  screen("Spend the budget?", "Every release of the same data adds up. The budget is a cap that you set once; the ledger refuses what exceeds it. What is spent cannot be taken back.",
    field("Budget of these data", select), meter,
    el("dl", { class: "facts" },
      ...[["Cap", account.cap], ["Spent", account.spent], ["Left", account.left], ["This release", price]].map(([title, value]) => el("div", {}, el("dt", {}, title ?? ""), el("dd", {}, value ?? "")))),
    enough ? null : el("p", { class: "message" }, `Epsilon ${price} is more than what is left. Go back and choose a smaller epsilon.`),
    price === draft.epsilon ? null : el("p", { class: "hint" }, `Someone may count in ${draft.by?.most ?? ""} groups, so the release costs ${draft.by?.most ?? ""} times the epsilon ${draft.epsilon} of each.`),
    field("Name of the release", name),
    el("label", { class: "check" }, sure, `I spend epsilon ${price} of the ${account.left} that are left of “${account.dataset}”, for good.`),
    el("div", { class: "buttons" }, button("Back", () => go(3)), pay));
  spent(`Nothing is spent until you press “Spend epsilon ${price}”.`);
  await showCommand("release");
}

function newAccount(stem: string): void {
  const dataset = el("input", { type: "text", value: draft.dataset || stem, input: () => void command_() });
  const cap = el("input", { type: "text", inputmode: "decimal", value: "", input: () => void command_() });
  const command_ = (): Promise<boolean> => showCommand("account", { dataset: dataset.value, cap: cap.value || "CAP" });
  screen("How much may be spent on these data in all?", "A budget caps the sum of the epsilons of all releases of the same people. It never changes afterwards. Usual caps are between 1 and 4.",
    field("Name of the budget", dataset, "The same people, the same budget: use one for all files about them."),
    field("Cap: total epsilon", cap, "Choose it before you see any result: it cannot be raised later."),
    el("div", { class: "buttons" }, button("Back", () => go(3)), button("Create the budget", () => void guarded(async () => {
      if (cap.value.trim() === "") throw new Refused("Say how much epsilon may be spent in all, such as 2.");
      await post("/api/account", { dataset: dataset.value, cap: cap.value });
      draft.dataset = dataset.value;
      await budgetStep();
    }), { class: "primary" })));
  spent("Nothing is spent on this screen: a budget is only made.");
  void command_();
}

async function boundsStep(): Promise<void> {
  const known = (): boolean => (settings()["axes"] as { range: string }[]).every((axis) => axis.range !== "");
  boundsScreen(checkSection(known), nextButton("Continue", async () => {
    if (!known()) throw new Refused("Give every column its range.");
    if (draft.by && (draft.by.position === 0 || rangeOfGroups(draft.by) === "")) throw new Refused("Say which groups there are, or choose one map of all rows.");
    return showCommand("release");
  }));
}

function start(): void {
  const releases = button("History", () => {
    step = -1;
    drawSteps();
    aside.hidden = true;
    stopWatching();
    void guarded(showHistory);
  });
  document.body.append(
    el("a", { class: "skip", href: "#main" }, "Skip to the question"),
    el("header", {}, el("b", {}, "Shoal studio"), el("span", {}, "on this machine only"), el("nav", { "aria-label": "Releases" }, releases)),
    el("div", { class: "layout" }, el("nav", { "aria-label": "Steps" }, steps), main, aside));
  addEventListener("popstate", (event) => go(typeof event.state === "number" ? event.state : 0, false));
  addEventListener("change", () => keepDraft(step, furthest));
  void guarded(async () => {
    const job = await get<{ state: string }>("/owner/job");
    const before = keptDraft();
    const at = job.state === "running" ? 5 : Math.min(before?.step ?? 0, 4);
    furthest = Math.max(at, before?.furthest ?? 0);
    go(Math.max(0, at), false);
  });
}
start();
