"""Units of numbers: what `20 %`, `3 hours` and `2 days` are, and where they cannot be."""

from __future__ import annotations

import pytest
from checking_cases import BASE, codes, universe

from hamlet.universe import After, Every, Number, nodes

CLOCK = "clock 10 hours\n"
WITHOUT = BASE.replace("clock 24 hours\n", "").replace("open 8 .. 18 ", "")


def said(text: str) -> list[object]:
    """The kinds of the nodes of a universe, and the numbers in them."""
    return [
        (type(node), node.value if isinstance(node, Number) else node.ticks if isinstance(node, Every | After) else 0)
        for node in nodes(universe(text, WITHOUT))
    ]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("20 %", "0.2"),
        ("0.5%", "0.005"),
        ("7 % * 3", "0.07 * 3"),
        ("2.5e1 %", "0.25"),
        ("-20 %", "-0.2"),
        ("(1 - 20 %) * mood", "0.8 * mood"),
        ("0.001 * 3 hours", "0.001 * 3"),
        ("0.001 * 1 hour", "0.001 * 1"),
        ("0.001 * 2 days", "0.001 * 20"),
        ("0.001 * 0.5 days", "0.001 * 5"),
        ("0.001 * 5 ticks", "0.001 * 5"),
        ("0.1 when every 3 hours", "0.1 when every 3 ticks"),
        ("0.1 when after 2 days", "0.1 when after 20 ticks"),
        ("0.1 when age < 2 days", "0.1 when age < 20"),
    ],
)
def test_units_are_factors(written: str, plain: str) -> None:
    reads = CLOCK + "rule b: hour < 3 -> mood -= 0.01\n"
    assert said(f"{reads}rule a: mood -= {written}") == said(f"{reads}rule a: mood -= {plain}")


def test_durations() -> None:
    text = "let shift = 2 days\nlifespan 30 days\naffordance {} at random lasts {} {{ each tick {{ mood += 0.1 }} }}"
    lasting = {"A": "2 hours", "B": "3 days", "C": "shift ticks", "D": "1 day", "E": "7 ticks"}
    head, each = text.rsplit("\n", 1)
    added = "\n".join((CLOCK, head, *(each.format(*item) for item in lasting.items())))
    made = universe(added, WITHOUT.replace("lifespan 100 ticks\n", ""))
    assert made.lifespan is not None
    assert made.lifespan.ticks == 300
    assert {affordance.name: affordance.duration for affordance in made.affordances if affordance.name in lasting} == {
        "A": 2,
        "B": 30,
        "C": 20,
        "D": 10,
        "E": 7,
    }


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("rule a: every 3 hours -> mood -= 0.1", ["H036"]),
        ("rule a: mood -= 0.01 * 2 days", ["H036"]),
        ("affordance Inn at random lasts 2 hours { each tick { mood += 0.1 } }", ["H036"]),
        (CLOCK + "rule a: every 3 hours -> mood -= 0.1", []),
        (CLOCK + "rule a: every 2.5 hours -> mood -= 0.1", ["H032"]),
        (CLOCK + "rule a: every 0 days -> mood -= 0.1", ["H033"]),
        (CLOCK + "rule a: after 100000001 days -> mood -= 0.1", ["H033"]),
        (CLOCK, ["H060"]),
        ("let size = 20 %\naffordance Inn at (size, 0) { instantly { mood += 0.1 } }", ["H032"]),
    ],
)
def test_misuse(added: str, expected: list[str]) -> None:
    assert codes(added, WITHOUT) == expected
