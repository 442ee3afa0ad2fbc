"""`moss -= 0.2`, `stone at ahead = true` of agents: what they write into cells. It is written out as states that say
what each of them posts in a tick, and as rules of cells, before all others, that take it up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from hamlet.frozen import dataclass
from hamlet.universe import Span, nodes
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.places import Places
from hamletc.expansion.trees import (
    Field,
    assign,
    binary,
    call,
    constant,
    every,
    free,
    named,
    names_in,
    number,
    outside_expressions,
    rebuilt,
    whole,
    word,
)
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

MOST_CELLS = 65_536
"""The most cells of a grid that have meters."""
ORDER = (syntax.ActionDecl, syntax.AffordanceDecl, syntax.EffectDecl)
"""What posts before rules and cascades do, in this order."""


def posts_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations in which agents write no cells, and what is wrong with how they did."""
    cells = {
        item.name.text: item
        for block in declarations
        if isinstance(block, syntax.CellsDecl)
        for item in block.items
        if isinstance(item, syntax.MeterDecl) and (item.state is None or item.state.of == "author")
    }
    problems = tuple(map(places.told, _problems(declarations, cells)))
    if problems or not cells:
        return declarations, problems
    written = _Written(declarations, cells)
    made = tuple(map(written.declaration, declarations))
    return (written.taken_up(made) if written.posts else declarations), ()


@dataclass(frozen=True, slots=True)
class _Post:
    """A statement of agents that writes a meter or a state of cells.

    Attributes:
        cell: the state of agents that says which cell an agent writes, from 1 on.
        value: what it writes or adds: a constant, or a state of agents that has it.
        rank: of the construct it stands in, among those of a tick.
    """

    state: syntax.MeterDecl
    op: Literal["+=", "-=", "="]
    cell: syntax.Name
    value: syntax.Expr
    rank: int
    span: Span


class _Written:
    """Writes posts out, one statement after the other."""

    def __init__(self, declarations: tuple[syntax.Decl, ...], cells: Mapping[str, syntax.MeterDecl]) -> None:
        self.posts: list[_Post] = []
        self._cells = cells
        self._rank = 0
        self._states: list[syntax.MeterDecl] = []
        self._values = set(in_namespace("value", declarations))
        self._rules = set(in_namespace("rule", declarations))

    def declaration(self, item: syntax.Decl) -> syntax.Decl:
        """A declaration with the statements by which agents post."""
        if isinstance(item, syntax.WorldDecl | syntax.CellsDecl):
            return item
        self._rank = next((rank for rank, kind in enumerate(ORDER) if isinstance(item, kind)), len(ORDER))
        made: syntax.Decl = rebuilt(item, self._tree)
        if made is not item and isinstance(made, syntax.RuleDecl | syntax.CascadeDecl):
            return replace(made, braced=True)
        return made

    def _tree(self, node: Any, field: Field) -> Any:
        if field.role == "expression":
            return node
        match node:
            case syntax.AssignStmt(owner=None, meter=meter) if meter.text in self._cells:
                return self._posting(meter.text, (), node)
            case syntax.PostStmt(state=state, place=place):
                return self._posting(state.text, place, node)
            case _:
                return rebuilt(node, self._tree)

    def _posting(
        self, state: str, place: tuple[syntax.Expr, ...], statement: syntax.AssignStmt | syntax.PostStmt
    ) -> tuple[syntax.Stmt, ...]:
        """What an agent does that writes a cell."""
        span, op, value = statement.span, statement.op, statement.value
        declared = self._cells[state]
        cell = self._name(f"cell of {state}", span)
        self._states.append(whole(cell, 0, MOST_CELLS, number(0, span), span, "posts"))
        marks = assign(cell, "=", syntax.CellExpr(place, span if not place else _span(place)), span)
        if _is_constant(value):
            self.posts.append(_Post(declared, op, cell, value, self._rank, span))
            return (marks,)
        held = self._name(f"{state} of a cell", span)
        self._states.append(_like(declared, held, op))
        self.posts.append(_Post(declared, op, cell, held, self._rank, span))
        return (assign(held, "=", value, span), marks)

    def _name(self, name: str, span: Span) -> syntax.Name:
        name = free(name, self._values)
        self._values.add(name)
        return named(name, span)

    def _rule(self, name: str) -> str:
        name = free(name, self._rules)
        self._rules.add(name)
        return name

    # --- what cells do ---

    def taken_up(self, declarations: tuple[syntax.Decl, ...]) -> tuple[syntax.Decl, ...]:
        """The declarations with what agents post, and cells that take it up."""
        sleeping = _Sleep(declarations)
        awake: syntax.Name | None = None
        of_world: tuple[syntax.Decl, ...] = ()
        if sleeping.possible:
            span = self.posts[0].span
            awake = self._name("posts", span)
            posted = every("or", [binary(">", each.cell, number(0, span), span) for each in self.posts], span)
            some = binary(">", call("count", posted, span=span), number(0, span), span)
            wakes = named(self._rule("cells wake"), span)
            waking = syntax.RuleDecl(wakes, None, (assign(awake, "=", some, span),), span)
            state = syntax.StateSpec("bool", (), span, "posted")
            flag = syntax.MeterDecl(awake, word("false", span), None, (), span, state)
            of_world = (syntax.WorldDecl((flag, waking), span),)
        self.posts.sort(key=lambda post: post.rank)
        rules = tuple(self._taking_up(post, awake) for post in self.posts)
        made: list[syntax.Decl] = []
        for item in declarations:
            if isinstance(item, syntax.CellsDecl) and rules:
                item, rules = replace(item, items=(*rules, *item.items)), ()
            made.append(item)
        return (*made, *self._states, *of_world)

    def _taking_up(self, post: _Post, awake: syntax.Name | None) -> syntax.RuleDecl:
        """The rule by which cells take up what a statement posts."""
        span, state = post.span, post.state
        guards: list[syntax.Expr] = [] if awake is None else [replace(awake, span=span)]
        value = post.value
        if post.op == "=":
            posted = syntax.PostedExpr("count", word("true", span), post.cell, span)
            guards.append(binary(">", posted, number(0, span), span))
            if not _is_constant(value):
                value = self._last(state, value, post.cell, span)
        else:
            value = syntax.PostedExpr("total", value, post.cell, span)
        name = self._rule(f"{state.name.text} posted")
        guard = every("and", guards, span) if guards else None
        return syntax.RuleDecl(named(name, span), guard, (assign(state.name.text, post.op, value, span),), span)

    def _last(self, state: syntax.MeterDecl, value: syntax.Expr, cell: syntax.Name, span: Span) -> syntax.Expr:
        """What the last agent posts."""
        if state.state is None or state.state.kind not in ("", "bool"):
            return syntax.PostedExpr("last", value, cell, span)
        held = syntax.WhenExpr(number(1, span), value, span)
        return binary(">", syntax.PostedExpr("last", held, cell, span), number(0, span), span)


