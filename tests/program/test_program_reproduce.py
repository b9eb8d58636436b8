"""shoal reproduce: every number in its report and its JSON is recomputed from its CSV."""

from __future__ import annotations

import csv
import html.parser
import json
import math
import re
import signal
import statistics
import subprocess
import time
import xml.etree.ElementTree

import pytest
from conftest import SHOAL, published
from scipy.stats import t as student

MEASURES = ["dsgc", "f_measure", "ocm", "two_ce"]
PICTURES = [
    "figure-2.svg", "figure-4.svg", "figure-5.svg", "figure-6.svg", "figure-7.svg", "figure-8-ocm.svg", "figure-8-2ce.svg",
    "shares.svg", "grids.svg", "wavelets.svg",
]
COLUMNS = "dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds,adjusted_rand,adjusted_rand_truth"


class Tables(html.parser.HTMLParser):
    """The tables of a page: (the id or data-set around it, its rows of cells as text)."""

    def __init__(self):
        super().__init__()
        self.tables, self.around, self.cell = [], "", None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.around = attributes.get("id") or attributes.get("data-set") or self.around
        if tag == "table":
            self.tables.append((self.around, []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "br" and self.cell is not None:
            self.cell += "\n"
        elif tag in ("span", "small") and self.cell:
            self.cell += " "

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][1][-1].append(self.cell.strip())
            self.cell = None
        elif tag == "span" and self.cell is not None:
            self.cell += "\n"

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def interval(values):
    mean = statistics.fmean(values)
    if len(values) == 1:
        return mean, mean, mean
    half = student.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


class Rows:
    def __init__(self, path):
        text = path.read_text()
        assert text.splitlines()[0] == COLUMNS
        self.groups = {}
        for row in csv.DictReader(text.splitlines()):
            self.groups.setdefault((row["dataset"], row["technique"], row["epsilon"]), []).append(row)

    def values(self, key, column):
        return [float(row[column]) for row in self.groups[key] if row[column]]

    def interval(self, key, column):
        values = self.values(key, column)
        return interval(values) if values else None

    def truth(self, dataset, column):
        found = {row[column] for (name, _, _), rows in self.groups.items() if name == dataset for row in rows}
        assert len(found) == 1
        return float(found.pop())

    def figure(self, dataset, technique, quantity, epsilon):
        key = (dataset, technique, epsilon)
        if quantity in ("k_excess", "k_error"):
            true = self.truth(dataset, "k_true")
            mean, low, high = self.interval(key, "k")
            if quantity == "k_excess":
                return mean - true, low - true, high - true
            error, half = abs(mean - true) / true, (high - mean) / true
            return error, error - half, error + half
        if quantity == "k_error_of_runs":
            true = self.truth(dataset, "k_true")
            return interval([abs(k - true) / true for k in self.values(key, "k")])
        return self.interval(key, quantity)


def same(ours, recomputed):
    assert [ours["mean"], ours["low"], ours["high"]] == pytest.approx(recomputed, rel=1e-9, abs=1e-12)


def check_json(study, rows):
    assert {(s["dataset"], s["technique"], s["epsilon"]) for s in study["summary"]} == set(rows.groups)
    for summary in study["summary"]:
        key = (summary["dataset"], summary["technique"], summary["epsilon"])
        assert summary["runs"] == len(rows.groups[key])
        for column in ["k", "clusters", *MEASURES]:
            recomputed = rows.interval(key, column)
            if recomputed is None:
                assert summary[column] is None
            else:
                same(summary[column], recomputed)
    for one in study["sets"]:
        assert one["k"] == rows.truth(one["name"], "k_true")
        assert one["clusters"] == rows.truth(one["name"], "clusters_true")


def check_figure(figure, study, rows):
    dataset, technique, quantity = figure["dataset"], figure["technique"], figure["quantity"]
    if not figure["epsilons"]:
        value = figure["value"]["mean"]
        if quantity == "nonpositive_cells":
            assert value == next(s for s in study["sets"] if s["name"] == dataset)["nonpositive_cells"]
        else:
            assert value == rows.truth(dataset, quantity)
        return
    parts = [rows.figure(dataset, technique, quantity, epsilon) for epsilon in figure["epsilons"]]
    mean = statistics.fmean(part[0] for part in parts)
    half = math.sqrt(sum((part[2] - part[0]) ** 2 for part in parts)) / len(parts)
    same(figure["value"], (mean, mean - half, mean + half))
    scale, digits = {"k_error": (100, 1), "k_error_of_runs": (100, 1), "k": (1, 1), "k_excess": (1, 1), "clusters": (1, 1)}.get(quantity, (1, 3))
    shown = re.search(r"(-?[\d.]+)(?: %)? ± ([\d.]+)$", figure["words"])
    assert float(shown[1]) == pytest.approx(scale * mean, abs=0.51 * 10**-digits)
    assert float(shown[2]) == pytest.approx(scale * half, abs=0.51 * 10**-digits)


def check_claims(study, rows, claims_table, markdown):
    assert len(claims_table) == 1 + len(study["claims"])
    for claim, cells in zip(study["claims"], claims_table[1:], strict=True):
        assert cells[0].startswith(claim["claim"]) and cells[1] == claim["paper"]
        for finding, cell in ((claim["ours"], cells[2]), (claim["letter"], cells[3])):
            if finding is None:
                assert cell == "the same"
                continue
            share = f", {finding['seeds_held']} of {finding['seeds']} seeds"
            shown = finding["verdict"] + (share if finding["seeds"] > 1 and finding["verdict"] != "not testable here" else "")
            assert cell.startswith(shown)
            assert f"**{shown}**" in markdown
            assert finding["why"] in cell
            if finding["verdict"] == "reproduced":
                assert finding["why"] == ""
            else:
                assert finding["why"]
            for figure in finding["figures"]:
                check_figure(figure, study, rows)
                assert figure["words"] in cell
                assert figure["words"].replace("|", "\\|") in markdown
            if finding["of"] > 1:
                assert f"holds {finding['held']} of {finding['of']} times over all runs" in cell


def check_orders(study, rows):
    """Comparisons between techniques, counted again over all runs and seed by seed."""
    for claim in study["claims"]:
        found = re.fullmatch(r"(dsgc|ocm|two_ce)-order-(\w+)(-unclustered)?", claim["id"])
        if not found:
            continue
        measure, dataset, unclustered = found.groups()
        dataset += " unclustered" if unclustered else ""
        assert claim["unclustered_class"] == bool(unclustered)
        budgets = {e for d, t, e in rows.groups if d == dataset and t == "privqt" and (measure == "dsgc" or float(e) >= 0.5)}
        for finding, suffix in ((claim["ours"], ""), (claim["letter"], "-literal-not-private")):

            def held(runs):
                mean = lambda technique, e: statistics.fmean(rows.values((dataset, technique + suffix, e), measure)[runs])
                return [
                    mean(refined, e) < mean(plain, e)
                    for e in budgets
                    for refined in ("privthr", "privthr-em")
                    for plain in ("baseline", "privqt")
                ]

            over_all = held(slice(None))
            assert (finding["held"], finding["of"]) == (sum(over_all), len(over_all))
            by_seed = [all(held(slice(at, at + study["runs"]))) for at in range(0, study["seeds"] * study["runs"], study["runs"])]
            assert (finding["seeds_held"], finding["seeds"]) == (sum(by_seed), study["seeds"])
            assert finding["verdict"] == ("reproduced" if 2 * sum(by_seed) > study["seeds"] else "differs")


def check_pictures(folder):
    """Each picture is one SVG with a title, and every text of it starts inside."""
    names = sorted(path.name for path in folder.glob("*.svg"))
    assert names == sorted(PICTURES)
    for name in names:
        root = xml.etree.ElementTree.parse(folder / name).getroot()
        width, height = (float(root.get(side)) for side in ("width", "height"))
        texts = 0

        def walk(element, x, y):
            nonlocal texts
            if element.tag.endswith("svg") and element is not root:
                x, y = x + float(element.get("x", 0)), y + float(element.get("y", 0))
                assert x + float(element.get("width")) <= width + 1 and y + float(element.get("height")) <= height + 1, name
            if element.tag.endswith("text") and element.get("x"):
                texts += 1
                assert 0 <= x + float(element.get("x")) <= width and 0 <= y + float(element.get("y")) <= height, (name, element.text)
            for child in element:
                walk(child, x, y)

        walk(root, 0, 0)
        assert texts > 10, name


def check_tables(tables, rows):
    """Every number of the tables of all figures."""
    seen = 0
    for dataset, table in tables:
        for technique, epsilon, *cells in table[1:]:
            seen += 1
            for column, cell in zip(["k", "clusters", *MEASURES], cells, strict=True):
                recomputed = rows.interval((dataset, technique, epsilon), column)
                if recomputed is None:
                    assert cell == ""
                    continue
                digits = 1 if column in ("k", "clusters") else 3
                mean, half = (float(part) for part in cell.replace("\u200a", " ").split("±"))
                assert mean == pytest.approx(recomputed[0], abs=0.51 * 10**-digits)
                assert half == pytest.approx(recomputed[2] - recomputed[0], abs=0.51 * 10**-digits)
    assert seen == len(rows.groups)


def check_study(folder, study):
    rows = Rows(folder / "rows.csv")
    page = (folder / "report.html").read_text()
    assert "<script" not in page and not re.search(r'(?:src|href)="https?:', page), "the page stands alone"
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "two parts of the page share an id"
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)
    parser = Tables()
    parser.feed(page)
    tables = dict(claims=None, sets=None)
    others = []
    for name, table in parser.tables:
        if name in tables:
            tables[name] = table
        else:
            others.append((name, table))
    check_json(study, rows)
    check_claims(study, rows, tables["claims"], (folder / "claims.md").read_text())
    check_orders(study, rows)
    check_tables(others, rows)
    check_pictures(folder)
    assert [row[0] for row in tables["sets"][1:]] == ["DS1", "DS2", "DS3", "Gowalla"]
    for row, one in zip(tables["sets"][1:], study["sets"], strict=True):
        assert [int(cell) for cell in row[5:]] == [one["positive_cells"], one["nonpositive_cells"], one["k"], one["clusters"]]


