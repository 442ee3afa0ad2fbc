"""Start values: what they are made of, and whose start values they may read.

An episode begins with what the world keeps, then with what else the world has, then with what agents and cells have:
each in the order of the file, so that a start value reads those that are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias, cast

from hamlet import universe
from hamlet.universe import Expression, Meter, WorldMeter, parts
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.checking.wholes import LARGEST_WHOLE, Wholes
from hamletc.language import syntax
from hamletc.language.declared import Kind

Owner: TypeAlias = Literal["agent", "world", "cell", "pair"]
KNOWN = (
    universe.Number,
    universe.Truth,
    universe.ParamValue,
    universe.AgentNumber,
    universe.AgentCount,
    universe.Unary,
    universe.Binary,
    universe.Clamp,
    universe.TableValue,
    universe.If,
    *(universe.DrawUniform, universe.DrawInteger, universe.DrawChoice, universe.DrawNormal, universe.DrawChance),
    *(universe.DrawPoisson,),
)
"""What start values consist of, beside start values."""
KNOWN_OF_CELLS = (
    *(kind for kind in KNOWN if kind is not universe.AgentNumber),
    universe.Coordinate,
    universe.On,
    universe.TerrainValue,
    universe.Wall,
    universe.At,
)
"""What start values of cells consist of, beside start values."""
KNOWN_OF_PAIRS = (*KNOWN, universe.Own)
"""What start values of pairs consist of, beside start values of the agent that has something of the other."""
READS = universe.MeterValue | universe.WorldValue | universe.CellValue
KINDS: Mapping[type[Expression], Kind] = {
    universe.MeterValue: "meter",
    universe.WorldValue: "world meter",
    universe.CellValue: "cell meter",
}


def known_at_start(
    start: Expression | None, declaration: syntax.MeterDecl, whose: Owner, names: Names, report: Findings
) -> float | Expression | None:
    """The start value of a meter or a state, if all that it reads is there when the episode comes to it; otherwise
    `None`, and what is not is reported."""
    if start is None or isinstance(start, universe.Number):
        return None if start is None else start.value
    own, order = declaration.name.text, names.order_of_starts
    known = {"cell": KNOWN_OF_CELLS, "pair": KNOWN_OF_PAIRS}.get(whose, KNOWN)
    nodes = [node for node, _ in parts(start)]
    elsewhere = [node.operand for node in nodes if isinstance(node, universe.At)]
    for node in nodes:
        if isinstance(node, known):
            continue
        # Cells begin at the same time: each knows what it has itself.
        other = isinstance(node, universe.CellValue) and (whose != "cell" or any(node is each for each in elsewhere))
        if not isinstance(node, READS) or other or node.meter not in order:
            report.add(messages.meters.UnknownAtStart(node.span, node, declaration, whose))
            return None
        if own not in order:
            return None  # another declaration has this name, which is reported there
        if order[node.meter] >= order[own]:
            anew = declaration.kept and node.meter not in names.kept
            about = own, node.meter, anew, names.span(KINDS[type(node)], node.meter)
            report.add(messages.meters.StartReadsLater(node.span, *about))
            return None
    return start


def whole_once(draft: Draft, names: Names) -> None:
    """Find out which of what lets draw once is always whole."""
    if draft.space is None:
        return
    meters = {meter.name: meter for meter in draft.meters_of_all()}
    for name in sorted(meters.keys() & names.order_of_starts.keys(), key=lambda each: names.order_of_starts[each]):
        meter = meters[name]
        spec, start, held = names.spec_of(name), meter.start, meter.type
        ends = all(end.is_integer() and abs(end) <= LARGEST_WHOLE for end in (meter.low, meter.high))
        if spec is None or spec.of != "once" or held is None or held.holds != "real" or isinstance(start, float):
            continue
        if ends and Wholes.of(draft.space, meters.values(), draft.tables).doubt(start) is None:
            meters[name] = replace(meter, type=replace(held, holds="int"))
    draft.meters = [cast(Meter, meters[each.name]) for each in draft.meters]
    draft.world_meters = [cast(WorldMeter, meters[each.name]) for each in draft.world_meters]
