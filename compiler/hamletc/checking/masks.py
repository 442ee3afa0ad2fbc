"""Action masks that an author writes."""

from __future__ import annotations

from hamlet.universe import Expression, Mask, Move, Truth
from hamletc.checking.expressions import Expressions
from hamletc.checking.moves import BUILT_IN
from hamletc.checking.names import Names, is_word
from hamletc.checking.properties import given_twice
from hamletc.checking.report import Report
from hamletc.language import syntax


def resolve_masks(
    declarations: list[syntax.AllowDecl], moves: tuple[Move, ...] | None, names: Names, report: Report
) -> list[Mask]:
    """`allow UP LEFT when position y > 0`, `allow all when energy > 0`; those with errors are left out."""
    expressions = Expressions(names, report, scope="mask")
    of_space = None if moves is None else (*(move.name for move in moves), *BUILT_IN)
    allowed: dict[str, syntax.Name] = {}
    masks: list[Mask] = []
    for declaration in declarations:
        known = True
        for name in declaration.actions:
            if not _is_action(name, of_space, names):
                known = False
            elif (first := allowed.setdefault(name.text, name)) is not name:
                known = False
                given_twice(
                    f"`allow` of `{name.text}`", name.span, first.span, report, "Join the conditions by `and` or `or`."
                )
        condition = _condition(declaration.condition, expressions)
        if known and condition is not None:
            masks.append(Mask(tuple(name.text for name in declaration.actions), condition, declaration.span))
    return masks


def _condition(expr: syntax.Expr, expressions: Expressions) -> Expression | None:
    """The condition, which may be a plain `true` or `false`."""
    if is_word(expr, "true", "false"):
        return Truth(is_word(expr, "true"), expr.span)
    return expressions.condition(expr)


def _is_action(name: syntax.Name, of_space: tuple[str, ...] | None, names: Names) -> bool:
    own = names.of_kind("action")
    if of_space is None or name.text in of_space or names.means(name, "action"):
        return True
    names.refuse(name, "an action", (*of_space, *own))
    return False
