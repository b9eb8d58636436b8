"""Every sentence that Shoal says about data or a release, when it is true, and the test that tries it where it is false.

A sentence without an entry fails: write down when it is true, and try it on data where it is not.
"""

import pathlib
import re

import pytest
from sentence_conditions import CONDITIONS, SILENT, STUDIO_CLAIMS, TRIED, UNCONDITIONAL, UNTRIED, WEB_CONDITIONS

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST_WORDS = 3

NOTICES, COMPARE, CONFIDENCE = (
    "tests/release/notices_test.cpp",
    "tests/release/compare_test.cpp",
    "tests/inference/confidence_test.cpp",
)
DOUBTFUL, RELEASE, GROUPS, CHECK = (
    f"tests/program/test_program_{name}.py" for name in ("doubtful", "release", "groups", "check")
)
HERE = "tests/program/test_sentences.py"

# file -> start of a sentence -> (when it is true, the file of the test, the test)
SENTENCES = {
    "src/release/notices.cpp": {
        "Most {} {} are in": (
            "the lower ends of the clusters' intervals add up to more than half of all",
            NOTICES,
            "SaysMostOnlyWhereTheClustersSurelyHoldMoreThanHalf",
        ),
        "{} stand{} out": (
            "clusters that are not doubtful",
            NOTICES,
            "SaysMostOnlyWhereTheClustersSurelyHoldMoreThanHalf",
        ),
        "No {} stands out from chance": (
            "every cluster is doubtful, or there is none",
            NOTICES,
            "SpeaksOfAreasOnMapsAlone",
        ),
        "{}: about {} {}{}{}": (
            "the largest of these clusters, with its interval",
            NOTICES,
            "SaysMostOnlyWhereTheClustersSurelyHoldMoreThanHalf",
        ),
        "on this map": ("the axes are longitude and latitude", NOTICES, "SpeaksOfAreasOnMapsAlone"),
        "within the bounds": ("other axes", NOTICES, "SpeaksOfAreasOnMapsAlone"),
        " in the largest": ("there are several", NOTICES, "SaysMostOnlyWhereTheClustersSurelyHoldMoreThanHalf"),
        "replaced by another": (
            "neighbours differ by a unit's records being others",
            NOTICES,
            "IsOneSentenceWithTheFactor",
        ),
        "added or removed": ("neighbours differ by a unit's presence", NOTICES, "IsOneSentenceWithTheFactor"),
        "No cluster is surely real": (
            "no cluster is real, and the mean of a cell is below its noise",
            NOTICES,
            "AGridTooFineForAnyClusterIsSaid",
        ),
        "No cell reaches the threshold": (
            "a drawn threshold lies above all cells",
            NOTICES,
            "SayThatNoCellReachesADrawnThresholdOnlyThen",
        ),
        "Wavelet {} at level {} reads": (
            "the filter spans more cells than an axis has",
            NOTICES,
            "notice_of_long_filter",
        ),
        "About {} {} {} inside the bounds": (
            "noise alone shows as many records in 1 of 100 releases",
            NOTICES,
            "SayWhenNothingLiesInsideTheBoundsAndHardlyEverElse",
        ),
        "one {} (counted once": ("units share one weight", NOTICES, "SayInWhichGroupsAUnitCounts"),
        "one {} with at most": ("a unit keeps at most this number of records", NOTICES, "IsOneSentenceWithTheFactor"),
        "Each {0} counts in {1}": (
            "a unit may count in fewer groups than it has records in",
            NOTICES,
            "SayInWhichGroupsAUnitCounts",
        ),
        "The probability of any result": (
            "the release is differentially private",
            NOTICES,
            "IsOneSentenceWithTheFactor",
        ),
        "has one of two values": (
            "neighbours differ by a unit's records being others",
            NOTICES,
            "ForAPersonSaysHowSureSomeoneCanBecome",
        ),
        "is in the data, which": (
            "neighbours differ by a unit's presence",
            NOTICES,
            "ForAPersonSaysHowSureSomeoneCanBecome",
        ),
        "Even someone who knows": (
            "Bayes with even odds, rounded up",
            "tests/base/outward_test.cpp",
            "AShownPercentageIsNeverBelowTheValue",
        ),
        " A person with several records": ("the unit is a record", NOTICES, "ForAPersonSaysHowSureSomeoneCanBecome"),
        "These {} do not support more than": (
            "--auto in three axes and more; one cluster at most is sure, or boxes show only a few of that size",
            "tests/techniques/many_axes_test.cpp",
            "WhatCannotBeResolvedIsSaid",
        ),
        ": in {} axes, clusters of fewer": (
            "boxes, where twelve clusters of this size are more than all records",
            "tests/techniques/many_axes_test.cpp",
            "WhatCannotBeResolvedIsSaid",
        ),
        "No structure beyond": (
            "modes; most clustered cells are no denser than what surrounds them",
            DOUBTFUL,
            "neither sampling nor noise explains",
        ),
        "The threshold runs through": (
            "a threshold; most clustered cells are no denser",
            DOUBTFUL,
            "The threshold runs through a uniform area",
        ),
        "multiples of {:.6g}": (
            "a test of the counts finds that values lie on this step",
            "tests/inference/rounding_test.cpp",
            "FindsNothingInValuesThatAreNotRounded",
        ),
        "{}={:.6g}:{:.6g}:{}": (
            "the cells of the declared axis",
            NOTICES,
            "WarnOfRoundedValuesOnAGridThatDoesNotFitThem",
        ),
        "Choose {:.0f} cells": ("times are rounded; the cells hold whole steps", NOTICES, "WarnOfTimesThatAreRounded"),
        "Values of {} seem to be rounded": (
            "they follow several steps, or only some of the values do",
            "tests/inference/rounding_test.cpp",
            "AMarginalNamesNoStepThatTheValuesDoNotHave",
        ),
        "Values of {} seem to be": (
            "the marginal counts follow the multiples of a step",
            NOTICES,
            "WarnOfRoundedValuesOnAGridThatDoesNotFitThem",
        ),
        "Values of {} are": (
            "--auto finds that at least 0.9 of the records are rounded",
            "tests/techniques/automatic_test.cpp",
            "SaysWhatRoundingWasFound",
        ),
        "Many values of {}": (
            "--auto finds that fewer are",
            "tests/techniques/automatic_test.cpp",
            "SaysWhatRoundingWasFound",
        ),
        "Epsilon {} is a weak guarantee": ("epsilon is 10 or more", NOTICES, "CallAnEpsilonOfTenOrMoreWeak"),
    },
    "src/release/set_notices.cpp": {
        "No part shows a cluster": (
            "every part is on a grid too fine for its noise",
            CHECK,
            "No part shows a cluster that is surely real",
        ),
        "No more {} lie in": ("in some parts, noise alone shows as many", CHECK, "No more records lie in cardiology"),
        "the names and ": ("the parts are groups, which the owner named", "python/tests/test_groups.py", "check the names and the bounds"),
        "No part shows more": (
            "by every part, noise alone shows as many",
            "python/tests/test_groups.py",
            "No part shows more records",
        ),
    },
    "src/release/change_words.cpp": {
        "{} {} ({}, 95 % between {} and {})": (
            "the interval holds the difference in 95 of 100 cases, rounded outward",
            COMPARE,
            "IntervalsOfTwoSamplesOfOnePopulationHoldNoChange",
        ),
        "more counted": (
            "more units count in it, each in some of its groups",
            GROUPS,
            "test_compare_never_calls_more_people_counted_a_growth",
        ),
        "fewer counted": (
            "fewer units count in it, each in some of its groups",
            GROUPS,
            "test_compare_never_calls_more_people_counted_a_growth",
        ),
    },
    "src/owner/data_check.cpp": {
        "No row can be read": ("every row is bad", HERE, "test_advice_of_a_check"),
        "Almost no row lies inside": (
            "fewer than 1 in 20 rows are inside, and most would be with the bounds swapped",
            CHECK,
            "test_swapped_bounds",
        ),
        "Of {} rows {} lie": ("fewer than 1 in 20 rows would be counted", HERE, "test_advice_of_a_check"),
        "{} of {} rows are in no group": ("more than half of the rows match no group", CHECK, "test_swapped_bounds"),
    },
    "src/inference/confidence.cpp": {
        "one with its neighbours": (
            "no denser than its surroundings, with probability 0.5 or more",
            CONFIDENCE,
            "in_words",
        ),
        "almost surely real": ("probability 0.95 or more", HERE, "test_a_uniform_area_has_no_cluster_that_is_real"),
        "; one with its neighbours": ("hardly denser than its surroundings", CONFIDENCE, "hardly denser than they are"),
        "; probably several": ("in one piece with probability below 0.5", CONFIDENCE, "in_words"),
        "; may be several": ("in one piece with probability below 0.8", CONFIDENCE, "may be several clusters"),
        "; {} part of cluster": ("apart with probability below 0.8", CONFIDENCE, "may be part of cluster 3"),
        "the release of baseline": ("the technique is baseline", NOTICES, "SayNothingOfRecordsWhereTheNoiseIsNotKnown"),
        "the release does not hold": (
            "the file was written without its noisy values",
            "tests/techniques/room_test.cpp",
            "loses its noisy values",
        ),
    },
}

