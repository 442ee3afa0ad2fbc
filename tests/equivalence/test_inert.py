"""What the checker says about effects is true: a condition that never changes is replaced by its value, a statement or
a cause without effect is taken out, and every agent does the same, from states all over and from the start of play."""

from __future__ import annotations

import dataclasses
import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import torch
from strategies.sources import Numbered
from strategies.whole import Author

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.interpreter.places import Places
from hamlet.schema.room import room
from hamlet.universe import (
    MADE,
    ActionTaken,
    After,
    Assign,
    Binary,
    Cascade,
    Cause,
    DrawChance,
    Every,
    Here,
    If,
    LastUse,
    Meter,
    Number,
    Previous,
    Report,
    Reward,
    Rule,
    Span,
    Truth,
    Unary,
    Universe,
    Used,
    nodes,
)
from hamlet_lab.divergence.events import Candidate, Event, Inject, Reset, Rollout, Runner
from hamlet_lab.verify.injection import Injector
from hamletc.checking.check import check
from hamletc.checking.operations import is_condition
from hamletc.diagnostics import Diagnostic
from hamletc.language.parser import parse

CPU = torch.device("cpu")
CONDITIONS = (Binary, Unary, Here, LastUse, ActionTaken, Used, Every, After, DrawChance, Previous, If)
LONG = os.environ.get("HAMLET_LONG_TESTS") == "1"
IDLE = """
universe idle
space none
lifespan 20 ticks
meter energy = 1 { decay 0.05 }
meter mood = 1 { interact 0 }
rule cheer: energy > -1 -> mood -= 0.01
rule rest: mood -= 0 * energy
cascade hunger: energy < 2 -> mood -= 0.01
dies when energy <= 0.3 or energy <= 0.2
reward max(energy, 1)
reward energy + mood
observe { meters }
"""
"""A universe of which everything is said that the checker can say."""
SOME = (3, 13, 17, 19, 21, 24)
TICKS = 8
GONE = object()
"""In the place of what was taken out."""
ANYWHERE = ("H061", "H062", "H063", "H064", "H070")
"""Findings that hold wherever a tick begins; H079 holds from the start of play."""


def findings(source: str) -> tuple[Universe | None, list[Diagnostic]]:
    """The universe of a text, with all that has no effect, and what the checker says about that. `None` where
    something else is wrong with the text."""
    allowed, problems = parse(f"{source}\ninert allowed\n")
    asked, _ = parse(source)
    assert allowed is not None
    assert asked is not None
    assert not problems
    return check(allowed, ("inert.hamlet",))[0], list(check(asked, ("inert.hamlet",))[1])


def of_a_copy(finding: Diagnostic) -> bool:
    """Whether the finding is about one of several copies of a text, which have the same place in a Universe: what an
    action of an affordance needs is also in its mask."""
    return any(label.span == finding.primary.span for label in finding.secondary)


def of_play_alone(universe: Universe, finding: Diagnostic, found: Iterable[Diagnostic]) -> bool:
    """Whether the finding holds of what play leads to, and not of every state: it is about an effect that nothing
    begins, or about `acts when`, walls and what is solid, which a tick asks of the state that the last one left."""
    unbegun = {name for each in found if each.code == "H172" for name in re.findall("`(.+)`", each.message)}
    cells = () if universe.cells is None else (universe.cells.wall, universe.cells.solid)
    left = [item.condition for item in universe.acting] + [each for each in cells if each is not None]
    span = finding.primary.span
    if any(part.span == span for condition in left for part in nodes(condition)):
        return True
    states = {f"{kind} {name}" for name in unbegun for kind in ("left of", "stacks of")}
    asked = (part for part in nodes(universe) if getattr(part, "span", None) == span)
    return any(getattr(part, "meter", None) in states for each in asked for part in nodes(each))


