"""`pairs { ... }`: what each agent has of each other agent of its world. Links that are written become a table of all
agents by all agents; it is seen to that the others, and rules of pairs, stand where two agents are meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hamlet.schema import MOST_PAIRED
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.links import Links, linked, observed_links
from hamletc.expansion.places import Places
from hamletc.expansion.trees import Field, call, constant, names_in, number, of_language, rebuilt, word
from hamletc.language import syntax
from hamletc.language.words import AMONG

_CONDITIONS = ("", "bool")
_OF_BOTH: Mapping[str, int] = {"rank": 1, "nearest": 2}
"""How many of the first arguments are about two agents, where not all are."""


def pairs_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without links, and what is wrong with pairs."""
    blocks = [item for item in declarations if isinstance(item, syntax.PairsDecl)]
    if not blocks:
        return declarations, ()
    agents = _agents(declarations)
    if agents is None or not 2 <= agents <= MOST_PAIRED:
        return declarations, (places.told(messages.pairs.PairsOfUnknown(blocks[0].span, agents, MOST_PAIRED)),)
    writing = _Writing(places, agents, _own_names(declarations))
    for block in blocks:
        writing.declare(block)
    made = tuple(each for item in declarations for each in writing.declaration(item))
    return made, tuple(writing.problems)


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
    """Writes out links, and sees where pairs stand.

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
                links = [each for each in items if isinstance(each, syntax.LinksDecl)]
                yield from map(Links(self.agents, self.say).table, links)
                others = tuple(self._item(each) for each in items if not isinstance(each, syntax.LinksDecl))
                if others:
                    yield replace(item, items=others)
            case syntax.LetDecl():
                yield item
            case syntax.WorldDecl() | syntax.CellsDecl() | syntax.EndsDecl(world=True):
                yield self._outside(item, asked=None)
            case _:
                yield self._outside(item, asked=False)

    def _item(self, item: syntax.MeterDecl | syntax.RuleDecl) -> syntax.MeterDecl | syntax.RuleDecl:
        """A state or a rule of pairs."""
        match item:
            case syntax.MeterDecl(start=start):
                self._check_start(start)
                return item
            case syntax.RuleDecl(guard=guard, body=body):
                statements = tuple(self._statement(each) for each in body)
                return replace(item, guard=None if guard is None else self._of_pair(guard), body=statements)

    def _check_start(self, start: syntax.Expr) -> None:
        """See that a start value is known when an episode begins."""
        about_other = {name.text for name in names_in(_without_own(start))} & self.own
        if about_other:
            self.say(messages.pairs.StartOfOther(start.span, min(about_other)))
        for name in names_in(start):
            if self._is_state(name):
                self.say(messages.pairs.PairsOutside(name.span, name.text))

    def _statement(self, statement: syntax.Stmt) -> syntax.Stmt:
        """A statement of a rule of pairs."""
        match statement:
            case syntax.AssignStmt(owner=None, unclamped=None, meter=meter) if meter.text in self.states:
                spec = self.states[meter.text].state
                if spec is not None and spec.kind in _CONDITIONS and statement.op != "=":
                    self.say(messages.pairs.ConditionOfPairs(statement.span, meter.text))
                return replace(statement, value=self._of_pair(statement.value))
            case _:
                self.say(messages.pairs.NotOfPairs(statement.span))
                return statement

    def _of_pair(self, node: Any) -> Any:
        """An expression about two agents."""

        def put(item: Any, where: Field) -> Any:
            match item:
                case syntax.Name(text=text) if where.role == "expression" and self._is_state(item):
                    return self._linked(item, reverse=False) if text in self.links else item
                case syntax.Name():
                    return item
                case syntax.OfExpr(quantity=quantity, owner=owner) if self._declares(quantity.text):
                    if owner.text != "other":
                        self.say(messages.pairs.PairsOutside(item.span, quantity.text))
                    return self._linked(quantity, reverse=True) if quantity.text in self.links else item
                case syntax.CallExpr(function=function) if _is_own(function):
                    for name in names_in(item.arguments):
                        if self._is_state(name):
                            self.say(messages.pairs.OwnOfPairs(name.span, name.text))
                    return item
                case _:
                    return rebuilt(item, put)

        return put(node, Field("", "expression"))

    def _is_state(self, name: syntax.Name) -> bool:
        return self._declares(name.text) and not (isinstance(name, syntax.Bound) and name.space != "own")

    def _declares(self, name: str) -> bool:
        """Whether pairs have something of this name."""
        return name in self.states or name in self.links

    def _linked(self, name: syntax.Name, *, reverse: bool) -> syntax.Expr:
        """Whether the agent that asks has a link to the other one; in `reverse` whether that has one to it."""
        agent: syntax.Expr = word("agent", name.span)
        both = (call("own", agent, span=name.span), agent)
        return linked(name.text, *(reversed(both) if reverse else both), span=name.span)

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
                case syntax.DrawLinks(condition=condition):
                    return replace(item, condition=self._of_pair(condition))
                case syntax.ObserveState(names=names) if any(name.text in self.links for name in names):
                    return tuple(self._observed(names))
                case syntax.ObserveState():
                    return item
                case syntax.CallExpr(function=function) if asked is False and _joins(item):
                    both = _OF_BOTH.get(function.text, len(item.arguments))
                    first = tuple(self._of_pair(each) for each in item.arguments[:both])
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
        """Items for states among which are links."""
        for name in names:
            if name.text in self.links:
                yield from observed_links(name, self.agents)
            else:
                yield syntax.ObserveState((name,), name.span)


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
