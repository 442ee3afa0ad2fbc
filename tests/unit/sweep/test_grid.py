"""What `--param` says of variants."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hamlet.package.module import Module
from hamlet_lab.sweep.grid import grid
from hamletc.errors import CompileError

SHOP = """
universe shop
space none
param wage = 0.1 in 0 .. 0.5
param `cost of rent` = 1 in 0.5 .. 2
meter food = 0.5 { decay 0.05 * `cost of rent` }
action WORK { food += 0.1 * wage }
dies when food <= 0
reward food
observe { meters  params }
"""


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


def test_every_combination_the_last_varies_fastest(shop: Module) -> None:
    found = grid(["wage=0:0.3:4", "`cost of rent` = 2, 0.5,1"], shop.universe)
    assert found.variants == 12
    assert [axis.name for axis in found.varied] == ["wage", "cost of rent"]
    values = found.values(0, 12)
    # As they are written, not 0.30000000000000004 or what binary32 makes of 0.1.
    assert values["wage"].tolist() == [0.0] * 3 + [0.1] * 3 + [0.2] * 3 + [0.3] * 3
    assert values["cost of rent"].tolist() == [2.0, 0.5, 1.0] * 4
    assert {name: part.tolist() for name, part in found.values(4, 6).items()} == {
        "wage": [0.1, 0.1],
        "cost of rent": [0.5, 1.0],
    }


def test_steps_of_equal_ratio(shop: Module) -> None:
    (axis,) = grid(["cost of rent=0.5:2:5:log"], shop.universe).axes
    assert axis.values == (0.5, 0.70710677, 1.0, 1.4142135, 2.0)
    assert grid(["wage=0.2"], shop.universe).varied == ()


FORM = "write NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNT:log or NAME=NUMBER,NUMBER,..., as in --param wage=0.05:0.3:16"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], f"give at least one --param {FORM.removeprefix('write ')}"),
        (["wag=1"], "--param wag: shop has no such param: did you mean wage?"),
        (["wind=1"], "--param wind: shop has no such param: it has wage, cost of rent"),
        (["wage"], f"--param wage: {FORM}"),
        (["wage="], f"--param wage=: {FORM}"),
        (["wage=0:1"], f"--param wage=0:1: {FORM}"),
        (["wage=0:0.1:3:lin"], f"--param wage=0:0.1:3:lin: {FORM}"),
        (["wage=a"], f"--param wage=a: a is no number: {FORM}"),
        (["wage=0.1,"], f"--param wage=0.1,: nothing is no number: {FORM}"),
        (["wage=nan"], f"--param wage=nan: nan is no number: {FORM}"),
        (["wage=0:0.1:1"], "--param wage=0:0.1:1: the count is 2 to 1,000,000, not 1"),
        (["wage=0:0.1:2.5"], "--param wage=0:0.1:2.5: the count is 2 to 1,000,000, not 2.5"),
        (["wage=0.1:0:3"], "--param wage=0.1:0:3: begin with the lower number"),
        (["wage=0:0.1:3:log"], "--param wage=0:0.1:3:log: steps of equal ratio begin above 0"),
        (["wage=0:0.6:3"], "--param wage: 0.6 is outside of its bounds, 0 .. 0.5"),
        (["wage=0.1", "wage=0.2"], "--param wage=0.2: wage is given twice"),
        (["wage=0.1,0.1"], "--param wage=0.1,0.1: two of these values are the same binary32 number"),
    ],
)
def test_what_is_refused(given: list[str], message: str, shop: Module) -> None:
    with pytest.raises(CompileError) as caught:
        grid(given, shop.universe)
    assert str(caught.value) == message
