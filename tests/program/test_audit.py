"""shoal audit: sound techniques hold, broken ones are caught, and the exit code says so."""


def test_a_sound_technique_holds(shoal):
    outcome = shoal("audit", "--technique", "privqt", "--runs", "20000", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert outcome.json["holds"] is True
    assert [row["neighbors"] for row in outcome.json["rows"]] == ["add-remove", "replace"]
    for row in outcome.json["rows"]:
        assert row["sampling"]["epsilon_lower_bound"] <= 1
        assert abs(row["replay"]["largest_loss"] - 1) < 1e-9
        assert row["sampling"]["pairs"] > 5 and row["sampling"]["events"] > 100


def test_broken_techniques_are_caught(shoal):
    outcome = shoal("audit", "--technique", "privqt", "--neighbors", "add-remove", "--runs", "20000", "--broken", "--json", "-")
    assert outcome.code == 0, outcome.err
    broken = {row["name"]: row for row in outcome.json["rows"] if row["broken_on_purpose"]}
    assert {
        "the data's own Max",
        "the data's own bounds",
        "noise on non-empty cells only",
        "budget not split",
        "replace with sensitivity 1",
    } <= broken.keys()
    assert all(row["caught_by_replay"] and row["as_it_should"] for row in broken.values())


def test_people_get_a_table_and_what_it_means(shoal):
    outcome = shoal("audit", "--technique", "privthr-em", "--neighbors", "replace", "--runs", "5000")
    assert outcome.code == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0].split()[:2] == ["technique", "neighbours"] and lines[1].startswith("privthr-em ")
    assert "holds" in lines[1] and "docs/proofs.md" in outcome.out and "Next: shoal audit --broken" in outcome.out


def test_unknown_names_are_refused(refused):
    refused(3, "audit", "--technique", "privat", says=["privat", "privthr-em", "baseline/quadtree"])
    refused(3, "audit", "--epsilon", "0", says=["0"])
    refused(3, "audit", "--technique", "privqt", "--runs", "10", says=["at least 1000"])