# Sentences that console.line and console.notice print, by file.
PRINTED = {
    "cli/release.cpp": {
        "It takes at most": (
            "--dry-run, up to the dense limit",
            "tests/program/test_program_memory.py",
            "test_a_release_takes_at_most_what_the_dry_run_says",
        ),
        "Its memory depends on the occupied cells": (
            "--dry-run, past the dense limit",
            "tests/program/test_program_memory.py",
            "depends on the occupied cells",
        ),
        "No .json is written": (
            "no output is a release file",
            RELEASE,
            "test_a_release_says_before_it_spends_that_no_json_is_written",
        ),
        "Dry run: nothing was read": ("--dry-run", "tests/program/test_program_words.py", "dry-run"),
        "The noisy number of {} selects": ("--dry-run --auto", "tests/program/test_program_words.py", "dry-run"),
        "Noisy histograms select boxes": (
            "--dry-run --auto in five to eight axes",
            "tests/program/test_program_release.py",
            "Noisy histograms select boxes",
        ),
        "The noisy overview selects": ("--dry-run --insets", "tests/program/test_program_insets.py", "dry-run"),
        "With --records N": ("--dry-run without --records", "tests/program/test_program_plan.py", "--records"),
        "  cluster {:<3}": (
            "noisy size and interval of the cluster",
            "tests/inference/intervals_test.cpp",
            "Intervals",
        ),
        "NOT PRIVATE: a seeded run": ("--seed is given", "tests/program/test_program_marks.py", "NOT PRIVATE"),
        "Groups of {}": ("--by is given", GROUPS, "test_each_group_gets_a_release_in_one_file"),
        "An overview and": ("--insets is given", "tests/program/test_program_insets.py", "insets"),
        "{} in {}, by": ("doubtful clusters are counted apart", DOUBTFUL, "cluster"),
        "  {}: grid {} for about": (
            "--auto; not said to be unexplained where every cluster is doubtful",
            DOUBTFUL,
            "neither sampling nor noise explains",
        ),
        "  These steps are wider": (
            "--like, and rounded values needed a coarser grid than the earlier one",
            "tests/program/test_program_like.py",
            "the two cannot be compared",
        ),
        "  a cell in the middle": ("--geo", "tests/program/test_program_axes.py", "--geo"),
        "  kept of {} cells": ("the release has a floor", "tests/program/test_program_sparse.py", "floor"),
        "The noisy values are too large": (
            "the file holds no noisy values",
            "tests/techniques/room_test.cpp",
            "loses its noisy values",
        ),
    },
    "cli/compare.cpp": {
        "{} to {}: {} of {} changed": (
            "of pairs without a change at most 1 in 20 shows one",
            COMPARE,
            "TwoSamplesOfOnePopulationShowNoChange",
        ),
        "  {} in only one release": ("chance and noise explain it", COMPARE, "TwoReleasesOfTheSameDataShowNoChange"),
    },
    "cli/check.cpp": {
        "NOT PRIVATE: computed": ("always", CHECK, "test_bad_rows_are_named"),
        "{} {} that can be read": ("rows are counted one by one", CHECK, "test_bad_rows_are_named"),
        "{}: {} units": ("a unit column is given", CHECK, "test_missing_outside_units_groups_and_steps_are_counted"),
        "in no group": ("--by is given", CHECK, "test_missing_outside_units_groups_and_steps_are_counted"),
        "{} would be counted": ("--bounds is given", CHECK, "test_swapped_bounds"),
    },
    "cli/reshape.cpp": {
        "{} of {}; no further": (
            "post-processing alone",
            "tests/program/test_program_insets.py",
            "no further budget was spent",
        ),
        "{}; no further budget was spent": (
            "post-processing alone",
            "tests/program/test_program_levels.py",
            "no further budget was spent",
        ),
        "An overview and": (
            "post-processing alone",
            "tests/program/test_program_insets.py",
            "no further budget was spent",
        ),
        "NOT PRIVATE: a seeded run": (
            "the release was made with a seed",
            "tests/program/test_program_marks.py",
            "NOT PRIVATE",
        ),
        "{} (before: {})": (
            "post-processing alone",
            "tests/program/test_program_insets.py",
            "no further budget was spent",
        ),
    },
    "cli/tree.cpp": {
        "{} over all thresholds": ("post-processing alone", "tests/program/test_program_tree.py", "tree"),
        "The noise of this release is unknown": (
            "the noise has no law, as of baseline",
            "tests/release/notices_test.cpp",
            "SayNothingOfRecordsWhereTheNoiseIsNotKnown",
        ),
        "  cluster {:<3} from": (
            "the interval holds the records in 95 of 100 cases",
            "tests/inference/intervals_test.cpp",
            "Intervals",
        ),
        "Numbers are the cluster numbers": (
            "names of branches follow the release",
            "tests/release/tree_names_test.cpp",
            "TEST",
        ),
    },
}

