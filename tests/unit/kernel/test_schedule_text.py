"""The text form of schedules: what it looks like, and that it is read back exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from examples import examples
from hamletc.compile import lower, optimise, schedule
from hamletc.kernel.schedule import Schedule, ScheduleError
from hamletc.kernel.statements import STATEMENTS
from hamletc.kernel.text import parse_schedule, print_schedule
from samples import sample
from samples.schedules import schedules

TEXT = """\
routine tick
  set running to alive
  within running
    call reduce_tick
  join count.0
  join grant.Doctor
  fill reward with 0.0
  fill terminated truncated with false
  fill used cause with -1
  fill `report.in bed` with 0.0
  within running
    call tick
"""


def test_what_it_looks_like() -> None:
    assert print_schedule(parse_schedule(TEXT)) == TEXT


@pytest.mark.parametrize("name", ["town", "queue", "herd", "stateful", "gallery/moss", "handled", "gallery/cartpole"])
def test_schedules_are_read_back(name: str) -> None:
    made = schedule(optimise(lower(sample(name))))
    assert parse_schedule(print_schedule(made)) == made


@given(schedules())
@settings(max_examples=examples(200), deadline=None)
def test_any_schedule_is_read_back(made: Schedule) -> None:
    assert parse_schedule(print_schedule(made)) == made


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kernel step\n  dance\n", 2),
        ("  gain\n", 1),
        ("kernel step\n    gain\n", 2),
        ("kernel step\n  gain much\n", 2),
        ("kernel step\n  store reward where\n", 2),
        ("routine a\n  within running\n    live\n      gain\n", 4),
        ("gain\n", 1),
    ],
)
def test_what_is_no_schedule(text: str, line: int) -> None:
    with pytest.raises(ScheduleError, match=f"^line {line}: "):
        parse_schedule(text)


def test_each_statement_says_what_it_does() -> None:
    for kind in STATEMENTS:
        assert kind.__doc__, kind
        assert "{" in kind.form or len(kind.form.split()) == 1, kind


def test_statements_are_also_those_of_routines_and_within_others() -> None:
    made = parse_schedule("routine a\n  live\n\nkernel step\n  act\n  within running\n    do a\n    gain\n  count\n")
    kinds = [type(each).__name__ for each in made.statements(made.kernel("step").body)]
    assert kinds == ["Act", "Within", "Do", "Live", "Gain", "Count"]
