"""`spawn sheep { energy = 0.5 * energy }`: written out as statements of the mother, by which she asks for a child and
keeps what it has of her. The check makes of the states that they write how agents of a role are born."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.places import Places
from hamletc.expansion.trees import Field, assign, free, named, number, outside_expressions, rebuilt, whole, word
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

LONGEST_WAIT = 1 << 24
"""Up to this size binary32 has every whole number."""
TICKS, RULE = "ticks of the world", "time of the world"
"""The names of the state that counts the ticks of the world, and of its rule."""


@dataclass(slots=True)
class _Births:
    """The births of a role: the names of the states of mothers, by the meters of children, and who writes them."""

    head: syntax.RoleDecl
    asked: str = ""
    handed: dict[str, str] = field(default_factory=dict)
    first: syntax.SpawnStmt | None = None


def births_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without `spawn`, with the states that it writes, and what is wrong with it."""
    spawns = [node for node in outside_expressions(declarations) if isinstance(node, syntax.SpawnStmt)]
    heads = {item.name.text: item for item in declarations if isinstance(item, syntax.RoleDecl)}
    pooled = any(isinstance(item, syntax.PoolItem) for head in heads.values() for item in head.items)
    if not spawns and not pooled:
        return declarations, ()
    problems = [*_problems(declarations, spawns, heads)]
    if problems:
        return declarations, tuple(map(places.told, problems))
    written = _Written(declarations, spawns, heads)
    return written.declarations(), ()


class _Written:
    """Writes births out; what is spawned are roles, and what is handed over their meters."""

    def __init__(
        self,
        declarations: tuple[syntax.Decl, ...],
        spawns: list[syntax.SpawnStmt],
        heads: Mapping[str, syntax.RoleDecl],
    ) -> None:
        self._declarations = declarations
        self._meters = {item.name.text: item for item in declarations if isinstance(item, syntax.MeterDecl)}
        self._taken = set(in_namespace("value", declarations))
        self._births: dict[str, _Births] = {}
        for spawn in spawns:
            self._spawned(spawn, heads[spawn.role.text])
        self._waits = {
            name: self._name(f"ticks until {name}")
            for name, head in heads.items()
            if any(isinstance(item, syntax.RespawnsItem) for item in head.items)
        }

    def declarations(self) -> tuple[syntax.Decl, ...]:
        """All of them."""
        counted = any(isinstance(item, syntax.LifespanDecl) for item in self._declarations)
        ticks = self._name(TICKS) if counted else ""
        made = tuple(self._declaration(item, ticks) for item in self._declarations)
        return (*made, *self._states(), *(self._counting(ticks) if counted else ()))

    def _name(self, name: str) -> str:
        name = free(name, self._taken)
        self._taken.add(name)
        return name

    def _spawned(self, spawn: syntax.SpawnStmt, head: syntax.RoleDecl) -> None:
        births = self._births.setdefault(head.name.text, _Births(head))
        if births.first is None:
            births.first = spawn
            births.asked = self._name(f"child of {head.name.text}")
            births.handed = {each.meter.text: self._name(f"{each.meter.text} of a child") for each in spawn.handed}

    def _declaration(self, item: syntax.Decl, ticks: str) -> syntax.Decl:
        match item:
            case syntax.RoleDecl(name=name):
                return replace(item, births=self._spec(name))
            case syntax.LifespanDecl(span=span) if not isinstance(item.ticks, syntax.Name):
                return replace(item, counted=named(ticks, span))
            case _:
                made: syntax.Decl = self._tree(item)
                if isinstance(made, syntax.RuleDecl | syntax.CascadeDecl) and made is not item:
                    return replace(made, braced=True)
                return made

    def _tree(self, node: Any, field: Field | None = None) -> Any:
        """The node with everything below it; statements of the mother for a `spawn`."""
        if field is not None and field.role == "expression":
            return node
        return self._asking(node) if isinstance(node, syntax.SpawnStmt) else rebuilt(node, self._tree)

    def _asking(self, spawn: syntax.SpawnStmt) -> tuple[syntax.Stmt, ...]:
        """What a mother does who asks for a child."""
        births = self._births[spawn.role.text]
        given = (assign(births.handed[each.meter.text], "=", each.value, each.span) for each in spawn.handed)
        return (*given, assign(births.asked, "=", number(1, spawn.span), spawn.span))

    def _spec(self, role: syntax.Name) -> syntax.BirthSpec | None:
        births, waits = self._births.get(role.text), self._waits.get(role.text)
        handed: tuple[syntax.AssignStmt, ...] = ()
        if births is not None and births.first is not None:
            handed = tuple(
                assign(each.meter, "=", named(births.handed[each.meter.text], each.span), each.span)
                for each in births.first.handed
            )
        asked = None if births is None else named(births.asked, role.span)
        return syntax.BirthSpec(asked, handed, None if waits is None else named(waits, role.span), role.span)

    def _states(self) -> Iterator[syntax.MeterDecl]:
        """The states of agents."""
        for births in self._births.values():
            assert births.first is not None, "somebody spawns it"
            span = births.first.span
            yield whole(births.asked, 0, 1, number(0, span), span, "births")
            for meter, state in births.handed.items():
                yield _like(self._meters[meter], named(state, span))
        for name in self._waits.values():
            span = syntax.NOWHERE
            yield whole(name, 0, LONGEST_WAIT, number(0, span), span, "births")

    def _counting(self, ticks: str) -> Iterator[syntax.Decl]:
        """What counts the ticks of the world."""
        span = next(item.span for item in self._declarations if isinstance(item, syntax.LifespanDecl))
        rule = free(RULE, in_namespace("rule", self._declarations))
        state = whole(ticks, 0, LONGEST_WAIT, number(0, span), span, "births")
        counts = syntax.RuleDecl(named(rule, span), None, (assign(ticks, "+=", number(1, span), span),), span)
        yield syntax.WorldDecl((state, counts), span)


