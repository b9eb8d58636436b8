"""One table of conditions and of the rows that they select, for every source; and random conditions with a second evaluation of them.

The evaluation here is written from docs/where.md, not from the C++ code: on Python values, with None for unknown.
"""

from __future__ import annotations

import datetime
import json
import random
from typing import Any

import pyarrow as pa

UTC = datetime.timezone.utc
NAMES = ["id", "n", "i", "s", "m", "d", "t", "b", "Odd name"]


def _rows() -> list[dict[str, Any]]:
    numbers = [0.0, -1.5, 0.1, 7.0, 1e300, None, 5e-324, 2.0]
    wholes = [0, 7, -7, 2**53, None, 9, 10, 100]
    texts = ["a", "A", "b", "ä", "it's", None, "", "a%b", "New York", "10", "9", " a ", "null"]
    mixed = ["7", " 7.0 ", "seven", "", None, "nan", "1e1", "-3", "2026-01-02", "2026-01-02 00:00", "0x7"]
    days = [datetime.date(2026, 1, 1), datetime.date(2025, 12, 31), None, datetime.date(1969, 7, 20), datetime.date(2026, 1, 2)]
    times = [datetime.datetime(2026, 1, 1), datetime.datetime(2025, 12, 31, 23, 59, 59, 999999), datetime.datetime(2026, 1, 1, 12, 30), None, datetime.datetime(1960, 5, 5, 5, 5)]
    flags = [True, False, None]
    return [
        {
            "id": k,
            "n": numbers[k % 8],
            "i": wholes[k * 3 % 8],
            "s": texts[k % 13],
            "m": mixed[k % 11],
            "d": days[k % 5],
            "t": times[k * 2 % 5],
            "b": flags[k % 3],
            "Odd name": f"{k % 4}",
        }
        for k in range(64)
    ]


ROWS = _rows()


# ---- the table in every form


def text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime.date) else repr(value) if isinstance(value, float) else str(value)


def as_csv() -> str:
    def field(value: Any) -> str:
        return '"' + text(value).replace('"', '""') + '"'

    lines = [",".join(field(name) for name in NAMES)] + [",".join(field(row[name]) for name in NAMES) for row in ROWS]
    return "\n".join(lines) + "\n"


def as_json_lines() -> str:
    """Null and absent fields are the same."""
    lines = []
    for row in ROWS:
        given = {name: text(value) if isinstance(value, datetime.date) else value for name, value in row.items()}
        lines.append(json.dumps({name: value for name, value in given.items() if value is not None or row["id"] % 2}))
    return "\n".join(lines) + "\n"


def as_arrow() -> pa.Table:
    kinds = [pa.int64(), pa.float64(), pa.int64(), pa.string(), pa.string(), pa.date32(), pa.timestamp("us"), pa.bool_(), pa.string()]
    return pa.table({name: pa.array([row[name] for row in ROWS], kind) for name, kind in zip(NAMES, kinds)})


# ---- conditions whose rows are written down


def ids(keep: Any) -> list[int]:
    return [row["id"] for row in ROWS if keep(row)]


WRITTEN: list[tuple[str, list[int]]] = [
    ("id < 5", [0, 1, 2, 3, 4]),
    ("id in (3, 63, 64)", [3, 63]),
    ("id between 10 and 12", [10, 11, 12]),
    ("n = 0.1 and id < 20", [2, 10, 18]),
    ("n < 0", [1, 9, 17, 25, 33, 41, 49, 57]),
    ("not (n >= 0)", [1, 9, 17, 25, 33, 41, 49, 57]),
    ("n is null", [5, 13, 21, 29, 37, 45, 53, 61]),
    ("i = 9007199254740992", [1, 9, 17, 25, 33, 41, 49, 57]),
    ("i <> 9 and id < 8", [0, 1, 2, 3, 5, 6]),
    ("s = 'a'", [0, 11, 13, 24, 26, 37, 39, 50, 52, 63]),
    ("s = ' a '", [0, 11, 13, 24, 26, 37, 39, 50, 52, 63]),
    ("s is null and id < 14", [5, 6]),
    ("s like 'a\\%b'", [7, 20, 33, 46, 59]),
    ("s like 'N%k' or s = 'it''s'", [4, 8, 17, 21, 30, 34, 43, 47, 56, 60]),
    ("s > 'z' and id < 13", [3]),
    ("s < '9' and id < 13", [9]),
    ("m = 7 and id < 22", [0, 1, 11, 12]),
    ("m = '7' and id < 22", [0, 11]),
    ("m <> 7 and id < 11", [6, 7]),
    ("m is not null and id < 11", [0, 1, 2, 5, 6, 7, 8, 9, 10]),
    ("m = date '2026-01-02' and id < 22", [8, 9, 19, 20]),
    ("d >= date '2026-01-01' and id < 10", [0, 4, 5, 9]),
    ("d not in (date '2026-01-01', date '2025-12-31') and id < 10", [3, 4, 8, 9]),
    ("t < date '2026-01-01' and id < 10", [2, 3, 7, 8]),
    ("t = date '2026-01-01 12:30' and id < 10", [1, 6]),
    ("t between date '2025-12-31T23:59:59.999999Z' and date '2026-01-01T02:00+02:00' and id < 10", [0, 3, 5, 8]),
    ("b = 'true' and id < 7", [0, 3, 6]),
    ("b is null and id < 7", [2, 5]),
    ('"Odd name" in (\'1\', \'3\') and id < 8', [1, 3, 5, 7]),
    ("id < 8 and (n > 1 or i > 1) and not s like '%b%'", [1, 3, 4]),
    ("id < 5 or id > 60 and n is null", [0, 1, 2, 3, 4, 61]),
]

