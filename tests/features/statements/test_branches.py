"""`if condition { ... } else { ... }` among statements: its condition is asked once, when it is reached."""

from __future__ import annotations

import pytest
import torch

import mistakes
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import Guarded, Universe, nodes
from hamlet_lab.divergence.events import CPU
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.lint.sinking import sinking
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.changes import changes_of
from hamletc.compilation import Compilation
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import sample, universe_of

BASE = """
universe small
{space}
lifespan 100 ticks
{declared}
meter a = 0.5 in -100 .. 100
meter b = 0.5 in -100 .. 100
state n: int in -99 .. 99 = 0
reward a + b + n
observe {{ meters  state {observed} }}
"""


def written(declared: str) -> Universe:
    return universe_of(BASE.format(declared=declared, space="space none", observed=""))


def on_a_grid(declared: str) -> Universe:
    space = "space grid 8 x 8 { starts when position x == 0 and position y == 0 }"
    return universe_of(BASE.format(declared=declared, space=space, observed=" position absolute"))


def after(universe: Universe, field: str, ticks: int = 1, worlds: int = 1) -> torch.Tensor:
    """A field of the state after ticks of the random policy."""
    buffers, interpreter = allocate(universe, Shape(worlds, 1), CPU, None), Interpreter(universe, CPU)
    interpreter.reset(buffers, Stream(3, 0))
    interpreter.rollout(buffers, ticks, RandomPolicy(), Stream(3, 0), False, None)
    return buffers.state[field].clone()


@pytest.mark.parametrize(
    ("declared", "values"),
    [
        ("rule r: if a > 0.4 { a += 1  b = a } else { b = 9 }", [1.5, 1.5, 0]),
        ("rule r: if a > 0.6 { a += 1  b = a } else { b = 9  n = 3 }", [0.5, 9, 3]),
        ("rule r { if a > 0.4 { a = 0 } else { b = 9 }  n += 1 }", [0, 0.5, 1]),
        ("rule r { if a > 0.4 { a -= 0.25 }  if a > 0.4 { b = 9 } else { b = 8 } }", [0.25, 8, 0]),
        ("rule r: if a > 1 { n = 1 } else if b > 0 { n = 2  a = 7 } else if a > 0 { n = 3 }", [7, 0.5, 2]),
        ("rule r: if a > 1 { n = 1 } else if a > 0.6 { n = 2 } else { n = 4 }", [0.5, 0.5, 4]),
        ("rule r: a > 1 -> if b > 0.4 { n = 1 } else { n = 2 }", [0.5, 0.5, 0]),
        ("rule r: if a > 0.4 { if b > 0.6 { n = 1 } else { n = 2 } } else { n = 3 }", [0.5, 0.5, 2]),
        ("rule r: repeat 4 { if n < 2 { n += 1 } else { a += 1 } }", [2.5, 0.5, 2]),
        ("rule r: if a > 0.4 { repeat 3 { n += 1 } } else { n = 9 }", [0.5, 0.5, 3]),
        ("rule r: if a > 0.4 { let h = 2 * a  a = 9  b = h } else { let h = 3  b = h }", [9, 1, 0]),
        ("rule r { let low = a < 0.6  a = 9  if low { b = 1 } else { b = 2 } }", [9, 1, 0]),
        ("rule r: if a > 0.4 { together { a += 200  a -= 150 } } else { b = 0 }", [50.5, 0.5, 0]),
        ("rule r: if a > 0.4 { a += 200  a -= 150 } else { b = 0 }", [-50, 0.5, 0]),
        ("cascade s: a < 1 -> if deficit > 0.4 { b += deficit } else { b = 9 }", [0.5, 1, 0]),
        ("template T(m, k) { rule r: if m > 0.4 { m += k } else { m -= k } }\nuse T(a, 2)", [2.5, 0.5, 0]),
        (
            "effect x lasts 9 ticks { on start { if a > 0.4 { n = 5 } else { n = 6 } } }\n"
            "rule r: age == 0 -> begin x",
            [0.5, 0.5, 5],
        ),
        (
            "effect x lasts 9 ticks { each tick { a += 0.25 } on start { n += 1 } }\n"
            "rule r: if a > 0.4 { begin x } else { a = 1 }",
            [0.5, 0.5, 1],
        ),
    ],
)  # fmt: skip
def test_one_branch_runs(declared: str, values: list[float]) -> None:
    assert [float(row[0]) for row in after(written(declared), "meters")[:3]] == values


def test_a_branch_moves_an_agent_at_once() -> None:
    universe = on_a_grid("rule r: if age == 0 { move (2, 0)  n = position x } else { teleport (7, 3) }\nactions WAIT")
    assert after(universe, "position")[:, 0].tolist() == [2, 0]
    assert float(after(universe, "meters")[2]) == 2
    assert after(universe, "position", ticks=2)[:, 0].tolist() == [7, 3]