def test_every_number_is_recomputed_from_the_rows(shoal):
    outcome = shoal("reproduce", "--quick", "-o", "made/here", "--json", "study.json")
    assert outcome.code == 0, outcome.err
    assert "Next: open made/here/report.html" in outcome.out
    assert sorted(path.name for path in (shoal.folder / "made/here").iterdir()) == sorted(
        ["claims.md", "report.html", "rows.csv", *PICTURES]
    )
    check_study(shoal.folder / "made/here", json.loads((shoal.folder / "study.json").read_text()))


def test_the_published_sets_meet_the_figures_of_the_paper(shoal):
    published("shapes/paper_ds1.csv")
    folder = published("geo/dpbench_gowalla_256.csv").parents[1]
    outcome = shoal("reproduce", "--quick", "--runs", "5", "--seeds", "1", "--data", folder, "-o", "out", "--json", "-")
    assert outcome.code == 0, outcome.err
    study = outcome.json
    check_study(shoal.folder / "out", study)
    assert [(s["k"], s["clusters"], s["nonpositive_cells"], s["authors_points"]) for s in study["sets"][:3]] == [
        (211, 15, 523, True),
        (144, 3, 241, True),
        (152, 5, 127, True),
    ]
    assert study["sets"][3]["points"] == 1_000_000 and not study["sets"][3]["authors_points"]
    verdicts = {claim["id"]: claim["ours"]["verdict"] for claim in study["claims"]}
    assert [verdicts[f"truth-{name}"] for name in ("DS1", "DS2", "DS3")] == ["reproduced"] * 3


def test_the_same_seed_gives_the_same_rows_but_for_the_time(shoal):
    rows = []
    for name, *more in (["a"], ["b", "--threads", "1"], ["c", "--seed", "2"]):
        assert shoal("reproduce", "--quick", "--runs", "1", "--seeds", "1", "-o", name, *more).code == 0
        with (shoal.folder / name / "rows.csv").open() as file:
            rows.append([{**row, "seconds": ""} for row in csv.DictReader(file)])
    assert rows[0] == rows[1] != rows[2]


def test_what_cannot_be_done_is_refused(shoal, refused):
    (shoal.folder / "file").write_text("")
    refused(2, "reproduce", says=["--output"])
    refused(3, "reproduce", "-o", "file", says=["cannot create the folder 'file'"])
    refused(2, "reproduce", "--runs", "0", "-o", "out", says=["--runs"])
    refused(3, "reproduce", "--data", "nowhere", "-o", "out", says=["'nowhere' is not a folder"])


def test_an_interrupt_leaves_no_file(tmp_path):
    process = subprocess.Popen([str(SHOAL), "reproduce", "-o", "out", "--runs", "1000"], cwd=tmp_path)
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
