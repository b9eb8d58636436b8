// Makes studio_data.cpp: the studio's page, style and script, as text inside the program.
//   node studio.mjs FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { constant } from "./literal.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const bundled = await build({
  entryPoints: [join(here, "src/studio.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  logLevel: "error",
  write: false,
});
const script = bundled.outputFiles[0].text.trim();
writeFileSync(
  join(process.argv[2], "studio_data.cpp"),
  [
    '// Made by web/studio.mjs.\n#include "studio/studio_data.hpp"\n\nnamespace shoal::studio::studio_data {\n',
    constant("page", readFileSync(join(here, "src/studio.html"), "utf8")),
    constant("style", readFileSync(join(here, "src/studio.css"), "utf8")),
    constant("script", script),
    "}  // namespace shoal::studio::studio_data\n",
  ].join("\n"),
);
console.log(`studio: script ${script.length} bytes`);
