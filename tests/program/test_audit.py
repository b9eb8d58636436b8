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
    outcome = shoal("audit", "--technique", "privqt", "--neighbors", "add-remove", "--runs", "200000", "--broken", "--json", "-")
    assert outcome.code == 0, outcome.err
    broken = {row["name"]: row for row in outcome.json["rows"] if row["broken_on_purpose"]}
    assert {
        "the data's own Max",
        "the data's own bounds",
        "noise on non-empty cells only",
        "budget not split",
        "replace with sensitivity 1",
    } <= broken.keys()
    assert all(row["as_it_should"] and (row["caught_by_replay"] or row["replay"]["runs"] == 0) for row in broken.values())


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


def test_two_minutes_of_random_settings_keep_their_claims(shoal):
    """The attacker draws from the whole option space; the same settings on every machine, as many as it has time for."""
    outcome = shoal("audit", "--random", "120", "--seed", "1", "--json", "-", timeout=400)
    assert outcome.code == 0, outcome.err
    assert outcome.json["holds"] is True and outcome.json["replays"] > 100
    assert outcome.json["worst"]["share_of_claim"] > 0.99


def test_a_random_setting_is_attacked_again_by_its_seed(shoal):
    first, second = (shoal("audit", "--random", "0", "--seed", "7", "--threads", "1", "--json", "-") for _ in range(2))
    assert first.code == 0 and first.json == second.json, first.err
    assert first.json["worst"]["seed"] >= 7 and "--epsilon" in first.json["worst"]["setting"]


def test_random_settings_take_no_technique(refused):
    refused(3, "audit", "--random", "1", "--technique", "privqt", says=["--random draws techniques itself"])
