"""Series: `use Cell(c1 .. c9)`, `total(c) over c in c1 .. c9`, `repeat c in c1 .. c9 { ... }`."""

from __future__ import annotations

import pytest

import mistakes
from hamlet.universe import Universe, draws
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import rewritten
from hamletc.language.formatter import format_source
from hamletc.language.syntax import NOWHERE

BASE = """
universe small
space none
lifespan 100 ticks
meter luck = 0.5
state c1: int in 0 .. 9 = 1
state c2: int in 0 .. 9 = 2
state c3: int in 0 .. 9 = 3
reward luck
observe { meters  state }
"""


def checked(added: str) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The result for a text without syntax errors, behind the usual one."""
    return mistakes.checked(f"{BASE}{added}\n")


def universe(added: str) -> Universe:
    """The universe of a text without findings, with all its places the same."""
    made, findings = checked(added)
    assert made is not None, findings
    return rewritten(made, lambda _: NOWHERE)


@pytest.mark.parametrize(
    ("through", "written"),
    [
        ("report r: total(c * luck) over c in c1 .. c3", "report r: c1 * luck + c2 * luck + c3 * luck"),
        ("report r: 1 - total(c) over c in c1 .. c2 * luck", "report r: 1 - (c1 + c2) * luck"),
        ("report r: count(c > 2) over c in (c3, c1 .. c2)", "report r: 1 when c3 > 2 + 1 when c1 > 2 + 1 when c2 > 2"),
        ("report r: average(c) over c in c1 .. c3", "report r: (c1 + c2 + c3) / 3"),
        ("report r: lowest(c) over c in c1 .. c3", "report r: min(c1, c2, c3)"),
        ("report r: 1 when highest(c) over c in c1 .. c2 > 3", "report r: 1 when max(c1, c2) > 3"),
        ("report r: total(n * c) over (c, n) in (c1 .. c3, -1 .. 1)", "report r: -1 * c1 + 0 * c2 + 1 * c3"),
        (
            "report r: total(n * c) over (c, n) in ((c3, c1 .. c2), (-1, 4 .. 5))",
            "report r: -1 * c3 + 4 * c1 + 5 * c2",
        ),
        (
            "report r: total(total(c * d + n) over d in c2 .. c3) over (c, n) in (c1 .. c2, 5 .. 6)",
            "report r: (c1 * c2 + 5) + (c1 * c3 + 5) + ((c2 * c2 + 6) + (c2 * c3 + 6))",
        ),
        ("report r: total(total(c) over c in c1 .. c2 + c) over c in c3 .. c3", "report r: c1 + c2 + c3"),
        ("report r: total(n * c1) over n in 1 .. most\nlet most = 3", "report r: 1 * c1 + 2 * c1 + 3 * c1"),
        (
            "report r: total(total(luck * n) over n in 1 .. m) over m in 1 .. 2",
            "report r: luck * 1 + (luck * 1 + luck * 2)",
        ),
        (
            "rule r: chance(0.5) -> repeat (c, n) in (c1 .. c3, 1 .. 3) { c = integer(0, n)  luck += 0.1 * c }",
            "rule r: chance(0.5) -> { c1 = integer(0, 1)  luck += 0.1 * c1  c2 = integer(0, 2)  luck += 0.1 * c2"
            "  c3 = integer(0, 3)  luck += 0.1 * c3 }",
        ),
        (
            "report r: total(uniform(0, c)) over c in c1 .. c3",
            "report r: uniform(0, c1) + uniform(0, c2) + uniform(0, c3)",
        ),
        (
            "template T(c, n, GO) { action GO { c += n } }\nuse T(c2 .. c3, 1 .. 2, GO_09 .. GO_10)\n"
            "report r: count(action == a) over a in GO_09 .. GO_10",
            "action GO_09 { c2 += 1 }\naction GO_10 { c3 += 2 }\n"
            "report r: 1 when action == GO_09 + 1 when action == GO_10",
        ),
        (
            "template T(c, by, GO) { action GO { c += by } }\n"
            "use T((c3, c1 .. c2), (2, -1, 1 + 2), (UP, GO_1 .. GO_2))",
            "action UP { c3 += 2 }\naction GO_1 { c1 += -1 }\naction GO_2 { c2 += 1 + 2 }",
        ),
        (
            "affordance Bed { instantly { luck += 0.1 } }\naffordance Mill { instantly { luck -= 0.1 } }\n"
            "report r: count(used == shop) over shop in (Bed, Mill)",
            "affordance Bed { instantly { luck += 0.1 } }\naffordance Mill { instantly { luck -= 0.1 } }\n"
            "report r: 1 when used == Bed + 1 when used == Mill",
        ),
        (
            "role owl: 2 agents { meter w1 = 0.1 { decay 0.1 }  meter w2 = 0.2 { decay 0.1 }  "
            "reward total(w) over w in w1 .. w2 }",
            "role owl: 2 agents { meter w1 = 0.1 { decay 0.1 }  meter w2 = 0.2 { decay 0.1 }  "
            "reward w1 + w2 }",
        ),
        (
            "let larger(a, b) = count(c > a) over c in (c1, b)\nreport r: larger(luck, c3)",
            "let larger(a, b) = 1 when c1 > a + 1 when b > a\nreport r: larger(luck, c3)",
        ),
    ],
)  # fmt: skip
def test_a_series_is_what_could_have_been_written(through: str, written: str) -> None:
    made = universe(through)
    assert made == universe(written)
    assert len({draw.site for draw in draws(made)}) == len(draws(made))


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        ("report r: count(c) over c in c1 .. d3", "H320", "no series"),
        ("report r: total(c) over c in c3 .. c1", "H320", "no series"),
        ("report r: total(c) over c in c1 .. c200", "H320", "no series"),
        ("report r: total(c) over c in 0.5 .. 2", "H320", "no series"),
        ("report r: total(c) over c in luck .. c1", "H320", "no series"),
        ("report r: total(c) over c in `\"*/ {{1` .. c1", "H320", "no series"),
        ("report r: total(c, c) over c in c1 .. c2", "H320", "does not go through"),
        ("report r: total(c * n) over (c, n) in (c1 .. c2, 1 .. 3)", "H320", "series of 2 and 3"),
        ("template T(c) { rule c: luck += 0.1 }\nuse T(a1 .. b2)", "H320", "no series"),
        ("template T(c, n) { rule c: luck += 0.1 * n }\nuse T((a, b), 1 .. 3)", "H320", "series of 2 and 3"),
        ("template T(c, n) { rule c: luck += 0.1 * n }\nuse T((a, b1 .. b2), (1, 2))", "H320", "series of 3 and 2"),
        ("report r: total(luck) over c in c1 .. c2", "H321", "never used"),
        ("report r: total(distance to n) over n in 1 .. 2", "H321", "is the number 1"),
        ("report r: total(c) over c in c1 .. c4", "H020", "there is no `c4`"),
    ],
)  # fmt: skip
def test_mistakes_are_said_once(added: str, code: str, message: str) -> None:
    _, findings = checked(added)
    mistakes.is_said_once(findings, code, message)


def test_what_holds_for_some_of_a_series_is_no_mistake() -> None:
    _, findings = checked("report r: count(mod(n, 2) == 1 and c > 1) over (c, n) in (c1 .. c3, 1 .. 3)")
    assert [each for each in findings if each.severity == "error"] == []


def test_what_is_far_too_much_is_refused() -> None:
    _, findings = checked(
        "report r: total(total(total(a * b * c * luck) over c in 1 .. 90) over b in 1 .. 90) over a in 1 .. 90"
    )
    assert [each.code for each in findings] == ["H320"]


def test_series_are_formatted() -> None:
    text = "universe small\n\nreward 2*total(a+b) over (a,b) in (`c 1`..`c 2`,-1..0)\n"
    text += "report r:count(c>n)over c in(Bed,c1..c2)>2\nuse Shop((Bakery,`Old Mill`,s1..s2),(-1,2*a,1..2),(a))\n"
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert formatted.splitlines()[2:] == [
        "reward 2 * (total(a + b) over (a, b) in (`c 1` .. `c 2`, -1 .. 0))",
        "report r: (count(c > n) over c in (Bed, c1 .. c2)) > 2",
        "",
        "use Shop((Bakery, `Old Mill`, s1 .. s2), (-1, 2 * a, 1 .. 2), a)",
    ]


@pytest.mark.parametrize(
    ("series", "written"),
    [("3 .. -1", "(3, 2, 1, 0, -1)"), ("c10 .. c09", "(c10, c09)"), ("c3 .. c1", "(c3, c2, c1)"), ("90 .. 1", None)],
)
def test_what_goes_down_is_written_as_a_list(series: str, written: str | None) -> None:
    _, (finding, *_) = checked(f"report r: total(luck * c) over c in {series}")
    assert [edit.text for edit in finding.edits] == ([] if written is None else [written])
    assert (written or "at most 100") in finding.hint
