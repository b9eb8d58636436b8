// The studio in a real browser: from a file to a page, by mouse and by keyboard; what is refused is said; nothing is loaded
// from elsewhere.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { program, root, shoalIn, startBrowser, stopBrowser } from "./support.mjs";

const axe = readFileSync(join(root, "web/node_modules/axe-core/axe.min.js"), "utf8");
const studios = [];
after(async () => {
  for (const studio of studios) studio.kill("SIGKILL");
  await stopBrowser();
});

/** A folder with the records of 60 patients, and a studio in it. */
async function start() {
  const folder = people();
  return { folder, ...(await run(folder)) };
}

function people() {
  const folder = mkdtempSync(join(tmpdir(), "shoal-studio-"));
  shoalIn(folder, "datasets", "world", "--seed", "1", "-o", "world.csv");
  const [head, ...rows] = readFileSync(join(folder, "world.csv"), "utf8").trim().split("\n");
  writeFileSync(join(folder, "patients.csv"), [`${head},patient`, ...rows.slice(0, 20000).map((row, index) => `${row},p${index % 7000}`)].join("\n") + "\n");
  return folder;
}

async function run(folder, environment = {}) {
  const process = spawn(program, ["studio", ".", "--no-browser"], { cwd: folder, env: { ...globalThis.process.env, ...environment } });
  studios.push(process);
  const link = await new Promise((resolve, reject) => {
    let text = "";
    process.stdout.on("data", (more) => {
      text += more;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    process.on("exit", () => reject(new Error(`the studio ended: ${text}`)));
  });
  return { process, link };
}

/** `problems` collects console errors, policy violations and requests elsewhere: there must be none. */
async function open(link, options = {}) {
  const context = await (await startBrowser()).newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/status of 400/.test(message.text())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(link).origin) && !request.url().startsWith("blob:")) problems.push(`request ${request.url()}`);
  });
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`)),
  );
  await page.goto(link);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page, problems, context };
}

const heading = (page) => page.getByRole("heading", { level: 1 });
const command = async (page) => (await page.getByLabel("Command line", { exact: true }).innerText()).replaceAll(" \\\n ", "");
const next = (page) => page.getByRole("button", { name: "Continue" }).click();

/** Nothing is chosen beforehand, and going on without a choice is refused. */
async function chooses(page) {
  assert.equal(await page.locator("main input[type=radio]:checked").count(), 0);
  await next(page);
  await page.getByText("Choose whom the release protects.").waitFor();
  await page.getByLabel("Each row by itself").check();
  await page.getByText("This protects single rows.").waitFor();
  await page.getByLabel("A person with all of their rows").check();
  await page.getByLabel("Column", { exact: true }).selectOption({ label: "patient" });
  assert.equal(await page.locator("input[name=share]:checked").count(), 0);
  await next(page);
  await page.getByText("Choose how someone with several rows counts.").waitFor();
}

/** Up to the budget. Calls `seen` with the name of every step, once it is filled in. */
async function fill(page, seen = async () => {}, first = false) {
  await page.getByLabel("patients.csv").check();
  await page.getByLabel("lon", { exact: true }).check();
  await page.getByLabel("lat", { exact: true }).check();
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--columns lon,lat"));
  await seen("data");
  await next(page);
  await heading(page).filter({ hasText: "protect" }).waitFor();
  if (first) await chooses(page);
  await page.getByLabel("A person with all of their rows").check();
  await page.getByLabel("Column", { exact: true }).selectOption({ label: "patient" });
  await page.getByLabel("Once").check();
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--contribution share"));
  await seen("unit");
  await page.getByLabel("By rows, up to a limit").check();
  await page.getByLabel("Maximum number of rows").fill("3");
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--max-contributions 3"));
  await next(page);
  await heading(page).filter({ hasText: "values" }).waitFor();
  await page.getByLabel("What does it hold?").nth(0).selectOption({ label: "Longitude" });
  await page.getByLabel("What does it hold?").nth(1).selectOption({ label: "Latitude" });
  await page.getByLabel("Place").selectOption({ label: "The world" });
  await seen("bounds");
  await next(page);
  await heading(page).filter({ hasText: "would you get" }).waitFor();
  await planned(page, "20,000", "Choose 0.5");
  await seen("plan");
  await next(page);
}

async function check(page, name) {
  const session = await page.context().newCDPSession(page);
  // axe runs outside the page's policy, as an extension would.
  const { result } = await session.send("Runtime.evaluate", { expression: `${axe}; axe.run(document, {iframes: false, runOnly: ["wcag2a","wcag2aa","wcag21aa","wcag22aa"]}).then((found) => found.violations.map((each) => each.id + ": " + each.nodes[0].html))`, awaitPromise: true, returnByValue: true });
  assert.deepEqual(result.value, [], name);
}

test("from a file to a page, by mouse; axe finds nothing on any step; the browser may be closed", async () => {
  const { folder, link } = await start();
  const { page, problems, context } = await open(link);
  assert.ok(!page.url().includes("token"));
  assert.equal(await page.evaluate(() => document.cookie), "");
  await fill(page, (step) => check(page, step), true);
  await heading(page).filter({ hasText: "How much may be spent" }).waitFor();
  assert.equal(await page.getByLabel("Cap").inputValue(), "");
  await page.getByRole("button", { name: "Create the budget" }).click();
  await page.getByText("Say how much epsilon may be spent in all").waitFor();
  await page.getByLabel("Cap").fill("0.8");
  assert.match(await command(page), /^shoal ledger create budget\.db --dataset patients --cap/);
  await check(page, "new budget");
  await page.getByRole("button", { name: "Create the budget" }).click();
  await heading(page).filter({ hasText: "Spend the budget" }).waitFor();
  const pay = page.getByRole("button", { name: "Spend epsilon 0.5 and make the release" });
  assert.ok(await pay.isDisabled());
  await page.getByLabel("I spend epsilon 0.5 of the 0.8 that are left").check();
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("patients-1.html"));
  await check(page, "budget");
  assert.equal(await command(page), "shoal release patients.csv --columns lon,lat --bounds lon=-180:180,lat=-90:90 --auto --unit patient --max-contributions 3 " +
    "--epsilon 0.5 --ledger budget.db --dataset patients -o releases/patients-1.json -o releases/patients-1.html");
  await pay.click();
  await heading(page).filter({ hasText: "Making the release" }).or(heading(page).filter({ hasText: "patients-1" })).waitFor();
  await context.close();

  const again = await open(link);
  await again.page.getByRole("button", { name: "History" }).click();
  await again.page.getByRole("button", { name: "Open patients-1" }).click({ timeout: 60000 });
  await check(again.page, "result");
  await explored(again.page);
  for (const suffix of ["html", "json", "geojson", "csv"]) {
    const waiting = again.page.waitForEvent("download");
    await again.page.getByRole("link", { name: `patients-1.${suffix}` }).click();
    const saved = join(folder, `saved.${suffix}`);
    await (await waiting).saveAs(saved);
    assert.ok(readFileSync(saved).length > 100);
  }
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "saved.json"))), JSON.parse(readFileSync(join(folder, "releases/patients-1.json"))));

  // 0.3 are left: the page says so, and the ledger would refuse.
  await again.page.getByRole("button", { name: "Data" }).click();
  await fill(again.page);
  await heading(again.page).filter({ hasText: "Spend the budget" }).waitFor();
  await again.page.getByText("is more than what is left").waitFor();
  await again.page.getByLabel("I spend epsilon 0.5").check();
  assert.ok(await again.page.getByRole("button", { name: /^Spend epsilon/ }).isDisabled());
  assert.deepEqual([...problems, ...again.problems], []);
  await again.context.close();
});

test("a ledger that refuses is heard, and two releases are compared", async () => {
  const { folder, link } = await start();
  const make = (name) => shoalIn(folder, "release", "patients.csv", "--columns", "lon,lat", "--bounds", "lon=-180:180,lat=-90:90", "--auto", "--epsilon", "0.5",
    "--ledger", "budget.db", "--dataset", "patients", "-o", `releases/${name}.json`);
  shoalIn(folder, "ledger", "create", "budget.db", "--dataset", "patients", "--cap", "1.2");
  const { mkdirSync } = await import("node:fs");
  mkdirSync(join(folder, "releases"));
  make("january");
  shoalIn(folder, "reshape", "releases/january.json", "--percentile", "30", "-o", "releases/again.json");
  const { page, problems } = await open(link);
  await fill(page);
  await page.getByLabel("I spend epsilon 0.5 of the 0.7").check();
  make("february"); // meanwhile, by the command line
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await heading(page).filter({ hasText: "There is no release" }).waitFor();
  assert.match(await page.locator(".said").innerText(), /0\.2/);
  await page.getByText("For the owner only.").waitFor();
  await page.getByRole("button", { name: "History" }).click();
  await page.getByLabel("Earlier").selectOption("january");
  await page.getByLabel("Later").selectOption("again"); // of one grid; a second automatic release may have another
  await page.getByRole("button", { name: "Compare" }).click();
  await page.frameLocator("iframe").getByText("january").first().waitFor();
  await check(page, "history");
  assert.deepEqual(problems, []);
});

/** What a hospital exports: a byte order mark, semicolons, decimal commas, German dates, empty fields, several rows per patient, an odd row. */
function messy() {
  const folder = mkdtempSync(join(tmpdir(), "shoal-messy-"));
  const day = (index) => `${String(1 + (index % 28)).padStart(2, "0")}.0${1 + (index % 3)}.2026`;
  const rows = Array.from({ length: 6000 }, (_, index) => {
    const [east, north] = [[13.3, 52.5], [13.5, 52.45], [13.4, 52.6]][index % 3];
    const near = (centre, step) => (centre + ((index * step) % 97) / 2500).toFixed(4).replace(".", ",");
    return [`P${String(index % 900).padStart(4, "0")}`, index % 50 === 7 ? "" : String(20 + (index % 60)), day(index), index % 40 === 3 ? "" : near(north, 31), near(east, 57), ["Innere", "Chirurgie"][index % 2]].join(";");
  });
  rows.splice(17, 0, "Summe;;;;");
  writeFileSync(join(folder, "aufnahmen.csv"), `\ufeffPatienten-Nr;Alter;Aufnahmedatum;Breite;L\u00e4nge;Station\r\n${rows.join("\r\n")}\r\n`);
  return folder;
}

test("a messy file becomes a release: problems are solved where they appear, Back works, nothing is lost", async () => {
  const folder = messy();
  const { link } = await run(folder);
  const { page, problems } = await open(link);
  const nothingSpent = () => page.getByText("Nothing is spent on this screen").waitFor();
  await nothingSpent();
  await page.getByLabel("aufnahmen.csv").check();
  await page.getByRole("cell", { name: "P0000" }).waitFor(); // the first rows, as they are written
  assert.equal(await page.getByRole("columnheader", { name: "Patienten-Nr" }).count(), 1);
  assert.equal(await page.getByRole("region", { name: "First rows" }).getByRole("row").count(), 6);
  await page.getByText("Files with semicolons often have a decimal comma").waitFor();
  await page.getByLabel("Breite", { exact: true }).check();
  await page.getByLabel("L\u00e4nge", { exact: true }).check();
  assert.equal(await page.getByLabel("What Breite holds").inputValue(), "latitude");
  assert.equal(await page.getByLabel("What L\u00e4nge holds").inputValue(), "longitude");
  const badRows = async (words) => page.locator(".checked").getByText(words).waitFor({ timeout: 30000 });
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await badRows("0 rows can be read, 6,001 cannot.");
  await check(page, "a check with bad rows");
  await page.getByRole("button", { name: "Numbers have a decimal comma" }).click();
  await badRows("5,850 rows can be read, 151 cannot.");
  assert.equal(await page.getByLabel("Decimal mark").inputValue(), "comma"); // the controls follow
  await page.getByRole("button", { name: "Empty fields are missing values" }).click();
  await badRows("6,000 rows can be read, 1 cannot.");
  await page.getByRole("button", { name: "Leave these rows out" }).click();
  await page.getByText("These rows are left out.").waitFor();
  await nothingSpent();
  await next(page);
  await page.getByLabel("A person with all of their rows").check();
  await page.getByLabel("Column", { exact: true }).selectOption({ label: "Patienten-Nr" });
  await page.getByLabel("Once").check();
  await page.getByLabel("What are they called?").fill("patients");
  await nothingSpent();
  await next(page);
  await heading(page).filter({ hasText: "values" }).waitFor();
  await page.getByLabel("Place").selectOption({ label: "Berlin" });
  await page.getByLabel("Maps").selectOption({ label: "One map per Station" });
  await page.getByLabel("Groups, one a line").fill("Innere\nChirurgie\nKinder");
  await page.getByLabel("In how many groups may one person count?").fill("2");
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--max-groups 2"));
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await badRows("5,850 would be counted");
  await check(page, "groups");
  await nothingSpent();
  await next(page);
  await planned(page, "900", "Choose 0.5");
  // Back by the page's button and by the browser's: what was chosen is there.
  await page.getByRole("button", { name: "Back" }).click();
  assert.equal(await page.getByLabel("Groups, one a line").inputValue(), "Innere\nChirurgie\nKinder");
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await heading(page).filter({ hasText: "protect" }).waitFor();
  assert.equal(await page.getByLabel("What are they called?").inputValue(), "patients");
  // A page that is loaded again goes on where it was.
  await page.reload();
  await heading(page).filter({ hasText: "protect" }).waitFor();
  assert.ok(await page.getByLabel("Once").isChecked());
  await page.getByRole("navigation", { name: "Steps" }).getByRole("button", { name: "What you would get" }).click();
  await page.getByLabel("Choose 0.5", { exact: true }).waitFor({ timeout: 60000 });
  assert.ok(await page.getByLabel("Choose 0.5", { exact: true }).isChecked());
  await next(page);
  await page.getByLabel("Cap").fill("2");
  await nothingSpent();
  await page.getByRole("button", { name: "Create the budget" }).click();
  await page.getByText("the release costs 2 times the epsilon 0.5 of each").waitFor();
  await page.getByText("Nothing is spent until you press").waitFor();
  await page.getByLabel("I spend epsilon 1 of the 2 that are left").check();
  const line = await command(page);
  assert.equal(line, "shoal release aufnahmen.csv --columns Breite,L\u00e4nge --decimal comma --na NA --bounds Breite=52.33:52.68,L\u00e4nge=13.08:13.77 " +
    "--on-bad-row skip --by 'Station=Innere|Chirurgie|Kinder' --max-groups 2 --auto --unit Patienten-Nr --contribution share --unit-name patients " +
    "--epsilon 0.5 --ledger budget.db --dataset aufnahmen -o releases/aufnahmen-1.json -o releases/aufnahmen-1.html");
  await page.getByRole("button", { name: "Spend epsilon 1 and make the release" }).click();
  await heading(page).filter({ hasText: "aufnahmen-1" }).waitFor({ timeout: 60000 });
  await page.getByText("1 of 2 is spent and 1 is left").waitFor();
  const made = JSON.parse(readFileSync(join(folder, "releases/aufnahmen-1.json"), "utf8"));
  assert.match(JSON.stringify(made), /"name":"patients"/);
  assert.deepEqual(problems, []);
});

test("a release that stops says what was spent, and the way back keeps everything", async () => {
  const folder = mkdtempSync(join(tmpdir(), "shoal-stops-"));
  writeFileSync(join(folder, "ages.csv"), `age\n${"30\n40\n".repeat(400)}old\n`);
  shoalIn(folder, "ledger", "create", "budget.db", "--dataset", "ages", "--cap", "2");
  const { link } = await run(folder);
  const { page, problems } = await open(link);
  await page.getByLabel("ages.csv").check();
  await page.getByLabel("age", { exact: true }).check();
  assert.equal(await page.getByLabel("What age holds").inputValue(), "age");
  await next(page);
  await page.getByLabel("Each row by itself").check();
  await next(page);
  await heading(page).filter({ hasText: "values" }).waitFor();
  await next(page);
  await planned(page, "800", "Choose 0.5");
  await next(page);
  await page.getByLabel("I spend epsilon 0.5").check();
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await heading(page).filter({ hasText: "There is no release" }).waitFor({ timeout: 60000 });
  await page.getByText("0 of 2 is spent").waitFor();
  await page.getByRole("button", { name: "Leave these rows out" }).click();
  await heading(page).filter({ hasText: "Spend the budget" }).waitFor();
  await page.getByLabel("I spend epsilon 0.5").check();
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await heading(page).filter({ hasText: "ages-1" }).waitFor({ timeout: 60000 });
  assert.deepEqual(problems, []);
});

test("insets are planned, released and explored", async () => {
  const { link } = await start();
  const { page, problems } = await open(link);
  await fill(page, async (step) => {
    if (step !== "plan") return;
    assert.equal(await page.getByRole("rowheader", { name: /^Cells of an inset/ }).count(), 0);
    await page.getByLabel(/^Add finer maps/).check();
    await page.getByRole("rowheader", { name: /^Cells of an inset/ }).waitFor({ timeout: 60000 });
    assert.equal(await page.getByRole("row", { name: /^Finest distance in it/ }).getByRole("cell").count(), 3);
    assert.match(await command(page), /^shoal plan .* --auto --insets 8 --unit patient /);
    await check(page, "plan of insets");
  });
  await heading(page).filter({ hasText: "How much may be spent" }).waitFor();
  await page.getByLabel("Cap").fill("1");
  await page.getByRole("button", { name: "Create the budget" }).click();
  await page.getByLabel("I spend epsilon 0.5").check();
  assert.match(await command(page), /^shoal release .* --auto --insets 8 --unit patient .*--epsilon 0.5 /);
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await heading(page).filter({ hasText: "patients-1" }).waitFor({ timeout: 60000 });
  const parts = page.frameLocator("iframe").getByRole("navigation", { name: "Parts of this file" }).getByRole("button");
  await parts.first().waitFor({ timeout: 60000 });
  assert.ok((await parts.count()) > 1);
  assert.match(await parts.first().innerText(), /overview/i);
  const waiting = page.waitForEvent("download");
  await page.getByRole("link", { name: "patients-1.geojson" }).click();
  assert.match(readFileSync(await (await waiting).path(), "utf8"), /"inset"/);
  await page.getByRole("button", { name: "History" }).click();
  assert.match(await page.getByRole("row", { name: /patients-1/ }).first().innerText(), /clusters?.* in the overview, \d+ insets?/);
  assert.deepEqual(problems, []);
});

test("by keyboard alone, with a file that is dropped", async () => {
  const { folder, link } = await start();
  const { page, problems } = await open(link);
  await page.getByText("Another file").click();
  writeFileSync(join(folder, "..", "dropped.csv"), "age,hour\n" + "30,4\n40,5\n".repeat(500));
  await page.setInputFiles("input[type=file]", join(folder, "..", "dropped.csv"));
  await page.getByLabel("age", { exact: true }).waitFor();
  assert.equal(readFileSync(join(folder, "dropped.csv"), "utf8").length, 9 + 10 * 500);
  const press = async (role, name, key = "Space") => {
    await page.getByRole(role, { name }).focus();
    await page.keyboard.press(key);
  };
  await press("checkbox", "age");
  await press("checkbox", "hour");
  await press("button", "Continue", "Enter");
  await heading(page).filter({ hasText: "protect" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
  await press("radio", /Each row by itself/);
  await press("button", "Continue", "Enter");
  await heading(page).filter({ hasText: "values" }).waitFor();
  for (const [at, kind] of [[0, "Age in years"], [1, "Hour of the day"]]) {
    await page.getByLabel("What does it hold?").nth(at).focus();
    await page.keyboard.type(kind);
  }
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("age=0:110:int,hour=0:24:circle"));
  await press("button", "Continue", "Enter");
  await heading(page).filter({ hasText: "would you get" }).waitFor();
  await press("button", "Continue", "Enter");
  await page.getByText("choose one epsilon").waitFor(); // said, not passed over
  await page.getByLabel(/^About how many/).focus();
  await page.keyboard.type("1000");
  await press("button", "Simulate", "Enter");
  await page.getByRole("radio", { name: "Choose 1", exact: true }).waitFor({ timeout: 60000 });
  await press("radio", "Choose 1");
  await press("button", "Continue", "Enter");
  await page.getByLabel("Cap").focus();
  await page.keyboard.type("1");
  await press("button", "Create the budget", "Enter");
  await press("checkbox", /I spend epsilon 1 of the 1 /);
  await press("button", /^Spend epsilon 1/, "Enter");
  await heading(page).filter({ hasText: "dropped-1" }).waitFor({ timeout: 60000 });
  assert.deepEqual(problems, []);
});

test("a Parquet file declares its columns", async () => {
  const { folder, link } = await start();
  execFileSync(join(root, ".venv/bin/python"), ["-c", "import pyarrow as pa, pyarrow.parquet as pq; n = range(3000); pq.write_table(pa.table({'age': [20 + i % 60 for i in n], " +
    "'score': [i % 97 / 97 for i in n], 'ward': ['AB'[i % 2] for i in n], 'many': [[i] for i in n]}), 'visits.parquet')"], { cwd: folder });
  const { page, problems } = await open(link);
  await page.getByLabel("visits.parquet").check();
  await page.getByLabel("age").check();
  await page.getByLabel("score").check();
  assert.ok(await page.getByLabel("many").isDisabled());
  assert.match(await page.locator("fieldset").innerText(), /age\s+whole number[^]*score\s+number[^]*ward\s+text\s+many\s+other/);
  await next(page);
  await page.getByLabel("Each row by itself").check();
  await next(page);
  await heading(page).filter({ hasText: "values" }).waitFor();
  assert.equal(await page.getByLabel("What does it hold?").nth(0).inputValue(), "whole");
  assert.deepEqual(await page.getByLabel(/Lowest|Highest/).evaluateAll((inputs) => inputs.map((input) => input.value)), ["", "", "", ""]); // nothing is suggested
  for (const [at, value] of ["20", "90", "0", "1"].entries()) await page.getByLabel(/Lowest|Highest/).nth(at).fill(value);
  await next(page);
  await planned(page, "3000", "Choose 1");
  await next(page);
  await page.getByLabel("Cap").fill("1");
  await page.getByRole("button", { name: "Create the budget" }).click();
  await page.getByLabel("I spend epsilon 1").check();
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await heading(page).filter({ hasText: "visits-1" }).waitFor({ timeout: 60000 });
  assert.deepEqual(problems, []);
});

/** A PostgreSQL server of the test's own, with a table of visits. */
async function database() {
  const server = spawn(join(root, ".venv/bin/python"), ["-c", `
