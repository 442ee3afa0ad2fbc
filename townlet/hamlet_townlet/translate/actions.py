"""Custom actions, and which actions HAMLET's masks allow."""

from __future__ import annotations

from hamlet.universe import Span
from hamlet_townlet.pack import Bar, CustomAction, Grid, Pack
from hamlet_townlet.reader.read_actions import substrate_actions
from hamlet_townlet.spanned import Spanned
from hamlet_townlet.translate.affordances import gain, loss
from hamlet_townlet.translate.space import axis, displacement
from hamlet_townlet.translate.terms import binary, joined, number, quoted, shortest, word
from hamletc.language import syntax
from hamletc.language.syntax import Expr, Name


def action(source: CustomAction, pack: Pack) -> syntax.ActionDecl:
    """`action REST { together { energy += 0.002  mood += 0.01 } }`. An agent that it displaces stays engaged."""
    span = source.span
    changes = (*map(loss, source.costs), *map(gain, source.effects))
    body: tuple[syntax.Stmt, ...] = changes if len(changes) < 2 else (syntax.TogetherStmt(changes, span),)
    moving = _moving(source, pack)
    keeps = (syntax.KeepsItem(span),) if moving and pack.training.temporal.value and pack.deployed else ()
    return syntax.ActionDecl(quoted(source.name), (*body, *moving, *keeps), span)


def _moving(source: CustomAction, pack: Pack) -> tuple[syntax.MoveStmt | syntax.TeleportStmt, ...]:
    if source.teleport_to is not None:
        # It overwrites what a displacement did.
        return (syntax.TeleportStmt(tuple(number(c.value, c.span) for c in source.teleport_to), None, source.span),)
    if source.delta is None:
        return ()
    delta = tuple(_step(step, axis, pack) for axis, step in enumerate(source.delta))
    return (syntax.MoveStmt(tuple(number(*step) for step in delta), source.span),) if any(by for by, _ in delta) else ()


def _step(step: Spanned[float], axis: int, pack: Pack) -> tuple[float, Span]:
    """A displacement on an axis, and where it is written."""
    substrate = pack.substrate
    if isinstance(substrate, Grid):
        return float(_within(int(step.value), substrate.sizes[axis].value, substrate)), step.span
    return shortest(displacement(step.value, substrate)), step.span


def _within(step: int, size: int, grid: Grid) -> int:
    """A step of less than `size` cells that leads from every cell to the same cell, where there is one."""
    if abs(step) < size:
        return step
    match grid.boundary.value:
        case "clamp":
            return size - 1 if step > 0 else 1 - size
        case "wrap":
            return step % size
        case "sticky":
            return 0
        case "bounce":
            return step


_EDGES = {"UP": (1, 0), "DOWN": (1, 1), "LEFT": (0, 0), "RIGHT": (0, 1), "UP_Z": (2, 1), "DOWN_Z": (2, 0)}
"""The axis and the end of it, 0 or 1, at which a move is masked: of `UP_Z` and `DOWN_Z` it is the wrong one."""


def enabled(pack: Pack) -> tuple[bool, ...]:
    """Whether each action is enabled, by its number."""
    names = (*substrate_actions(pack.substrate), *(action.name.value for action in pack.actions))
    chosen = pack.training.enabled_actions
    return tuple(chosen is None or any(name == each.value for each in chosen) for name in names)


def masks(pack: Pack) -> list[syntax.AllowDecl]:
    """`allow UP when position y > 0`, ..., and `allow all when energy > 0 and health > 0`."""
    space = substrate_actions(pack.substrate)
    on = enabled(pack)
    span = pack.training.temporal.span
    off = [Name(name, span) for name, is_on in zip(space, on, strict=False) if not is_on]
    off += [quoted(action.name) for action, is_on in zip(pack.actions, on[len(space) :], strict=True) if not is_on]
    moves = [name for name, is_on in zip(space[:-2], on, strict=False) if is_on]
    result = [*_moves(moves, pack)]
    if off:
        result.append(syntax.AllowDecl(tuple(off), word("false", span), span))
    return [*result, _alive(pack.bars)]


def _moves(names: list[str], pack: Pack) -> list[syntax.AllowDecl]:
    """Enabled moves. Those in two and three dimensions stop at the edges, whatever the boundary; others never do."""
    grid = pack.substrate
    if not isinstance(grid, Grid) or not names:
        return []
    if len(grid.sizes) > 3:
        return [syntax.AllowDecl(tuple(Name(name, grid.span) for name in names), word("true", grid.span), grid.span)]
    result = []
    for name in names:
        number_of_axis, end = _EDGES[name]
        size = grid.sizes[number_of_axis]
        where = syntax.AxisExpr("position", Name(axis(grid, number_of_axis), size.span), size.span)
        condition: Expr = word("false", size.span)
        if size.value > 1:
            edge = number(float(size.value - 1 if end else 0), size.span)
            condition = binary(where, "<" if end else ">", edge, size.span)
        result.append(syntax.AllowDecl((Name(name, size.span),), condition, size.span))
    return result


def _alive(bars: tuple[Bar, ...]) -> syntax.AllowDecl:
    """Nothing is allowed without energy and health, or without the meters that HAMLET takes for them."""
    names = [bar.name.value for bar in bars]
    energy = bars[names.index("energy") if "energy" in names else 0]
    health = bars[names.index("health") if "health" in names else min(6, len(bars) - 1)]
    needed = [energy] if energy is health else [energy, health]
    span = energy.span
    conditions = [binary(quoted(bar.name), ">", number(0.0, bar.name.span), bar.name.span) for bar in needed]
    return syntax.AllowDecl((), joined(conditions, "and", span), span)