# What the page and the studio say of data and releases. Their tests run in a browser.
WEB = {
    "web/src/listing.ts": {
        "Places are a help": (
            "a cluster on a map has a place of the public list near it",
            "tests/drawing/page_test.cpp",
            "NamesTheNearestPlaceUnlessItIsFar",
        ),
        " The ${most} largest": ("more clusters than lines", "web/tests/page.test.mjs", "cluster"),
        "Clusters of this view": ("always", "web/tests/page.test.mjs", "cluster"),
        '${plural(doubtful.length, "doubtful cluster")}': (
            "confidence calls them doubtful",
            "web/tests/controls.test.mjs",
            "doubtful",
        ),
        "Chance and noise may explain": ("confidence calls them doubtful", "web/tests/controls.test.mjs", "doubtful"),
    },
    "web/src/check.ts": {
        "Check of the data": ("always", CHECK, "test_bad_rows_are_named"),
        "${grouped(found.rows)} rows": ("as shoal check counts them", CHECK, "test_bad_rows_are_named"),
        "${grouped(units.units)} units": (
            "as shoal check counts them",
            CHECK,
            "test_missing_outside_units_groups_and_steps_are_counted",
        ),
        "These rows are left out": (
            "the owner chose --on-bad-row skip",
            "web/tests/studio.test.mjs",
            "These rows are left out.",
        ),
        "The check needs the names": ("columns of categories have no names yet", "web/tests/studio.test.mjs", "messy file"),
        "Choose no range": ("always", CHECK, "test_it_spends_and_stores_nothing"),
        "The studio ran this command": ("shoal check spends nothing", CHECK, "test_it_spends_and_stores_nothing"),
        "Counts rows that cannot": ("shoal check spends nothing", CHECK, "test_it_spends_and_stores_nothing"),
    },
    "web/src/result.ts": {
        " Of the budget ": ("as the ledger says", "web/tests/studio.test.mjs", "1 of 2 is spent and 1 is left"),
        "This release is paid for": ("the release was made", "web/tests/studio.test.mjs", "1 of 2 is spent"),
        "The budget is charged before": (
            "always",
            "web/tests/studio.test.mjs",
            "killed in the middle of a release: charged at most once",
        ),
        "All that you have chosen": (
            "the command failed; Back keeps the draft",
            "web/tests/studio.test.mjs",
            "the way back keeps everything",
        ),
        "You may close this page": ("a release is being made", "web/tests/studio.test.mjs", "release"),
        "There is no release": ("the command failed", "web/tests/studio.test.mjs", "release"),
        "The command stopped": ("the command failed", "web/tests/studio.test.mjs", "release"),
        "Go through the steps": ("no release was made", "web/tests/studio.test.mjs", "release"),
        "shoal serve releases": ("always", "web/tests/studio.test.mjs", "release"),
        "Shows the page": ("always", "web/tests/studio.test.mjs", "release"),
        "It is private": ("the studio makes no seeded release", "tests/program/test_studio.py", "release"),
        "What may": ("always", "web/tests/studio.test.mjs", "release"),
        "\u2013 the page below": ("always", "web/tests/studio.test.mjs", "release"),
        "the link of this studio": ("always", "web/tests/studio.test.mjs", "release"),
        "what is marked": ("always", "web/tests/studio.test.mjs", "release"),
        "Page of the release": ("always", "web/tests/studio.test.mjs", "release"),
        "allow-scripts": ("not a sentence", "web/tests/studio.test.mjs", "release"),
        "Open the page alone": ("always", "web/tests/studio.test.mjs", "release"),
    },
}