def _like(declared: syntax.MeterDecl, name: syntax.Name, op: Literal["+=", "-=", "="]) -> syntax.MeterDecl:
    """A state of agents that holds what one of them writes into a cell, or adds to it: that is at most the width of the
    bounds."""
    spec, span = declared.state, name.span
    kind = "real" if spec is None else spec.kind or "bool"
    options = () if spec is None else spec.options
    state = syntax.StateSpec(kind, options, span, "posted")
    if kind == "bool":
        return syntax.MeterDecl(name, word("false", span), None, (), span, state)
    if kind == "options":
        return syntax.MeterDecl(name, options[0], None, (), span, state)
    low, high = declared.bounds or (number(0, span), number(1, span))
    if op == "=":
        return syntax.MeterDecl(name, low, (low, high), (), span, state)
    bounds = (binary("-", low, high, span), binary("-", high, low, span))
    return syntax.MeterDecl(name, number(0, span), bounds, (), span, state)


def _is_constant(value: syntax.Expr) -> bool:
    """Whether a value is the same for all agents: a number, a truth, or an option."""
    match value:
        case syntax.Bound(space="option") | syntax.Bound(text="true" | "false"):
            return True
        case syntax.Name(text="true" | "false", quoted=False):
            return True
        case _:
            return constant(value) is not None


def _span(place: tuple[syntax.Expr, ...]) -> Span:
    """The place of coordinates in the text."""
    first, last = place[0].span, place[-1].span
    return replace(first, end_line=last.end_line, end_column=last.end_column) if first.file == last.file else first


class _Sleep:
    """Whether cells can be left alone in ticks in which nobody posts: each rule of theirs begins with a condition of
    the world."""

    def __init__(self, declarations: tuple[syntax.Decl, ...]) -> None:
        worlds = [item for block in declarations if isinstance(block, syntax.WorldDecl) for item in block.items]
        self._world = {item.name.text for item in worlds if isinstance(item, syntax.MeterDecl)}
        cells = [item for block in declarations if isinstance(block, syntax.CellsDecl) for item in block.items]
        self.possible = all(self._waits(item.guard) for item in cells if isinstance(item, syntax.RuleDecl))

    def _waits(self, guard: syntax.Expr | None) -> bool:
        match guard:
            case None:
                return False
            case syntax.BinaryExpr(op="and", left=left, right=right):
                return self._waits(left) or self._waits(right)
            case _:
                asks = (syntax.CallExpr, syntax.AtExpr, syntax.OnExpr, syntax.AxisExpr, syntax.OfExpr)
                names = [name for name in names_in(guard) if not isinstance(name, syntax.Bound)]
                alike = not any(isinstance(node, asks) for node in nodes(guard))
                return alike and bool(names) and all(name.text in self._world for name in names)


# --- what can be wrong ------------------------------------------------------------------------------------------------


def _problems(declarations: tuple[syntax.Decl, ...], cells: Mapping[str, syntax.MeterDecl]) -> Iterator[Finding]:
    for item in declarations:
        if isinstance(item, syntax.MeterDecl | syntax.LetDecl):
            continue  # They have no statements, and there are many.
        owner = "the world" if isinstance(item, syntax.WorldDecl) else "cells"
        of_agents = not isinstance(item, syntax.WorldDecl | syntax.CellsDecl)
        for node in outside_expressions(item):
            match node:
                case syntax.PostStmt(state=state) if of_agents and state.text not in cells:
                    yield messages.posts.NothingToWrite(state.span, state, tuple(cells))
                case syntax.PostStmt(state=state) if of_agents:
                    yield from _wrongly_written(cells[state.text], node, node.state)
                case syntax.PostStmt():
                    yield messages.posts.NobodyPosts(node.span, node, owner)
                case syntax.AssignStmt(owner=None, meter=meter) if of_agents and meter.text in cells:
                    if node.unclamped is not None:
                        yield messages.rules.NeverUnclamped(node.unclamped, "cells")
                    yield from _wrongly_written(cells[meter.text], node, meter)
                case _:
                    pass


def _wrongly_written(
    declared: syntax.MeterDecl, statement: syntax.AssignStmt | syntax.PostStmt, name: syntax.Name
) -> Iterator[Finding]:
    spec = declared.state
    if spec is not None and spec.kind in ("", "bool", "options") and statement.op != "=":
        like = syntax.AssignStmt(name, statement.op, statement.value, None, statement.span)
        yield messages.states.AddsToNoNumber(statement.span, like, spec)
