"""Programs without one rule of privwave, for `privwave_study.py DATA FAMILY --without RULE`.

The library has no switch for its rules. A rule is taken out of a copy of the source text of a commit, and the program is built from
that copy, in build/rules. Rules that privwave no longer has are measured at BEFORE or LATER,
the last commits that had them.
"""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEFORE = "acf85535435f"
LATER = "98a5bb0c8e7a"
PROFILE = "src/inference/privwave_profile.cpp"
PROFILE_HEADER = "src/inference/privwave_profile.hpp"
EMPTY = "src/inference/privwave_empty.cpp"
SELECT = "src/inference/privwave_select.cpp"
SEGMENT = "src/inference/privwave_segment.cpp"


@dataclasses.dataclass(frozen=True)
class Rule:
    says: str
    file: str
    text: str  # occurs once in the file,
    without: str  # and becomes this
    commit: str = "HEAD"


def deleted(says: str, file: str, text: str, without: str) -> Rule:
    return Rule(says, file, text, without, BEFORE)


RULES: dict[str, Rule] = {
    # What privwave has.
    "censoring": Rule("small values are raised to m", PROFILE, "? most_censored_levels : 0)", "? 0 * most_censored_levels : 0)"),
    "choice": Rule("share and m follow from a first view", PROFILE, "if (best.share == 0 || cost < least_cost) {",
                   "if (best.share == 0 || (share == 3 && censored == 0 && least_cost >= 0)) {"),
    "unsure": Rule("m stays clear of a k that is two deviations larger", PROFILE, "unsure_by = 2;", "unsure_by = 0;"),
    "jump": Rule("a level may jump", PROFILE, "square(off) > square(jump) * predicted", "square(off) > square(1e9 * jump) * predicted"),
    "ties": Rule("half of the cells that tie with the k-th are kept", PROFILE, "survival.density(d) / 2", "0 * survival.density(d)"),
    "caution": Rule("an eighth of the cells in doubt is given up", PROFILE, "caution = 0.125;", "caution = 0;"),
    "shrink": Rule("scores are shrunk towards the neighbours", SELECT, "variance / (variance + (level / 2) * (level / 2))", "0 * variance"),
    "clip": Rule("neighbours count up to twice the threshold", SELECT, "std::clamp(values[i], noise.censored_below, 2 * level)",
                 "std::max(values[i], noise.censored_below)"),
    "crowd": Rule("a crowd of ties is kept down to a gap", SELECT, "return near > few &&", "return false && near > few &&"),
    "joining": Rule("a cell in doubt does not join clusters", SELECT, "doubt = 0.2;", "doubt = 1;"),
    # What it had last,
    "alone": Rule("without censoring the profile gets 0.2", PROFILE_HEADER, "least_share_alone = 2;", "least_share_alone = 1;", LATER),
    "values": Rule("the noisy values also estimate the number of cells", SEGMENT, "if (!parts.has_floor() && w.is_haar() &&",
                   "if (false && w.is_haar() &&", LATER),
    # and before.
    "mean-change": deleted("the smooth profile may also change by 0.005 of its mean", PROFILE, "change_of_mean = 0.005;", "change_of_mean = 0;"),
    "weight": deleted("the error of k counts 0.7 when the share is chosen", PROFILE, "weight_of_k = 0.7;", "weight_of_k = 1;"),
    "foreseen": deleted("that choice foresees what the values will tell", PROFILE, "by_values = budget.may_lift && by_percentile",
                        "by_values = false && by_percentile"),
    "learning": deleted("three steps of expectation and maximisation", EMPTY, "learning_rounds = 3;", "learning_rounds = 0;"),
    "low": deleted("|L| errs low by an eighth of a deviation", PROFILE, "deviations_low = 0.125;", "deviations_low = 0;"),
    "likely": deleted("cells that are likelier dense than not are kept", PROFILE, "cautious < k ? std::max(", "false ? std::max("),
    "window": deleted("the cut is made at the widest gap near keep", PROFILE, "window_deviations = 0.5;", "window_deviations = 0;"),
    "faces": deleted("face neighbours count twice", SELECT, "return (2 * of_faces + others / static_cast<double>(other_count)) / 3;",
                     "return (faces + others) / static_cast<double>(face_count + other_count);"),
    "plateau": deleted("a crowd of ties without a gap is kept", SELECT, "plateau_share = 2;", "plateau_share = 1e9;"),
    "before-crowd": deleted("the error of k does not enter a crowd", SELECT, "doubt_of_crowd = 1.64;", "doubt_of_crowd = 0;"),
    "rank": deleted("a cell whose rank is in doubt does not join clusters", SELECT, "doubt_of_rank = 0.84;", "doubt_of_rank = 0;"),
}
PRESENT = [name for name, rule in RULES.items() if rule.commit == "HEAD"]


def sources_of(commit: str) -> pathlib.Path:
    """The files of a commit, and the program built from them."""
    name = subprocess.run(["git", "rev-parse", "--short=12", commit], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    folder = ROOT / "build/rules" / name
    if not (folder / "shoal").exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "source").mkdir(parents=True)
        archive = subprocess.run(["git", "archive", name], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder / "source"], input=archive, check=True)
        # Flags and relative paths as in the build of `make`, so that ccache finds what that compiled.
        subprocess.run(["cmake", "-G", "Ninja", "-S", folder / "source", "-B", folder / "source/build", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSHOAL_BUILD_TESTS=OFF"], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(build(folder), folder / "shoal")
    return folder


def build(folder: pathlib.Path) -> pathlib.Path:
    subprocess.run(["cmake", "--build", folder / "source/build", "--target", "bin/shoal"], check=True, stdout=subprocess.DEVNULL)
    return folder / "source/build/bin/shoal"


def programs(name: str) -> tuple[str, str]:
    """The program with a rule and the one without it. `deleted`: before and after all deletions."""
    if name == "deleted":
        return str(sources_of(BEFORE) / "shoal"), str(sources_of("HEAD") / "shoal")
    rule = RULES[name]
    folder = sources_of(rule.commit)
    without = folder / f"shoal-without-{name}"
    if not without.exists():
        file = folder / "source" / rule.file
        text = file.read_text()
        if text.count(rule.text) != 1:
            raise SystemExit(f"{rule.file} at {rule.commit} does not hold the text of rule {name} once; mend RULES in {__file__}")
        try:
            file.write_text(text.replace(rule.text, rule.without))
            shutil.copy(build(folder), without)
        finally:
            file.write_text(text)
    return str(folder / "shoal"), str(without)
