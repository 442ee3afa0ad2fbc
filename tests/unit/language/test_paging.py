"""Answers to a page: offers for what was begun, lines about a word, and a text that is mended."""

from __future__ import annotations

from pathlib import Path

from hamlet_language.paging import MOST_OFFERS, complete, hover, mend

PATH = Path("text.hamlet")
TEXT = """\
universe garden
space none
meter energy = 1 { decay 0.1 }
action REST { energy += 0.2 }
dies when energy <= 0
reward en
observe { meters }
"""


def test_offers_are_those_that_fit_what_was_begun() -> None:
    """Letters in their order: those that begin so come first, and of these names."""
    offers = complete({"text": TEXT, "at": [5, 9]}, PATH)
    texts = [offer["text"] for offer in offers["offers"]]
    assert texts[0] == "energy"
    assert offers["offers"][0] == {"text": "energy", "kind": "name", "detail": "meter"}
    assert offers["from"] == [5, 7]
    assert "exponential" in texts
    assert "max" not in texts
    every = complete({"text": TEXT, "at": [5, 7]}, PATH)["offers"]
    assert len(texts) < len(every) <= MOST_OFFERS


def test_where_nothing_can_stand_nothing_is_offered() -> None:
    assert complete({"text": TEXT, "at": [2, 6]}, PATH) == {"offers": [], "from": None}


def test_lines_about_a_word() -> None:
    about = hover({"text": TEXT, "at": [4, 12]}, PATH)
    assert "raises: action REST" in about["about"]
    assert (about["from"], about["to"]) == ([4, 10], [4, 16])
    assert hover({"text": TEXT, "at": [5, 8]}, PATH) == {"about": None}


def test_a_text_is_mended() -> None:
    assert mend({"text": TEXT.replace("reward en", "reward enrgy")}, PATH) == {
        "text": TEXT.replace("reward en", "reward energy")
    }
