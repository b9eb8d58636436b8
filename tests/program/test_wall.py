"""The wall between raw and public values holds in the binaries and in the types."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from conftest import ROOT

COMPILER = shutil.which("g++") or shutil.which("c++")
RAW = ("shoal::Counts", "shoal::Points", "shoal::PointTable", "shoal::Mechanisms", "shoal::quantize", "shoal::Noise::",
       "shoal::secure_noise", "shoal::run_technique", "shoal::Ledger", "shoal::OwnerView")


def symbols(library: str) -> list[str]:
    path = ROOT / "build" / library
    assert path.exists(), f"{path} was not built: make build"
    return subprocess.run(["nm", "-C", str(path)], capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("library", ["libshoal_base.a", "libshoal_release.a"])
def test_the_public_libraries_know_nothing_raw(library):
    found = [line for line in symbols(library) if any(name in line for name in RAW)]
    assert found == []


def test_the_search_would_find_raw_symbols():
    found = "\n".join(symbols("libshoal_owner.a"))
    assert all(name in found for name in ("shoal::Counts", "shoal::Mechanisms", "shoal::quantize"))


BEFORE = """
#include <bit>
#include <utility>
#include "shoal/counts.hpp"
#include "privacy/mechanisms.hpp"
#include "shoal/noised.hpp"
#include "shoal/release.hpp"
using namespace shoal;
using Raw = Cells<std::int64_t>;
"""


def compiles(body: str) -> tuple[bool, str]:
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include"), "-I", str(ROOT / "src"), "-x", "c++", "-"],
                          input=BEFORE + body, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


SOUND = {
    "a mechanism's output may be released":
        "void f(ReleaseParts& parts, Mechanisms& m, const Counts& c, Epsilon e) { parts.noisy = GridCounts{m.counts(c, e)}; }",
    "noised values may be post-processed":
        "Raw same(const NoisyCounts& x) { return x.value(); }"
        "NoisyCounts f(const NoisyCounts& x) { return PostProcessing::of(&same, x); }",
    "a choice is made of a first look":
        "ProfileChoice choose(const Noised<ProfileSums>& seen) { return {seen.value()[0] > 9 ? 2U : 3U}; }"
        "RefinedProfile f(Mechanisms& m, const ProfileSums& raw, Epsilon e) {"
        " ProfileSession s = m.profile(raw, 1, e, 1, std::string()); const auto choice = PostProcessing::of(&choose, s.first());"
        " return std::move(s).refine(choice); }",
    "a global that holds raw values, which types cannot forbid (docs/proofs.md)":
        "std::int64_t raw_count; std::int64_t leak() { return raw_count; }"
        "Noised<std::int64_t> f() { return PostProcessing::of<std::int64_t>(&leak); }",
}
FORBIDDEN = {
    "raw counts in a release": "void f(ReleaseParts& parts, const Counts& c) { parts.noisy = GridCounts{c}; }",
    "raw cells in a release": "void f(ReleaseParts& parts, const Counts& c) { parts.noisy = GridCounts{c.raw()}; }",
    "a release of counts": "Release f(const Counts& c) { return Release(c); }",
    "a noised value of one's own": "NoisyCounts f(const Counts& c) { return NoisyCounts(c.raw()); }",
    "a noised number of one's own": "Noised<std::int64_t> f() { return {3}; }",
    "a key of one's own": "NoisyCounts f(const Counts& c) { return NoisyCounts(NoisedKey(), c.raw()); }",
    "a key without a name": "NoisyCounts f(const Counts& c) { return NoisyCounts({}, c.raw()); }",
    "writing into a noised value": "void f(NoisyCounts& x, const Counts& c) { x.value() = c.raw(); }",
    "post-processing of counts":
        "Raw leak(const Counts& c) { return c.raw(); } NoisyCounts f(const Counts& c) { return PostProcessing::of(&leak, c); }",
    "post-processing of raw cells":
        "Raw leak(const Raw& c) { return c; } NoisyCounts f(const Counts& c) { return PostProcessing::of(&leak, c.raw()); }",
    "post-processing that captures":
        "NoisyCounts f(const NoisyCounts& x, const Counts& c) {"
        " return PostProcessing::of([&](const NoisyCounts&) { return c.raw(); }, x); }",
    "a release with a raw transform":
        "Release f(ReleaseParts parts, const Transformed& w) { return Release(std::move(parts), w); }",
    "post-processing of a list of raw cells":
        "Raw leak(const std::vector<Raw>& c) { return c[0]; } NoisyCounts f(const Counts& c) { return PostProcessing::of(&leak, {c.raw()}); }",
    "post-processing specialized for counts":
        "template <> Noised<Raw> PostProcessing::of<Raw, Counts>(Raw (*)(const Counts&), const Counts& c) { return {NoisedKey(), c.raw()}; }",
    "a noised number of raw bytes": "Noised<std::int64_t> f(std::int64_t raw) { return std::bit_cast<Noised<std::int64_t>>(raw); }",
    "a key of raw bytes": "NoisyCounts f(const Counts& c) { return NoisyCounts(std::bit_cast<NoisedKey>(char(0)), c.raw()); }",
    "a reader of one's own":
        "namespace shoal { class ReleaseReader { public: static NoisyCounts f(const Counts& c) { return NoisyCounts(NoisedKey(), c.raw()); } }; }",
    "mechanisms of one's own":
        "namespace shoal { class Mechanisms { public: static NoisyCounts f(const Counts& c) { return NoisyCounts(NoisedKey(), c.raw()); } }; }",
    "a callback that chooses a share":
        "RefinedProfile f(Mechanisms& m, const ProfileSums& raw, Epsilon e) {"
        " ProfileSession s = m.profile(raw, 1, e, 1, std::string());"
        " return std::move(s).refine([&](const Noised<ProfileSums>&) { return ProfileChoice{raw[0] > 9 ? 2U : 3U}; }); }",
    "a raw choice of a share":
        "RefinedProfile f(ProfileSession s, const ProfileSums& raw) { return std::move(s).refine(ProfileChoice{raw[0] > 9 ? 2U : 3U}); }",
    "a raw answer": "NoisyAnswer f(std::int64_t z) { return {.question = Question::nonpositive, .answer = z}; }",
}


REQUEST = ('#include "shoal/private_release.hpp"\nReleaseRequest f(Grid grid) { return {%s}; }')
GIVEN = {"grid": ".grid = grid", "epsilon": '.epsilon = Epsilon::parse("1")',
         "threshold": ".options = {.cluster = {.threshold = Percentile(10)}}"}


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("missing", [None, *GIVEN])
def test_grid_epsilon_and_threshold_cannot_be_left_out(missing):
    done, message = compiles(REQUEST % ", ".join(text for name, text in GIVEN.items() if name != missing))
    assert done == (missing is None), message or "it compiles"


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("options", ["{}", "{.cluster = {}}", "{.cluster = {.level = 2}}"])
def test_options_without_a_threshold_do_not_compile(options):
    done, _ = compiles(REQUEST % f"{GIVEN['grid']}, {GIVEN['epsilon']}, .options = {options}")
    assert not done


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND.keys())
def test_what_was_noised_crosses(body):
    done, message = compiles(body)
    assert done, message


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("body", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_raw_values_do_not_cross(body):
    done, message = compiles(body)
    assert not done, "it compiles"
    assert "No such file" not in message and "expected" not in message, message  # refused for what it does
