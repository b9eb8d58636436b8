"""Puts what was measured into docs/performance.md, between marks: document.py DOCUMENT [--tasks TASKS.json] [--curves SCALING.json]."""

from __future__ import annotations

import argparse
import json
import pathlib


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def number(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def task_text(result: dict) -> str:
    score = [result["score"]] if "score" in result else []
    rows = [
        [row["contender"], number(row["seconds"] * 1000), number(row["cpu"] * 1000), f"{row['rate']:.3g}", number(row["ratio"])]
        + ([f"{row['score']:.3g}"] if score else [])
        for row in result["rows"]
    ]
    text = f"\n### {result['task']}\n\n" + table(["", "ms", "processor ms", f"{result['unit']}/s", "time / ours", *score], rows)
    if "limit" in result:
        limit = result["limit"]
        text += f"\nLimit: {limit['what']}, {number(limit['seconds'] * 1000)} ms; reached: {limit['of_limit']:.2f}.\n"
    return text


def scaling_text(scaling: dict) -> str:
    machine = scaling["machine"]
    text = f"Size {machine['size']}, on {machine['cores']} cores of {machine['processor']}, with a load of {machine['load']:.1f} when the run began.\n"
    for what, curves in scaling["series"].items():
        text += f"\n![seconds and memory against {what}](images/performance-{what}.svg)\n"
        for who, rows in curves.items():
            text += f"\n{who}:\n\n"
            cells = [[f"{row['x']:,}", *(f"{row[key]:.3g}" for key in ("seconds", "cpu", "limit")), f"{row['mb']:.0f}"] for row in rows]
            text += table([what, "seconds", "processor s", "limit s", "MB"], cells)
    fits = ", ".join(f"{name} {fit:.2f}" for name, fit in scaling["exponents"].items())
    return text + f"\nExponents of time (at least 10^6 rows; 2^18 cells up to the dense limit): {fits}. Largest memory of the run: {scaling['peak']:.2f} GiB.\n"


def replaced(document: str, mark: str, body: str) -> str:
    """Returns the document with `body` between the marks of this name."""
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->\n"
    before, _, rest = document.partition(begin)
    _, _, after = rest.partition(end)
    return before + begin + body + end + after


def main() -> None:
    parser = argparse.ArgumentParser(description="Puts what was measured into a document.")
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--tasks", type=pathlib.Path)
    parser.add_argument("--curves", type=pathlib.Path)
    options = parser.parse_args()
    text = options.document.read_text()
    if options.tasks:
        tasks = json.loads(options.tasks.read_text())
        about = "".join(f"- {name}: {value}\n" for name, value in tasks["machine"].items())
        text = replaced(text, "measured", about + "".join(task_text(result) for result in tasks["results"]))
    if options.curves:
        text = replaced(text, "curves", scaling_text(json.loads(options.curves.read_text())))
    options.document.write_text(text)
    print(f"wrote {options.document}")


if __name__ == "__main__":
    main()
