"""Random command lines, valid and not: what must hold of every release, whatever its parameters and its data."""

import decimal
import json
import random
import re

import pytest
from conftest import validate

NUMBERS = ["0:1", "-1e-300:1e-300", "0:1e300", "-7e307:7e307", "1e6:1000001", "0:24:circle", "1e-300:1e300:log", "1:1.0000001:log"]
COUNTED = ["0:0:int", "0:110:int", "0:4503599627370496:int", "0:96:int:circle", "0:500:step=12.5", "2026-01-01:2026-12-31", "2026-03-01:2026-03-01", "1900-01-01:2099-12-31:month",
           "2026-01-01T00:00Z:2026-01-01T00:00:01Z", "A:category", "A|B|C:category", "A|B|C:circle"]
WRONG = ["1:0", "0:0", "0:inf", "0:5e-324", "0:1:log", "A|A:category", "1:12.5:int"]
RULES = [["--percentile", "0"], ["--percentile", "99.99"], ["--coverage", "80"], ["--coverage", "1e-300"], ["--top", "1"], ["--top", "18446744073709551615"], ["--density", "1e-300"],
         ["--density", "1e300"]]


def field(rng: random.Random, axis: str) -> str:
    if "|" in axis or "category" in axis:
        return rng.choice("ABCD")
    if axis.startswith("20"):
        return f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return rng.choice(["0", "1", "0.5", "nan", "inf", "1e308", "-1e308", f"{rng.random()}", f"{rng.random()}", f"{rng.randint(0, 110)}"])


class Case:
    """One command line, its data, and what it is to cost."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        wild = rng.random() < 0.25
        axes = [rng.choice(NUMBERS * 2 + COUNTED + (WRONG if wild else [])) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
        automatic, self.kind = rng.random() < 0.5, "release"
        words = ["--auto"] if automatic else ["--grid", rng.choice(["1", "2", "5", "8"]), *rng.choice(RULES)]
        if not automatic:
            words += ["--technique", rng.choice(["privwave", "privwave", "privqt", "privthr", "privthr-em", "baseline"])]
            words += rng.choice([[], [], ["--level", "3"], ["--level", "60"], ["--transform", "stationary"], ["--wavelet", "db2"]])
        self.each = decimal.Decimal(rng.choice(["1", "0.1", "0.123456789012", "10", "0.000001", "500000"] + (["1e-12", "1000000"] if wild else [])))
        words += ["--epsilon", str(self.each)] + rng.choice([[], [], ["--adjacency", "face"], ["--min-cells", "3"], ["--outside", "clamp"]])
        replace = rng.random() < 0.25
        words += ["--neighbors", "replace"] if replace else []
        unit = rng.random() < 0.4
        if unit:
            words += ["--unit", "who", *rng.choice([["--contribution", "share"], ["--max-contributions", "1"], ["--max-contributions", "1000"]])]
        self.times = 1
        if automatic and rng.random() < 0.5:
            self.kind = "insets"
            words += ["--insets", rng.choice(["1", "3", "64"] + (["65"] if wild else []))]
        elif rng.random() < 0.4:
            self.kind, groups = "groups", rng.choice(["ward=A", "ward=A|B|C", "ward=Nobody|A", "day=2026-W01..2026-W02"])
            many = 1 if groups == "ward=A" else 3 if groups == "ward=A|B|C" else 2
            most = rng.choice([1, 2]) if unit else 1
            words += ["--by", groups, *(["--max-groups", "2"] if most == 2 else [])]
            self.times = min(many, most * (2 if replace else 1))
        names = [f"x{i}" for i in range(len(axes))]
        self.words = ["--bounds", ",".join(f"{name}={axis}" for name, axis in zip(names, axes)), *words]
        rows = [[field(rng, axis) for axis in axes] for _ in range(rng.choice([0, 1, 40, 400]))]
        if rng.random() < 0.2:
            rows = rows[:1] * len(rows)
        self.data = ",".join([*names, "who", "ward", "day"]) + "\n"
        self.data += "".join(",".join([*row, f"u{rng.randrange(9)}", rng.choice("ABD"), f"2026-01-{rng.randint(1, 28):02d}"]) + "\n" for row in rows)
        self.outputs = ["r.json", *rng.sample(["r.csv", "r.svg", "r.html"], rng.choice([0, 0, 1]))]


def check_release(release: dict) -> None:
    assert sum(decimal.Decimal(of["epsilon_exact"]) for of in release["spent"]) == decimal.Decimal(release["epsilon_exact"])
    for cluster in release["clusters"]:
        least, most = cluster.get("size_95", (0, 0))
        assert 0 <= least <= most
        assert all(0 <= chance <= 1 for key, chance in cluster.get("confidence", {}).items() if key != "joined_with")
        assert all(axis["lo"] <= x <= axis["hi"] for x, axis in zip(cluster["centroid"], release["axes"]))


@pytest.mark.parametrize("first", range(0, 48, 8))
def test_a_random_release_is_refused_for_nothing_or_charged_once_and_kept(shoal, first):
    for seed in range(first, first + 8):
        case = Case(seed)
        (shoal.folder / "d.csv").write_text(case.data)
        for name in ("l.db", "l.db-wal", "l.db-shm", "again.json", *case.outputs):
            (shoal.folder / name).unlink(missing_ok=True)
        assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "1000000").code == 0
        before = set(shoal.folder.iterdir())
        made = shoal("release", "d.csv", *case.words, "--ledger", "l.db", "--dataset", "d", *[word for name in case.outputs for word in ("-o", name)], timeout=600)
        what = (seed, case.words, made.err)
        spent = decimal.Decimal(shoal("ledger", "show", "l.db", "--json", "-").json["accounts"][0]["spent"])
        if made.code != 0:
            assert made.code in (2, 3, 4) and len(made.err.splitlines()) == 1 and made.out == "", what
            assert spent == 0 and set(shoal.folder.iterdir()) == before, what
            continue
        assert spent == case.each * case.times, what
        assert {path.name for path in shoal.folder.iterdir()} - {path.name for path in before} == set(case.outputs), what
        document = json.loads((shoal.folder / "r.json").read_text())
        validate(case.kind, document)
        assert decimal.Decimal(document["epsilon_exact"]) == spent, what
        for part in document.get("groups") or document.get("parts") or [{"release": document}]:
            check_release(part["release"])
        assert not re.search(r"(?<![\w.,])1 (clusters|cells|insets|groups|records|units)\b|about -\d|\bnan\b|\binf\b|95 %: -", made.out), made.out
        assert shoal("reshape", "r.json", "-o", "again.json", timeout=600).code == 0, what
        assert json.loads((shoal.folder / "again.json").read_text()) == document, what


def test_the_same_seed_gives_the_same_bytes(shoal):
    for seed in range(6):
        case = Case(seed)
        (shoal.folder / "d.csv").write_text(case.data)
        first, second = (shoal("release", "d.csv", *case.words, "--seed", "5", "--json", "-", timeout=600) for _ in range(2))
        assert first.out == second.out and first.code == second.code, case.words
