"""Puts what was measured into docs/performance.md, between its two marks: document.py TASKS.json SCALING.json DOCUMENT."""

from __future__ import annotations

import json
import pathlib
import sys

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


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
    text = "\n### Curves\n"
    for what, curves in scaling["series"].items():
        text += f"\n![seconds against {what}](images/performance-{what}.svg)\n\n"
        names = list(curves)
        at = [dict(map(tuple, curves[name])) for name in names]  # the first curve is the longest
        rows = [[f"{x:,}", *(f"{curve[x]:.4g}" if x in curve else "" for curve in at)] for x, _ in curves[names[0]]]
        text += table([what, *(f"seconds: {name}" for name in names)], rows)
    fits = ", ".join(f"{name} {fit:.2f}" for name, fit in scaling["exponents"].items())
    return text + f"\nExponents of time (cells: from 2^18 up to the dense limit): {fits}. Largest memory of the run: {scaling['peak']:.2f} GiB.\n"


def main() -> None:
    tasks, scaling = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3])
    document = pathlib.Path(sys.argv[3])
    before, _, rest = document.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    about = "".join(f"- {name}: {value}\n" for name, value in tasks["machine"].items())
    body = about + "".join(task_text(result) for result in tasks["results"]) + scaling_text(scaling)
    document.write_text(before + BEGIN + body + END + after)
    print(f"wrote {document}")


if __name__ == "__main__":
    main()
