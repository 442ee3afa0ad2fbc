"""Amounts of meters: costs and effects."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet_townlet.pack import Change, Spanned
from hamlet_townlet.reader.fields import Fields, number, refer
from hamlet_townlet.reader.nodes import MapNode, Node
from hamlet_townlet.reader.report import PackFindings


def read_changes(report: PackFindings, nodes: Sequence[Node], meters: Sequence[str], what: str) -> tuple[Change, ...]:
    """A list of `meter` and `amount`."""
    return tuple(_change(report, node, meters, what) for node in nodes)


def _change(report: PackFindings, node: Node, meters: Sequence[str], what: str) -> Change:
    fields = Fields(report, node, what)
    fields.documentation("description", "note")
    fields.ignored("type")
    change = Change(fields.name("meter"), fields.number("amount"), fields.span)
    fields.done()
    refer(report, change.meter, meters, "meter")
    return change


def read_change_map(fields: Fields, key: str, meters: Sequence[str]) -> tuple[Change, ...]:
    """A mapping from meters to amounts; `{}` stands for none."""
    report, node = fields.report, fields.need(key)
    if not isinstance(node, MapNode):
        if node is not None:
            Fields(report, node, f"`{key}`")
        return ()
    changes = []
    for entry in node.entries:
        meter = Spanned(entry.key.text, entry.key.span)
        refer(report, meter, meters, "meter")
        changes.append(Change(meter, number(report, entry.value, f"`{key}` of a meter"), entry.key.span))
    return tuple(changes)
