// Makes page_data.cpp, the page's style, script and WebAssembly, and coast_data.cpp, the base map, as text inside the program.
//   node bundle.mjs FOLDER    FOLDER holds shoal.js and shoal.wasm
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { coast, places } from "./coast.mjs";
import { gzip } from "./deflate.mjs";
import { constant, literal } from "./literal.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];

/** Five characters for four bytes, after a digit: how many bytes of the last four are none. web/src/base85.ts reads it. */
function base85(bytes) {
  const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?()[]{}@%$#_~`";
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  const text = [String(padded.length - bytes.length)];
  for (let at = 0; at < padded.length; at += 4) {
    let value = padded.readUInt32BE(at);
    let five = "";
    for (let i = 0; i < 5; i++, value = Math.floor(value / 85)) five = alphabet[value % 85] + five;
    text.push(five);
  }
  return text.join("");
}

const bundled = (entry) => build({
  entryPoints: [join(here, entry)],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  alias: { "shoal-core": join(folder, "shoal.js") },
  // Emscripten's loader asks where it was loaded from; the page hands it the binary instead.
  define: { "import.meta.url": '"https://page.invalid/"' },
  external: ["fs", "path", "module"],
  logLevel: "error",
  write: false,
});
const scriptOf = async (entry) => (await bundled(entry)).outputFiles[0].text.trim().replaceAll("</", "<\\/");
const hash = (text) => createHash("sha256").update(text).digest("base64");
const [script, compareScript] = [await scriptOf("src/page.ts"), await scriptOf("src/compare.ts")];
const style = readFileSync(join(here, "src/page.css"), "utf8").trim();
const wasm = base85(gzip(readFileSync(join(folder, "shoal.wasm"))));
const policy =
  `default-src 'none'; script-src 'sha256-${hash(script)}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; ` +
  "base-uri 'none'; form-action 'none'";
const comparePolicy =
  `default-src 'none'; script-src 'sha256-${hash(compareScript)}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;

/** A source of namespace page_data, which src/drawing/page_data.hpp declares. */
function write(name, constants) {
  const head = '// Made by web/bundle.mjs.\n#include "drawing/page_data.hpp"\n\nnamespace shoal::page_data {\n';
  writeFileSync(join(folder, name), [head, ...constants, "}  // namespace shoal::page_data\n"].join("\n"));
}
write("page_data.cpp", [
  constant("policy", policy),
  constant("head", `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>\n`),
  constant("wasm", wasm),
  constant("script", script),
  constant("compare_policy", comparePolicy),
  constant("compare_script", compareScript),
]);
const modules = join(here, "node_modules");
const constantOf = (name, { text, numbers }) => `const Packed ${name}{
${literal(text)},
${numbers}};
`;
write("coast_data.cpp", [...["110m", "50m", "10m"].map((name) => constantOf(`coast_${name}`, coast(modules, name))), constantOf("places", places(modules))]);
console.log(`page: script ${script.length} bytes, WebAssembly ${wasm.length} (base 85 of gzip)`);