def words_in(text):
    return re.findall(r"[A-Za-z']{2,}", re.sub(r"\$?\{[^}]*\}", " ", text))


def without_comments(text):
    return re.sub(r"^\s*#include.*$|(?<!:)//.*$", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S), flags=re.M)


def cpp_sentences(path, printed):
    """String literals of at least LEAST_WORDS words; neighbouring literals are one. printed: only those of the console."""
    literal = r'"((?:[^"\\\n]|\\.)*)"'
    start = r"(?:console\.(?:line|notice)\(|fmt::print\(stderr,)\s*(?:fmt::format\(\s*)?" if printed else ""
    for found in re.finditer(start + literal + rf"((?:\s*{literal})*)", without_comments((ROOT / path).read_text())):
        text = found.group(1) + "".join(re.findall(literal, found.group(2)))
        if len(words_in(text)) >= LEAST_WORDS or (not printed and text in SENTENCES[path]):
            yield text


def web_sentences(path):
    for double, back in re.findall(
        r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', without_comments((ROOT / path).read_text())
    ):
        if len(words_in(double or back)) >= 4:
            yield double or back


TABLES = (
    [(path, table, lambda path=path: cpp_sentences(path, False)) for path, table in SENTENCES.items()]
    + [(path, table, lambda path=path: cpp_sentences(path, True)) for path, table in PRINTED.items()]
    + [(path, table, lambda path=path: web_sentences(path)) for path, table in WEB.items()]
)


