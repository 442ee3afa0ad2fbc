"""Timed effects: what they are, what `begin` and `end` write, and the rule by which one goes on from tick to tick.

All of it is meters, which say how long an effect still lasts and how often it was stacked, and statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.universe import Expression, Meter, Rule, Span, Statement, nodes
from hamletc import messages
from hamletc.checking.report import Findings, all_of, only, whole_number
from hamletc.expansion.lets import circle
from hamletc.language import syntax

LONGEST_EFFECT = 1 << 24
"""Up to this size binary32 has every whole number."""
MOST_STATEMENTS = 10_000
"""The most statements that effects may stand for in a universe."""

"""How many of the effects of a circle are shown where they are declared."""
COUNTED = universe.StateType("int", ())
"""What the meters of effects hold."""
Moment: TypeAlias = Literal["on start", "each tick", "on end"]
MOMENTS: tuple[Moment, ...] = ("on start", "each tick", "on end")
How: TypeAlias = Literal["renew", "ignore", "add", "stack"]


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of agents, or of the world.

    Attributes:
        ticks: how long it lasts; 0 for ever.
        how: what becomes of it when it begins again.
        most: the most ticks that can be left of it.
        stacks: how often it can be stacked; 0 where it is not.
        again: where that is written.
    """

    declaration: syntax.EffectDecl
    of_world: bool
    ticks: int
    how: How
    most: int
    stacks: int
    again: Span

    @property
    def name(self) -> str:
        return self.declaration.name.text

    @property
    def span(self) -> Span:
        """The name where it is declared."""
        return self.declaration.name.span

    @property
    def meters(self) -> tuple[tuple[str, int], ...]:
        """The meters that it is, each with its highest value."""
        left = (left_of(self.name), self.most)
        return (left, (stacks_of(self.name), self.stacks)) if self.stacks else (left,)

    def read(self, meter: str, span: Span) -> Expression:
        """The value of one of its meters."""
        return universe.WorldValue(meter, span) if self.of_world else universe.MeterValue(meter, span)

    def lasts(self, span: Span, *, holds: bool = True) -> Expression:
        """The condition that it lasts, or does not."""
        return universe.Binary(
            ">" if holds else "<=", self.read(left_of(self.name), span), universe.Number(0.0, span), span
        )

    def begun(self, start: tuple[Statement, ...], span: Span) -> tuple[Statement, ...]:
        """What `begin` writes."""

        def write(meter: str, op: universe.AssignOp, value: int) -> Statement:
            return universe.Assign(meter, op, universe.Number(float(value), span), True, span)

        left, stacks = left_of(self.name), stacks_of(self.name)
        anew = write(left, "=", max(self.ticks, 1))
        first = (anew, write(stacks, "=", 1)) if self.stacks else (anew,)
        again: tuple[Statement, ...]
        match self.how:
            case "ignore":
                again = ()
            case "renew":
                again = (anew,)
            case "add":
                again = (write(left, "+=", self.ticks),)
            case "stack":
                again = (anew, write(stacks, "+=", 1))
        if again and not start and not self.stacks:
            return again  # from 0 on it gives the same
        begins = universe.Guarded(self.lasts(span, holds=False), (*first, *start), span)
        return (universe.Guarded(self.lasts(span), again, self.again), begins) if again else (begins,)

    def ended(self, end: tuple[Statement, ...], span: Span) -> tuple[Statement, ...]:
        """What ends it, where it lasts."""
        nothing = tuple(universe.Assign(meter, "=", universe.Number(0.0, span), True, span) for meter, _ in self.meters)
        return (*end, *nothing)


def left_of(effect: str) -> str:
    """The name of the meter that says how many ticks are left of an effect."""
    return f"left of {effect}"


def stacks_of(effect: str) -> str:
    """The name of the meter that says how often an effect is stacked."""
    return f"stacks of {effect}"


@dataclass(slots=True)
class Effects:
    """The effects of a universe. `begun` are those that some statement begins, `asked` those that something asks for;
    `bodies` is what their blocks do, by effect and moment, which `hamletc.checking.rules` finds when it is needed."""

    known: Mapping[str, Effect]
    begun: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    bodies: dict[tuple[str, Moment], tuple[Statement, ...]] = field(default_factory=dict)
    statements: int = 0

    def meters(self, *, of_world: bool) -> Iterable[tuple[Effect, str, int]]:
        """The meters that effects of agents, or of the world, are, each with its highest value."""
        for effect in self.known.values():
            if effect.of_world == of_world:
                yield from ((effect, meter, most) for meter, most in effect.meters)

    def agents_meters(self) -> tuple[Meter, ...]:
        """Those that each agent has."""
        found = self.meters(of_world=False)
        return tuple(
            Meter(name, 0.0, 0.0, float(most), None, None, None, each.span, type=COUNTED) for each, name, most in found
        )

    def worlds_meters(self) -> tuple[universe.WorldMeter, ...]:
        """Those that a world has."""
        found = self.meters(of_world=True)
        return tuple(universe.WorldMeter(name, 0.0, 0.0, float(most), each.span, COUNTED) for each, name, most in found)

    def owns(self, meter: str) -> bool:
        """Whether a meter is one of these."""
        return any(meter == name for effect in self.known.values() for name, _ in effect.meters)


