"""Where the interpreter and the program that was lowered from its universe differ: the first statement."""

from __future__ import annotations

from hamlet.backend.protocol import Stream
from hamlet.interpreter import Write
from hamlet.numbers.binary32 import bits32
from hamlet_lab.diff.align import history
from hamlet_lab.diff.evaluation import Evaluation, Spot, show
from hamlet_lab.diff.finding import Finding, Glimpse, Source
from hamlet_lab.diff.parting import Outcome
from hamlet_lab.diff.rerun import Rerun
from hamlet_lab.diff.side import Side
from hamlet_lab.diff.words import PHASES, computed
from hamlet_lab.diff.writes import writes_of
from hamletc.ir.ops import Value
from hamletc.targets.body import reachable, versions


def statements(side: Side, other: Side, outcome: Outcome, stream: Stream, run: Rerun) -> Finding | None:
    """The first statement after which a meter differs; `None` where meters are not what differs."""
    lane = next((each.index for each in run.departures if each.column == "lane"), None)
    call = next((call for call in run.calls if call.function == "tick"), None)
    if lane is None or call is None:
        return None
    evaluation = Evaluation(side.form.program, side.form.program.function("tick"), call)
    spot = Spot(lane)
    writes = writes_of(side.universe, outcome, stream, lane)
    found = [fault for meter in side.universe.meters if (fault := _first(evaluation, spot, meter.name, writes))]
    if not found:
        return None
    value, bits, write = min(found, key=lambda fault: fault[0])
    ours = computed(other, evaluation, value, spot)
    source = None
    if write is not None:
        file = side.universe.sources[write.span.file]
        source = Source(write.construct, file, write.span.line, side.line(file, write.span.line))
    code = "no statement writes here" if write is None else f"{write.meter}, as {write.construct} leaves it"
    shown = show(evaluation.node(value).type, bits)
    blame = f"{side.label} does not do what its universe is lowered to"
    return Finding(blame, PHASES["tick"], lane, ours, Glimpse(side.label, code, shown, (), source))


def _first(
    evaluation: Evaluation, spot: Spot, meter: str, writes: list[Write]
) -> tuple[Value, int, Write | None] | None:
    """The value of the program after the first statement where the interpreter has another one; its bits, its write."""
    function = evaluation.function
    states = versions(function, reachable(function.nodes, [output.value for output in function.outputs]))
    made = {(write.span.file, write.span.line): write for write in writes if write.meter == meter}
    start = next((v for v, node in enumerate(function.nodes) if getattr(node.op, "name", "") == f"meter.{meter}"), None)
    if start is None:
        return None
    bits = evaluation.bits(start, spot)
    last = function.output(f"meter.{meter}").value
    for each in history(evaluation, states, f"meter.{meter}", last):
        write = made.get((each.origin.file, each.origin.line))
        bits = bits if write is None else bits32(write.value)
        if bits != evaluation.bits(each.value, spot):
            return each.value, bits, write
    return None
