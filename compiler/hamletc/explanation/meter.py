"""All that changes a meter, in the order of a tick, with amounts at a state; and where it drifts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hamlet import schema
from hamlet.numbers.binary32 import spell32
from hamlet.package.manifest import plain
from hamlet.universe import Universe
from hamletc.changes import Change, changes_of, declarations_of
from hamletc.explanation.moment import Tick, tick_from
from hamletc.frontend import UniverseText
from hamletc.ir.function import Program
from hamletc.kernel.versions import Amount

SHORTEST = 1e-12
CHOSEN = ("act", "interact")
"""Phases of a tick in which agents do what they chose."""


@dataclass(frozen=True, slots=True)
class Row:
    """A change of a meter.

    Attributes:
        effect: raises, lowers, sets, changes.
        owner: the construct.
        text: of the statement.
        place: file and line.
        amount: that it adds at the state, before the meter is clamped; `None` where it adds nothing there, sets the
            meter, or is one of many in a table.
        now: whether it does so in a tick in which the agent waits.
    """

    effect: str
    owner: str
    text: str
    place: str
    amount: float | None
    now: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """A meter explained.

    Attributes:
        name, value: its name and the state that it is explained at.
        low, high: its bounds.
        rows: in the order of a tick.
        nets: by how much a tick changes it in all, by action; the one of waiting first.
    """

    name: str
    value: float
    low: float
    high: float
    rows: tuple[Row, ...]
    nets: tuple[tuple[str, float], ...]


def explained(
    reading: UniverseText, universe: Universe, program: Program, meter: str, state: Mapping[str, float]
) -> Explained:
    """A meter of agents or of the world."""
    world = () if universe.world is None else universe.world.meters
    of_agents = any(each.name == meter for each in universe.meters)
    (declared,) = (each for each in (universe.meters if of_agents else world) if each.name == meter)
    name = f"meter.{meter}" if of_agents else f"world.{meter}"
    tick = tick_from(universe, program, state, (name,))
    idle = schema.idle_action(universe)
    amounts = list(tick.amounts.get(name, ()))
    rows = tuple(_rows(reading, universe, changes_of(meter, declarations_of(reading.file)), amounts, idle))
    return Explained(meter, tick.before[name], declared.low, declared.high, rows, tuple(_nets(tick, name, idle)))


def _rows(
    reading: UniverseText, universe: Universe, changes: tuple[Change, ...], amounts: list[Amount], idle: int
) -> Iterator[Row]:
    names = [plain(source.title) for source in reading.sources]
    for change in changes:
        file = names[change.span.file] if 0 <= change.span.file < len(names) else ""
        mine = [each for each in amounts if _at(universe, each) == (file, change.span.line)]
        if mine:
            amounts.remove(mine[0])
        amount, now = _amount(mine[0], idle) if mine else (None, False)
        yield Row(change.effect, change.owner, change.text, f"{file}:{change.span.line}", amount, now)
    said = {change.span.line for change in changes}
    copies = {f"affordance {each.name}" for each in universe.affordances if each.copy_of is not None}
    # What templates wrote out is written once; copies of an affordance do what is said of it.
    for each in amounts:
        file, line = _at(universe, each)
        if each.origin.title in copies and line in said:
            continue
        value, now = _amount(each, idle)
        place = f"{file}:{line}" if line else ""
        effect = "changes" if not value else "raises" if value > 0 else "lowers"
        yield Row(effect, each.origin.title, "", place, value, now)


def _amount(amount: Amount, idle: int) -> tuple[float | None, bool]:
    """A number that is added, and whether it is while one waits. Beyond its condition a rule adds nothing; affordances
    and actions add what they would add for who uses them."""
    now = bool(amount.counted[idle])
    return (float(amount.values[idle]) if now or amount.origin.phase in CHOSEN else None), now


def _at(universe: Universe, amount: Amount) -> tuple[str, int]:
    return universe.sources[amount.origin.file] if amount.origin.line else "", amount.origin.line


def _nets(tick: Tick, name: str, idle: int) -> Iterator[tuple[str, float]]:
    """How much a tick changes a meter, with the action of waiting, and with those that change it otherwise."""
    after = tick.after.get(name)
    if after is None:
        return
    by = after.astype(np.float64) - tick.before[name]
    yield tick.actions[idle], float(by[idle])
    for number, action in enumerate(tick.actions):
        if by[number] != by[idle]:
            yield action, float(by[number])


def lines(about: Explained, place: str, at: str) -> Iterator[str]:
    """The explanation as text."""
    yield f"meter {about.name} from {about.low:g} to {about.high:g}, {place}; at {spell32(about.value)}, {at}"
    if not about.rows:
        yield "  nothing changes it"
    shown = [(row, "" if row.amount is None else f"{np.float32(row.amount):+g}") for row in about.rows]
    effects, numbers = (max((len(text) for text in texts), default=0) for texts in (
        [row.effect for row, _ in shown], [number for _, number in shown]
    ))  # fmt: skip
    owners = max((len(row.owner) for row in about.rows), default=0)
    texts = max((len(row.text) for row in about.rows), default=0)
    for row, number in shown:
        mark = "*" if row.now else " "
        line = f"{mark} {row.effect:<{effects}}  {number:>{numbers}}  {row.owner:<{owners}}  {row.text:<{texts}}"
        yield f"{line}  {row.place}".rstrip()
    if any(row.now for row in about.rows):
        yield f"* in a tick with {about.nets[0][0]}"
    for rank, (action, by) in enumerate(about.nets):
        yield f"net of a tick with {action}: {by:+.4g}{_until(about, by) if rank == 0 else ''}"


def _until(about: Explained, by: float) -> str:
    """When a meter would meet its bound."""
    if abs(by) < SHORTEST:
        return ""
    end, word = (about.low, "floor") if by < 0 else (about.high, "ceiling")
    ticks = (end - about.value) / by
    return f", at its {word} after {ticks:.0f} such ticks" if ticks > 0 else ""
