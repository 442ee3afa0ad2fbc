"""Numbers that decide how much is written out are found as any other constant is."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes, universe

BUS = "affordance Bus at random {{ wanders every {period}  instantly {{ mood += 0.1 }} }}\n"


@pytest.mark.parametrize("number", ["n", "-(-n)"])
def test_a_function_of_constants_is_a_number_of_copies(number: str) -> None:
    added = f"let n = floor(2.5) + max(0, 1)\nlet m = {number}\n"
    found = universe(f"{added}affordance Bush: m copies at random {{ instantly {{ mood += 0.1 }} }}\n")
    assert [each.name for each in found.affordances if each.copy_of == "Bush"] == ["Bush 1", "Bush 2", "Bush 3"]


def test_how_many_things_there_are_may_be_computed_by_functions() -> None:
    added = "let n = floor(3.9)\nslots n\nitem pie { carried 1  wear clamp(n, 1, 2)  use { mood += 0.1 } }\n"
    found = {meter.name: meter.high for meter in universe(added).meters}
    assert (found["pie"], found["wear of pie"]) == (3, 2)


def test_a_day_between_two_steps_is_as_many_ticks_as_the_clock_has_hours() -> None:
    of_day, of_ticks = (universe(BUS.format(period=period)) for period in ("1 day", "24 ticks"))
    assert [meter.high for meter in of_day.world.meters] == [meter.high for meter in of_ticks.world.meters]


def test_periods_of_days_read_the_clock_and_need_one() -> None:
    without = BASE.replace("clock 24 hours\n", "").replace(" open 8 .. 18", "")
    assert codes(BUS.format(period="2 days"), without) == ["H036"]
    read = BASE.replace(" open 8 .. 18", "")
    assert checked(read + BUS.format(period="1 day"))[1] == ()


def test_what_is_no_constant_is_no_number_of_copies() -> None:
    assert codes("affordance A: level copies at random { instantly { mood += 0.1 } }\n") == ["H031"]
