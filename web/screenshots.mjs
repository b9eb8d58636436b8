// Pictures of page and studio for docs/images: node web/screenshots.mjs [FOLDER [pages]]. At laptop, phone, dark and print, with few colours
// (Pillow, of the Python environment). Look at them before they are kept.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, open, program, root, shoal, shoalIn, startBrowser, stopBrowser } from "./tests/support.mjs";

const to = process.argv[2] ?? join(root, "docs/images");
const looks = {
  laptop: { viewport: { width: 1280, height: 860 } },
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  print: { viewport: { width: 794, height: 1123 } }, // A4 at 96 dots per inch
};
const kept = [];

async function picture(page, name, look, { whole = false, top = true } = {}) {
  if (look === "print") {
    await page.emulateMedia({ media: "print" });
    await page.addStyleTag({ content: "body{padding:0 56px}" }).catch(() => {}); // the margins of the paper
  }
  if (top) await page.evaluate(() => scrollTo(0, 0));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const file = join(to, `${name}-${look}.png`);
  await page.screenshot({ path: file, fullPage: whole, animations: "disabled" });
  kept.push(file);
}

function fewColours() {
  execFileSync(join(root, ".venv/bin/python"), ["-c", `
import sys
from PIL import Image
for name in sys.argv[1:]:
    image = Image.open(name).convert("RGB")
    image.quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE).save(name, optimize=True)
`, ...kept]);
  const sizes = kept.map((file) => statSync(file).size);
  kept.forEach((file, i) => console.log(`${file} ${(sizes[i] / 1000).toFixed(0)} kB`));
  console.log(`in all ${(sizes.reduce((sum, each) => sum + each, 0) / 1000).toFixed(0)} kB`);
}

/** Evenings of made-up people around some places of Berlin. */
function makeCity() {
  let state = 11;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const places = [[13.405, 52.52, 0.012, 5200], [13.3, 52.505, 0.01, 2600], [13.455, 52.51, 0.011, 3600], [13.425, 52.487, 0.01, 3000],
                  [13.35, 52.55, 0.01, 1900], [13.19, 52.535, 0.011, 900], [13.57, 52.445, 0.012, 1400], [13.29, 52.435, 0.01, 1200]];
  const rows = places.flatMap(([x, y, spread, count]) => Array.from({ length: count }, () => [x + 1.64 * spread * normal(), y + spread * normal()]));
  for (let i = 0; i < 1500; i++) rows.push([13.1 + 0.65 * random(), 52.35 + 0.31 * random()]);
  writeFileSync(join(folder, "evenings.csv"), `person,lon,lat\n${rows.map(([x, y], i) => `${i},${x.toFixed(5)},${y.toFixed(5)}`).join("\n")}\n`);
}

/** Ages of made-up patients on four wards. */
function makeStays() {
  let state = 5;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const wards = { Surgery: [[62, 11, 2600], [27, 6, 700]], Children: [[4, 2.2, 1800], [13, 2.1, 900]], Cardiology: [[71, 9, 3100]],
                  Maternity: [[31, 4.6, 2400]], Emergency: [[24, 5, 1700], [78, 7, 1500]] };
  const rows = Object.entries(wards).flatMap(([ward, ages]) => ages.flatMap(([middle, spread, count]) =>
    Array.from({ length: count }, () => `${ward},${Math.max(0, Math.min(110, Math.floor(middle + spread * normal())))}`)));
  writeFileSync(join(folder, "stays.csv"), `ward,age\n${rows.join("\n")}\n`);
}

