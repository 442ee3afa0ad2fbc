"""cascades.yaml: modulations and cascades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from hamlet.numbers.binary32 import round32
from hamlet_townlet.pack import Cascade, CascadeGroup, Cascades, Modulation
from hamlet_townlet.reader.fields import Fields, given_twice, listed, refer, text
from hamlet_townlet.reader.limits import MOST_CASCADES
from hamlet_townlet.reader.nodes import ListNode, Node, ScalarNode
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned
from hamletc.diagnostics import Label

GROUPS: tuple[CascadeGroup, ...] = get_args(CascadeGroup)
"""The groups that are run, in this order."""

_PENALTY = "gradient_penalty"


def read_cascades(report: PackFindings, node: Node, meters: Sequence[str]) -> Cascades:
    """The modulations and cascades of cascades.yaml; `meters` are the meters by index."""
    fields = Fields(report, node, "cascades.yaml")
    fields.documentation("version", "description", "notes", "teaching_insights")
    modulations = [_modulation(report, item, meters) for item in fields.items("modulations")]
    nodes = fields.items("cascades")
    _ignore_unless(report, fields, "math_type", _PENALTY)
    _ignore_order(report, fields)
    fields.done()
    read = [_cascade(report, item, meters) for item in nodes]
    given_twice(report, (name for name, _, _ in read), "the cascade")
    fields.at_most(MOST_CASCADES, "cascades", len(nodes), "cascades")
    if len(nodes) <= MOST_CASCADES:
        _check_cycles(report, [cascade for _, cascade, _ in read])
    for name, _, group in read:
        if group.value and group.value not in GROUPS:
            message = f"HAMLET never runs the cascade `{name.value}`: no group is called `{group.value}`"
            report.add("H131", message, group.span, hint=f"HAMLET runs {listed(GROUPS)}.")
    kept = tuple(cascade for _, cascade, group in read if group.value == cascade.group and _can_fire(report, cascade))
    return Cascades(tuple(modulations), kept)


def _can_fire(report: PackFindings, cascade: Cascade) -> bool:
    """Whether a meter can be below the threshold: one that rounds to 0 leaves no room."""
    if round32(cascade.threshold.value) > 0 or report.failed:
        return True
    message = f"HAMLET never runs the cascade `{cascade.name}`: its threshold is 0 in binary32"
    report.add("H131", message, cascade.threshold.span, hint="Remove the cascade, or write a larger threshold.")
    return False


def _modulation(report: PackFindings, node: Node, meters: Sequence[str]) -> Modulation:
    fields = Fields(report, node, "the modulation")
    fields.documentation("description", "note")
    fields.word("type", ("depletion_multiplier",))
    modulation = Modulation(
        fields.name("name").value,
        fields.reference("source", meters, "meter"),
        fields.reference("target", meters, "meter"),
        fields.number("base_multiplier", above=0),
        fields.number("range", above=0),
        fields.number("baseline_depletion", least=0),
        fields.span,
    )
    fields.done()
    return modulation


def _cascade(report: PackFindings, node: Node, meters: Sequence[str]) -> tuple[Spanned[str], Cascade, Spanned[str]]:
    """The name of a cascade, the cascade, and the group that it asks for."""
    fields = Fields(report, node, "the cascade")
    fields.documentation("description", "teaching_note", "why_it_matters")
    name = fields.name("name")
    group = fields.name("category")
    cascade = Cascade(
        name.value,
        next((known for known in GROUPS if known == group.value), GROUPS[0]),
        fields.name("source"),
        fields.name("target"),
        fields.number("threshold", above=0, most=1),
        fields.number("strength", above=0),
        fields.span,
    )
    for end, key in ((cascade.source, "source_index"), (cascade.target, "target_index")):
        if fields.find(key) is not None:
            index = fields.integer(key, least=0)
            if refer(report, end, meters, "meter") and index.value != list(meters).index(end.value):
                report.ignore(f"`{key}` (here another meter's)", index.span, "HAMLET goes by the name of the meter.")
        else:
            refer(report, end, meters, "meter")
    fields.done()
    return name, cascade, group


def _ignore_unless(report: PackFindings, fields: Fields, key: str, truth: str) -> None:
    node = fields.find(key)
    if node is not None and text(report, node, f"`{key}`").value != truth:
        report.ignore(f"`{key}`", fields.key(key), f"HAMLET always computes a `{truth}`.")


def _ignore_order(report: PackFindings, fields: Fields) -> None:
    node = fields.find("execution_order")
    written = [item.text for item in node.items if isinstance(item, ScalarNode)] if isinstance(node, ListNode) else []
    if node is not None and written != ["modulations", *GROUPS]:
        why = f"HAMLET always runs {listed(('modulations', *GROUPS))}, in this order."
        report.ignore("`execution_order`", fields.key("execution_order"), why)


def _check_cycles(report: PackFindings, cascades: Sequence[Cascade]) -> None:
    """Refuse the cascades that close a cycle with cascades before them."""
    edges: dict[str, dict[str, Cascade]] = {}
    for cascade in cascades:
        source, target = cascade.source.value, cascade.target.value
        if not source or not target:
            continue
        way = _way(edges, target, source)
        if way is not None:
            meters = " -> ".join([source, target, *(step.target.value for step in way)])
            secondary = tuple(Label(step.source.span, "and this one") for step in way)
            hint = "Remove one of these cascades: a meter must not feed back on itself."
            report.add("H115", f"cascades in a circle: {meters}", cascade.target.span, secondary=secondary, hint=hint)
        else:
            edges.setdefault(source, {}).setdefault(target, cascade)


def _way(edges: dict[str, dict[str, Cascade]], start: str, end: str) -> list[Cascade] | None:
    """The cascades from one meter to another, a shortest way; empty where they are the same."""
    ways: dict[str, list[Cascade]] = {start: []}
    waiting = [start]
    for meter in waiting:
        if meter == end:
            return ways[meter]
        for target, cascade in edges.get(meter, {}).items():
            if target not in ways:
                ways[target] = [*ways[meter], cascade]
                waiting.append(target)
    return None
