"""What a world has beside its agents: meters of its own, and rules that run once per world."""

from __future__ import annotations

from hamlet.universe import Rule, WorldMeter
from hamletc.checking.expressions import Expressions
from hamletc.checking.meters import bounded_start
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, given_twice
from hamletc.checking.rules import Statements, written
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


def check_blocks(declarations: tuple[syntax.Decl, ...], report: Findings) -> None:
    """Report a second `world { }` in one text, or one template, as they are written; what others include, extend or
    use is joined."""
    first: dict[int, syntax.WorldDecl] = {}
    for item in declarations:
        match item:
            case syntax.WorldDecl(span=span):
                other = first.setdefault(span.file, item)
                if other is not item:
                    given_twice("`world`", span, other.span, report, "Write all of it in one block.")
            case syntax.TemplateDecl(declarations=parts):
                check_blocks(parts, report)
            case _:
                pass


def resolve_world_meter(declaration: syntax.MeterDecl, names: Names, report: Findings) -> WorldMeter | None:
    """`meter stock = 20 in 0 .. 100`."""
    for item in declaration.properties:
        meter = spell_name(declaration.name)
        value = spell_expression(item.value)
        hint = f"Leave it out; a rule of the world can change it: `rule {meter}_falls: {meter} -= {value}`."
        if item.key.text == "only":
            hint = "Leave it out."
        report.add(
            "H099", f"a meter of the world has no `{item.key.text}`", item.span, "what agents' meters have", hint=hint
        )
    values = bounded_start(declaration, "the start value of a meter of the world", names, report)
    return None if values is None else WorldMeter(declaration.name.text, *values, declaration.span)


def resolve_world_rule(declaration: syntax.RuleDecl, names: Names, report: Findings) -> Rule | None:
    """`rule sale: stock -= count(used == Shop)`."""
    expressions = Expressions(names, report, whose="world")
    guard = None if declaration.guard is None else expressions.condition(declaration.guard)
    if declaration.guard is not None and guard is None:
        names.suspects |= written(declaration.body)
    body = Statements(names, report, expressions, whose="world").body(declaration.body)
    return Rule(declaration.name.text, guard, body, declaration.span) if body else None