import sys
sys.path.insert(0, "tests/program")
from engines import Server
server = Server()
try:
    server.ask("create table visits as select 20 + i % 60 as age, i % 97 / 97.0::float8 as score, i % 50 as who from generate_series(1, 3000) i")
    print(server.address, flush=True)
    sys.stdin.read()
finally:
    server.close()
`], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (text) => resolve(String(text).trim()));
    server.once("exit", () => reject(new Error("PostgreSQL did not start")));
  });
  const closed = new Promise((resolve) => server.once("exit", resolve));
  return { address, close: () => (server.stdin.end(), closed) };
}

test("a table of a PostgreSQL server becomes a page", async () => {
  const { address, close } = await database();
  try {
    const { folder, link } = await start();
    const { page, problems } = await open(link);
    await page.getByText("A table of a PostgreSQL server").click();
    await page.getByLabel("Address").fill(address);
    await page.getByLabel("Table", { exact: true }).fill("visits");
    await page.getByRole("button", { name: "Use this table" }).click();
    await page.getByLabel("age").check();
    await page.getByLabel("score").check();
    assert.match(await page.locator("fieldset").innerText(), /age\s+whole number[^]*score\s+number[^]*who\s+whole number/);
    await next(page);
    await page.getByLabel("A person with all of their rows").check();
    await page.getByLabel("Column", { exact: true }).selectOption({ label: "who" });
    await page.getByLabel("Once").check();
    await next(page);
    await heading(page).filter({ hasText: "values" }).waitFor();
    for (const [at, value] of ["20", "90", "0", "1"].entries()) await page.getByLabel(/Lowest|Highest/).nth(at).fill(value);
    await next(page);
    await planned(page, "3000", "Choose 1");
    await next(page);
    await page.getByLabel("Cap").fill("1");
    await page.getByRole("button", { name: "Create the budget" }).click();
    await page.getByLabel("I spend epsilon 1").check();
    await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--epsilon 1"));
    assert.match(await command(page), /^shoal release postgresql:\/\/owner@127\.0\.0\.1:\d+\/postgres --table visits --columns age,score .*--unit who --contribution share/);
    await page.getByRole("button", { name: /^Spend epsilon/ }).click();
    await heading(page).filter({ hasText: "visits-1" }).waitFor({ timeout: 60000 });
    await explored(page);
    assert.equal(JSON.parse(readFileSync(join(folder, "releases/visits-1.json"))).unit.column, "who");
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

/** Simulates, sees the table and the picture of the plan, and chooses. */
async function planned(page, records, choice) {
  await page.getByLabel(/^About how many/).fill(records);
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.getByLabel(choice, { exact: true }).check({ timeout: 60000 });
  const picture = page.getByRole("img", { name: /made-up shapes/ });
  await page.waitForFunction(() => (document.querySelector(".picture img")?.naturalWidth ?? 0) > 300);
  assert.ok(await picture.isVisible());
}

/** The page of the release in its frame is live: it computes in its own worker. */
async function explored(page) {
  const frame = page.frameLocator("iframe");
  await frame.locator(".stage canvas").first().waitFor();
  await frame.locator("#headline").getByText(/area|cluster/).waitFor();
  await frame.locator(".working:empty").waitFor({ state: "attached", timeout: 30000 });
}

const debits = (folder) => JSON.parse(shoalIn(folder, "ledger", "history", "budget.db", "--json", "-")).history.length;
const childrenOf = (pid) => readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ")).filter((each) => each !== "");
const isThere = (pid) => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

test("killed in the middle of a release: charged at most once, and what is paid is found again", { timeout: 180_000 }, async () => {
  const outcomes = new Set();
  for (const at of [1, 40]) {
    const folder = people();
    shoalIn(folder, "ledger", "create", "budget.db", "--dataset", "patients", "--cap", "2");
    const held = join(folder, ".held"); // the release waits at one of its calls that change files
    const studio = await run(folder, {
      LD_PRELOAD: join(program, "../../tests/libfailing_calls.so"), FAIL_FOR: "SHOAL_PROGRESS", FAIL_WAIT: held, FAIL_AT: String(at),
    });
    const { page, context } = await open(studio.link);
    const others = setInterval(() => rmSync(held, { force: true }), 10); // commands before the release go on
    await fill(page);
    await page.getByLabel("I spend epsilon 0.5").check();
    await page.waitForFunction(() => document.querySelector(".command").textContent.includes("patients-1.html"));
    clearInterval(others);
    await page.getByRole("button", { name: /^Spend epsilon/ }).click();
    await heading(page).filter({ hasText: "Making the release" }).waitFor();
    while (!existsSync(held)) await new Promise((resolve) => setTimeout(resolve, 5));
    const [child] = childrenOf(studio.process.pid);
    studio.process.kill("SIGKILL");
    rmSync(held);
    while (isThere(child)) await new Promise((resolve) => setTimeout(resolve, 5));
    await page.getByText("the studio does not answer").waitFor();
    await context.close();

    const again = await run(folder);
    const opened = await open(again.link);
    await opened.page.getByRole("button", { name: "History" }).click();
    await heading(opened.page).filter({ hasText: "History" }).waitFor();
    const paid = debits(folder);
    outcomes.add(paid);
    assert.equal(await opened.page.getByRole("button", { name: "Open patients-1" }).count(), paid, `at ${at}`);
    assert.ok(paid <= 1);
    if (paid === 1) {
      await opened.page.getByRole("button", { name: "Open patients-1" }).click();
      await explored(opened.page);
    }
    assert.deepEqual(opened.problems, []);
    await opened.context.close();
  }
  assert.deepEqual(outcomes, new Set([0, 1]));
});

test("axe finds nothing on a dark phone", { timeout: 180_000 }, async () => {
  const { folder, link } = await start();
  shoalIn(folder, "ledger", "create", "budget.db", "--dataset", "patients", "--cap", "2");
  const { page } = await open(link, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" });
  const wide = async (step) => {
    await check(page, step);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${step} is wider than the phone`);
  };
  await fill(page, wide);
  await page.getByLabel("I spend epsilon 0.5").check();
  await wide("budget");
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await heading(page).filter({ hasText: "patients-1" }).waitFor({ timeout: 60000 });
  await explored(page);
  await wide("result");
  await page.getByRole("button", { name: "History" }).click();
  await heading(page).filter({ hasText: "History" }).waitFor();
  await wide("history");
});
