"""`let hurt = 0.3 * health` among statements: worked out once, where it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import mistakes
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.interpreter.trace import Trace
from hamlet.universe import Let, LocalValue, Universe, draws, nodes
from hamlet.universe.codec import CodecError, from_json, to_json
from hamlet_lab.divergence.events import CPU
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import sample, universe_of

BASE = """
universe small
space none
lifespan 100 ticks
{declared}
meter a = 0.5 in -100 .. 100
meter b = 0.5 in -100 .. 100
meter c = 0.5 in -100 .. 100
state n: int in -99 .. 99 = 0
reward a + b + c + n
observe {{ meters  state }}
"""


def written(declared: str) -> Universe:
    return universe_of(BASE.format(declared=declared))


def played(universe: Universe, ticks: int = 1, worlds: int = 1) -> torch.Tensor:
    """The meters after ticks of the random policy, in their bits."""
    buffers, interpreter = allocate(universe, Shape(worlds, 2), CPU, None), Interpreter(universe, CPU)
    interpreter.reset(buffers, Stream(3, 0))
    interpreter.rollout(buffers, ticks, RandomPolicy(), Stream(3, 0), False, None)
    return buffers.state["meters"].clone()


def once(declared: str) -> list[float]:
    """What a, b, c and n are after a tick."""
    return [float(row[0]) for row in played(written(declared))[:4]]


@pytest.mark.parametrize(
    ("declared", "values"),
    [
        ("rule r { let h = 2 * a  a += h  b += h  c = h }", [1.5, 1.5, 1, 0]),
        ("let h = 2 * a\nrule r { a += h  b += h  c = h }", [1.5, 3.5, 3, 0]),  # outside of braces it is no value
        ("rule r { let h = a > 0.4  a = 0  b = 7 when h  c = 5 when not h }", [0, 7, 0, 0]),
        ("rule r { let h = a  let k = h + 1  a = k  let l = a + h  b = l  c = k }", [1.5, 2, 1.5, 0]),
        ("rule r { together { let h = a + 200  a += h  b = 0.5 * h } c = 0 }", [100, 100, 0, 0]),
        ("rule r { together { a += 200  let h = a  b = 0.25 * h } c = 0 }", [100, 50.125, 0, 0]),
        ("rule r: repeat 3 { let h = a  a += h  b += h }", [4, 4, 0.5, 0]),
        ("rule r { let h = a  repeat 2 { let k = h  a += k  b += k } c = h }", [1.5, 1.5, 0.5, 0]),
        ("rule r: a > 1 -> { let h = a  b = h }\nrule s { let h = b  c = 2 * h }", [0.5, 0.5, 1, 0]),
        ("rule r { let h = 2  n += h  n += h }", [0.5, 0.5, 0.5, 4]),
        ("cascade s: a < 1 -> { let h = deficit  a += h  b += h  c += h }", [1, 1, 1, 0]),
        ("rule r { let hurt = -1  a = hurt  b = hurt - hurt - hurt }", [-1, 1, 0.5, 0]),
        ("let twice(x) = x + x\nrule r { let h = a  a = 3  b = twice(h) }", [3, 1, 0.5, 0]),
        ("let outer = 2 * a\nrule r { let h = outer  a = 3  b = h + outer }", [3, 7, 0.5, 0]),
        ("template T(m, k) { rule r { let h = m  m += k  c += h } }\nuse T(a, 2)", [2.5, 0.5, 1, 0]),
        (
            "template T(name, m, k) { rule name { let h = m  m += k  c += h } }\nuse T(one, a, 2)\nuse T(two, b, 3)\n"
            "rule z { let h = c  n = floor(4 * h) }",
            [2.5, 3.5, 1.5, 6],
        ),
        (
            "effect x lasts 9 ticks { on start { let h = 3  a = h  begin y  b = h } }\n"
            "effect y lasts 9 ticks { on start { let h = 4  c = h } }\nrule r { let h = 5  begin x  n = h }",
            [3, 3, 4, 5],
        ),
        ("rule r { let `two words` = a  b = `two words` + 1 }", [0.5, 1.5, 0.5, 0]),
        ("rule r { let let = a  a = 4  b = let }", [4, 0.5, 0.5, 0]),
        ("rule r { let move = a  a = 4  b = move }", [4, 0.5, 0.5, 0]),
        ("role x: others { rule r { let h = a  a = 4  b = h } }", [4, 0.5, 0.5, 0]),
    ],
)  # fmt: skip
def test_a_local_is_worked_out_once_where_it_stands(declared: str, values: list[float]) -> None:
    assert once(declared) == [float(torch.tensor(value)) for value in values]


def test_a_local_draws_once_and_takes_the_words_of_its_place() -> None:
    """One draw, of the site that it has in any statement of that rule."""
    local = written("rule r { let die = integer(1, 6)  n = die  a = die  b = 2 * die }")
    alone = written("rule r { n = integer(1, 6) }")
    assert [draw.site for draw in draws(local)] == [draw.site for draw in draws(alone)]
    meters = played(local, 40, 16)
    assert torch.equal(meters[3], played(alone, 40, 16)[3])
    assert torch.equal(meters[0], meters[3])
    assert torch.equal(meters[1], 2 * meters[3])


def test_a_local_is_what_a_state_would_be_that_a_statement_writes() -> None:
    """Bit for bit, of random numbers that make any other order of roundings show."""
    body = "h = 1.1 * a + uniform(-1, 1)  a = 0.37 * h - b  b += h * a  k = h > 0.3  c = 0.9 * h when k  c += 0.01 * h"
    state = written(f"state h: real in -1000 .. 1000 = 0\nstate k = false\nrule r: chance(0.8) -> {{ {body} }}")
    words = body.replace("h = 1.1", "let h = 1.1").replace("k = h >", "let k = h >")
    local = written(f"rule r: chance(0.8) -> {{ {words} }}")
    rows = [[meter.name for meter in of.meters].index("a") for of in (state, local)]
    first, second = (played(of, 60, 32)[row : row + 3] for of, row in zip((state, local), rows, strict=True))
    assert torch.equal(first.view(torch.int32), second.view(torch.int32))


def test_it_takes_no_state() -> None:
    assert [meter.name for meter in written("rule r { let h = a  b = h }").meters] == ["a", "b", "c", "n"]


def test_the_tick_ir_agrees_wherever_statements_stand_and_everything_fires() -> None:
    universe = sample("brawl")
    assert len({let.name for let in nodes(universe) if isinstance(let, Let)}) == 22
    program = Compilation.begin(universe).run().program
    effort = Effort(worlds=21, ticks=3, rounds=24, compact=(torch.uint8,))
    report = verify(universe, [Candidate(Executed(universe, program, "ir"), CPU)], effort)
    assert report.ok, report.render()


def test_a_universe_with_locals_is_read_again_and_one_with_wrong_ones_is_not() -> None:
    universe = written("rule r { let h = 2 * a  let k = h > 1  a += h  b += h when k }")
    assert from_json(to_json(universe)) == universe
    (rule,) = universe.dynamics
    first, second, *others = rule.body
    assert isinstance(first, Let)
    assert isinstance(second, Let)
    span = rule.span
    for body in (
        (second, first, *others),
        (first, *others),
        (replace(first, value=LocalValue(first.name, False, span)), second, *others),
        (replace(first, value=second.value), second, *others),
    ):
        wrong = replace(universe, dynamics=(replace(rule, body=body),))  # type: ignore[arg-type]
        with pytest.raises(CodecError, match=r"local|confused"):
            from_json(to_json(wrong))


def test_a_trace_tells_what_locals_were() -> None:
    universe = written("rule r { let h = 2 * a  a += h }\nrule s { let h = 3 * b  b += h }")
    buffers, interpreter = allocate(universe, Shape(1, 1), CPU, None), Interpreter(universe, CPU)
    interpreter.reset(buffers, Stream(3, 0))
    trace = interpreter.trace = Trace(0, 0)
    interpreter.step(buffers, torch.tensor([[0]], dtype=torch.int32), Stream(3, 0))
    assert [(each.meter, each.value) for each in trace.writes] == [
        *(("let h", 1.0), ("a", 1.5), ("let h 2", 1.5), ("b", 2.0)),
    ]


@pytest.mark.parametrize(
    ("declared", "code", "message"),
    [
        ("rule r { a += h  let h = b  b += h }", "H360", "`h` is not worked out yet"),
        ("rule r { let h = h + 1  b += h }", "H360", "`h` is not worked out yet"),
        ("rule r { let h = b  b += h }\nrule s: a += h", "H360", "known only to the statements behind its `let`"),
        ("rule r { let h = b  b += h }\nmeter d = 0.5 { decay h }\nreward d", "H360", "known only to the statements"),
        ("rule r { together { let h = b  b += h }  a += h }", "H360", "known only to the statements behind"),
        ("action GO { let h = b  needs h > 0  b += h }", "H360", "known only to the statements behind its `let`"),
        ("rule r { let h = b  b += h * count(a > h) }", "H360", "`h` has no value here"),
        ("rule r { let h = b  b += h + previous(h) }", "H360", "`h` has no value here"),
        ("rule r { let h = b  b += h + lag(a + h, 3) }", "H360", "`h` has no value here"),
        ("rule r { let h = b  b += h  let h = a  a += h }", "H022", "`h` is there already"),
        ("rule r { let h = b  b += h  together { let h = a  a += h } }", "H022", "`h` is there already"),
        ("rule r { let c = b  b += c }", "H022", "the local `c` has the name of something else"),
        ("rule r { let age = b  b += age }", "H023", "a local cannot be called `age`"),
        ("rule r { let h = b  b += 0.1 }", "H060", "nothing reads the local `h`"),
        ("rule r { let h = b  h += 0.1  b += h }", "H361", "`h` is a local, and nothing writes it"),
        ("state s: x y = x\nrule r { let h = s  b += 0.1 when h }\nreward 0.1 when s == y", "H360", "an option"),
        ("rule r { let h = 1 / b  b += h }", "H050", "this divisor can be zero"),
        ("rule r { let h = 300 * b  a += h when a > (h + 40000) }", "H062", "never true"),
        ("rule r { let h = b  c = a / h  b += 1 }", "H050", "this divisor can be zero"),
        ("rule r { together { let h = b  c = a / h  b += 1 } }", "H050", "this divisor can be zero"),
        ("table t { 1 2 3 }\nrule r { let h = integer(0, 3)  b = t[h] }", "H275", ""),
        ("rule r { let h = pow(2, 100 + a)  b += h * h * h }", "H051", ""),
        ("rule r { let h = 0.5 * b  n = h  b += h }", "H163", "holds whole numbers, and this may be none"),
        ("rule r { let h = a > 1  b += h }", "H027", "a number is needed here"),
        ("rule r { let h = a + 1  b += 0.1 when h }", "H027", "a condition is needed here"),
        ("rule r { let h = enrgy  b += h  a += h }", "H020", "there is no `enrgy`"),
    ],
)  # fmt: skip
def test_mistakes_are_said_once(declared: str, code: str, message: str) -> None:
    _, findings = mistakes.checked(BASE.format(declared=declared))
    mistakes.is_said_once(findings, code, message)


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("let h += b", "A local is written `let h = 0.5 * energy`"),
        ("let h: real = b", "A local is written `let h = 0.5 * energy`"),
        ("let h(x) = x", "A function is declared outside of braces"),
        ("let h = once uniform(0, 1)", "leave out `once`"),
    ],
)
def test_what_is_no_local_is_told_how_one_is_written(statement: str, hint: str) -> None:
    _, (problem,) = parse(BASE.format(declared=f"rule r {{ {statement}  b += 0.1 }}"))
    assert hint in problem.hint


def test_where_a_local_lies_is_proven() -> None:
    """A divisor that cannot be zero, an index inside of a table, whole numbers, displacements on a grid."""
    text = BASE.format(
        declared="table t { 1 2 3 }\n"
        "rule r { let size = abs(a) + 1  let i = integer(0, 2)  let j = 2 - i  b = a / size  c = t[j]  n = i + j }"
    )
    assert universe_of(
        text.replace("reward", "rule m { let by = integer(-1, 1)  move (by, -by) }\nreward").replace(
            "space none", "space grid 5 x 5"
        )
    )


def test_a_meter_may_be_called_let() -> None:
    text = BASE.format(declared="meter let = 0.5\nrule r { let += 0.1  let -= 0.2 * a }").replace(
        "reward a", "reward let"
    )
    assert "let" in [meter.name for meter in universe_of(text).meters]


def test_locals_are_formatted() -> None:
    text = "universe small\n\nrule r{let h=a+1\n# why\nlet k=h>2 a+=h when k}\n"
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert formatted.splitlines()[2:] == [
        "rule r {",
        "    let h = a + 1",
        "    # why",
        "    let k = h > 2",
        "    a += h when k",
        "}",
    ]
