"""`table adjacency 3 x 3 { ... }`: constant numbers that expressions read by an index, from texts and from files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamlet.universe.codec import from_json, to_json
from hamlet.universe.members import UnsoundError
from hamlet.universe.sound import check_sound
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse

TEXT = """
universe tabled
space grid 4 x 3
lifespan 40 ticks
table ways 3 x 3 {
    0 1 0.5
    1 0 -1
    # a comment between rows
    0 1e-3 0
}
table deep 2 x 3 x 2 { 1 2  3 4  5 6  7 8  9 10  11 12 }
table demand { 5 3.5 8 6 }
table floors 4 x 3 { 0 1 2  1 0 2  2 2 2  0 0 1 }
let after(t, i) = t[min(i + 1, 3)]
template Sales(name, numbers) { rule name: sold = numbers[mod(age, 4)] }
use Sales(market, demand)
world {
    state day: int in 0 .. 3 = 0
    state shown: real in 0 .. 100 = demand[3]
    rule goes: day = mod(day + 1, 4)
    rule shows: shown = demand[day]
}
cells {
    state ground: int in 0 .. 100 = floors[position x, position y]
    rule grows: ground += floors[position x, mod(position y + 1, 3)]
}
state room: int in 0 .. 2 = integer(0, 2)
state there: int in 0 .. 2 = integer(0, 2)
state sold: real in 0 .. 100 = demand[room]
meter way = 0 in -10 .. 10
action HOP { needs ways[room, there] >= 0.5  room = there }
rule turn: there = mod(there + 1, 3)
rule pass: way = ways[room, there]
reward way + deep[mod(age, 2), room, mod(there, 2)]
report later: after(demand, day)
observe { meters  state  grid of ground  next: demand[room] }
"""
WAYS = np.array([[0, 1, 0.5], [1, 0, -1], [0, 1e-3, 0]], np.float32)
DEEP = np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2)
DEMAND = np.array([5, 3.5, 8, 6], np.float32)
FLOORS = np.array([[0, 1, 2], [1, 0, 2], [2, 2, 2], [0, 0, 1]], np.float32)


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_readings_are_the_numbers_of_the_table(module: Module, backend: str) -> None:
    env = hamlet.make(module, worlds=50, agents=2, backend=backend, seed=4, quiet=True)
    room, there = (env.meter(name).numpy().astype(int) for name in ("room", "there"))
    assert np.array_equal(env.meter("sold"), DEMAND[room])
    assert np.array_equal(env.meter("shown"), np.full(50, 6.0, np.float32))
    ground = FLOORS.T.reshape(-1)
    grows = np.roll(FLOORS, -1, axis=1).T.reshape(-1)
    assert np.array_equal(env.meter("ground")[:, 0], ground)
    hop = list(env.action_names).index("HOP")
    for tick in range(9):
        assert np.array_equal(env.action_mask[:, hop], WAYS[room, there] >= 0.5)
        hops = WAYS[room, there] >= 0.5
        _, reward, *_ = env.step(torch.full((100,), hop, dtype=torch.int32))
        room, there = np.where(hops, there, room), (there + 1) % 3
        assert np.array_equal(env.meter("room"), room)
        assert np.array_equal(env.meter("sold"), np.full(100, DEMAND[tick % 4]))
        assert np.array_equal(env.meter("way"), WAYS[room, there])
        assert np.array_equal(env.meter("shown"), np.full(50, DEMAND[(tick + 1) % 4]))
        paid = WAYS[room, there] + DEEP[(tick + 1) % 2, room, there % 2]
        assert np.array_equal(reward, paid.astype(np.float32))
        assert np.array_equal(env.reports["later"], np.full(100, DEMAND[min((tick + 1) % 4 + 1, 3)]))
        assert np.array_equal(env.observation[:, list(env.observation_names).index("next")], DEMAND[room])
        ground = ground + grows
        assert np.array_equal(env.meter("ground")[:, 0], ground)


def test_what_is_read_lies_where_the_numbers_lie() -> None:
    """Of the places that the index can lead to; and is whole where all numbers of the table are."""
    head = "universe t\nspace none\nlifespan 9 ticks\ntable few { 100 2 @ -100 }\nstate i: int in 1 .. 2 = 1\n"
    foot = "\nrule on: i = 3 - i\nreward m\nobserve { meters }\n"
    counts = f"{head}meter m = 1\nstate k: int in 0 .. 9 = 0\nrule r {{ k = few[i]  m -= 0.01 * k }}{foot}"
    divides = f"{head}meter m = 1 {{ decay 0.1 }}\nrule r: m += 0.01 / (few[i + #] - 2.5){foot}"
    assert codes(counts.replace("@", "3")) == set()
    assert codes(counts.replace("@", "3.5")) == {"H163"}
    assert codes(divides.replace("@", "2").replace("#", "0")) == set()
    assert codes(divides.replace("@", "2").replace("#", "-1")) == {"H050"}


def codes(text: str) -> set[str]:
    """The codes of the errors of a text."""
    file, problems = parse(text)
    assert file is not None
    found = problems or check(file, ("t.hamlet",))[1]
    return {each.code for each in found if each.severity == "error"}


HEAD = "universe o\nspace none\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("table t { 1 2 }  rule r: a += 0.01 * t[mod(age, 2)]", set()),
        ("table t { 1 2 }  rule r: a += 0.01 * t[1]", set()),
        ("table t { -1 2 }  rule r: age < 2 -> a += t[age]", {"H275"}),  # a guard proves nothing
        ("table t { 1 2 }  rule r: a += t[2]", {"H275"}),
        ("table t { 1 2 }  rule r: a += t[-1]", {"H275"}),
        ("table t { 1 2 }  rule r: a += t[0.5]", {"H275"}),
        ("table t { 1 2 }  rule r: a += t[a]", {"H275"}),
        ("table t { 1 2 }  rule r: a += t[mod(age, 2), 0]", {"H275"}),
        ("table t { 1 2 }  rule r: a += t", {"H275"}),
        ("table t { 1 2 }", {"H060"}),
        ("table t 2 x 2 { 1 2 3 }  rule r: a += t[0, mod(age, 2)]", {"H276"}),
        ("table t 0 { 1 }  rule r: a += t[0]", {"H033"}),
        ("table a { 1 2 }  rule r: a += a[mod(age, 2)]", {"H021", "H022"}),
        ("rule r: a += lots[mod(age, 2)]", {"H020"}),
        ("rule r: a += a[0]", {"H021"}),
        ("table t { 1e39 }  rule r: a += t[0]", {"H006"}),
        # The word is no reserved one.
        ("meter table = 1 { decay 0.1 }  rule r: table += 0.1 * a  rule s: a += table", set()),
        ("table table { 1 2 }  rule r: a += 0.01 * table[mod(age, 2)]", set()),
    ],
)
def test_what_is_said(text: str, expected: set[str]) -> None:
    assert codes(HEAD + text + "\n") == expected


FILED = """
space none
lifespan 9 ticks
@
meter a = 1 { decay 0.1 }
rule r: a += 0.01 * pay[#]
reward a
observe { meters }
"""


@pytest.mark.parametrize(
    ("sizes", "same", "index"),
    [
        ("", " 3 x 2", "mod(age, 3), mod(age, 2)"),
        (" 6", " 6", "mod(age, 6)"),
        (" 2 x 3", " 2 x 3", "mod(age, 2), mod(age, 3)"),
    ],
)
def test_a_file_of_numbers(sizes: str, same: str, index: str, tmp_path: Path) -> None:
    """Rows and columns, or as the universe says; the same universe as with the numbers in its text."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "pay.csv").write_text('1, 2.50\r\n+3,"-4"\n.5,6e-1\n\n', encoding="utf-8")
    made = []
    for line in (f'table pay{sizes} "data/pay.csv"', f"table pay{same} {{ 1 2.5 3 -4 0.5 0.6 }}"):
        path = tmp_path / f"pay{len(made)}.hamlet"
        text = "universe pay" + FILED.replace("@", line).replace("#", index)
        path.write_text(text, encoding="utf-8")
        formatted, problems = format_source(text)
        assert formatted is not None
        assert not problems
        assert line in formatted
        made.append(hamlet.compile(path, tmp_path / str(len(made))).universe.tables[0])
    assert made[0].values == made[1].values
    assert made[0].sizes == made[1].sizes


def test_long_tables(compiled: Callable[[str], Module]) -> None:
    """Thousands of numbers: the kernel has them as a constant, and reads the right one."""
    values = [(37 * place) % 4096 for place in range(4096)]
    numbers = "\n".join(" ".join(map(str, values[row : row + 64])) for row in range(0, 4096, 64))
    text = (
        f"universe long_table\nspace none\nlifespan 9 ticks\ntable long 64 x 64 {{\n{numbers}\n}}\n"
        "state i: int in 0 .. 63 = integer(0, 63)\nstate v: int in 0 .. 4095 = 0\n"
        "rule r: v = long[i, mod(v, 64)]\nrule s: i = integer(0, 63)\nreward v\nobserve { state }\n"
    )
    env = hamlet.make(compiled(text), worlds=64, seed=2, quiet=True)
    for _ in range(3):
        i, v = env.meter("i").numpy().astype(int), env.meter("v").numpy().astype(int)
        env.step(torch.zeros(64, dtype=torch.int32))
        assert np.array_equal(env.meter("v"), np.array(values, np.float32)[i * 64 + v % 64])


def test_universes_as_data_are_checked(module: Module) -> None:
    whole = module.universe
    assert from_json(to_json(whole)).tables == whole.tables
    broken = replace(whole, tables=(replace(whole.tables[0], sizes=(3, 4)), *whole.tables[1:]))
    with pytest.raises(UnsoundError, match="the table 'ways' has 9 numbers"):
        check_sound(broken)
    with pytest.raises(UnsoundError):
        check_sound(replace(whole, tables=whole.tables[1:]))
