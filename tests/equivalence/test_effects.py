"""Effects, and what affordances have of their own: what they do in which tick, and that they are what somebody could
have written with meters and rules. The tick IR agrees; kernels that print it are compared in `test_backends`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet_lab.divergence.events import CPU
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from samples import sample, universe_of

ALONE = """
universe alone
space none
lifespan 40 ticks
meter a = 0 in 0 .. 100
meter b = 0 in 0 .. 100
{effect}
action GO {{ begin it }}
action STOP {{ end it }}
{rules}
reward a + b
observe {{ effects }}
"""


def played(
    effect: str, actions: str, rules: str = "", shown: tuple[str, ...] = ("a", "b", "left of it")
) -> list[tuple[float, ...]]:
    """The values of meters after each tick; an action is a letter: G begins it, S ends it, W waits."""
    universe = universe_of(ALONE.format(effect=effect, rules=rules))
    names = [meter.name for meter in universe.meters]
    buffers, interpreter = allocate(universe, Shape(1, 1), CPU, None), Interpreter(universe, CPU)
    interpreter.reset(buffers, Stream(1, 0))
    numbers = {"W": 1, "G": 2, "S": 3}
    found = []
    for tick, action in enumerate(actions):
        interpreter.step(buffers, torch.tensor([numbers[action]], dtype=torch.int32), Stream(1, tick))
        found.append(tuple(float(buffers.state["meters"][names.index(name), 0]) for name in shown))
    return found


BLOCKS = "on start { a += 10 }  each tick { a += 1 }  on end { b += 1 }"


def test_an_effect_goes_on_as_long_as_it_lasts() -> None:
    """What an action begins starts at once, and goes on in the same tick already."""
    assert played(f"effect it lasts 3 ticks {{ {BLOCKS} }}", "WGWWWGW") == [
        *((0, 0, 0), (11, 0, 2), (12, 0, 1), (13, 1, 0), (13, 1, 0)),
        *((24, 1, 2), (25, 1, 1)),
    ]


def test_what_a_rule_begins_goes_on_from_the_next_tick_on() -> None:
    rule = "rule begins: action == WAIT -> begin it"
    assert played(f"effect it lasts 2 ticks {{ {BLOCKS} }}", "W", rule) == [(10, 0, 2)]
    assert played("effect it lasts 2 ticks { each tick { a += 1 }  on end { b += 1 } }", "W", rule) == [(0, 0, 2)]


@pytest.mark.parametrize(
    ("again", "left"),
    [
        ("", (2, 1, 0, 2)),
        ("again ignore", (2, 1, 0, 2)),
        ("again renew", (2, 2, 2, 2)),
        ("again add up to 7 ticks", (2, 4, 6, 6)),
        ("again stack up to 2", (2, 2, 2, 2)),
    ],
)
def test_an_effect_that_begins_again(again: str, left: tuple[int, ...]) -> None:
    seen = played(f"effect it lasts 3 ticks {{ {BLOCKS}  {again} }}", "GGGG")
    assert tuple(int(row[2]) for row in seen) == left
    starts = 2 if again in ("", "again ignore") else 1
    assert seen[-1][0] == 10 * starts + 4


def test_stacks_are_counted_and_gone_with_the_effect() -> None:
    effect = "effect it lasts 2 ticks { each tick { a += stacks of it }  again stack up to 2 }"
    shown = ("a", "stacks of it", "left of it")
    assert played(effect, "GGGWWG", shown=shown) == [
        *((1, 1, 1), (3, 2, 1), (5, 2, 1), (7, 0, 0), (7, 0, 0)),
        (8, 1, 1),
    ]


def test_an_effect_can_be_interrupted() -> None:
    effect = f"effect it lasts 9 ticks {{ {BLOCKS.replace('b += 1', 'b += left of it')}  until a >= 12 }}"
    assert played(effect, "GWW") == [(11, 0, 8), (12, 7, 0), (12, 7, 0)]
    assert played(effect, "GSS") == [(11, 0, 8), (11, 8, 0), (11, 8, 0)]


def test_an_effect_for_ever_lasts_until_something_ends_it() -> None:
    effect = f"effect it lasts forever {{ {BLOCKS} }}"
    assert played(effect, "G" + "W" * 9)[-1] == (20, 0, 1)
    assert played(effect, "GWSW")[-1] == (12, 1, 0)


def test_an_effect_that_another_ends_in_a_tick_does_nothing_more_in_it() -> None:
    effect = f"effect it lasts 3 ticks {{ {BLOCKS.replace('a += 1 ', 'a += 1  begin other ')} }}"
    other = "effect other lasts 1 ticks { on start { end it } }"
    assert played(f"{effect}\n{other}", "GW") == [(11, 1, 0), (11, 1, 0)]


def test_effects_are_gone_when_an_episode_begins(tmp_path: Path) -> None:
    path = tmp_path / "alone.hamlet"
    path.write_text(ALONE.format(effect=f"effect it lasts forever {{ {BLOCKS} }}", rules="").replace("40 t", "3 t"))
    env = hamlet.make(hamlet.compile(path, tmp_path / "alone"), backend="interpreter", quiet=True)
    seen = []
    for action in (2, 1, 1, 1):
        observation = env.step(torch.tensor([action], dtype=torch.int32))[0]
        seen.append(float(observation[0, 0]))
    assert seen == [1, 1, 0, 0]


PLAY = """
universe play
space grid 3 x 3
lifespan 50 ticks
meter health = 1 {{ decay 0.01 }}
meter mood = 0.5 {{ move 0.01 }}
{said}
affordance Mushroom at random {{ instantly {{ health += 0.05 }} }}
affordance Shop at random {{ {shop}  instantly {{ mood += 0.1 }} }}
{rest}
dies when health <= 0
reward health * mood
observe {{ meters }}
"""
AS_EFFECT = {
    "said": "effect ill lasts 6 ticks { on start { mood -= 0.1 }  each tick { health -= 0.02 }  on end { mood += 0.05 }"
    "  again renew }",
    "shop": "meter stock = 3 in 0 .. 5  rule sale: stock -= count(used == Shop)"
    "  rule refill: chance(0.1) -> stock += 1  open when stock > 1  needs stock + mood > 2",
    "rest": "rule bites: used == Mushroom -> begin ill\nreward 0.1 * stock of Shop when ill",
}
BY_HAND = {
    "said": "state left: int in 0 .. 6 = 0\nstate over = false\nworld { meter stock = 3 in 0 .. 5\n"
    "rule sale: stock -= count(used == Shop)\nrule `refill of Shop`: chance(0.1) -> stock += 1 }",
    "shop": "needs stock > 1 and stock + mood > 2",
    "rest": "rule goes_on: left > 0 -> { health -= 0.02  left -= 1  over = left == 0 }\n"
    "rule ends: over -> { mood += 0.05  over = false }\nrule bites: used == Mushroom and left == 0 -> mood -= 0.1\n"
    "rule renews: used == Mushroom -> left = 6\nreward 0.1 * stock when left > 0",
}


def test_it_is_what_somebody_could_have_written_with_meters_and_rules() -> None:
    runs = []
    for said in (AS_EFFECT, BY_HAND):
        universe = universe_of(PLAY.format(**said))
        buffers, interpreter = allocate(universe, Shape(64, 3), CPU, torch.float32), Interpreter(universe, CPU)
        interpreter.reset(buffers, Stream(3, 0))
        interpreter.rollout(buffers, 200, RandomPolicy(), Stream(3, 0), False, None)
        kept = [buffers.state["meters"][:2], buffers.state["world_meters"], buffers.outcome["reward"][None]]
        runs.append(torch.cat([each.reshape(-1) for each in kept]).view(torch.int32))
    assert torch.equal(*runs)


def test_the_tick_ir_agrees_with_the_interpreter_and_everything_fires() -> None:
    universe = sample("effects")
    program = Compilation.begin(universe).run().program
    effort = Effort(worlds=21, ticks=3, rounds=24, compact=(torch.uint8,))
    report = verify(universe, [Candidate(Executed(universe, program, "ir"), CPU)], effort)
    assert report.ok, report.render()
    assert report.never_fired == ()
