// What the name of a column suggests that it holds. Only names are read, never values; the owner may say otherwise.
import { kinds } from "./places.js";

const patterns: [RegExp, string][] = [
  [/^(lon|lng|long|longitude|laenge|laengengrad|geo_?laenge)$/, "longitude"],
  [/^(lat|latitude|breite|breitengrad|geo_?breite)$/, "latitude"],
  [/(^|_)(age|alter|edad)(_|$)/, "age"],
  [/(^|_)(hour|stunde|hora)(_|$)/, "hour"],
  [/(^|_)(date|datum|day|tag|fecha|dia)(_|$)|datum$|date$/, "date"],
  [/(^|_)(percent|percentage|prozent|pct)(_|$)/, "percent"],
  [/(^|_)(price|amount|income|preis|betrag|umsatz|einkommen|eur|euro|usd)(_|$)/, "ratio"],
];

/** The kind of places.ts, or nothing. */
export function kindOfName(name: string): string | undefined {
  const plain = name.trim().replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase().normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_|_$/g, "");
  const spelt = [plain, name.trim().toLowerCase().replaceAll("\u00e4", "ae")];
  return patterns.find(([pattern, kind]) => kind in kinds && spelt.some((each) => pattern.test(each)))?.[1];
}