def rule_name(effect: str) -> str:
    """The name of the rule by which an effect goes on."""
    return f"effect {effect}"


def going_on(effect: Effect, tick: tuple[Statement, ...], end: tuple[Statement, ...], until: Expression | None) -> Rule:
    """The rule by which an effect goes on, given what its blocks do and the condition that interrupts it."""
    span = effect.span
    body: list[Statement] = []
    over = until
    if effect.ticks:
        one = universe.Number(1.0, span)
        body.append(universe.Assign(left_of(effect.name), "-=", one, True, span))
        if end or effect.stacks:
            ran_out = effect.lasts(span, holds=False)
            over = ran_out if until is None else universe.Binary("or", ran_out, until, until.span)
    if over is not None:
        body.append(universe.Guarded(over, effect.ended(end, span), span))
    # What it does in a tick can end it.
    ends_itself = any(left_of(effect.name) in statement.writes for statement in tick)
    rest = (universe.Guarded(effect.lasts(span), tuple(body), span),) if ends_itself and body else tuple(body)
    return Rule(rule_name(effect.name), effect.lasts(span), (*tick, *rest), effect.declaration.span)


# --- what is written -------------------------------------------------------------------------------------------------


def declared_effects(declarations: Iterable[syntax.Decl]) -> Iterable[tuple[syntax.EffectDecl, bool]]:
    """The effects, each with whether it is the world's."""
    for declaration in declarations:
        match declaration:
            case syntax.EffectDecl():
                yield declaration, False
            case syntax.WorldDecl(items=items):
                yield from ((item, True) for item in items if isinstance(item, syntax.EffectDecl))
            case _:
                pass


def blocks_of(declaration: syntax.EffectDecl) -> dict[Moment, syntax.MomentItem]:
    """The first block of each kind."""
    blocks: dict[Moment, syntax.MomentItem] = {}
    for item in all_of(declaration.items, syntax.MomentItem):
        blocks.setdefault(item.kind, item)
    return blocks


def check_blocks(declaration: syntax.EffectDecl, report: Findings) -> None:
    """Report what an effect says twice."""
    blocks = blocks_of(declaration)
    for item in all_of(declaration.items, syntax.MomentItem):
        if blocks[item.kind] is not item:
            report.add(messages.everywhere.GivenTwice(item.span, f"`{item.kind}`", blocks[item.kind].span, "block"))
    only(all_of(declaration.items, syntax.UntilItem), "`until`", report, "or")


def again_of(
    declaration: syntax.EffectDecl, ticks: int, most: int | None, report: Findings
) -> tuple[How, int, int] | None:
    """What becomes of the effect when it begins again, the most ticks that can be left of it, and how often it can be
    stacked; `most` is the number behind `up to`."""
    item = only(all_of(declaration.items, syntax.AgainItem), "`again`", report)
    lasting = max(ticks, 1)
    if item is None:
        return "ignore", lasting, 0
    if ticks == 0 and item.how in ("renew", "add"):
        report.add(messages.effects.AgainForEver(item.span, item.how, declaration.duration.span))
        return None
    if item.how == "add":
        if most is not None and most <= ticks:
            report.add(messages.effects.AgainAddsNothing(item.span, ticks, declaration.duration.span))
            return None
        return None if most is None else ("add", most, 0)
    if item.how == "stack":
        assert item.most is not None, "the grammar demands it"
        stacks = whole_number(item.most, 2, LONGEST_EFFECT, "how often an effect is stacked", report)
        return None if stacks is None else ("stack", lasting, stacks)
    return item.how, lasting, 0


def circle_of(effects: Iterable[tuple[syntax.EffectDecl, bool]]) -> tuple[syntax.EffectDecl, ...]:
    """Effects that lead to each other for ever. One that begins goes on and ends; what its blocks begin and end comes
    with it."""
    declarations = {declaration.name.text: declaration for declaration, _ in effects}
    following: dict[Moment, tuple[Moment, ...]] = {
        "on start": ("each tick",),
        "each tick": ("on end",),
        "on end": (),
    }
    moments: dict[Literal["begin", "end", "wear"], Moment] = {"begin": "on start", "end": "on end"}
    leads: dict[str, frozenset[str]] = {}
    owner: dict[str, syntax.EffectDecl] = {}
    for name, declaration in declarations.items():
        blocks = blocks_of(declaration)
        for moment, after in following.items():
            found = {f"{name} {each}" for each in after}
            block = blocks.get(moment)
            if block is not None:
                begun = (node for node in nodes(block.body) if isinstance(node, syntax.BeginStmt))
                found |= {f"{node.effect.text} {moments[node.word]}" for node in begun}
            leads[f"{name} {moment}"] = frozenset(found)
            owner[f"{name} {moment}"] = declaration
    way = [owner[each] for each in circle(leads)]
    return tuple(each for number, each in enumerate(way) if number == 0 or each is not way[number - 1])


def check_circle(effects: Iterable[tuple[syntax.EffectDecl, bool]], report: Findings) -> bool:
    """Whether no effect leads to itself; one that does is reported."""
    way = circle_of(effects)
    if not way:
        return True
    places = {each.name.text: each.name.span for each in reversed(way)}
    first, *others = dict.fromkeys(each.name.text for each in way)
    around = tuple((name, places[name]) for name in (first, *others))
    report.add(messages.effects.EffectInCircle(places[first], around))
    return False
