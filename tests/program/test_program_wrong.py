"""Wrong command lines and inputs: one clear line on standard error, the right exit code, nothing printed, no file left."""

import gzip
import json

import pytest

GOOD = "x,y,who\n" + "".join(f"0.{i % 97:02d},0.{i * 7 % 89:02d},u{i % 40}\n" for i in range(2000))
PUBLIC = "--columns x,y --bounds 0:1,0:1"
RELEASE = f"release good.csv {PUBLIC} --grid 20 --percentile 30 --epsilon 1 -o r.json"


def without(words: str, option: str) -> str:
    parts = words.split()
    at = parts.index(option)
    return " ".join(parts[:at] + parts[at + 2:])


# (exit code, command line, what the line says)
USAGE = [
    ("", ["no command is given", "release"]),
    ("relase good.csv", ["relase", "did you mean release?"]),
    ("--frobnicate", ["--frobnicate"]),
    (RELEASE.replace("--epsilon", "--epsilom"), ["--epsilom", "--epsilon"]),
    (without(RELEASE, "--epsilon"), ["--epsilon"]),
    (without(RELEASE, "--bounds"), ["--bounds"]),
    (without(RELEASE, "--percentile"), ["--percentile"]),
    (without(RELEASE, "-o"), ["-o FILE"]),
    (RELEASE + " --coverage 80", ["give only one of", "--coverage"]),
    (RELEASE + " --auto", ["--auto", "--auto"]),
    (RELEASE + " --unit who", ["--max-contributions"]),
    (RELEASE + " --max-contributions 3", ["--unit COLUMN"]),
    (RELEASE + " --contribution share", ["--contribution needs --unit COLUMN"]),
    (RELEASE + " --unit who --contribution share --max-contributions 3", ["remove --max-contributions"]),
    (RELEASE + " --unit who --contribution half", ["--contribution"]),
    (RELEASE + " --ledger l.db", ["go together"]),
    (RELEASE + " --dataset d", ["go together"]),
    (RELEASE + " --neighbors maybe", ["--neighbors"]),
    (RELEASE + " --adjacency round", ["--adjacency", "face"]),
    (RELEASE + " --transform fourier", ["--transform", "stationary"]),
    (RELEASE + " --outside keep", ["--outside", "clamp"]),
    (RELEASE + " --delimiter xy", ["--delimiter"]),
    (RELEASE + " --on-bad-row ignore", ["--on-bad-row"]),
    (RELEASE + " --level many", ["--level"]),
    (RELEASE + " --level -1", ["--level"]),
    (RELEASE + " --threads x", ["--threads"]),
    (RELEASE + " --seed -1", ["--seed"]),
    (RELEASE + " --epsilon 2", ["--epsilon is given 2 times; give it once"]),
    (RELEASE + " --min-cells few", ["--min-cells is 'few'; give a number"]),
    (RELEASE + " --neighbors others", ["--neighbors is 'others'; choose one of add-remove,replace"]),
    (RELEASE.replace("0:1,0:1", "0:1"), ["--bounds"]),
    (RELEASE.replace("0:1,0:1", "0:1,zero:1"), ["--bounds", "zero"]),
    (RELEASE.replace("0:1,0:1", "0-1,0-1"), ["--bounds", "LOWER:UPPER"]),
    (RELEASE.replace("--grid 20", "--grid 20,20,20"), ["--grid"]),
    (RELEASE.replace("--grid 20", "--grid twenty"), ["--grid", "twenty"]),
    (RELEASE.replace("--percentile 30", "--percentile most"), ["--percentile"]),
    ("release", ["INPUT"]),
    ("reshape", ["RELEASE"]),
    ("reshape r.json extra.json", ["extra.json"]),
    ("predict good.csv", ["INPUT"]),
    ("ledger", ["create, show, history"]),
    ("ledger open l.db", ["open", "create"]),
    ("ledger create l.db --cap 1", ["--dataset"]),
    ("ledger create l.db --dataset d", ["--cap"]),
    (f"evaluate good.csv {PUBLIC}", ["--percentile", "--auto"]),
    (f"evaluate good.csv {PUBLIC} --auto --percentile 3", ["--auto"]),
    (f"evaluate good.csv {PUBLIC} --auto --bounds-of-theory", ["--bounds-of-theory", "percentile"]),
    (f"synthesize good.csv {PUBLIC} --epsilon 1", ["-o FILE"]),
    ("datasets", ["NAME"]),
    ("reproduce --quick", ["-o"]),
    ("audit --neighbors some", ["--neighbors"]),
    (RELEASE + " --config", ["--config needs a file"]),
    ("--config c.toml", ["--config needs a command"]),
]
INPUT = [
    (RELEASE.replace("good.csv", "none.csv"), ["none.csv"]),
    (RELEASE.replace("good.csv", "."), ["."]),
    (RELEASE.replace("good.csv", "empty.csv"), ["empty.csv"]),
    (RELEASE.replace("good.csv", "broken.csv.gz"), ["broken.csv.gz"]),
    (RELEASE.replace("good.csv", "bad.csv"), ["bad.csv", "3"]),
    (RELEASE.replace("x,y", "x,z"), ["'z'"]),
    (RELEASE.replace("x,y", "x,x"), ["twice"]),
    (RELEASE.replace("x,y", "1,9"), ["9"]),
    (RELEASE.replace("0:1,0:1", "1:0,0:1"), ["1"]),
    (RELEASE.replace("0:1,0:1", "0:inf,0:1"), ["inf"]),
    (RELEASE.replace("0:1,0:1", "0:1,nan:1"), ["nan"]),
    (RELEASE.replace("--grid 20", "--grid 0"), ["0"]),
    (RELEASE.replace("--grid 20", "--grid 5000000000"), ["cells"]),
    (RELEASE.replace("--percentile 30", "--percentile 100"), ["percentile is 100"]),
    (RELEASE.replace("--percentile 30", "--percentile -1"), ["percentile is -1"]),
    (RELEASE.replace("--percentile 30", "--coverage 0"), ["coverage is 0"]),
    (RELEASE.replace("--percentile 30", "--top 0"), ["top 0"]),
    (RELEASE.replace("--percentile 30", "--density -2"), ["density is -2"]),
    (RELEASE.replace("--epsilon 1", "--epsilon 0"), ["epsilon"]),
    (RELEASE.replace("--epsilon 1", "--epsilon=-1"), ["epsilon"]),
    (RELEASE.replace("--epsilon 1", "--epsilon lots"), ["epsilon", "lots"]),
    (RELEASE + " --wavelet daubechies", ["daubechies", "haar"]),
    (RELEASE + " --level 61", ["level is 61"]),
    (RELEASE + " --technique magic", ["magic", "privwave"]),
    (RELEASE + " --technique privthr --alpha 1", ["1"]),
    (RELEASE + " --alpha 0.5", ["alpha"]),
    (RELEASE + " --technique privthr-em --max-density 0", ["max-density"]),
    (RELEASE.replace("--percentile 30", "--coverage 80") + " --technique privthr", ["percentile"]),
    (RELEASE + " --unit nobody --max-contributions 2", ["nobody"]),
    (RELEASE + " --unit who --max-contributions 0", ["max-contributions is 0"]),
    (RELEASE + " --seed 1", ["--seed"]),
    (RELEASE + " --ledger none.db --dataset d", ["none.db"]),
    (RELEASE.replace("r.json", "r.xlsx"), [".xlsx", ".json"]),
    (RELEASE.replace("r.json", "no/such/folder/r.json"), ["no/such/folder"]),
    ("reshape none.json --percentile 30 -o x.html", ["none.json"]),
    ("reshape good.csv --percentile 30 -o x.html", ["good.csv", "is not a release but a text or CSV file"]),
    ("tree broken.json -o x.html", ["broken.json", "cannot be read as a release"]),
    ("predict list.json good.csv -o x.csv", ["list.json", "is not a release"]),
    ("ledger show none.db", ["none.db"]),
    ("ledger create l.db --dataset d --cap nothing", ["nothing"]),
    ("ledger show good.csv", ["good.csv"]),
    (f"evaluate good.csv {PUBLIC} --percentile 30 --techniques privfoo", ["privfoo"]),
    (f"evaluate good.csv {PUBLIC} --percentile 30 --runs 0", ["at least"]),
    (f"evaluate good.csv {PUBLIC} --percentile 30 --epsilons 0", ["epsilon"]),
    ("evaluate good.csv --columns x,y --bounds 5:6,5:6 --percentile 30 --no-classifier", ["no cluster"]),
    (f"synthesize good.csv {PUBLIC} --epsilon 1 -o s.csv --publisher print", ["print", "quadtree"]),
    ("datasets atlantis -o a.csv", ["atlantis", "world"]),
    ("datasets mixture99 -o a.csv", ["mixture99"]),
    ("audit --runs 5", ["--runs is 5"]),
    ("audit --technique magic", ["magic"]),
    ("cluster good.csv --columns x,y --bounds 0:1,0:1 --percentile 30 -o x.pdf", [".pdf"]),
    (RELEASE + " --config none.toml", ["none.toml"]),
    (RELEASE + " --config broken.toml", ["broken.toml", "line 2"]),
    (RELEASE + " --config odd.toml", ["odd.toml", "colour"]),
]
CASES = [(2, *case) for case in USAGE] + [(3, *case) for case in INPUT]