/** Releases without a seed: no study's banner. */
function makeReleases() {
  makeCity();
  shoal("release", "evenings.csv", "--columns", "lon,lat", "--bounds", "lon=13.08:13.77,lat=52.33:52.68", "--unit", "person", "--contribution", "share", "--auto",
        "--epsilon", "1", "--title", "Where Berliners spend the evening", "--source", "A generated example", "--date", "May 2026", "--contact", "data@example.org", "-o", "city.html");
  shoal("datasets", "world", "--seed", "1", "-o", "world.csv");
  shoal("release", "world.csv", "--columns", "lon,lat", "--bounds", "lon=-180:180,lat=-90:90", "--auto", "--epsilon", "1", "--title", "A generated world", "-o", "world.html");
  shoal("datasets", "visits", "--seed", "1", "-o", "visits.csv");
  shoal("release", "visits.csv", "--by", "day=2026-W01..2026-W06", "--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "1", "--title", "Visits to a park and a fair", "-o", "weeks.html", "-o", "weeks.json");
  shoal("compare", "weeks.json", "-o", "changes.html");
  makeStays();
  shoal("release", "stays.csv", "--by", "ward=Surgery|Children|Cardiology|Maternity|Emergency", "--columns", "age", "--bounds", "age=0:110:int", "--auto",
        "--epsilon", "1", "--title", "Ages of patients by ward", "--source", "A generated example", "--date", "May 2026", "-o", "wards.html");
  shoal("release", "world.csv", "--columns", "lon,lat", "--bounds", "lon=-180:180,lat=-90:90", "--auto", "--insets", "4", "--epsilon", "2", "--title", "A generated world, closer where records crowd", "-o", "insets.html");
}

async function pages() {
  makeReleases();
  for (const look of ["laptop", "dark", "print"]) {
    const { page, close } = await open("world.html", { folded: true, ...looks[look] }, "#cluster=1");
    if (look === "laptop") await page.locator(".stage canvas").hover({ position: { x: 447, y: 374 } });
    await picture(page, "page", look);
    await close();
  }
  for (const look of ["laptop", "phone"]) {
    const { page, close } = await open("city.html", { folded: true, ...looks[look] });
    await picture(page, "page-city", look);
    await close();
  }
  const insets = await open("insets.html", { folded: true, ...looks.laptop });
  await picture(insets.page, "page-insets", "laptop");
  await insets.close();
  const wards = await open("wards.html", { folded: true, ...looks.laptop }, "#group=Emergency");
  await picture(wards.page, "page-wards", "laptop");
  await wards.close();
  for (const look of ["laptop", "phone"]) {
    const { page, close } = await open("weeks.html", { folded: true, ...looks[look] }, "#group=2026-W04");
    await picture(page, "page-groups", look);
    await close();
  }
  for (const look of ["dark", "phone"]) {
    const { page, close } = await open("changes.html", { settled: false, ...looks[look] });
    await page.locator("tr", { hasText: "moved" }).first().getByRole("button").focus();
    await picture(page, "compare", look, { top: false });
    await close();
  }
}

async function studio(look) {
  const here = join(folder, `studio-${look}`);
  mkdirSync(here);
  const [head, ...rows] = readFileSync(join(folder, "world.csv"), "utf8").trim().split("\n");
  writeFileSync(join(here, "patients.csv"), [`${head},patient`, ...rows.slice(0, 20000).map((row, i) => `${row},p${i % 7000}`)].join("\n") + "\n");
  shoalIn(here, "ledger", "create", "budget.db", "--dataset", "patients", "--cap", "2");
  const server = spawn(program, ["studio", ".", "--no-browser"], { cwd: here });
  const link = await new Promise((resolve) => server.stdout.on("data", (text) => /http:\S+/.test(text) && resolve(/http:\S+/.exec(text)[0])));
  const context = await (await startBrowser()).newContext(looks[look]);
  const page = await context.newPage();
  const next = (title) => page.getByRole("button", { name: "Continue" }).click().then(() => page.getByRole("heading", { level: 1 }).filter({ hasText: title }).waitFor());
  const wanted = (...steps) => steps.includes(look);
  await page.goto(link);
  await page.getByLabel("patients.csv").check();
  await page.getByLabel("lon", { exact: true }).check();
  await page.getByLabel("lat", { exact: true }).check();
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--columns lon,lat"));
  if (wanted("laptop")) await picture(page, "studio-data", look);
  await next("protect");
  await page.getByLabel("A person with all of their rows").check();
  await page.getByLabel("Column", { exact: true }).selectOption({ label: "patient" });
  await page.getByLabel("Once").check();
  await page.waitForFunction(() => document.querySelector(".command").textContent.includes("--contribution share"));
  if (wanted("phone")) await picture(page, "studio-unit", look);
  await next("values");
  await page.getByLabel("What does it hold?").nth(0).selectOption({ label: "Longitude" });
  await page.getByLabel("What does it hold?").nth(1).selectOption({ label: "Latitude" });
  await page.getByLabel("Place").selectOption({ label: "The world" });
  await next("would you get");
  await page.getByLabel(/^About how many/).fill("20,000");
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.getByLabel("Choose 0.5").check({ timeout: 60000 });
  await page.waitForFunction(() => document.querySelector(".picture img").naturalWidth > 300);
  if (wanted("laptop", "phone")) await picture(page, "studio-plan", look, { whole: look !== "phone" });
  await next("Spend the budget");
  await page.getByLabel("I spend epsilon 0.5").check();
  if (wanted("dark")) await picture(page, "studio-budget", look);
  await page.getByRole("button", { name: /^Spend epsilon/ }).click();
  await page.getByRole("heading", { level: 1 }).filter({ hasText: "patients-1" }).waitFor({ timeout: 60000 });
  await page.frameLocator("iframe").locator(".working:empty").waitFor({ state: "attached", timeout: 60000 });
  if (wanted("laptop", "print")) await picture(page, "studio-result", look);
  await context.close();
  server.kill("SIGINT");
}

await pages();
if (process.argv[3] !== "pages") for (const look of Object.keys(looks)) await studio(look);
await stopBrowser();
fewColours();
rmSync(folder, { recursive: true });