def _like(meter: syntax.MeterDecl, name: syntax.Name) -> syntax.MeterDecl:
    """A state of mothers that holds what a meter of children does; at first it is what nobody reads."""
    spec, span = meter.state, name.span
    numbers = isinstance(meter.start, syntax.Numeral | syntax.UnaryExpr)
    kind = "real" if spec is None or (spec.kind == "" and numbers) else spec.kind or "bool"
    options = () if spec is None else spec.options
    bounds = (meter.bounds or (number(0, span), number(1, span))) if kind == "real" else meter.bounds
    start: syntax.Expr = word("false", span) if bounds is None else bounds[0]
    return syntax.MeterDecl(
        name, options[0] if options else start, bounds, (), span, syntax.StateSpec(kind, options, span, "births")
    )


# --- what can be wrong ------------------------------------------------------------------------------------------------


def _problems(
    declarations: tuple[syntax.Decl, ...], spawns: list[syntax.SpawnStmt], heads: Mapping[str, syntax.RoleDecl]
) -> Iterator[Finding]:
    of_others = (item for item in declarations if isinstance(item, syntax.WorldDecl | syntax.CellsDecl))
    others = {
        id(node): "the world" if isinstance(item, syntax.WorldDecl) else "cells"
        for item in of_others
        for node in outside_expressions(item)
    }
    meters = {item.name.text: item for item in declarations if isinstance(item, syntax.MeterDecl)}
    first: dict[str, syntax.SpawnStmt] = {}
    for spawn in spawns:
        if id(spawn) in others:
            yield messages.births.NobodySpawns(spawn.span, spawn.role.text, others[id(spawn)])
        elif spawn.role.text not in heads:
            yield messages.births.NoRoleToSpawn(spawn.role.span, spawn.role.text, tuple(heads))
        else:
            yield from _wrongly_handed(spawn, first.setdefault(spawn.role.text, spawn), meters)
    by_hand = next((item for item in declarations if isinstance(item, syntax.EpisodesDecl)), None)
    if by_hand is not None:
        span = (
            spawns[0].span
            if spawns
            else next(item.span for head in heads.values() for item in head.items if isinstance(item, syntax.PoolItem))
        )
        yield messages.births.BirthsByHand(span, by_hand.span)


def _wrongly_handed(
    spawn: syntax.SpawnStmt, first: syntax.SpawnStmt, meters: Mapping[str, syntax.MeterDecl]
) -> Iterator[Finding]:
    names: dict[str, Span] = {}
    for each in spawn.handed:
        name = each.meter.text
        once = meters[name].state if name in meters else None
        if each.op != "=" or each.unclamped is not None or each.owner is not None:
            yield messages.births.HandedOtherwise(each.span, name)
        elif name not in meters or (once is not None and once.of == "once"):
            yield messages.births.HandedToNobody(each.meter.span, name, spawn.role.text)
        elif name in names:
            yield messages.births.HandedTwice(each.meter.span, name, names[name])
        names.setdefault(name, each.meter.span)
    others = {each.meter.text for each in first.handed}
    if spawn is not first and set(names) != others:
        missing = min((others - set(names)) | (set(names) - others))
        yield messages.births.HandedElsewhere(spawn.span, spawn.role.text, missing, missing in others, first.span)