def without(universe: Universe, finding: Diagnostic, said: Counter[str]) -> Universe:
    """The universe without what the finding is about; counted by what it is."""
    span, message = finding.primary.span, finding.message
    truth = re.search(r"(always|never) (?:true|happens)", message)
    number = re.search(r"is always (\S+)$", message)

    def edited(node: Any) -> Any:
        match node:
            case tuple():
                return tuple(after for item in node if (after := edited(item)) is not GONE)
            case Cause(condition=condition) if "never the one reported" in message and condition.span == span:
                said["cause"] += 1
                return dataclasses.replace(node, condition=Truth(False, span))
            case Reward(value=value) | Report(value=value) if number is not None and value.span == span:
                said["constant"] += 1
                return dataclasses.replace(node, value=Number(float(number[1]), span))
            case Assign() if finding.code == "H063" and node.span == span:
                said["statement"] += 1
                return GONE
            case Meter() if finding.code == "H063":
                idle = [
                    k for k in ("decay", "move", "interact") if (d := getattr(node, k)) is not None and d.span == span
                ]
                said["drain"] += len(idle)
                return dataclasses.replace(node, **dict.fromkeys(idle))
            case Cascade(name=name, who=who) if f"cascade `{name}`" in message:
                if "never" in message:
                    said["cascade"] += 1
                    return GONE
                if "deficit" not in (source := repr(node).lower()) and "shortfall" not in source:
                    said["cascade"] += 1
                    return Rule(name, who, node.body, node.span)
                return node
            case Binary(op="and", right=right) if truth is not None and node.span == right.span == span:
                return dataclasses.replace(node, right=edited(right))  # of a role, whose name stands on the left
            case _ if isinstance(node, CONDITIONS) and is_condition(node) and truth is not None and node.span == span:
                said["condition"] += 1
                return Truth(truth[1] == "always", span)
            case Span() | str() | int() | float() | None:
                return node
        if not dataclasses.is_dataclass(node) or isinstance(node, type):
            return node
        fields = {field.name: edited(getattr(node, field.name)) for field in dataclasses.fields(node)}
        return dataclasses.replace(node, **fields)

    return edited(universe)


def same(left: Universe, right: Universe, number: int, *, everywhere: bool) -> None:
    """Both do the same; `everywhere`: also from states that play may never lead to. The sign of 0 does not count, and
    hidden states of what looks back do not: what becomes of them is compared where it is read."""
    meters = (*left.meters, *(() if left.world is None else left.world.meters))
    hidden = {meter.name for meter in meters if meter.type is not None and meter.type.past not in (None, *MADE)}
    most = room(left)
    shape = Shape(24, left.agents or (1 if most == 1 else 2))
    sides = [Runner(u, Candidate(Interpreter(u, CPU), CPU), shape, torch.float32) for u in (left, right)]
    stream = Stream(number, 3)
    injector = Injector(left, shape, number)
    policy = RandomPolicy()
    events: list[Event] = [Reset(), Rollout(TICKS, policy, True)]
    for _ in range(4 if everywhere else 0):
        state = injector.state()
        if "places" in state:  # injected, several affordances may be on a cell: no episode begins so
            state["places"] = Places(left, CPU).stored(state["layout"])
        if "alive" in state:  # who is dead is as its last tick left it, and not anywhere
            state["alive"] = torch.ones_like(state["alive"])
        events += [Inject(state), Rollout(2, policy, True)]
    for event in events:
        ours, theirs = (side.apply(event, stream) for side in sides)
        if isinstance(event, Inject):
            continue  # masks are made of states after a tick
        for a, b in zip(ours, theirs, strict=True):
            shown = [row not in hidden or not a.name.endswith("meters") for row in a.rows]
            x, y = (torch.where(t == 0, torch.zeros_like(t), t)[shown] for t in (a.values, b.values))
            assert torch.equal(x, y), f"{a.name} differs"


def hold(sources: Iterable[str]) -> Counter[str]:
    """Check what is said about these universes; what was taken out."""
    said: Counter[str] = Counter()
    for number, source in enumerate(sources):
        if "inert allowed" in source.splitlines():
            source = "\n".join(line for line in source.splitlines() if line != "inert allowed")
        universe, found = findings(source)
        if universe is None:
            said["refused"] += 1
            continue
        for everywhere, codes in ((True, ANYWHERE), (False, (*ANYWHERE, "H079"))):
            other = universe
            for finding in found:
                if everywhere and of_play_alone(universe, finding, found):
                    continue
                if finding.code in codes and not of_a_copy(finding):
                    other = without(other, finding, said)
            if other != universe:
                same(universe, other, number, everywhere=everywhere)
    return said


def test_what_has_no_effect_has_none() -> None:
    said = hold([IDLE])
    assert all(said[kind] for kind in ("condition", "statement", "constant", "cascade", "cause")), said


def test_it_has_none_in_random_universes_either() -> None:
    said = hold(Author(Numbered(number)).universe() for number in (range(250) if LONG else SOME))
    assert said["condition"] > 0
    assert said["refused"] <= (20 if LONG else 0)
