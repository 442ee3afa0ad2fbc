"""cues.yaml: without effect, but what it says about meters has to be right."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet_townlet.reader.fields import Fields, refer
from hamlet_townlet.reader.nodes import Node, start
from hamlet_townlet.reader.report import PackFindings

_PROSE = (
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


def read_cues(report: PackFindings, node: Node, meters: Sequence[str]) -> None:
    """Check the simple and compound cues of cues.yaml."""
    fields = Fields(report, node, "cues.yaml")
    fields.documentation(*_PROSE, *_OTHER_CUES)
    simple, compound = fields.optional_items("simple_cues"), fields.optional_items("compound_cues")
    fields.done()
    for item in simple:
        cue = Fields(report, item, "the cue")
        _condition(report, cue.need("condition"), meters)
    for item in compound:
        cue = Fields(report, item, "the cue")
        for condition in cue.items("conditions"):
            _condition(report, condition, meters)
    if simple or compound or any(fields.find(key) is not None for key in _OTHER_CUES):
        report.ignore("cues.yaml", start(node), "Nothing in HAMLET reads cues yet.")


def _condition(report: PackFindings, node: Node | None, meters: Sequence[str]) -> None:
    fields = Fields(report, node, "the condition")
    if node is not None:
        refer(report, fields.name("meter"), meters, "meter")