# ---- random conditions


class Literal:
    def __init__(self, value: Any, kind: str) -> None:
        self.value, self.kind = value, kind

    def __str__(self) -> str:
        if self.kind == "number":
            return repr(self.value)
        if self.kind == "date":
            return f"date '{self.value.isoformat()}'"
        return "'" + self.value.replace("'", "''") + "'"


def _instant(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value)
        except ValueError:
            return None
    if value is None:
        return None
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    return (value.replace(tzinfo=UTC) - datetime.datetime(1970, 1, 1, tzinfo=UTC)) / datetime.timedelta(microseconds=1)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        if value.strip().lower().startswith(("0x",)):
            return None
        try:
            value = float(value)
        except ValueError:
            return None
    return None if value is None or value != value else float(value)


def _text(value: Any) -> str | None:
    return (text(value).strip(" \t") or None) if value is not None else None


COLUMNS = {"id": "number", "n": "number", "i": "number", "s": "text", "m": "text", "d": "date", "t": "date", "b": "text", "Odd name": "text"}
AS = {"number": _number, "text": _text, "date": _instant}


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def literal(self, kind: str, column: str) -> Literal:
        pick = self.random.choice
        if kind == "number":
            return Literal(pick([pick(ROWS)["n"] or 0.0, pick(ROWS)["i"] or 1, pick([0, 7, -7, 9.5, 32, 1e300, 10])]), kind)
        if kind == "date":
            return Literal(pick([pick(ROWS)["d"] or datetime.date(2026, 1, 1), pick(ROWS)["t"] or datetime.datetime(2026, 1, 1, 12)]), kind)
        return Literal(pick([_text(pick(ROWS)[column]) or "x", pick(["a", "b", "9", "zzz", "true", "7"])]), kind)

    def condition(self, depth: int = 3) -> tuple[str, Any]:
        """A condition, and what it is for a row: True, False or None."""
        shape = self.random.random()
        if depth and shape < 0.45:
            word, join = self.random.choice([("and", self._and), ("or", self._or)])
            parts = [self.condition(depth - 1) for _ in range(self.random.randint(2, 3))]
            return "(" + f" {word} ".join(part[0] for part in parts) + ")", lambda row: join([part[1](row) for part in parts])
        if depth and shape < 0.6:
            inner, of = self.condition(depth - 1)
            return f"not ({inner})", lambda row: None if of(row) is None else not of(row)
        return self.test()

    @staticmethod
    def _and(values: list[bool | None]) -> bool | None:
        return False if False in values else None if None in values else True

    @staticmethod
    def _or(values: list[bool | None]) -> bool | None:
        return True if True in values else None if None in values else False

    def test(self) -> tuple[str, Any]:
        column = self.random.choice(list(COLUMNS))
        declared = COLUMNS[column]
        shown = f'"{column}"' if " " in column or self.random.random() < 0.2 else column
        operator = self.random.choice(["<", "<=", "=", "<>", ">=", ">", "in", "not in", "between", "not between", "is null", "is not null"])
        if operator.startswith("is"):
            missing = AS[declared]
            return f"{shown} {operator}", lambda row: (missing(row[column]) is None) == (operator == "is null")
        kind = self.random.choice(["number", "text", "date"]) if declared == "text" and column != "b" else declared
        count = 1 if operator in ("<", "<=", "=", "<>", ">=", ">") else 2 if "between" in operator else self.random.randint(1, 4)
        literals = [self.literal(kind, column) for _ in range(count)]
        shapes = {"in": f"({', '.join(map(str, literals))})", "between": " and ".join(map(str, literals))}
        convert = AS[kind]
        values = [convert(literal.value) for literal in literals]

        def holds(row: dict[str, Any]) -> bool | None:
            value = convert(row[column])
            if value is None or _text(row[column]) is None:
                return None
            tests = {
                "<": lambda: value < values[0],
                "<=": lambda: value <= values[0],
                "=": lambda: value == values[0],
                "<>": lambda: value != values[0],
                ">=": lambda: value >= values[0],
                ">": lambda: value > values[0],
                "in": lambda: value in values,
                "not in": lambda: value not in values,
                "between": lambda: values[0] <= value <= values[-1],
                "not between": lambda: not values[0] <= value <= values[-1],
            }
            return tests[operator]()

        return f"{shown} {operator} {shapes.get(operator.split()[-1], literals[0])}", holds


def random_conditions(seed: int, count: int) -> list[tuple[str, list[int]]]:
    """Conditions and the rows that they select; most of them select some."""
    generator, result = Generator(seed), []
    while len(result) < count:
        condition, holds = generator.condition()
        selected = ids(lambda row, holds=holds: holds(row) is True)
        if selected or generator.random.random() < 0.1:
            result.append((condition, selected))
    return result
