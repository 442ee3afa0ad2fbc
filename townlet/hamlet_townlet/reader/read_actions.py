"""global_actions.yaml: the custom actions."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet_townlet.pack import Aspatial, Continuous, CustomAction, Grid, Substrate, substrate_axes
from hamlet_townlet.reader.fields import Fields, given_twice, integer, number
from hamlet_townlet.reader.limits import MOST_ACTIONS
from hamlet_townlet.reader.nodes import Node, start
from hamlet_townlet.reader.read_affordances import read_change_map
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned


def read_actions(
    report: PackFindings, node: Node, meters: Sequence[str], substrate: Substrate
) -> tuple[CustomAction, ...]:
    """The custom actions, in file order."""
    fields = Fields(report, node, "global_actions.yaml")
    fields.documentation("version", "description", "notes")
    nodes = fields.items("custom_actions")
    fields.done()
    fields.at_most(MOST_ACTIONS, "custom_actions", len(nodes), "custom actions")
    actions = tuple(_action(report, item, meters, substrate) for item in nodes)
    given_twice(report, (action.name for action in actions), "the action")
    taken = substrate_actions(substrate)
    for action in actions:
        if action.name.value in taken:
            message = f"the action `{action.name.value}` is there already: the space has it"
            report.add("H113", message, action.name.span, hint="Give it another name.")
    return actions


def substrate_actions(substrate: Substrate) -> tuple[str, ...]:
    """The names of the actions that a space has, by id."""
    moves: tuple[str, ...]
    match substrate:
        case Aspatial():
            moves = ()
        case Continuous(bounds=(_,)):
            moves = ("LEFT", "RIGHT")
        case Continuous(bounds=(_, _), discretization=grain) if grain is not None:
            steps = range(1, grain.magnitudes.value)
            directions = range(grain.directions.value)
            moves = ("STOP", *(f"MOVE_{direction}_{step}" for direction in directions for step in steps))
        case Continuous(bounds=axes) | Grid(sizes=axes) if len(axes) > 3:
            moves = tuple(f"DIM{axis}_{way}" for axis in range(len(axes)) for way in ("NEG", "POS"))
        case Continuous(bounds=(_, _, _)) | Grid(sizes=(_, _, _)):
            moves = ("UP", "DOWN", "LEFT", "RIGHT", "UP_Z", "DOWN_Z")
        case _:
            moves = ("UP", "DOWN", "LEFT", "RIGHT")
    return (*moves, "INTERACT", "WAIT")


def _action(report: PackFindings, node: Node, meters: Sequence[str], substrate: Substrate) -> CustomAction:
    fields = Fields(report, node, "the action")
    fields.documentation("description", "icon")
    fields.ignored("reads", "writes", "id", "enabled", "source", "source_affordance")
    kind = fields.word("type", ("movement", "interaction", "passive", "transaction"))
    action = CustomAction(
        fields.name("name"),
        read_change_map(fields, "costs", meters),
        read_change_map(fields, "effects", meters),
        _delta(report, fields, substrate),
        _teleport(report, fields, substrate),
        fields.span,
    )
    if kind.value in ("interaction", "transaction"):
        fields.ignored("type", why="HAMLET runs the action as it runs one of the type `passive`.")
    if action.delta is not None and action.teleport_to is not None:
        fields.ignored("delta", why="`teleport_to` overwrites where it leads.")
    fields.done()
    moves = action.delta is not None or action.teleport_to is not None
    if kind.value == "movement" and isinstance(substrate, Aspatial):
        report.add("H120", "HAMLET has no movement without a space", kind.span, hint="Remove the action.")
    elif kind.value == "movement" and not moves:
        hint = "Add `delta` or `teleport_to`, or write `type: passive`."
        report.add("H119", "the action is a movement and does not move", kind.span, hint=hint)
    elif kind.value != "movement" and moves:
        report.add("H119", "the action moves and is no movement", kind.span, hint="Write `type: movement`.")
    return action


def _delta(report: PackFindings, fields: Fields, substrate: Substrate) -> tuple[Spanned[float], ...] | None:
    node = fields.find("delta")
    if node is None:
        return None
    steps: list[Spanned[float]] = []
    for item in fields.items("delta"):
        if isinstance(substrate, Grid):
            whole = integer(report, item, "a step on a grid")
            steps.append(Spanned(float(whole.value), whole.span))
        else:
            steps.append(number(report, item, "a step"))
    if len(steps) != substrate_axes(substrate):
        message = f"`delta` has {len(steps)} steps for {substrate_axes(substrate)} axes"
        report.add("H116", message, start(node), hint="Give each axis its step.")
    return tuple(steps)


def _teleport(report: PackFindings, fields: Fields, substrate: Substrate) -> tuple[Spanned[int], ...] | None:
    node = fields.find("teleport_to")
    if node is None:
        return None
    place = tuple(integer(report, item, "a coordinate") for item in fields.items("teleport_to"))
    if len(place) != substrate_axes(substrate):
        message = f"`teleport_to` has {len(place)} of {substrate_axes(substrate)} coordinates"
        report.add("H116", message, start(node), hint="Give each axis its coordinate.")
    elif isinstance(substrate, Grid):
        for coordinate, size in zip(place, substrate.sizes, strict=True):
            if not 0 <= coordinate.value < size.value:
                hint = f"Write 0 to {size.value - 1}."
                report.add("H116", f"{coordinate.value} is off the grid", coordinate.span, hint=hint)
    return place