@pytest.mark.parametrize("path, table, said", TABLES, ids=[path for path, _, _ in TABLES])
def test_every_sentence_has_a_condition_and_a_test_that_tries_it(path, table, said):
    sentences = list(said())
    for sentence in sentences:
        assert any(sentence.startswith(start) for start in table), f"{path} says without an entry: {sentence}"
    for start, (condition, file, test) in table.items():
        assert any(sentence.startswith(start) for sentence in sentences), f"{path} no longer says: {start}"
        assert condition and test in (ROOT / file).read_text(), f"{file} has no '{test}'"


def plain(text):
    """Without tags, entities and line breaks of HTML."""
    return re.sub(r"\s+", " ", re.sub(r"\\n|\\\"|&#?\w+;", " ", re.sub(r"<[^>]*>", " ", text))).strip()


def other_sentences(path):
    """Yields sentences of at least five words, without those of refusals and of the help."""
    literal = r'"((?:[^"\\\n]|\\.)*)"'
    text = re.sub(r'R"\(.*?\)"', '""', without_comments((ROOT / path).read_text()), flags=re.S)
    for found in re.finditer(literal + rf"((?:\s*{literal})*)", text):
        code = re.sub(literal, '""', text[max(0, found.start() - 400) : found.start()])
        before = re.split(r"[;{}]\s", code)[-1]
        if re.search(r"throw|refuse\(|refuse_boxes\(|fail\(|add_option|add_flag|add_subcommand|footer|Error\(|usage\(", before):
            continue
        sentence = plain(found.group(1) + "".join(re.findall(literal, found.group(2))))
        if len(words_in(sentence)) >= 5:
            yield sentence


