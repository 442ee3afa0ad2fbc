"""Who acts on which meter, how strongly, and which meters act on each other in a loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from hamlet.universe import Action, Affordance, Cascade, MeterValue, Rule, Universe, nodes
from hamlet.universe.stages import stages
from hamletc.explanation.moment import tick_from
from hamletc.ir.function import Program


@dataclass(frozen=True, slots=True)
class Link:
    """A construct acts on a meter.

    Attributes:
        source: a meter, or "" where none decides; `by` alone acts then.
        by: the construct: "cascade hunger_sickens", "affordance Bed".
        target: the meter.
        amount: that it adds in a tick or a use, of a cascade at the full deficit; `None` where it sets the meter.
        loop: whether the target acts on the source, too, over however many meters.
    """

    source: str
    by: str
    target: str
    amount: float | None
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """The meters of a universe, in file order, and the links among them and from what agents do.

    Attributes:
        drifts: what the decay of a meter adds in a tick, by meter.
    """

    universe: str
    meters: tuple[str, ...]
    links: tuple[Link, ...]
    drifts: tuple[tuple[str, float], ...]

    @property
    def doers(self) -> tuple[str, ...]:
        """The constructs that agents use or do, in order."""
        return tuple(dict.fromkeys(link.by for link in self.links if not link.source))


def graph_of(universe: Universe, program: Program) -> Graph:
    """The graph of the meters of agents; `program` as the lowering makes it. Amounts are those at the start of an
    episode, with the sources of cascades at their floors."""
    meters = tuple(meter.name for meter in universe.meters)
    floors = {meter.name: meter.low for meter in universe.meters}
    lowest = {each.source: floors[each.source] for each in universe.dynamics if isinstance(each, Cascade)}
    amounts = _amounts(universe, program, meters, {name: value for name, value in lowest.items() if name in floors})
    links = [
        Link(source, by, target, amounts.get((by, target)))
        for by, sources, targets in _constructs(universe)
        for target in targets
        if target in meters
        for source in ([each for each in sources if each in meters and each != target] or [""])
    ]
    drifts = tuple((name, amount) for (by, name), amount in amounts.items() if by == f"meter {name}" and amount)
    rooms = _loops({(link.source, link.target) for link in links if link.source})
    looped = (replace(link, loop=rooms.get(link.source, -1) == rooms.get(link.target, -2)) for link in links)
    return Graph(universe.name, meters, tuple(looped), drifts)


def _constructs(universe: Universe) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Constructs with the meters that decide on what they do, and those that they write."""
    for stage in stages(universe):
        match stage.construct:
            case Cascade(name=name, source=source, body=body):
                yield f"cascade {name}", (source,), _written(body)
            case Rule(name=name, body=body) as rule:
                read = dict.fromkeys(node.meter for node in nodes(rule) if isinstance(node, MeterValue))
                yield f"rule {name}", tuple(read), _written(body)
            case Affordance(name=name) as place:
                yield f"affordance {name}", (), _written((*place.instantly, *place.each_tick, *place.on_completion))
            case Action(name=name):
                yield f"action {name}", (), _written(stage.statements)
            case _:
                pass


def _written(body: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in body for name in getattr(each, "writes", ())))


def _amounts(
    universe: Universe, program: Program, meters: tuple[str, ...], state: Mapping[str, float]
) -> dict[tuple[str, str], float]:
    """The numbers that constructs add, by construct and meter."""
    tick = tick_from(universe, program, state, tuple(f"meter.{name}" for name in meters))
    result: dict[tuple[str, str], float] = {}
    for name in meters:
        for each in tick.amounts.get(f"meter.{name}", ()):
            construct = str(each.origin.construct)
            if each.origin.construct.kind == "meter" and each.origin.phase != "decay":
                continue
            amount = float(np.float64(each.values[0]))
            if np.isfinite(amount):
                result[construct, name] = result.get((construct, name), 0.0) + amount
    return result


def _loops(edges: set[tuple[str, str]]) -> dict[str, int]:
    """The number of the loop that each meter is in: meters that reach each other have the same."""
    reached: dict[str, set[str]] = {source: {source} for edge in edges for source in edge}
    changed = True
    while changed:
        changed = False
        for source, target in edges:
            more = reached[target] - reached[source]
            if more:
                reached[source] |= more
                changed = True
    rooms: dict[str, int] = {}
    for number, name in enumerate(sorted(reached)):
        mutual = [each for each in sorted(reached[name]) if name in reached[each]]
        if len(mutual) > 1:
            rooms[name] = min([rooms[each] for each in mutual if each in rooms], default=number)
    return rooms
