"""The folders of src are rooms: each includes only rooms below it. docs/architecture.md shows the same graph."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Public headers, by the room that implements them.
PUBLIC = {
    "base": "cells error files grid text version".split(),
    "wavelet": ["wavelet"],
    "clusters": ["clusters"],
    "points": ["points", "readers"],
    "engines": ["engines"],
    "grid": ["counts"],
    "owner": ["owner"],
    "plan": ["plan"],
    "privacy": ["ledger", "noised", "privacy"],
    "inference": "confidence evidence".split(),
    "release": ["compare", "explain", "levels", "notices", "release", "release_set", "tree"],
    "publishing": ["synthesis"],
    "techniques": ["private_release", "wavecluster"],
    "the umbrella": ["shoal"],
}
ROOM_OF_HEADER = {name: room for room, names in PUBLIC.items() for name in names}


def room_of(included: str) -> str:
    folder, name = included.split("/")
    return ROOM_OF_HEADER[name.removesuffix(".hpp")] if folder == "shoal" else folder


def graph() -> dict[str, set[str]]:
    edges: dict[str, set[str]] = {}
    sources = [(path, path.parent.name) for path in [*(ROOT / "src").glob("*/*.[ch]pp"), *(ROOT / "studio").glob("*.[ch]pp")]]
    sources += [(path, ROOM_OF_HEADER[path.stem]) for path in (ROOT / "include/shoal").glob("*.hpp")]
    for path, room in sources:
        included = re.findall(r'^#include "([a-z_]+/[a-z_0-9]+\.hpp)"', path.read_text(), re.MULTILINE)
        edges.setdefault(room, set()).update({room_of(header) for header in included} - {room})
    return edges


def cycle_in(edges: dict[str, set[str]]) -> list[str] | None:
    done: set[str] = set()

    def visit(room: str, path: list[str]) -> list[str] | None:
        if room in path:
            return [*path[path.index(room) :], room]
        if room in done:
            return None
        for other in sorted(edges.get(room, ())):
            if found := visit(other, [*path, room]):
                return found
        done.add(room)
        return None

    for room in sorted(edges):
        if found := visit(room, []):
            return found
    return None


def test_rooms_depend_in_one_direction_only():
    assert cycle_in(graph()) is None


def test_a_cycle_would_be_found():
    edges = graph()
    assert "inference" in edges["release"]
    edges["inference"].add("release")
    assert cycle_in(edges) is not None


def test_the_public_side_includes_nothing_of_the_raw_side():
    edges = graph()
    for room in ("base", "wavelet", "clusters", "inference", "release", "formats", "drawing"):
        assert not edges[room] & {"points", "engines", "grid", "techniques", "publishing", "owner"}, room


def test_nothing_includes_the_studio():
    edges = graph()
    assert {"privacy", "release"} <= edges["studio"]
    assert not [room for room, others in edges.items() if "studio" in others]


# Numpy arrays are views of the buffers of Arrow columns, which the public readers copy.
MAY_INCLUDE = {("python/src/arrow.cpp", "points/arrow_coordinates.hpp")}


def private_includes(path: str, text: str) -> set[tuple[str, str]]:
    """The headers of src that a source includes."""
    included = re.findall(r'^#include "([a-z_]+/[a-z_0-9]+\.hpp)"', text, re.MULTILINE)
    return {(path, name) for name in included if (ROOT / "src" / name).exists()}


def test_program_studio_and_python_include_public_headers_only():
    """What they need is offered to every user of the library. python/testing holds what only tests call."""
    found = set()
    for folder in ("cli", "studio", "python/src"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            found |= private_includes(str(path.relative_to(ROOT)), path.read_text())
    assert found == MAY_INCLUDE


def test_a_private_include_would_be_found():
    text = '#include <vector>\n#include "shoal/release.hpp"\n#include "base/wide.hpp"\n'
    assert private_includes("cli/tree.cpp", text) == {("cli/tree.cpp", "base/wide.hpp")}


def test_public_headers_are_few():
    assert len(list((ROOT / "include/shoal").glob("*.hpp"))) <= 30


def test_every_public_header_is_in_the_umbrella():
    umbrella = (ROOT / "include/shoal/shoal.hpp").read_text()
    for path in (ROOT / "include/shoal").glob("*.hpp"):
        assert path.name == "shoal.hpp" or f'"shoal/{path.name}"' in umbrella, path.name


def test_no_two_headers_have_one_name():
    names = [path.name for folder in ("include/shoal", "src", "studio", "cli", "evaluation") for path in (ROOT / folder).rglob("*.hpp")]
    # The sources of a public header's name lie beside others of their room, never under the same name.
    assert sorted(set(names)) == sorted(names)


def types_of(text):
    """The names of the types defined in namespace shoal, outside of anonymous namespaces."""
    text = re.sub(r"namespace \{.*?\n\}  // namespace\n", "", text, flags=re.S)
    return re.findall(r"^(?:struct|class) (\w+)(?: final)?(?: :[^{;]*)? \{", text, flags=re.M)


def test_no_two_types_have_one_name():
    """Two types of one name in a namespace are linked as one: their inline functions replace each other."""
    found = {}
    for folder in ("include/shoal", "src"):  # the studio has a namespace of its own
        for path in (ROOT / folder).rglob("*.?pp"):
            for name in types_of(path.read_text()):
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_a_second_type_of_a_name_would_be_found():
    assert types_of("struct Field {\n};\nnamespace {\nstruct Inner {\n};\n}  // namespace\nclass Other : public Field {\n};\n") == ["Field", "Other"]


# Releases read and write themselves, by rooms above theirs.
WRITING = set("json geojson csv svg picture report html contents save trimmed_to most_bytes parse load".split())


def bodies(path, text):
    """The methods that a source defines: class and name."""
    return re.findall(r"^(?:[\w:<>,&*\[\]]+ )+(\w+)::(\w+)\([^;{]*\{", text, re.MULTILINE) if path.endswith(".cpp") else []


def test_methods_are_defined_in_the_room_that_declares_them():
    declared = {}
    for path in (ROOT / "include/shoal").glob("*.hpp"):
        for name in types_of(path.read_text()):
            declared[name] = ROOM_OF_HEADER[path.stem]
    elsewhere, seen = set(), set()
    for path in sorted((ROOT / "src").glob("*/*.cpp")):
        for name, method in bodies(str(path), path.read_text()):
            seen.add((name, method))
            if declared.get(name, path.parent.name) != path.parent.name:
                elsewhere.add((path.parent.name, name, method))
    assert {("Release", "clusters"), ("Release", "json")} <= seen
    readers = {("formats", "ReleaseReader", "read")}
    allowed = {case for case in elsewhere if case[0] in ("formats", "drawing") and case[2] in WRITING}
    assert elsewhere - allowed - readers == set()


def test_a_method_elsewhere_would_be_found():
    assert bodies("a.cpp", "std::string Release::describe(int a) const {\n") == [("Release", "describe")]
    assert bodies("a.cpp", "  return Release::describe(a);\n") == []


# Deviations of the normal law, and formulas of the Laplace law. The samplers of src/privacy draw from it.
FORMULAS_OF_NOISE = r"\b1\.96\b|variance / \(?2\b|\b2 / variance|scale \* (?:\w+\.)?scale|variance / (?:\w+\.)?scale|erfc\(|exp\(-(?:\w+\.)?rate\b"
# The filter of smoothing.cpp is a Gaussian. Replay and theory check the noise by a second computation.
MAY_COMPUTE_NOISE = {"src/inference/laplace_law.cpp", "src/clusters/smoothing.cpp", "evaluation/replay.cpp", "evaluation/theory.cpp"}


def test_variances_tails_and_intervals_of_noise_are_computed_in_one_place():
    for folder in ("src", "cli", "studio", "include", "python/src", "web/core", "evaluation"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            name = str(path.relative_to(ROOT))
            if name in MAY_COMPUTE_NOISE or name.startswith("src/privacy/"):
                continue
            code = re.sub(r"//.*", "", path.read_text())
            assert not re.search(FORMULAS_OF_NOISE, code), f"{name} computes with the noise itself; ask LaplaceLaw"