SOURCES = (
    "cli/*.cpp",
    "src/**/*.cpp",
    "studio/*.cpp",
    "evaluation/plan.cpp",
    "src/plan/plan_report.cpp",
    "evaluation/evaluation_report.cpp",
)


@pytest.mark.parametrize(
    "path", sorted(str(path.relative_to(ROOT)) for pattern in SOURCES for path in ROOT.glob(pattern))
)
def test_no_source_says_more_than_the_tables_hold(path):
    if path in SENTENCES or path in PRINTED or path in SILENT:
        return
    sentences, table = list(other_sentences(path)), CONDITIONS.get(path, {})
    for sentence in sentences:
        assert any(sentence.startswith(start) for start in table), f"{path} says without an entry: {sentence}"
    for start in table:
        assert any(sentence.startswith(start) for sentence in sentences), f"{path} no longer says: {start}"


@pytest.mark.parametrize("path", sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("web/src/*.ts")))
def test_no_page_says_more_than_the_tables_hold(path):
    if path in WEB:
        return
    sentences = list(web_sentences(path))
    if path == "web/src/studio.ts":
        for start in STUDIO_CLAIMS:
            assert any(sentence.startswith(start) for sentence in sentences), f"{path} no longer says: {start}"
        return
    table = WEB_CONDITIONS.get(path, {})
    for sentence in sentences:
        assert any(sentence.startswith(start) for start in table), f"{path} says without an entry: {sentence}"


def test_every_sentence_that_may_be_false_is_tried_where_it_is():
    tables = {**CONDITIONS, **WEB_CONDITIONS, "web/src/studio.ts": STUDIO_CLAIMS}
    conditional = {
        f"{path}|{start}"
        for path, table in tables.items()
        for start, condition in table.items()
        if condition not in UNCONDITIONAL
    }
    assert not TRIED.keys() & UNTRIED
    assert conditional == TRIED.keys() | UNTRIED, conditional ^ (TRIED.keys() | UNTRIED)
    for sentence, (file, words) in TRIED.items():
        assert words in (ROOT / file).read_text(), f"{file} no longer tries '{sentence}' with '{words}'"


def write(shoal, name, rows):
    path = shoal.folder / name
    path.write_text("x,y\n" + "".join(f"{x:.5f},{y:.5f}\n" for x, y in rows))
    return path


def test_a_uniform_area_has_no_cluster_that_is_real(shoal):
    import random

    rng = random.Random(5)
    uniform = write(shoal, "uniform.csv", [(rng.random(), rng.random()) for _ in range(20000)])
    blobs = write(shoal, "blobs.csv", [(rng.gauss(0.3, 0.05), rng.gauss(0.3, 0.05)) for _ in range(10000)])
    options = ("--bounds", "x=0:1,y=0:1", "--auto", "--epsilon", "1", "-o")
    false, true = (shoal("release", data, *options, f"{data.stem}.json").out for data in (uniform, blobs))
    for sentence in ("almost surely real", "neither sampling nor noise explains these clusters"):
        assert sentence not in false and sentence in true


def test_advice_of_a_check(shoal):
    bounds = ("--columns", "x,y", "--bounds", "x=0:1,y=0:1")
    far, near = write(shoal, "far.csv", [(5, 5)] * 100), write(shoal, "near.csv", [(0.5, 0.5)] * 100)
    (shoal.folder / "text.csv").write_text("x,y\na,b\n")
    says = {name: shoal("check", f"{name}.csv", *bounds).out for name in ("far", "near", "text")}
    assert far.exists() and near.exists()
    assert "Of 100 rows 0 lie inside the bounds" in says["far"] and "lie inside the bounds" not in says["near"]
    assert "No row can be read" in says["text"] and "No row can be read" not in says["far"]
