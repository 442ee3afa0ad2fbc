"""bars.yaml: meters and terminal conditions. And cues.yaml: without effect, but what it says about meters has to be
right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from hamlet.numbers.binary32 import round32
from hamlet_townlet.pack import Bar, Bars, Operator, TerminalCondition
from hamlet_townlet.reader.fields import Fields, given_twice, items, number, spelled
from hamlet_townlet.reader.limits import MOST_METERS
from hamlet_townlet.reader.nodes import Node, start
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned
from hamletc.diagnostics import Label

_CUES_PROSE = (
    "version",
    "description",
    "status",
    "training_strategy",
    "teaching_value",
    "game_design_insights",
    "implementation_phases",
    "future_extensions",
    "current_status",
    "next_steps",
)
_OTHER_CUES = ("visual_cues", "derived_cues", "behavioral_cues", "cue_reliability")


def read_bars(report: PackFindings, node: Node) -> Bars:
    """The meters and terminal conditions of bars.yaml."""
    fields = Fields(report, node, "bars.yaml")
    fields.documentation("version", "description", "notes")
    nodes = fields.items("bars")
    conditions = fields.items("terminal_conditions")
    fields.done()
    if fields.readable and "bars" in fields.entries and not 1 <= len(nodes) <= MOST_METERS:
        hint = f"A pack has 1 to {MOST_METERS}."
        report.add("H110", f"there are {len(nodes)} bars", fields.key("bars"), hint=hint)
    bars = [_bar(report, item) for item in nodes]
    given_twice(report, (bar.name for bar in bars), "the bar")
    _check_indices(report, bars)
    names = {bar.name.value for bar in bars}
    read = [_condition(report, item) for item in conditions]
    for condition in read:
        if condition.meter.value and condition.meter.value not in names:
            message = f"no bar is called `{condition.meter.value}`: HAMLET drops this condition"
            report.add("H131", message, condition.meter.span, hint="Remove it, or correct the name.")
    kept = _each_once(report, [condition for condition in read if condition.meter.value in names])
    return Bars(tuple(sorted(bars, key=lambda bar: bar.index.value)), kept)


def _each_once(report: PackFindings, conditions: Sequence[TerminalCondition]) -> tuple[TerminalCondition, ...]:
    """The conditions without those that say the same as one before them: HAMLET tests them again, for nothing."""
    first: dict[tuple[str, str, float], TerminalCondition] = {}
    for condition in conditions:
        said = (condition.meter.value, condition.operator.value, round32(condition.value.value))
        before = first.setdefault(said, condition)
        if before is not condition:
            message = f"this condition about `{condition.meter.value}` is given twice"
            secondary = (Label(before.meter.span, "the first time"),)
            report.add("H134", message, condition.meter.span, secondary=secondary, hint="Remove one of the two.")
    return tuple(first.values())


def _bar(report: PackFindings, node: Node) -> Bar:
    fields = Fields(report, node, "the bar")
    fields.documentation("description", "special", "key_insight", "cascade_pattern")
    fields.ignored("tier")
    _check_range(report, fields)
    bar = Bar(
        fields.name("name"),
        fields.integer("index", least=0),
        fields.number("initial", least=0, most=1),
        fields.number("base_depletion", least=0),
        fields.number("base_move_depletion", least=0),
        fields.number("base_interaction_cost", least=0),
        fields.span,
    )
    fields.done()
    return bar


def _check_range(report: PackFindings, fields: Fields) -> None:
    """Refuse a range that is not 0 to 1: HAMLET does not read the range, and its meters go from 0 to 1."""
    node = fields.find("range")
    if node is None:
        return
    bounds = [number(report, item, "an item of `range`").value for item in items(report, node, "`range`")]
    if bounds != [0.0, 1.0]:
        shown = ", ".join(spelled(bound) for bound in bounds)
        hint = "HAMLET has meters from 0 to 1 only: write `range: [0.0, 1.0]`."
        report.add("H110", f"the range of a bar is [{shown}]", node.span, hint=hint)


def _check_indices(report: PackFindings, bars: list[Bar]) -> None:
    if report.failed:
        return
    first: dict[int, Spanned[int]] = {}
    for bar in bars:
        index = bar.index
        if first.setdefault(index.value, index) is not index:
            secondary = (Label(first[index.value].span, "the first time"),)
            hint = f"Number the bars from 0 to {len(bars) - 1}, each once."
            report.add("H114", f"two bars have the index {index.value}", index.span, secondary=secondary, hint=hint)
        elif index.value >= len(bars):
            missing = min(set(range(len(bars))) - {bar.index.value for bar in bars})
            hint = f"Number the bars from 0 to {len(bars) - 1}: {missing} is missing."
            report.add("H114", f"the index {index.value} leaves a gap", index.span, hint=hint)


def _condition(report: PackFindings, node: Node) -> TerminalCondition:
    fields = Fields(report, node, "the terminal condition")
    fields.documentation("description")
    operators: tuple[Operator, ...] = get_args(Operator)
    condition = TerminalCondition(
        fields.name("meter"), fields.word("operator", operators), fields.number("value"), fields.span
    )
    fields.done()
    return condition


def read_cues(report: PackFindings, node: Node, meters: Sequence[str]) -> None:
    """Check the simple and compound cues of cues.yaml."""
    fields = Fields(report, node, "cues.yaml")
    fields.documentation(*_CUES_PROSE, *_OTHER_CUES)
    simple, compound = fields.optional_items("simple_cues"), fields.optional_items("compound_cues")
    fields.done()
    for item in simple:
        cue = Fields(report, item, "the cue")
        _cue_condition(report, cue.need("condition"), meters)
    for item in compound:
        cue = Fields(report, item, "the cue")
        for condition in cue.items("conditions"):
            _cue_condition(report, condition, meters)
    if simple or compound or any(fields.find(key) is not None for key in _OTHER_CUES):
        report.ignore("cues.yaml", start(node), "Nothing in HAMLET reads cues yet.")


def _cue_condition(report: PackFindings, node: Node | None, meters: Sequence[str]) -> None:
    fields = Fields(report, node, "the condition")
    if node is not None:
        fields.reference("meter", meters, "meter")
