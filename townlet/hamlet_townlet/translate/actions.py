"""Custom actions."""

from __future__ import annotations

from hamlet_townlet.pack import CustomAction, Grid, Pack, Spanned
from hamlet_townlet.translate.changes import gain, loss
from hamlet_townlet.translate.space import displacement
from hamlet_townlet.translate.terms import exact, quoted, signed
from hamletc.language.syntax import ActionDecl, KeepsItem, MoveItem, Signed, Stmt, TeleportItem, TogetherStmt


def action(source: CustomAction, pack: Pack) -> ActionDecl:
    """`action REST { together { energy += 0.002  mood += 0.01 } }`. An agent that it displaces stays engaged."""
    span = source.span
    changes = (*map(loss, source.costs), *map(gain, source.effects))
    body: tuple[Stmt, ...] = changes if len(changes) < 2 else (TogetherStmt(changes, span),)
    moving = _moving(source, pack)
    keeps = (KeepsItem(span),) if moving and pack.training.temporal.value and pack.deployed else ()
    return ActionDecl(quoted(source.name), (*body, *moving, *keeps), span)


def _moving(source: CustomAction, pack: Pack) -> tuple[MoveItem | TeleportItem, ...]:
    if source.teleport_to is not None:
        # It overwrites what a displacement did.
        return (TeleportItem(tuple(signed(c.value, c.span) for c in source.teleport_to), source.span),)
    if source.delta is None:
        return ()
    delta = tuple(_step(step, axis, pack) for axis, step in enumerate(source.delta))
    return () if all(step.text == "0" for step in delta) else (MoveItem(delta, source.span),)


def _step(step: Spanned[float], axis: int, pack: Pack) -> Signed:
    substrate = pack.substrate
    if isinstance(substrate, Grid):
        return Signed(str(_within(int(step.value), substrate.sizes[axis].value, substrate)), step.span)
    return exact(displacement(step.value, substrate), step.span)


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