def test_branches_of_an_action_move_who_takes_it_and_nobody_else() -> None:
    universe = on_a_grid("action GO { if a > 0.4 { move (3, 0)  a = 0 } else { move (0, 2) } }\nactions GO WAIT")
    places = {tuple(each) for each in after(universe, "position", ticks=1, worlds=64).T.tolist()}
    assert places == {(0, 0), (3, 0)}
    places = {tuple(each) for each in after(universe, "position", ticks=2, worlds=64).T.tolist()}
    assert places == {(0, 0), (3, 0), (3, 2)}


def test_branches_draw_apart() -> None:
    """Both are sites of their own: what one draws is not what the other does."""
    drawn = after(written("rule r: if n == 0 { a = uniform(0, 1)  n = 1 } else { b = uniform(0, 1) }"), "meters", 2, 64)
    assert len({float(each) for each in drawn[0]}) > 60
    assert not torch.equal(drawn[0], drawn[1])


def test_the_tick_ir_agrees_wherever_branches_stand_and_both_run() -> None:
    universe = sample("branching")
    program = Compilation.begin(universe).run().program
    report = verify(
        universe, [Candidate(Executed(universe, program, "ir"), CPU)], Effort(worlds=21, ticks=3, rounds=24)
    )
    assert not report.never_fired
    branches = [node for node in nodes(universe) if isinstance(node, Guarded)]
    assert len(branches) > 15
    with_else = {each.span for each in branches if each.otherwise}
    assert sum(name.startswith("`else` of") for name in report.coverage) == len(with_else)


@pytest.mark.parametrize(
    ("declared", "code", "message"),
    [
        ("rule r: if a > 200 { b = 1 } else { b = 0 }", "H062", "never true"),
        ("rule r: if a > 0.4 { b = 1 } else if a > 0.6 { b = 0 }", "H062", "never true"),
        ("rule r { together { if a > 0.4 { b = 1 } a += 1 } }", "H052", "`if` cannot stand inside `together`"),
        ("rule r: if a { b = 1 }", "H027", "condition"),
        ("rule r: if a > 0.4 { let h = a  b = h } else { b = h }", "H360", "h"),
        ("rule r: if a > 0.4 { let h = a } else { b = 0 }", "H060", "h"),
        ("table t { 1 2 3 4 }\nrule r: if n >= 0 and n < 4 { a = t[n] } else { n = 1 }", "H275", "index of `t`"),
        ("rule r: repeat 100 { if n < 5 { repeat 25 { n += 1 } } }", "H278", "2,000"),
    ],
)
def test_mistakes_are_said_once(declared: str, code: str, message: str) -> None:
    text = BASE.format(declared=declared, space="space none", observed="")
    _, findings = mistakes.checked(text)
    mistakes.is_said_once(findings, code, message)


def test_explanations_say_what_is_asked() -> None:
    file, _ = parse(
        BASE.format(
            declared="rule r: if a > 1 { b += 1 } else if n == 0 { b -= 2 } else { b = 3 }",
            space="space none",
            observed="",
        )
    )
    assert file is not None
    changes = changes_of("b", file.declarations)
    asked = ["if a > 1", "if not (a > 1) if n == 0", "if not (a > 1) if not (n == 0)"]
    assert [each.text.split(" ", 3)[3] for each in changes] == asked
    assert not any(each.always for each in changes)


def test_lint_takes_one_branch_alone() -> None:
    """A tick raises a meter by the branch that raises it more, not by their sum."""
    declared = "rule r: if n == 0 { a += 0.25 } else { a -= 0.25 }"
    universe = written(declared)
    (meter,) = (each for each in universe.meters if each.name == "a")
    found = sinking(universe, meter)
    assert (found.rises, found.falls) == (0.25, 0)


def test_branches_are_formatted() -> None:
    text = (
        "universe u\nspace none\nlifespan 9 ticks\nmeter a = 1\nrule r { if(a>0.5){a-=0.1}else if a>0.2{ a+=0.1 # up\n"
        "} # before else\nelse{a=0 # none\n# end\n} }\nreward a\nobserve { meters }\n"
    )
    formatted, _ = format_source(text)
    assert formatted is not None
    assert formatted.split("rule ")[1].split("\nreward")[0] == (
        "r {\n    if a > 0.5 {\n        a -= 0.1\n    } else if a > 0.2 {\n        a += 0.1  # up\n"
        "        # before else\n"
        "    } else {\n        a = 0  # none\n        # end\n    }\n}\n"
    )
    assert format_source(formatted)[0] == formatted