@pytest.fixture
def files(shoal):
    folder = shoal.folder
    (folder / "good.csv").write_text(GOOD)
    (folder / "empty.csv").write_text("")
    (folder / "bad.csv").write_text("x,y\n0.5,0.5\n0.5,oops\n")
    (folder / "broken.csv.gz").write_bytes(gzip.compress(GOOD.encode())[:200])
    (folder / "broken.json").write_text('{"format": "shoal-release/1", ')
    (folder / "list.json").write_text(json.dumps([1, 2, 3]))
    (folder / "broken.toml").write_text("level = 1\nepsilon = \n")
    (folder / "odd.toml").write_text('colour = "red"\n')


def test_there_are_at_least_sixty():
    assert len(CASES) >= 60 and len({words for _, words, _ in CASES}) == len(CASES)


@pytest.mark.parametrize("code,words,says", CASES, ids=[words or "nothing" for _, words, _ in CASES])
def test_wrong_input_is_refused_in_one_clear_line(files, refused, code, words, says):
    refused(code, *words.split(), says=says)


def test_a_budget_that_is_spent_has_a_code_of_its_own(files, shoal, refused):
    assert shoal("ledger", "create", "l.db", "--dataset", "d", "--cap", "0.5").code == 0
    refused(4, *RELEASE.split(), "--ledger", "l.db", "--dataset", "d", says=["epsilon 1 is refused"])
