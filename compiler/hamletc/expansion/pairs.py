"""`pairs { ... }`: what each agent has of each other agent of its world, written out as states of agents.

A number is a state for each agent that it may be about; a condition is a bit of one whole number, whose bit b is about
agent b. Links that are written are a table of all agents by all agents. Rules of pairs are rules of agents with a
statement for each agent that they may be about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.links import Links, linked
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import (
    Field,
    assign,
    binary,
    call,
    constant,
    every,
    named,
    names_in,
    number,
    of_language,
    rebuilt,
    whole,
    word,
)
from hamletc.language import syntax
from hamletc.language.words import AMONG, DRAWS

MOST_PAIRED = 24
"""The most agents of a world that have something of each other: as many bits as a whole number of binary32 has."""
MOST_DRAWN = 120
"""The most agents of a world that have conditions of each other alone, which no rule writes: some whole numbers."""
MOST_LINKED = 256
"""The most agents of a world between which links are written: a table has a number for each two of them."""
_CONDITIONS = ("", "bool")
_OF_BOTH: Mapping[str, int] = {"rank": 1, "nearest": 2}
"""How many of the first arguments are about two agents, where not all are."""


def pairs_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without pairs, and what is wrong with these."""
    blocks = [item for item in declarations if isinstance(item, syntax.PairsDecl)]
    if not blocks:
        return declarations, ()
    agents = _agents(declarations)
    most = _most([each for item in blocks for each in item.items])
    if agents is None or not 2 <= agents <= most:
        return declarations, (places.told(messages.pairs.PairsOfUnknown(blocks[0].span, agents, most)),)
    writing = _Writing(places, agents, _own_names(declarations))
    for block in blocks:
        writing.declare(block)
    made = tuple(each for item in declarations for each in writing.declaration(item))
    return made, tuple(writing.problems)


def _most(items: list[syntax.PairItem]) -> int:
    """The most agents that can have these of each other."""
    states = [each.state for each in items if isinstance(each, syntax.MeterDecl)]
    if any(isinstance(each, syntax.RuleDecl) for each in items):
        return MOST_PAIRED
    if any(state is None or state.kind not in _CONDITIONS for state in states):
        return MOST_PAIRED
    return MOST_DRAWN if states else MOST_LINKED


def _agents(declarations: tuple[syntax.Decl, ...]) -> int | None:
    """How many agents each world has, where the roles say it."""
    roles = [item for item in declarations if isinstance(item, syntax.RoleDecl) and item.counted]
    numbers = [None if role.agents is None else constant(role.agents) for role in roles]
    known = [int(each) for each in numbers if each is not None]
    return sum(known) if known and len(known) == len(numbers) else None


def _own_names(declarations: tuple[syntax.Decl, ...]) -> frozenset[str]:
    """The names of what agents have of their own."""
    return frozenset(item.name.text for item in declarations if isinstance(item, syntax.MeterDecl))


