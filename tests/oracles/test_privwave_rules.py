"""The rules that scripts/privwave_study.py takes out of privwave's source are there to be taken out."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from privwave_rules import RULES  # noqa: E402


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.commit == "HEAD"])
def test_the_text_of_a_rule_occurs_once(name):
    assert (ROOT / RULES[name].file).read_text().count(RULES[name].text) == 1


def test_taking_a_rule_out_changes_the_text():
    assert all(rule.text != rule.without for rule in RULES.values())
