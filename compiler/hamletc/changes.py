"""Changes of meters: which statements write one, in the order of a tick; for hovers and for `hamletc explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamlet.universe.stages import ORDER, StepName
from hamletc.expansion.trees import outside_expressions
from hamletc.language import syntax
from hamletc.language.layout import item_of
from hamletc.language.spelling import spell_expression

Effect: TypeAlias = Literal["raises", "lowers", "sets", "changes"]
_STEPS = {step.name: number for number, step in enumerate(ORDER)}
_ABOVE_ZERO = ("deficit", "shortfall")
"""Quantities that are above zero wherever they can stand."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement or a property that writes a meter: the step of a tick that it belongs to, who has it, what it does as
    far as its signs say, and its text. In its step it is one of the first (-1), or of the last (1). It happens `always`
    where nothing guards it."""

    step: StepName
    owner: str
    effect: Effect
    text: str
    span: Span
    op: str
    value: syntax.Expr
    among: Literal[-1, 0, 1] = 0
    always: bool = False


def changes_of(meter: str, declarations: tuple[syntax.Decl, ...]) -> tuple[Change, ...]:
    """All changes of a meter in the order of a tick: within a step that of the text."""
    changes = (change for declaration in declarations for change in _of(declaration, meter))
    return tuple(sorted(changes, key=lambda change: (_STEPS[change.step], change.among)))


def declarations_of(file: syntax.File | None) -> tuple[syntax.Decl, ...]:
    """The declarations of a text, those of what it extends first."""
    parts: list[tuple[syntax.Decl, ...]] = []
    while file is not None:
        parts.insert(0, file.declarations)
        file = None if file.base is None else file.base.file
    return tuple(each for part in parts for each in part)


def _of(declaration: object, meter: str) -> Iterator[Change]:
    match declaration:
        case syntax.OverrideDecl(declaration=inner):
            yield from _of(inner, meter)
        case syntax.TemplateDecl(declarations=several):
            for each in several:
                yield from _of(each, meter)
        case syntax.RoleDecl(items=items):
            for item in items:
                yield from _of(item, meter)
        case syntax.WorldDecl(items=items):
            for item in items:
                yield from _in_step("world", "world ", item, meter)
        case syntax.CellsDecl(items=parts):
            for part in parts:
                yield from _in_step("cells", "cells ", part, meter)
        case syntax.PairsDecl(items=links):
            for link in links:
                yield from _in_step("rules", "pairs ", link, meter)
        case syntax.MeterDecl(name=name, properties=properties) if name.text == meter:
            yield from _properties(properties, meter)
        case syntax.AffordanceDecl():
            yield from _of_affordance(declaration, meter)
        case _:
            yield from _in_step(_step(declaration), "", declaration, meter)


def _of_affordance(affordance: syntax.AffordanceDecl, meter: str) -> Iterator[Change]:
    name = affordance.name.text
    for item in affordance.items:
        match item:
            case syntax.RuleDecl():
                yield from _in_step("world", f"affordance {name}, ", item, meter)
            case syntax.ActionDecl():
                yield from _in_step("act", "", item, meter)
            case syntax.BlockItem(kind=kind):
                yield from _written("interact", f"affordance {name} {kind}", item, meter)
            case _:
                yield from _written("interact", f"affordance {name}", item, meter)


def _step(declaration: object) -> StepName:
    match declaration:
        case syntax.ActionDecl() | syntax.ItemDecl():
            return "act"
        case _:
            return "rules"


def _in_step(step: StepName, before: str, declaration: object, meter: str) -> Iterator[Change]:
    """The changes of a declaration that has a name."""
    if isinstance(declaration, syntax.MeterDecl):
        if declaration.name.text == meter:
            yield from _properties(declaration.properties, meter)
        return
    name = getattr(declaration, "name", None)
    called = f"{_kind(declaration)} {name.text}" if isinstance(name, syntax.Name) else _kind(declaration)
    yield from _written(step, f"{before}{called}", declaration, meter)


def _properties(properties: tuple[syntax.MeterProperty, ...], meter: str) -> Iterator[Change]:
    """The changes that a meter itself declares."""
    for each in properties:
        match each:
            case syntax.DecayProperty(value=value, span=span):
                yield _lost("decay", meter, each, value, span, 0)
            case syntax.MoveProperty(value=value, span=span):
                yield _lost("act", meter, each, value, span, 1)
            case syntax.InteractProperty(value=value, span=span):
                yield _lost("interact", meter, each, value, span, -1)
            case _:
                pass


def _lost(
    step: StepName, meter: str, each: syntax.MeterProperty, value: syntax.Expr, span: Span, among: Literal[-1, 0, 1]
) -> Change:
    """The change by a property: a meter loses so much in a step."""
    text = item_of(each).flat
    return Change(step, f"meter {meter}", _by("-=", value), text, span, "-=", value, among, always=True)


def _written(step: StepName, owner: str, tree: object, meter: str) -> Iterator[Change]:
    """The changes by the statements of a tree."""
    among: Literal[-1, 0] = -1 if isinstance(tree, syntax.EffectDecl) else 0
    always = isinstance(tree, syntax.RuleDecl) and tree.guard is None
    branches = _branches(outside_expressions(tree))
    for node in outside_expressions(tree):
        match node:
            case (
                syntax.AssignStmt(meter=name, op=op, value=value, span=span)
                | syntax.PostStmt(state=name, op=op, value=value, span=span)
            ) if name.text == meter:
                on_own = isinstance(node, syntax.AssignStmt) and id(node) not in branches
                text = " ".join((item_of(node).flat, *branches.get(id(node), ())))
                yield Change(step, owner, _by(op, value), text, span, op, value, among, always and on_own)
            case _:
                pass


def _branches(nodes: Iterable[object]) -> dict[int, tuple[str, ...]]:
    """Conditions that are asked before statements of branches, outer ones first, by the statement."""
    asked: dict[int, tuple[str, ...]] = {}
    for node in nodes:
        if isinstance(node, syntax.IfStmt):
            condition = spell_expression(node.condition)
            for text, branch in (f"if {condition}", node.body), (f"if not ({condition})", node.others):
                for inside in outside_expressions(branch):
                    asked[id(inside)] = (*asked.get(id(inside), ()), text)
    return asked


def _by(op: str, value: syntax.Expr) -> Effect:
    if op == "=":
        return "sets"
    sign = _sign(value) * (1 if op == "+=" else -1)
    return "raises" if sign > 0 else "lowers" if sign < 0 else "changes"


def _sign(value: syntax.Expr) -> int:
    match value:
        case syntax.Numeral(text=text):
            return 1 if float(text) > 0 else 0
        case syntax.UnaryExpr(op="-", operand=operand):
            return -_sign(operand)
        case syntax.BinaryExpr(op="*" | "/", left=left, right=right):
            return _sign(left) * _sign(right)
        case syntax.WhenExpr(value=inner):
            return _sign(inner)
        case syntax.Name(text=text) if text in _ABOVE_ZERO:
            return 1
        case _:
            return 0


def _kind(declaration: object) -> str:
    """The word of a declaration: `rule`, `action`."""
    return type(declaration).__name__.removesuffix("Decl").lower()
