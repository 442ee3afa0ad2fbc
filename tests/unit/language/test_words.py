"""Words of the language are no reason to refuse a text that compiled yesterday."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from language_cases import parsed

from hamletc.checking.check import check
from hamletc.language import classify
from hamletc.language.formatter import format_source
from hamletc.language.tables import after
from hamletc.language.words import FIRST_KEYWORDS, FUNCTIONS, QUANTITIES, RESERVED, YIELDING

PAGE = Path(__file__).parents[3] / "docs" / "language.md"
FIRST_RESERVED = frozenset(("and", "else", "if", "not", "or", "then", "when"))
_QUANTITIES = (
    "action age day_cos day_sin deficit false here hour last nothing progress shortfall speed true used visited"
)
_OBSERVATIONS = (
    "blank cell constant effects grid here items lifetime meters params position progress speed state time velocity "
    "window world"
)
FIRST_QUANTITIES = frozenset(_QUANTITIES.split())
FIRST_OBSERVATIONS = frozenset(_OBSERVATIONS.split())


def _listed(row: str) -> frozenset[str]:
    """The words of a row of the table in docs/language.md."""
    (words,) = re.findall(rf"^\| {re.escape(row)} \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.findall(r"`(\w+)`", words))


def test_no_word_is_reserved_that_was_not() -> None:
    """Whoever wants a further one lets it give way to declarations: `YIELDING`, `FIRST_KEYWORDS`."""
    assert RESERVED == FIRST_RESERVED == _listed("anywhere")
    assert frozenset(QUANTITIES) == FIRST_QUANTITIES == _listed("in an expression, or declared")
    observed = FIRST_KEYWORDS.intersection(after("observe", "{"))
    assert observed == FIRST_OBSERVATIONS == _listed("in a list of `observe { }`")


@pytest.mark.parametrize("word", FUNCTIONS)
def test_a_function_is_known_by_its_parenthesis(word: str) -> None:
    """Its name is free, and the function is there beside what has it."""
    text = f"""\
universe u

space none
let x = 2 * {word}

meter {word} = 1.0 {{ decay 0.01 }}

rule r: {word} < min({word}, x) -> {word} += abs(max({word}, 0.5))

dies when {word} <= 0
reward {word}
observe {{ meters {word} }}
"""
    assert format_source(text) == (text, ())
    universe, problems = check(parsed(text), ("u",))
    assert problems == ()
    assert universe is not None
    assert [meter.name for meter in universe.meters] == [word]


@pytest.mark.parametrize("kind", ["let", "param", "parameter", "state", "meter of a place", "meter of a role"])
def test_a_function_is_not_what_has_its_name(kind: str) -> None:
    """... wherever texts are written out."""
    head = "universe u space none inert allowed lifespan 9 ticks meter energy = 1.0 { decay 0.01 } "
    tail = " reward energy observe { meters }"
    body = {
        "let": "let max = energy * 2 let min = max(max, 1) rule r: min < 3 -> energy += min(min, max)",
        "param": "param max = 1 in 0 .. 2 rule r: energy += 0.1 * max(max, 0.5)",
        "parameter": "template T(max, low) { rule low: energy += 0.1 * max(max, 1) } use T(2 * energy, r)",
        "state": "state max: min abs = min rule r: max == min and max(energy, 1) > 1 -> { max = abs  energy += 0.1 }",
        "meter of a place": "affordance A { meter max = 0 in 0 .. 5  rule r: max += 0.1 * max(max, 1) "
        "instantly { energy += 0.1 } } reward max of A",
        "meter of a role": "role wolf: 2 agents { meter max = 1 { decay 0.01 } rule r: max += max(max, 1) "
        "reward max } role sheep: others { reward 1 }",
    }[kind]
    universe, problems = check(parsed(head + body + tail), ("u",))
    assert [problem for problem in problems if problem.severity == "error"] == []
    assert universe is not None


@pytest.mark.parametrize("word", YIELDING)
def test_a_later_quantity_gives_way_to_a_declaration(word: str) -> None:
    meter = f"meter {word} = 1 {{ decay 0.1 }}"
    text = f"universe u space none {meter} dies when {word} <= 0 reward {word} observe {{ meters }}"
    universe, problems = check(parsed(text), ("u",))
    assert universe is not None, problems


def test_a_later_keyword_gives_way_to_what_the_text_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    """`grid` in the place of a word that a later version observes."""
    text = "universe u meter grid = 1 meter a = 1 observe { meters a grid }"
    before = parsed(text).declarations[-1]
    monkeypatch.setattr(classify, "FIRST_KEYWORDS", classify.FIRST_KEYWORDS - {"grid"})
    (item,) = parsed(text).declarations[-1].items  # type: ignore[union-attr]
    assert len(before.items) == 2  # type: ignore[union-attr]
    assert [word.text for word in item.names] == ["a", "grid"]  # type: ignore[union-attr]
    assert len(parsed(text.replace("meter grid = 1", "")).declarations[-1].items) == 2  # type: ignore[union-attr]
