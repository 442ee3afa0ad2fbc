"""The formatter breaks long lines, before operators and never within a condition."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_cases import bare, formatted, parsed

from examples import examples


def test_long_lines_without_operators_are_broken_between_words_but_not_in_names() -> None:
    names = "  ".join(f"`a - b or c {n}`" for n in range(30))
    zeros = ", ".join(["0"] * 100)
    text = formatted(
        f"universe u space grid {'8 x ' * 99}8 allow {names} when true moves {{ `a and b` ({zeros}) }} "
        f"reward {' + '.join(['`a - b`'] * 60)} observe {{ constant {'0.5 ' * 100} }}"
    )
    assert max(map(len, text.splitlines())) <= 120
    assert [line for line in text.splitlines() if line.count("`") % 2] == []
    assert formatted(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"space grid {'8 x ' * 99}8",
        f"moves {{ {' '.join(f'M{n} ({n % 3 - 1}, {n % 5 - 2})' for n in range(200))} }}",
    ],
)
def test_large_declarations_are_formatted_quickly(text: str) -> None:
    start = time.process_time()
    formatted(f"universe u {text}")
    assert time.process_time() - start < 2  # seconds of CPU; about 0.015 is usual, also where others use the machine


def test_long_lines_are_broken_before_operators() -> None:
    summands = " + ".join(f"meter_number_{n}" for n in range(20))
    text = formatted(f"universe u reward {summands}")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120
    assert all(line.startswith("    + ") for line in lines[3:])
    assert formatted(text) == text


def test_long_sums_through_series_are_broken_before_the_series() -> None:
    numbers = ", ".join(map(str, range(24)))
    text = formatted(f"universe u let around = total(moss at (position x + dx, position y)) over dx in ({numbers})")
    assert text.splitlines()[-2:] == [
        "let around = total(moss at (position x + dx, position y))",
        f"    over dx in ({numbers})",
    ]
    assert formatted(text) == text


_comparisons = st.builds(
    "{} {} {}".format,
    st.sampled_from(
        ["energy", "position x", "hour", "distance to Bed", "energy - 2 * food", "-(energy + 1)", "`a or b`"]
    ),
    st.sampled_from(["<", ">=", "=="]),
    st.sampled_from(["0.5", "food", "energy * 3 + food", "max(energy, food - 1)"]),
)
_conditions = st.lists(st.tuples(_comparisons, st.sampled_from(["and", "or"])), min_size=1, max_size=12).map(
    lambda parts: " ".join(word for part in parts for word in part).rsplit(" ", 1)[0]
)
_choices = st.builds("if {} then {} else {}".format, _conditions, st.sampled_from(["1", "food"]), st.just("0.25"))
_long = st.one_of(
    st.builds("rule r: {} -> energy -= {}".format, _conditions, _choices),
    st.builds("rule r: {} -> {{ energy -= {} }}".format, _conditions, _choices),
    st.builds("rule r {{ energy -= {} }}".format, _choices),
    st.builds("dies when {}".format, _conditions),
    st.builds("affordance Bed at random {{ needs {}  instantly {{ energy += {} }} }}".format, _conditions, _choices),
    st.builds("reward {}".format, _choices),
    st.builds("reward 0.1 when ({})".format, _conditions),
)


@settings(max_examples=examples(200), deadline=None)
@given(_long)
def test_lines_are_broken_between_conditions_and_never_within_one(declaration: str) -> None:
    text = formatted(f"universe u {declaration}")
    assert bare(parsed(text)) == bare(parsed(f"universe u {declaration}"))
    assert formatted(text) == text
    lines = text.splitlines()[2:]
    assert max(map(len, lines)) <= 120
    for before, line in pairwise(lines):
        words = ("and ", "or ", "then ", "else ", "}", "needs ", "instantly ")
        assert line.lstrip().startswith(words) or before.endswith(("{", "->")), text


def test_a_lone_statement_keeps_its_braces() -> None:
    condition = "position x >= 5 and position y >= 5"
    choice = "if position x >= 7 and position y >= 7 then 0.05 else 0.01"
    text = f"""\
universe u

rule swamp: {condition} -> {{
    energy -= {choice}
}}
rule river: {condition} and position y < 9 or position x == 1 ->
    energy -= {choice}
rule short: energy < 1 -> {{ food -= 1 }}
rule plain: energy < 1 -> food -= 1
rule always {{ food -= 1 }}
cascade sea: energy < 1 -> {{ food -= 1 }}
"""
    assert formatted(re.sub(r"\s+", " ", text)) == text


def test_a_brace_stays_behind_its_arrow() -> None:
    condition = "energy == max(energy, food - 1) and distance to Bed >= food or energy > max(energy, food - 1)"
    text = formatted(f"universe u rule r_of_some_length: {condition} -> {{ energy -= 1 together {{ food = 1 }} }}")
    assert text.splitlines()[2:4] == [
        "rule r_of_some_length: energy == max(energy, food - 1) and distance to Bed >= food",
        "    or energy > max(energy, food - 1) -> {",
    ]


def test_a_chain_of_choices_is_broken_before_each_else() -> None:
    choice = "if hour < 6 and position x == 1 then 0.25 else if hour < 12 and position x == 2 then 0.5"
    text = formatted(f"universe u reward 0.5 * ({choice} else 0.125 * energy)")
    assert text.splitlines()[2:] == [
        "reward 0.5 * (if hour < 6 and position x == 1 then 0.25 else if hour < 12 and position x == 2 then 0.5",
        "    else 0.125 * energy)",
    ]


def test_a_long_block_gets_a_line_for_each_item() -> None:
    statements = "  ".join(f"meter_{n} += {n}" for n in range(12))
    text = formatted(f"universe u action A {{ {statements} }}")
    assert text.splitlines()[2:5] == ["action A {", "    meter_0 += 0", "    meter_1 += 1"]
