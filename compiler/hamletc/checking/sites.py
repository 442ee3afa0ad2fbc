"""Draw sites: the random words of each draw, by the construct that it stands in (docs/semantics.md, "Draws").

So a construct that is added, taken away or moved changes the draws of no other one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hamlet.numbers.counters import BLOCK_WORDS, BLOCKS
from hamlet.universe import Span, nodes
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.words import DRAWS

FNV_OFFSET, FNV_PRIME = 0x811C9DC5, 0x01000193
"""Of the 32-bit hash FNV-1a of Fowler, Noll and Vo."""


def sites(declarations: Iterable[syntax.Decl]) -> Mapping[Span, int]:
    """The site of the first random word of each call that draws, by its place. `normal` takes two words, the others
    one; a call inside another one comes after it. What a `let` stands for is drawn where it is used. A call that is
    written out more than once, as for the edges of a space, is one draw: it has one place."""
    calls: dict[str, dict[Span, syntax.CallExpr]] = {}
    for declaration in declarations:
        for construct, part in constructs(declaration):
            drawn = {node.span: node for node in nodes(part) if isinstance(node, syntax.CallExpr) and _draws(node)}
            if drawn:
                calls.setdefault(construct, {}).update(drawn)
    found: dict[Span, int] = {}
    taken: set[int] = set()
    for construct in sorted(calls):
        words = [0]
        for call in calls[construct].values():
            words.append(words[-1] + (2 if call.function.text == "normal" else 1))
        blocks = -(-words[-1] // BLOCK_WORDS)
        first = key(construct)
        while first + blocks > BLOCKS or not taken.isdisjoint(range(first, first + blocks)):
            first = (first + 1) % BLOCKS
        taken.update(range(first, first + blocks))
        for span, word in zip(calls[construct], words, strict=False):
            found[span] = first * BLOCK_WORDS + word
    return found


def constructs(declaration: syntax.Decl | syntax.CellItem | syntax.PairItem) -> Iterator[tuple[str, object]]:
    """The kind and name of what a declaration declares, and the part of it that is meant."""
    match declaration:
        case syntax.LetDecl() | syntax.RoleDecl():
            pass
        case syntax.MeterDecl(name=name, start=start, bounds=bounds, properties=properties):
            yield f"start {name.text}", start
            yield f"meter {name.text}", (bounds, properties)
        case syntax.WorldDecl(items=items):
            yield from ((f"world {construct}", part) for item in items for construct, part in constructs(item))
        case syntax.CellsDecl(items=items):
            yield from ((f"cells {construct}", part) for item in items for construct, part in constructs(item))
        case syntax.PairsDecl(items=items):
            yield from ((f"pairs {construct}", part) for item in items for construct, part in constructs(item))
        case syntax.RewardDecl(name=None, value=value, role=role):
            paid = syntax.WhenExpr(value, syntax.RoleExpr(role, value.span), value.span) if role else value
            yield f"reward: {spell_expression(paid)}", value
        case syntax.DiesDecl(condition=condition, role=role):
            for disjunct in disjuncts(condition):
                yield f"dies when {_in_role(role, disjunct)}", disjunct
        case syntax.EndsDecl(condition=condition, properties=properties, role=role):
            for disjunct in disjuncts(condition):
                yield f"ends when {_in_role(role, disjunct)}", disjunct
            yield f"goal {_in_role(role, condition)}", properties
        case _:
            kind, named = type(declaration).__name__.removesuffix("Decl").lower(), getattr(declaration, "name", None)
            yield f"{kind} {named.text}" if isinstance(named, syntax.Name) else kind, declaration


def disjuncts(condition: syntax.Expr) -> list[syntax.Expr]:
    """What is joined by `or`."""
    if isinstance(condition, syntax.BinaryExpr) and condition.op == "or":
        return [*disjuncts(condition.left), *disjuncts(condition.right)]
    return [condition]


def for_role(who: syntax.RoleExpr | None, condition: syntax.Expr) -> syntax.Expr:
    """A condition of agents of a role."""
    return condition if who is None else syntax.BinaryExpr("and", who, condition, condition.span, condition.span)


def _in_role(role: str, condition: syntax.Expr) -> str:
    """The spelling of a condition that stands in a role, with the role's name also where all agents are of the role: so
    another role changes no draws of this one."""
    return spell_expression(for_role(syntax.RoleExpr(role, condition.span) if role else None, condition))


def key(construct: str) -> int:
    """The block in which the words of a construct begin, where no other one takes it."""
    found = FNV_OFFSET
    for byte in construct.encode():
        found = ((found ^ byte) * FNV_PRIME) % BLOCKS
    return found


def _draws(call: syntax.CallExpr) -> bool:
    return call.function.text in DRAWS and not call.function.quoted
