"""affordances.yaml: what agents interact with, when, and where; amounts of meters, which actions have too."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hamlet_townlet import pack
from hamlet_townlet.pack import Affordance, Change, Substrate, Training, substrate_axes
from hamlet_townlet.reader.fields import Fields, given_twice, integer, listed, number, refer
from hamlet_townlet.reader.limits import MOST_AFFORDANCES, MOST_TICKS
from hamlet_townlet.reader.nodes import ListNode, MapNode, Node, start
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned

_TICKED = ("dual", "multi_tick")
"""The interaction types that HAMLET can run with temporal mechanics."""

_UNFIXED = "HAMLET fixes positions on 1 to 3 axes only: write `randomize_affordances: true` in training.yaml."


def read_affordances(
    report: PackFindings, node: Node, meters: Sequence[str], substrate: Substrate, training: Training
) -> tuple[Affordance, ...]:
    """The affordances of affordances.yaml, in file order."""
    fields = Fields(report, node, "affordances.yaml")
    fields.documentation("version", "description", "status", "teaching_insights", "implementation_notes", "notes")
    nodes = fields.items("affordances")
    fields.done()
    fields.at_most(MOST_AFFORDANCES, "affordances", len(nodes), "affordances")
    read = tuple(_affordance(report, item, meters, substrate, training) for item in nodes)
    given_twice(report, (affordance.id for affordance in read), "the id")
    given_twice(report, (affordance.name for affordance in read), "the affordance")
    return read


def check_deployment(
    report: PackFindings, deployed: Sequence[Affordance], substrate: Substrate, training: Training
) -> None:
    """Check that HAMLET can run and place what is deployed."""
    for affordance in deployed:
        kind = affordance.interaction_type
        if raises(affordance, training):
            shown = "without `interaction_type`" if kind is None else f"of type `{kind.value}`"
            message = f"HAMLET cannot run an affordance {shown} with temporal mechanics: it stops at the first use"
            hint = f"Write {listed(_TICKED, 'or')}, or `enable_temporal_mechanics: false` in training.yaml."
            report.add("H133", message, affordance.id.span if kind is None else kind.span, hint=hint)
        fixed = not training.randomize_affordances.value and not isinstance(substrate, pack.Aspatial)
        if fixed and affordance.position is None and not report.failed:
            hint = "Give it a `position`, or write `randomize_affordances: true` in training.yaml."
            hint = _UNFIXED if substrate_axes(substrate) > 3 else hint
            message = f"the affordance `{affordance.name.value}` has no `position`"
            report.add("H108", message, affordance.id.span, hint=hint)


def raises(affordance: Affordance, training: Training) -> bool:
    """Whether HAMLET stops with an error when an agent uses this affordance."""
    kind = affordance.interaction_type
    return training.temporal.value and (kind is None or kind.value not in _TICKED)


def check_room(report: PackFindings, deployed: int, substrate: Substrate, training: Training) -> None:
    """Check that there is a cell for each deployed affordance and each agent."""
    if isinstance(substrate, pack.Grid):
        cells = prod(size.value for size in substrate.sizes)
        agents = training.num_agents.value
        if deployed + agents > cells:
            needed = f"{deployed} affordance{'s' * (deployed != 1)} and {agents} agent{'s' * (agents != 1)}"
            message = f"the grid has {cells} cell{'s' * (cells != 1)}, too few for {needed}"
            hint = "Make the grid larger, or enable fewer affordances in training.yaml."
            report.add("H117", message, substrate.sizes[0].span, hint=hint)


def _affordance(
    report: PackFindings, node: Node, meters: Sequence[str], substrate: Substrate, training: Training
) -> Affordance:
    fields = Fields(report, node, "the affordance")
    fields.documentation("description", "teaching_note", "design_intent")
    fields.ignored("category", "capabilities", "availability", "modes")
    effects = Fields(report, fields.find("effect_pipeline"), "`effect_pipeline`")
    effects.ignored("on_early_exit", "on_failure")
    opens, closes = _hours(report, fields)
    affordance = Affordance(
        fields.name("id"),
        fields.name("name"),
        fields.optional_name("interaction_type"),
        fields.optional_integer("duration_ticks", least=-MOST_TICKS, most=MOST_TICKS),
        opens,
        closes,
        read_changes(fields, "costs", meters, "the cost"),
        read_changes(fields, "costs_per_tick", meters, "the cost"),
        read_changes(effects, "on_start", meters, "the effect"),
        read_changes(effects, "per_tick", meters, "the effect"),
        read_changes(effects, "on_completion", meters, "the effect"),
        _position(report, fields, substrate, training),
        fields.span,
    )
    if not report.failed and pack.deployed_affordances((affordance,), training):
        _check_mode(fields, effects, affordance, training)
    effects.done()
    fields.done()
    return affordance


def _check_mode(fields: Fields, effects: Fields, affordance: Affordance, training: Training) -> None:
    """Warn of what has no effect because temporal mechanics are on, or off."""
    if raises(affordance, training):
        return
    if training.temporal.value:
        if affordance.costs:
            fields.ignored("costs", why="With temporal mechanics an affordance takes `costs_per_tick`.")
        if affordance.on_start:
            effects.ignored("on_start", why="With temporal mechanics an affordance gives what `per_tick` says.")
        return
    if affordance.costs_per_tick:
        fields.ignored("costs_per_tick", why="Without temporal mechanics an affordance takes `costs`.")
    if (affordance.closes.value - affordance.opens.value) % 24 != 0:
        fields.ignored("operating_hours", why="Without temporal mechanics an affordance is always open.")
    kind = affordance.interaction_type
    if kind is not None and kind.value not in ("dual", "instant"):
        fields.ignored("interaction_type", why="Without temporal mechanics it is like `instant`.")
    at_once = kind is not None and kind.value == "dual" and not affordance.on_start
    why = "Without temporal mechanics it counts for the type `dual`, and only without `on_start`."
    for key, stage in (("per_tick", affordance.per_tick), ("on_completion", affordance.on_completion)):
        if stage and not at_once:
            effects.ignored(key, why=why)
    ticks = affordance.duration_ticks
    if ticks is not None and ticks.value != 1 and not (at_once and affordance.per_tick):
        fields.ignored("duration_ticks", why="Without temporal mechanics it multiplies `per_tick`, and there is none.")


def _hours(report: PackFindings, fields: Fields) -> tuple[Spanned[int], Spanned[int]]:
    nodes = fields.items("operating_hours")
    if len(nodes) != 2:
        if isinstance(fields.find("operating_hours"), ListNode):
            hint = "Write `[0, 24]` for always, `[8, 18]` for 8 to 18."
            report.add("H119", "`operating_hours` are two hours", fields.key("operating_hours"), hint=hint)
        return Spanned(0, fields.place), Spanned(24, fields.place)
    opens = integer(report, nodes[0], "the opening hour", least=0, most=23)
    return opens, integer(report, nodes[1], "the closing hour", least=1, most=28, stand_in=24)


def _position(report: PackFindings, fields: Fields, substrate: Substrate, training: Training) -> pack.Position | None:
    node = fields.find("position")
    if node is None:
        return None
    coordinates = _coordinates(report, node)
    if isinstance(substrate, pack.Aspatial):
        fields.ignored("position", why="There are no positions in this pack: substrate.yaml says `aspatial`.")
        return None
    axes = substrate_axes(substrate)
    if isinstance(substrate, pack.Grid) and len(coordinates) == axes:
        for axis, (coordinate, size) in enumerate(zip(coordinates, substrate.sizes, strict=True)):
            if not 0 <= coordinate.value < size.value:
                message = f"the position is off the grid: {coordinate.value} on axis {axis}"
                hint = f"Write 0 to {size.value - 1}."
                report.add("H116", message, coordinate.span, hint=hint)
    if training.randomize_affordances.value:
        fields.ignored("position", why="With `randomize_affordances: true` positions are drawn.")
        return None
    if coordinates and len(coordinates) != axes:
        message = f"the position has {len(coordinates)} of {axes} coordinates"
        hint = _UNFIXED if axes > 3 else f"Give it {axes}."
        report.add("H116", message, start(node), hint=hint)
    span = start(node) if isinstance(node, MapNode) else node.span
    return pack.Position(tuple(coordinate.value for coordinate in coordinates), span)


def _coordinates(report: PackFindings, node: Node) -> tuple[Spanned[int], ...]:
    match node:
        case ListNode(items=items):
            if len(items) not in (2, 3):
                hint = "On one axis write a number without brackets." if len(items) == 1 else "HAMLET takes 2 or 3."
                report.add("H116", f"a position with {len(items)} coordinates", start(node), hint=hint)
                return ()
            return tuple(integer(report, item, "a coordinate") for item in items)
        case MapNode():
            fields = Fields(report, node, "the position")
            axial = (fields.integer("q"), fields.integer("r"))
            fields.done()
            return axial
        case _:
            return (integer(report, node, "the position", least=0),)


def read_changes(fields: Fields, key: str, meters: Sequence[str], what: str) -> tuple[Change, ...]:
    """A list of `meter` and `amount`, which may be missing. `what` names an item of it: `the cost`."""
    return tuple(_change(fields.report, node, meters, what) for node in fields.optional_items(key))


def _change(report: PackFindings, node: Node, meters: Sequence[str], what: str) -> Change:
    fields = Fields(report, node, what)
    fields.documentation("description", "note")
    fields.ignored("type")
    change = Change(fields.reference("meter", meters, "meter"), fields.number("amount"), fields.span)
    fields.done()
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
