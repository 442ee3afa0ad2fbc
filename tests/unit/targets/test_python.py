"""Trees of code as Python text."""

from __future__ import annotations

import pytest

from hamletc.kernel.code import Code, Remark, assign, give
from hamletc.kernel.expressions import Name, call, names, no, several, shape
from hamletc.targets.python import PythonPrinter

PRINTER = PythonPrinter({}, (), lambda value: str(value.value), lambda each: each.name, lambda _: "@compiled")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (give(), "return"),
        (give("low"), "return low"),
        (give(*names("low high")), "return low, high"),
        (assign("block", call("zeros", shape("height", 32), "i32")), "block = zeros([height, 32], i32)"),
        (Remark(f"A {'very ' * 23}long remark."), f"# A{' very' * 23}\n# long remark."),
        (assign("even", (Name("lane") & 1).equals(0)), "even = (lane & 1) == 0"),
        (assign("most", Name("lane") << 1 > Name("bits") | 1), "most = (lane << 1) > (bits | 1)"),
        (assign("pair", several(names("low high"))), "pair = (low, high)"),
        (assign(names(f"{'a' * 70} {'b' * 41}"), "state"), f"(\n    {'a' * 70}, {'b' * 41},\n) = state"),
        (assign(names("low high"), several(names("high low"))), "low, high = high, low"),
    ],
)
def test_statements(code: Code, text: str) -> None:
    assert "\n".join(PRINTER.block([code], 0)) == text


def test_readers_get_parentheses_that_python_needs_not() -> None:
    alive, hurt, late = names("alive hurt late")
    assert PRINTER.text(alive.either(hurt.both(late))) == "alive or (hurt and late)"
    assert PRINTER.text(no(hurt | late)) == "not (hurt | late)"
    assert PRINTER.text((alive | hurt) | late) == "alive | hurt | late"
    assert PRINTER.text(no(hurt.equals(late))) == "not hurt == late"


def test_targets_stand_in_lines_of_their_own_where_one_would_be_too_long() -> None:
    targets = names(" ".join(f"observed_position_{axis}" for axis in "abcde"))
    lines = "\n".join(PRINTER.block([assign(targets, call("_observe_a_lane", *targets[:4]))], 0)).splitlines()
    assert lines == [
        "(",
        "    observed_position_a, observed_position_b, observed_position_c, observed_position_d, observed_position_e,",
        ") = _observe_a_lane(observed_position_a, observed_position_b, observed_position_c, observed_position_d)",
    ]
