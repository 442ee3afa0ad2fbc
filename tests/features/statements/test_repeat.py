"""`repeat 10 { ... }`: statements several times in a tick, with draws of their own in each round."""

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
meter energy = 1 { decay 0.01 }
meter luck = 0.5
reward energy * luck
observe { meters }
"""


def checked(added: str, base: str = BASE) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The result for a text without syntax errors, behind the usual one."""
    return mistakes.checked(f"{base}{added}\n")


def universe(added: str) -> Universe:
    """The universe of a text without findings, with all its places the same."""
    made, findings = checked(added)
    assert made is not None, findings
    return rewritten(made, lambda _: NOWHERE)


@pytest.mark.parametrize(
    ("repeated", "written"),
    [
        ("rule r: repeat 3 { luck += uniform(-1, 1) }", "rule r {" + " luck += uniform(-1, 1)" * 3 + " }"),
        (
            "let n = 1 + 1\nrule r: chance(0.5) -> { luck = 0  repeat n { repeat n { luck += 0.1 * integer(0, 1) } } }",
            "rule r: chance(0.5) -> { luck = 0 " + " luck += 0.1 * integer(0, 1)" * 4 + " }",
        ),
        (
            "template T(m, n) { action GO { repeat n { m += 0.1 when chance(0.5) } } }\nuse T(luck, 2)",
            "action GO { luck += 0.1 when chance(0.5)  luck += 0.1 when chance(0.5) }",
        ),
        (
            "role wolf: 2 agents { rule r: repeat 2 { luck -= 0.1 when chance(0.5) } }",
            "role wolf: 2 agents { rule r { luck -= 0.1 when chance(0.5)  luck -= 0.1 when chance(0.5) } }",
        ),
        (
            "cascade c: energy < 0.5 -> repeat 2 { luck -= uniform(0, 1) * deficit }",
            "cascade c: energy < 0.5 -> { luck -= uniform(0, 1) * deficit  luck -= uniform(0, 1) * deficit }",
        ),
    ],
)  # fmt: skip
def test_rounds_are_what_could_have_been_written(repeated: str, written: str) -> None:
    made = universe(repeated)
    assert made == universe(written)
    assert len({draw.site for draw in draws(made)}) == len(draws(made)) >= 2


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        ("rule r: repeat 1 { luck += 0.1 }", "H278", "`repeat` cannot take 1 rounds"),
        ("rule r: repeat 101 { luck += 0.1 }", "H278", "101 rounds"),
        ("rule r: repeat 2.5 { luck += 0.1 }", "H278", "2.5 rounds"),
        ("rule r: repeat energy { luck += 0.1 }", "H278", "`repeat` cannot take energy rounds"),
        ("rule r: repeat `\"*/ {{` { luck += 0.1 }", "H278", ""),
        ("rule r: repeat 50 { repeat 50 { luck += 0.1 } }", "H278", "more than 2,000 statements"),
        ("rule r: repeat 3 { luck += 0 }", "H063", "never changes `luck`"),
        ("rule r: repeat 3 { luck += enrgy }", "H020", "there is no `enrgy`"),
        ("rule r: repeat 3 { energy += 0.1 when luck < 2 }", "H062", "always true"),
    ],
)  # fmt: skip
def test_mistakes_are_said_once(added: str, code: str, message: str) -> None:
    _, findings = checked(added)
    mistakes.is_said_once(findings, code, message)


def test_what_holds_in_some_rounds_only_is_no_mistake() -> None:
    _, findings = checked(
        "state n: int in 0 .. 9 = 0\nrule r { n = 0  repeat 5 { n += integer(0, 1) when n < 3 } }\nreward n"
    )
    assert [each.code for each in findings if each.severity == "error"] == []


def test_a_meter_may_be_called_repeat() -> None:
    rule = "rule r: repeat += 0.1 * pi"
    made, findings = checked(f"meter repeat = 0.5\n{rule}\nmeter pi = 0.2 {{ decay 0.1 }}\nreward repeat")
    assert made is not None, findings
    assert [each.name for each in made.meters] == ["energy", "luck", "repeat", "pi"]


def test_pi_is_a_constant_that_is_rounded_once() -> None:
    made = universe("let turn = 2 * pi\nreward sin(turn * luck) + mod(turn, 1)")
    assert made.rewards[-1] == universe("reward sin(6.283185307179586 * luck) + mod(6.283185307179586, 1)").rewards[-1]


def test_repeats_are_formatted() -> None:
    text = "universe small\n\nrule r: repeat 2 { luck+=1\n# why\nrepeat n{luck-=1} }\n"
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert formatted.splitlines()[2:] == [
        "rule r: repeat 2 {",
        "    luck += 1",
        "    # why",
        "    repeat n { luck -= 1 }",
        "}",
    ]