@dataclass(slots=True)
class _Writing:
    """Writes out pairs.

    Attributes:
        agents: how many agents a world has.
        own: the names of what agents have of their own.
        states: what is declared of pairs, by name.
        links: the names of links that are written, which are tables.
        problems: what is wrong with it.
    """

    places: Places
    agents: int
    own: frozenset[str]
    states: dict[str, syntax.MeterDecl] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    problems: list[Diagnostic] = field(default_factory=list)

    def say(self, finding: Finding) -> None:
        """Note what is wrong."""
        told = self.places.told(finding)
        if all((each.code, each.primary.span) != (told.code, told.primary.span) for each in self.problems):
            self.problems.append(told)

    def declare(self, block: syntax.PairsDecl) -> None:
        """Note what a block declares."""
        for item in block.items:
            if isinstance(item, syntax.RuleDecl):
                continue
            name = item.name
            if name.text in self.states or name.text in self.links or name.text in self.own:
                self.say(messages.pairs.PairStateTwice(name.span, name.text))
            elif isinstance(item, syntax.LinksDecl):
                self.links.add(name.text)
            elif item.state is None or item.state.kind == "options" or item.kept or item.per_agent:
                self.say(messages.pairs.NoStateOfPairs(name.span, name.text))
            else:
                self.states[name.text] = item

    def declaration(self, item: syntax.Decl) -> Iterator[syntax.Decl]:
        """What stands for a declaration."""
        match item:
            case syntax.PairsDecl(items=items):
                for each in items:
                    match each:
                        case syntax.RuleDecl():
                            yield self._rule(each)
                        case syntax.LinksDecl():
                            yield Links(self.agents, self.say).table(each)
                        case syntax.MeterDecl() if each.name.text in self.states:
                            yield from self._state(each)
                        case syntax.MeterDecl():
                            pass
            case syntax.LetDecl():
                yield item
            case syntax.WorldDecl() | syntax.CellsDecl() | syntax.EndsDecl(world=True):
                yield self._outside(item, asked=None)
            case _:
                yield self._outside(item, asked=False)

    # --- states ---

    def _state(self, item: syntax.MeterDecl) -> Iterator[syntax.Decl]:
        """The states of agents that a state of pairs is."""
        spec, span = item.state, item.span
        assert spec is not None
        starts = [self._start(item.start, other, self._moved(span, other)) for other in range(self.agents)]
        if spec.kind in _CONDITIONS:
            for first in range(0, self.agents, MOST_PAIRED):
                about = range(first, min(first + MOST_PAIRED, self.agents))
                bits: list[syntax.Expr] = [
                    syntax.WhenExpr(number(2 ** (other - first), span), both, span)
                    for other in about
                    for both in _holds_of_other(starts[other], other, span)
                ]
                begins = every("+", bits, span) if bits else number(0, span)
                name = named(_word(item.name.text, first), item.name.span) if first else item.name
                yield whole(name, 0, 2 ** len(about) - 1, begins, span)
            return
        nobody = self._nobody(item)
        for other, start in enumerate(starts):
            begins = syntax.IfExpr(_differs(other, span), start, nobody, span)
            state = syntax.StateSpec(spec.kind, (), span, "compiler")
            yield syntax.MeterDecl(
                named(_row(item.name.text, other), item.name.span), begins, item.bounds, (), span, state
            )

    def _nobody(self, item: syntax.MeterDecl) -> syntax.Expr:
        """What an agent has of itself: 0, or the bound that is next to it."""
        zero = number(0, item.span)
        if item.bounds is None:
            return zero
        low, high = item.bounds
        return call("min", call("max", zero, low, span=item.span), high, span=item.span)

    def _start(self, start: syntax.Expr, other: int, moved: Callable[[Span], Span]) -> syntax.Expr:
        """A start value that is about agent `other`."""
        about_other = {name.text for name in names_in(_without_own(start))} & self.own
        if about_other:
            self.say(messages.pairs.StartOfOther(start.span, min(about_other)))

        def put(node: Any, _field: Field | None = None) -> Any:
            match node:
                case syntax.Name(text="agent", quoted=False) if "agent" not in self.own:
                    return number(other, moved(node.span))
                case syntax.Name(text="other", quoted=False) if "other" not in self.own:
                    return _differs(other, moved(node.span))
                case syntax.Name(text=text) if self._declares(text):
                    self.say(messages.pairs.PairsOutside(node.span, text))
                    return node
                case syntax.CallExpr(function=function, arguments=(argument,)) if _is_own(function):
                    return (
                        rebuilt(argument, lambda item, _: _at(item, moved), moved)
                        if not isinstance(argument, syntax.Name)
                        else _at(argument, moved)
                    )
                case syntax.Name():
                    return replace(node, span=moved(node.span))
                case _:
                    return rebuilt(node, put, moved)

        made: syntax.Expr = put(start)
        return made

    # --- rules ---

    def _rule(self, rule: syntax.RuleDecl) -> syntax.RuleDecl:
        """A rule of agents for one of pairs."""
        body: list[syntax.Stmt] = []
        for other in range(self.agents):
            moved = self._moved(rule.span, other)
            for statement in rule.body:
                match statement:
                    case syntax.AssignStmt(owner=None, unclamped=None) if statement.meter.text in self.states:
                        body.append(self._statement(statement, rule.guard, other, moved))
                    case _:
                        self.say(messages.pairs.NotOfPairs(statement.span))
        return replace(rule, guard=None, body=tuple(body), braced=True)

    def _statement(
        self, statement: syntax.AssignStmt, guard: syntax.Expr | None, other: int, moved: Callable[[Span], Span]
    ) -> syntax.Stmt:
        """A statement that is about agent `other`."""
        item, span = self.states[statement.meter.text], moved(statement.span)
        assert item.state is not None
        about = _asks(other, span)
        holds = about if guard is None else binary("and", about, self._of_pair(guard, other, moved), span)
        if item.state.kind not in _CONDITIONS:
            value = self._of_pair(statement.value, other, moved)
            if _asks_nothing(value):
                value = syntax.WhenExpr(value, about, span)
            row = named(_row(item.name.text, other), moved(statement.meter.span))
            found = call("nearest", holds, value, span=span)
            if statement.op != "=":
                return assign(row, statement.op, found, span)
            kept = syntax.IfExpr(_some(holds, span), found, row, span)
            return assign(row, "=", kept, span)
        if statement.op != "=":
            self.say(messages.pairs.ConditionOfPairs(statement.span, item.name.text))
        mask = named(item.name.text, moved(statement.meter.span))
        one, holds_now = number(1, span), _bit(mask, number(0.5 / 2**other, span), span)
        match statement.value:
            case syntax.Name(text="true", quoted=False):
                change: syntax.Expr = syntax.WhenExpr(one, syntax.UnaryExpr("not", holds_now, span), span)
            case syntax.Name(text="false", quoted=False):
                change = syntax.UnaryExpr("-", syntax.WhenExpr(one, holds_now, span), span)
            case _:
                wanted = self._of_pair(statement.value, other, moved)
                wanted = every("and", [about, wanted], span) if _asks_nothing(wanted) else wanted
                after = call("nearest", holds, syntax.WhenExpr(one, wanted, span), span=span)
                change = binary("-", after, syntax.WhenExpr(one, holds_now, span), span)
        change = syntax.WhenExpr(change, _some(holds, span), span)
        return assign(mask, "+=", binary("*", number(2**other, span), change, span), span)

    def _of_pair(self, node: Any, other: int | None, moved: Callable[[Span], Span] | None) -> Any:
        """An expression about two agents, of which the one that is asked is `other` where that is known. Draws in rules
        are of the pair: the one that asks draws for each `other`."""

        def put(item: Any, where: Field) -> Any:
            span = item.span if moved is None else moved(item.span)
            match item:
                case syntax.Name(text=text) if where.role == "expression" and self._is_state(item):
                    return self._value(text, other, span, reverse=False)
                case syntax.Name():
                    return replace(item, span=span)
                case syntax.OfExpr(quantity=quantity, owner=owner) if self._declares(quantity.text):
                    if owner.text != "other":
                        self.say(messages.pairs.PairsOutside(item.span, quantity.text))
                    return self._value(quantity.text, other, span, reverse=True)
                case syntax.CallExpr(function=function) if _is_own(function):
                    for name in names_in(item.arguments):
                        if self._is_state(name):
                            self.say(messages.pairs.OwnOfPairs(name.span, name.text))
                    return rebuilt(item, lambda each, _: _at(each, moved), moved) if moved is not None else item
                case syntax.CallExpr(function=function) if moved is not None and function.text in DRAWS:
                    drawn = rebuilt(item, put, moved)
                    return _drawn(drawn, span)
                case _:
                    return rebuilt(item, put, moved)

        return put(node, Field("", "expression"))

    def _is_state(self, name: syntax.Name) -> bool:
        return self._declares(name.text) and not (isinstance(name, syntax.Bound) and name.space != "own")

    def _declares(self, name: str) -> bool:
        """Whether pairs have something of this name."""
        return name in self.states or name in self.links

    def _value(self, state: str, other: int | None, span: Span, *, reverse: bool) -> syntax.Expr:
        """What the agent that asks has of the other one; in `reverse` what that has of it."""
        agent: syntax.Expr = word("agent", span)
        if state in self.links:
            both = (_own(agent, span), agent if other is None else number(other, span))
            return linked(state, *(reversed(both) if reverse else both), span=span)
        item = self.states[state]
        assert item.state is not None
        if item.state.kind in _CONDITIONS:
            masks: list[syntax.Expr] = [
                named(_word(state, first), span) for first in range(0, self.agents, MOST_PAIRED)
            ]
            if other is not None and not reverse:
                mask = masks[other // MOST_PAIRED]
                return _bit(_own(mask, span), number(0.5 / 2 ** (other % MOST_PAIRED), span), span)
            place = call("mod", agent, number(MOST_PAIRED, span), span=span) if len(masks) > 1 else agent
            weight = call("exp2", binary("-", number(-1, span), place, span), span=span)
            if reverse:
                return _bit(_among(_own(agent, span), masks, MOST_PAIRED, span), _own(weight, span), span)
            return _bit(_among(agent, [_own(mask, span) for mask in masks], MOST_PAIRED, span), weight, span)
        if other is not None and not reverse:
            return _own(named(_row(state, other), span), span)
        asked: syntax.Expr = _own(agent, span) if reverse else agent
        rows: list[syntax.Expr] = [named(_row(state, each), span) for each in range(self.agents)]
        return _among(asked, rows if reverse else [_own(row, span) for row in rows], 1, span)

    # --- elsewhere ---

    def _outside(self, node: Any, asked: bool | None) -> Any:
        """What stands outside of pairs. `asked`: whether it stands where an agent is asked about two of them; `None`
        where nobody asks."""

        def put(item: Any, where: Field) -> Any:
            match item:
                case syntax.Name() if where.role == "expression" and self._is_state(item):
                    self.say(messages.pairs.PairsOutside(item.span, item.text))
                    return item
                case syntax.Name():
                    return item
                case syntax.OfExpr(quantity=quantity) if self._declares(quantity.text):
                    self.say(messages.pairs.PairsOutside(item.span, quantity.text))
                    return item
                case syntax.ObserveState(names=names) if any(self._declares(name.text) for name in names):
                    return tuple(self._observed(names))
                case syntax.CallExpr(function=function) if asked is False and _joins(item):
                    both = _OF_BOTH.get(function.text, len(item.arguments))
                    first = tuple(self._of_pair(each, None, None) for each in item.arguments[:both])
                    rest = tuple(put(each, where) for each in item.arguments[both:])
                    same = all(a is b for a, b in zip((*first, *rest), item.arguments, strict=True))
                    return item if same else replace(item, arguments=(*first, *rest))
                case syntax.AssignStmt(meter=meter) if self._declares(meter.text) and item.owner is None:
                    self.say(messages.pairs.WrittenOutside(meter.span, meter.text))
                    return item
                case _:
                    return rebuilt(item, put)

        return put(node, Field("", "tree"))

    def _observed(self, names: tuple[syntax.Name, ...]) -> Iterator[syntax.ObserveItem]:
        """Items for states among which are some of pairs: a row for each agent."""
        for name in names:
            item = self.states.get(name.text)
            if name.text in self.links:
                self.say(messages.pairs.LinksObserved(name.span, name.text))
            elif item is None:
                yield syntax.ObserveState((name,), name.span)
            elif item.state is not None and item.state.kind in _CONDITIONS:
                for other in range(self.agents):
                    weight = number(0.5 / 2 ** (other % MOST_PAIRED), name.span)
                    bit = _bit(named(_word(name.text, other), name.span), weight, name.span)
                    yield syntax.ObserveValue(named(f"state.{_row(name.text, other)}", name.span), bit, name.span)
            else:
                rows = tuple(named(_row(name.text, other), name.span) for other in range(self.agents))
                yield syntax.ObserveState(rows, name.span)

    def _moved(self, user: Span, other: int) -> Callable[[Span], Span]:
        """What gives places in what is about one agent."""
        numbers: dict[int, int] = {}

        def moved(span: Span) -> Span:
            if span.file not in numbers:
                copy = Copy(
                    span.file, user, "written", "written for each other agent", repeats=other > 0, rounds=self.agents
                )
                numbers[span.file] = self.places.add(copy)
            return replace(span, file=numbers[span.file])

        return moved


def _row(name: str, other: int) -> str:
    """The name of the state that a number about agent `other` is."""
    return f"{name}[{other}]"


def _word(name: str, other: int) -> str:
    """The name of the whole number that has the bit about agent `other`."""
    return name if other < MOST_PAIRED else _row(name, other - other % MOST_PAIRED)


def _among(asked: syntax.Expr, values: list[syntax.Expr], width: int, span: Span) -> syntax.Expr:
    """The one of several values that is about an agent; each is about so many, one after the other."""

    def among(low: int, high: int) -> syntax.Expr:
        if high - low == 1:
            return values[low]
        middle = (low + high) // 2
        first = binary("<", asked, number(middle * width, span), span)
        return syntax.IfExpr(first, among(low, middle), among(middle, high), span)

    return among(0, len(values))


def _at(node: Any, moved: Callable[[Span], Span]) -> Any:
    """A tree at other places."""
    if isinstance(node, syntax.Name):
        return replace(node, span=moved(node.span))
    return rebuilt(node, lambda item, _: _at(item, moved), moved)


def _is_own(function: syntax.Name) -> bool:
    return function.text == "own" and of_language(function)


def _joins(node: syntax.CallExpr) -> bool:
    """Whether all agents are asked."""
    return node.function.text in AMONG and of_language(node.function) and not node.over_cells


def _without_own(node: Any) -> Any:
    """An expression with what is asked of the one that asks left out."""
    if isinstance(node, syntax.CallExpr) and _is_own(node.function):
        return number(0, node.span)
    return node if isinstance(node, syntax.Name) else rebuilt(node, lambda item, _: _without_own(item))


def _asks_nothing(expr: syntax.Expr) -> bool:
    """Whether an expression asks the other agent nothing."""
    return next(names_in(_without_own(expr)), None) is None


def _own(expr: syntax.Expr, span: Span) -> syntax.Expr:
    return call("own", expr, span=span)


def _asks(other: int, span: Span) -> syntax.Expr:
    """The agent that is asked is this one."""
    return binary("==", word("agent", span), number(other, span), span)


def _differs(other: int, span: Span) -> syntax.Expr:
    """The agent is another one."""
    return binary("!=", word("agent", span), number(other, span), span)


def _holds_of_other(start: syntax.Expr, other: int, span: Span) -> Iterator[syntax.Expr]:
    """The condition that a start value holds, of another agent than oneself; nothing where it never does."""
    match start:
        case syntax.Name(text="false", quoted=False):
            pass
        case syntax.Name(text="true", quoted=False):
            yield _differs(other, span)
        case _:
            yield every("and", [_differs(other, span), start], span)


def _some(holds: syntax.Expr, span: Span) -> syntax.Expr:
    """Whether the other agent runs, and something holds of both."""
    return binary(">", call("nearest", holds, number(1, span), span=span), number(0, span), span)


def _bit(mask: syntax.Expr, weight: syntax.Expr, span: Span) -> syntax.Expr:
    """Whether a bit of a whole number is set; the weight is 1 / 2 of 1 / 2^bit, so that all is exact."""
    shifted = binary("*", mask, weight, span)
    return binary(">=", binary("-", shifted, call("floor", shifted, span=span), span), number(0.5, span), span)


def _drawn(draw: syntax.CallExpr, span: Span) -> syntax.Expr:
    """A draw of the agent that asks, whose arguments may be of both."""
    unit = _own(call("uniform", number(0, span), number(1, span), span=span), span)
    match draw.function.text, draw.arguments:
        case "chance", (share,):
            return binary("<", unit, share, span)
        case "uniform", (low, high):
            return binary("+", low, binary("*", unit, binary("-", high, low, span), span), span)
        case "normal", (mean, deviation):
            normal = _own(call("normal", number(0, span), number(1, span), span=span), span)
            return binary("+", mean, binary("*", deviation, normal, span), span)
        case _:
            return _own(draw, span)
