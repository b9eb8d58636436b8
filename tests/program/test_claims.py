"""What reports, statements, plans and the smaller commands claim, tried where it is true and where it is false.

Each sentence stands in exactly the outputs in which it is true, and the outputs hold both cases.
"""

import random
import subprocess

import pytest
from conftest import SHOAL

BOUNDS = ("--columns", "x,y", "--bounds", "x=0:1,y=0:1")
ON_A_GRID = ("--grid", "32", "--percentile", "60")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")

    def run(*words):
        done = subprocess.run(
            [str(SHOAL), *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode in (0, 5), (words, done.stderr)
        return done.stdout + done.stderr

    rng = random.Random(6)
    kinds = {
        "blobs": lambda i: (rng.gauss([0.25, 0.7][i % 2], 0.05), rng.gauss(0.3, 0.05)),
        "moved": lambda i: (rng.gauss([0.19, 0.7][i % 2], 0.05), rng.gauss(0.3, 0.05)),
        "uniform": lambda i: (rng.random(), rng.random()),
    }
    lines = {
        kind: [f"{kind},{'{:.5f},{:.5f}'.format(*place(i))},u{i // 3}\n" for i in range(8000)]
        for kind, place in kinds.items()
    }
    lines["grown"] = [f"grown,{'{:.5f},{:.5f}'.format(*kinds['blobs'](0))},u\n" for _ in range(4000)] + lines["blobs"]
    lines["all"] = lines["blobs"] + lines["uniform"]
    for kind, rows in lines.items():
        (folder / f"{kind}.csv").write_text("kind,x,y,who\n" + "".join(rows))

    def made(name, data, *options):
        (folder / f"{name}.json").write_text(
            run("release", f"{data}.csv", *BOUNDS, *options, "--seed", "1", "--json", "-")
        )

    for kind in ("blobs", "moved", "grown"):
        made(kind, kind, *ON_A_GRID, "--epsilon", "2")
    made("again", "blobs", *ON_A_GRID, "--epsilon", "1.9")
    made("flat", "uniform", "--auto", "--epsilon", "1")
    made("baseline", "blobs", *ON_A_GRID, "--technique", "baseline", "--epsilon", "2")
    run("release", "blobs.csv", *BOUNDS, *ON_A_GRID, "--epsilon", "2", "-o", "private.json")
    run.folder = folder
    return run


def page(run, name, *words):
    run(*words, "-o", name)
    return (run.folder / name).read_text()


def check(outputs, truths):
    """truths: sentence -> the names of the outputs in which it is true."""
    for sentence, true in truths.items():
        said = {name for name, text in outputs.items() if sentence in text}
        assert true and true < set(outputs), f"no output tries both cases: {sentence}"
        assert said == true, f"'{sentence}' stands in {said} and is true in {true}"


def test_claims_of_a_tree(run):
    outputs = {
        name: run("tree", f"{name}.json") + page(run, f"tree-{name}.html", "tree", f"{name}.json")
        for name in ("blobs", "flat", "baseline")
    }
    check(
        outputs,
        {
            "2 stable clusters over all thresholds": {"blobs"},
            "No stable cluster at any threshold": {"flat", "baseline"},
            "No cluster stands out from the noise at any threshold": {"flat"},
            "The noise of this release is unknown, so no cluster can be called": {"baseline"},
            "Data without structure show more than one stable cluster in at most 5 %": {"blobs", "flat"},
            "The number of stable clusters is largest at threshold": {"blobs"},
        },
    )


def test_claims_of_a_comparison(run):
    """grown: the first blob holds twice as many records. moved: it lies elsewhere. again: the same data."""
    outputs = {
        name: run("compare", "blobs.json", f"{name}.json")
        + page(run, f"compare-{name}.html", "compare", "blobs.json", f"{name}.json")
        for name in ("grown", "moved", "again")
    }
    check(
        outputs,
        {
            " grew: from": {"grown"},
            " moved: from": {"moved"},
            ">no cluster changed<": {"again"},
            ": 0 of 2 clusters changed": {"again"},
            ": 1 of 2 clusters changed": {"grown", "moved"},
        },
    )
    run(
        "release",
        "blobs.csv",
        *BOUNDS,
        "--grid",
        "256",
        "--percentile",
        "80",
        "--technique",
        "privqt",
        "--epsilon",
        "1",
        "-o",
        "specks.json",
    )
    outputs["specks"] = page(run, "compare-specks.html", "compare", "specks.json", "specks.json")
    check(outputs, {"The table lists 200 of": {"specks"}})
    run(
        "release",
        "all.csv",
        *BOUNDS,
        "--auto",
        "--epsilon",
        "1",
        "--by",
        "kind=blobs|uniform",
        "-o",
        "compared-groups.json",
    )
    pictures = {
        "compared": page(run, "compared.svg", "compare", "blobs.json", "grown.json"),
        "groups": page(run, "groups.svg", "reshape", "compared-groups.json", "--min-cells", "1"),
    }
    check(pictures, {"2 releases; changes that chance and noise do not explain": {"compared"}})
    for text in outputs.values():
        for never in ("joined", "split", "shrank", "new", "gone"):
            assert f" {never}: from" not in text and f"<b>{never}" not in text, never


def test_a_comparison_is_private_if_and_only_if_all_releases_are(run):
    pairs = {"none": ("blobs", "again"), "one": ("private", "again"), "both": ("private", "private")}
    check(
        {
            name: page(run, f"marks-{name}.html", "compare", *(f"{of}.json" for of in pair))
            for name, pair in pairs.items()
        },
        {
            "Made from private releases alone": {"both"},
            "At least one of the releases was made with a seed": {"none", "one"},
        },
    )


def test_claims_of_groups(run):
    """With one group, a record that is replaced by another changes no second group: more groups would cost more."""
    rows = ("all.csv", *BOUNDS, "--auto", "--epsilon", "1", "--static")
    groups = {"one": "kind=blobs", "two": "kind=blobs|uniform"}
    outputs = {
        name: page(run, f"{name}.html", "release", *rows, "--by", by, "-o", f"{name}.json")
        for name, by in groups.items()
    }
    outputs["replaced"] = page(
        run, "replaced.html", "release", *rows, "--by", groups["one"], "--neighbors", "replace", "-o", "replaced.json"
    )
    check(outputs, {", whatever the number of groups": {"one", "two"}})
    run(
        "release",
        "all.csv",
        *BOUNDS,
        "--auto",
        "--epsilon",
        "0.5",
        "--by",
        "kind=blobs|nobody",
        "--seed",
        "1",
        "--json",
        "seeded-groups.json",
    )
    run(
        "release",
        "all.csv",
        *BOUNDS,
        "--auto",
        "--epsilon",
        "0.5",
        "--by",
        "kind=blobs|uniform",
        "-o",
        "private-groups.json",
    )
    run(
        "release",
        "all.csv",
        *BOUNDS,
        "--grid",
        "128",
        "--percentile",
        "80",
        "--technique",
        "privqt",
        "--epsilon",
        "0.5",
        "--by",
        "kind=blobs",
        "-o",
        "many-groups.json",
    )
    pages = {
        name: page(run, f"{name}-groups.html", "reshape", f"{name}-groups.json", "--min-cells", "1", "--static")
        for name in ("seeded", "private", "many")
    }
    check(
        pages,
        {
            "Each group is a release of epsilon 0.5": {"private", "many"},
            "No cluster stands out from chance and noise.": {"seeded"},
            "more, which the JSON file lists": {"many"},
        },
    )


def test_claims_of_labels_and_synthetic_points(run):
    check(
        {
            name: run("predict", f"{name}.json", "blobs.csv", "-o", f"labels-{name}.csv")
            for name in ("blobs", "private")
        },
        {"NOT PRIVATE: these labels come from a seeded study": {"blobs"}},
    )
    points = ("synthesize", "blobs.csv", *BOUNDS, "--epsilon", "1")
    check(
        {"all": run(*points, "-o", "synthetic.csv"), "some": run(*points, "--max-points", "500", "-o", "some.csv")},
        {"points was written, sampled at random": {"some"}},
    )


def test_claims_of_the_owners_view(run):
    places = ("--columns", "x,y", "--bounds", "x=0:1,y=0:1", "--grid", "32", "--density")
    check(
        {
            "dense": page(run, "dense.html", "cluster", "blobs.csv", *places, "5"),
            "none": page(run, "no-cell.html", "cluster", "blobs.csv", *places, "1e9"),
        },
        {"No cell is dense enough": {"none"}},
    )


@pytest.fixture(scope="module")
def statements(run):
    """name -> what shoal explain says of a release."""
    run("ledger", "create", "l.db", "--dataset", "all", "--cap", "5")
    releases = {
        "plain": (*ON_A_GRID, "--epsilon", "1"),
        "auto": ("--auto", "--epsilon", "1"),
        "replace": (*ON_A_GRID, "--neighbors", "replace", "--epsilon", "1"),
        "shares": (*ON_A_GRID, "--unit", "who", "--contribution", "share", "--epsilon", "1"),
        "rows": (*ON_A_GRID, "--unit", "who", "--max-contributions", "2", "--epsilon", "1"),
        "groups": (
            *ON_A_GRID,
            "--unit",
            "who",
            "--max-contributions",
            "1",
            "--by",
            "kind=blobs|uniform",
            "--epsilon",
            "1",
        ),
        "insets": ("--auto", "--insets", "2", "--epsilon", "1"),
        "charged": (*ON_A_GRID, "--epsilon", "1", "--ledger", "l.db", "--dataset", "all"),
    }
    said = {}
    for name, options in releases.items():
        run("release", "all.csv", *BOUNDS, *options, "-o", f"said-{name}.json")
        said[name] = run("explain", f"said-{name}.json")
    said["in a ledger"] = run("explain", "said-charged.json", "--ledger", "l.db")
    return {name: " ".join(text.split()) for name, text in said.items()}


def test_claims_of_a_statement(statements):
    everyone = set(statements)
    people = {"shares", "rows", "groups"}
    chosen = {"auto", "insets"}
    check(
        statements,
        {
            "This release protects single records": everyone - people,
            "This release protects people: all records of a person together": people,
            "Each person counts once, spread over all records": {"shares"},
            "At most 2 records of each person were used": {"rows"},
            "At most 1 record of each person was used": {"groups"},
            "What a record says is protected. The number of records is taken as public": {"replace"},
            "Both are protected: whether": everyone - {"replace"},
            "Guess before that a person's record has the first of two values": {"replace"},
            "Guess before that a person's record is in the data": everyone - people - {"replace"},
            "Guess before that a person is in the data": people,
            "Each person counts in at most one of 2 groups": {"groups"},
            "Each group is a release of epsilon 1": {"groups"},
            "map of the whole plane (overview)": {"insets"},
            "finer maps, placed by noisy values": {"insets"},
            ", chosen from noisy values": chosen,
            "none (peaks of the density)": chosen,
            "The account 'all' may spend epsilon 5 in total. It has spent 1, this release included, and has 4 left": {
                "in a ledger"
            },
            "Entry 1 of the ledger 'l.db' recorded this charge": {"in a ledger"},
            "; the ledger counts only what was charged to it": {"in a ledger"},
            "The file says that this was charged to a ledger": {"charged"},
            "The file names no entry of a ledger": everyone - {"charged", "in a ledger"},
            "All records of a person. 4 records of one person together have epsilon 4": everyone - people,
            "Several people at once. 4 of them together": people,
        },
    )


@pytest.fixture(scope="module")
def reports(run):
    """name -> the static report of a release, or the page of the owner's view."""
    rng = random.Random(7)
    rows = [",".join(f"{rng.gauss(0.5, 0.1):.4f}" for _ in range(9)) + "\n" for _ in range(2000)]
    (run.folder / "wide.csv").write_text("a,b,c,d,e,f,g,h,i\n" + "".join(rows))
    releases = {
        "one axis": ("wide.csv", "--columns", "a", "--bounds", "a=0:1", *ON_A_GRID),
        "two axes": ("all.csv", *BOUNDS, *ON_A_GRID),
        "three axes": (
            "wide.csv",
            "--columns",
            "a,b,c",
            "--bounds",
            "0:1,0:1,0:1",
            "--grid",
            "8",
            "--percentile",
            "60",
        ),
        "nine axes": (
            "wide.csv",
            "--columns",
            "a,b,c,d,e,f,g,h,i",
            "--bounds",
            ",".join(["0:1"] * 9),
            "--grid",
            "2",
            "--percentile",
            "60",
        ),
        "auto": ("all.csv", *BOUNDS, "--auto"),
        "many": ("all.csv", *BOUNDS, "--grid", "256", "--percentile", "80", "--technique", "privqt"),
    }
    made = {
        name: page(run, f"{name}.html", "release", *of, "--epsilon", "1", "--static", "-o", f"{name}.json")
        for name, of in releases.items()
    }
    made["seeded"] = page(run, "seeded.html", "reshape", "blobs.json", "--percentile", "60", "--static")
    made["owner"] = page(run, "owner.html", "cluster", "all.csv", *BOUNDS, *ON_A_GRID)
    return made


def test_claims_of_pages(reports):
    everyone, two = set(reports), {"two axes", "auto", "many", "seeded", "owner"}
    private = everyone - {"seeded", "owner"}
    check(
        reports,
        {
            "Noisy counts; negative ones are drawn as empty": everyone - {"owner"},
            "Each bar is one cell or a few": {"one axis"},
            "Darker is denser. Colour and number are the cluster": two,
            "Every pair of axes": {"three axes"},
            "Each pair of the first 8 of 9 axes": {"nine axes"},
            ", summed over the others": {"three axes", "nine axes"},
            "The table lists the 200 largest of": {"many"},
            "Differentially private with epsilon 1": private,
            "It may be shared.": private,
            "This page shows only noisy values": private,
            "means <b>epsilon = 1</b>": private,
            "The privacy unit is one record": private,
            "NOT PRIVATE": {"seeded", "owner"},
            "Each cluster is a peak": {"auto"},
            "The lowest value among them is": {"auto"},
            "The threshold asks for": everyone - {"auto"},
            "Reshaping can change": everyone - {"owner"},
            "shoal reshape": everyone - {"owner"},
        },
    )


def test_claims_of_what_a_reshape_can_change(run):
    """Noise on counts, on sums, and on censored sums; and a file without any."""
    for name, options in {
        "counts": ("--technique", "privqt", "--percentile", "60"),
        "sums": ("--coverage", "80"),
        "censored": ("--percentile", "60"),
    }.items():
        run(
            "release",
            "all.csv",
            *BOUNDS,
            "--grid",
            "32",
            *options,
            "--epsilon",
            "8",
            "--static",
            "-o",
            f"can-{name}.json",
            "-o",
            f"can-{name}.html",
        )
    texts = {name: (run.folder / f"can-{name}.html").read_text() for name in ("counts", "sums", "censored")}
    assert "lowest" in (run.folder / "can-censored.json").read_text()
    check(
        texts,
        {
            "Reshaping can change the threshold, the wavelet, the level": {"counts"},
            "and the level to a higher one": {"sums"},
            "the level cannot change": {"censored"},
            "It cannot change the wavelet": {"sums", "censored"},
        },
    )
    tried = {"--wavelet": "db2", "--level": "2"}
    works = {
        name: {option for option, value in tried.items() if reshapes(run, f"can-{name}.json", option, value)}
        for name in texts
    }
    assert works == {"counts": {"--wavelet", "--level"}, "sums": {"--level"}, "censored": set()}


def reshapes(run, release, *options):
    return (
        subprocess.run(
            [str(SHOAL), "reshape", release, *options, "--json", "-"],
            cwd=run.folder,
            capture_output=True,
            timeout=60,
            check=False,
        ).returncode
        == 0
    )


def test_claims_of_insets_and_levels(run):
    options = ("release", "all.csv", *BOUNDS, "--auto", "--insets", "2", "--epsilon", "2")
    (run.folder / "insets-seeded.json").write_text(run(*options, "--seed", "4", "--json", "-"))
    run(*options, "-o", "insets-private.json")
    check(
        {
            name: page(run, f"insets-{name}.html", "reshape", f"insets-{name}.json", "--coverage", "80", "--static")
            for name in ("private", "seeded")
        },
        {"The overview is a release of epsilon 0.4, and so is each inset of epsilon 1.6": {"private"}},
    )
    cover = ("release", "blobs.csv", *BOUNDS, "--grid", "32", "--coverage", "80", "--epsilon", "1")
    (run.folder / "cover-seeded.json").write_text(run(*cover, "--seed", "4", "--json", "-"))
    run(*cover, "-o", "cover-private.json")
    levels = {
        name: page(run, f"levels-{name}.html", "reshape", f"cover-{name}.json", "--levels", "1-3")
        for name in ("private", "seeded")
    }
    check(levels, {"NOT PRIVATE": {"seeded"}})
    for text in levels.values():
        assert (
            "The other levels have the same parameters but for the level" in text
            and "Doubtful clusters are left out" in text
        )


def test_claims_of_a_tree_of_other_wavelets(run):
    """The theory of the sample is of Haar sums: with another wavelet only the noise is covered."""
    run("release", "blobs.csv", *BOUNDS, *ON_A_GRID, "--wavelet", "db2", "--epsilon", "2", "-o", "db2.json")
    check(
        {
            name: run("tree", f"{name}.json") + page(run, f"other-{name}.html", "tree", f"{name}.json")
            for name in ("blobs", "db2")
        },
        {
            "chance in the sample and the added noise do": {"blobs"},
            "Stable: the added noise does": {"db2"},
            "Data without structure show more than one stable cluster": {"blobs"},
            "Noise alone shows a stable cluster in at most 5 % of releases": {"db2"},
        },
    )


def test_claims_of_the_owners_commands(run):
    labelled = ["kind,x,y\n"] + [
        line.rsplit(",", 1)[0] + "\n" for line in (run.folder / "blobs.csv").read_text().splitlines()[1:]
    ]
    (run.folder / "labelled.csv").write_text("".join(labelled))
    evaluated = (
        "evaluate",
        "labelled.csv",
        *BOUNDS,
        *ON_A_GRID,
        "--techniques",
        "privwave",
        "--epsilons",
        "1",
        "--runs",
        "2",
    )
    check(
        {
            "bounds": run("cluster", "blobs.csv", *BOUNDS, *ON_A_GRID),
            "none": run("cluster", "blobs.csv", "--columns", "x,y", *ON_A_GRID),
        },
        {"--bounds was not given": {"none"}},
    )
    check(
        {"labels": run(*evaluated, "--truth", "kind"), "none": run(*evaluated)},
        {"Without noise, the points' labels agree with column 'kind'": {"labels"}},
    )
    options = {
        "auto": ("--auto",),
        "grid": (*ON_A_GRID, "--techniques", "privwave"),
        "units": (*ON_A_GRID, "--techniques", "privwave", "--unit", "who", "--max-contributions", "2"),
    }
    for name, of in options.items():
        run(
            "evaluate",
            "blobs.csv",
            *BOUNDS,
            *of,
            "--epsilons",
            "0.05,4",
            "--runs",
            "2",
            "--html",
            f"evaluated-{name}.html",
        )
    check(
        {name: (run.folder / f"evaluated-{name}.html").read_text() for name in options},
        {
            "Each run is compared with plain WaveCluster at the settings that the run chose": {"auto"},
            "chose a grid in each run": {"auto"},
            ", on the grid that each run chose": {"auto"},
            "The true k is": {"grid", "units"},
            ". Each run keeps at most 2 records per": {"units"},
        },
    )


def test_claims_of_plans_and_ledgers(run):
    plan = ("plan", *BOUNDS[2:], "--records", "2000", "--epsilon", "1")
    check(
        {
            "insets": page(run, "plan-insets.html", *plan, "--auto", "--insets", "2"),
            "none": page(run, "plan.html", *plan, "--auto"),
        },
        {"The overview gets 0.2 of epsilon": {"insets"}},
    )
    dry = ("release", "blobs.csv", *BOUNDS, "--auto", "--dry-run", "--records")
    check(
        {"few": run(*dry, "100", "--epsilon", "0.1"), "many": run(*dry, "100000", "--epsilon", "1")},
        {
            "small clusters are not found": {"few"},
            "close ones are not found as two": {"few"},
            " are found as two": {"many"},
        },
    )
    several = ("plan", *BOUNDS[2:], "--epsilons")
    check(
        {
            "clear": run(*several, "1,2,4", "--auto", "--records", "100000"),
            "noisy": run(*several, "0.1,1", "--grid", "16", "--percentile", "50", "--records", "300"),
        },
        {
            "at all of these epsilons": {"clear"},
            "the grid limits it, not the noise": {"clear"},
            "noise hardly changes the clusters": {"clear"},
            "none at any of these epsilons; more records are needed": {"noisy"},
        },
    )
    run("ledger", "create", "rest.db", "--dataset", "d", "--cap", "1")
    check(
        {
            name: run("ledger", "forecast", "rest.db", "--dataset", "d", "--epsilon", epsilon)
            for name, epsilon in {"two": "0.5", "none": "2"}.items()
        },
        {
            "2 more releases with epsilon 0.5 fit": {"two"},
            "0 more releases with epsilon 2 fit": {"none"},
            "All releases together then have epsilon 1: their epsilons add up": {"two"},
        },
    )


def test_claims_of_rows_and_units(run):
    rows = ("release", "all.csv", *BOUNDS, *ON_A_GRID, "--epsilon", "1", "--dry-run")
    check(
        {"records": run(*rows), "people": run(*rows, "--unit", "who", "--contribution", "share")},
        {"protects single rows: a person with several rows is protected for each row": {"records"}},
    )
    points = ("synthesize", "blobs.csv", *BOUNDS, "--epsilon", "1")
    check(
        {"dry": run(*points, "--dry-run"), "paid": run(*points, "-o", "paid.csv")},
        {"Dry run: nothing was read or spent": {"dry"}},
    )
