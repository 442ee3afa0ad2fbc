"""variables_reference.yaml: the variables that a pack adds to the automatic ones, or puts in their place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from math import prod
from typing import get_args

from hamlet_townlet import pack
from hamlet_townlet.pack import Substrate, Training, Variable, substrate_axes
from hamlet_townlet.reader.fields import Fields, given_twice, mismatch, number
from hamlet_townlet.reader.limits import MOST_CELLS, MOST_VARIABLES
from hamlet_townlet.reader.nodes import ListNode, Node, ScalarNode, meaning
from hamlet_townlet.reader.report import PackFindings

_SCOPES: tuple[pack.Scope, ...] = get_args(pack.Scope)
_SHARED = ("time_sin", "time_cos")
"""The variables that HAMLET writes once for all agents."""
_TYPES: tuple[pack.VariableType, ...] = get_args(pack.VariableType)


def automatic_variables(
    substrate: Substrate, meters: Sequence[str], affordances: int, training: Training
) -> dict[str, int | None]:
    """The variables that HAMLET makes by itself, in the order of the observation: vectors with their size, scalars
    with `None`. `position` has its size in a `relative` or `absolute` encoding."""
    names: dict[str, int | None] = {}
    match substrate:
        case pack.Grid(sizes=sizes) if len(sizes) <= 3:
            radius = training.vision_range.value if training.partial_observability.value else 4 - len(sizes)
            names["grid_encoding"] = prod(size.value for size in sizes)
            names["local_window"] = (2 * radius + 1) ** len(sizes)
            names["position"] = len(sizes)
            names.update(dict.fromkeys([f"velocity_{axis}" for axis in "xyz"[: len(sizes)]]))
            names["velocity_magnitude"] = None
        case pack.Continuous(bounds=bounds):
            names["position"] = len(bounds)
            names.update(dict.fromkeys([f"velocity_{axis}" for axis in "xyz"[: len(bounds)]]))
            names["velocity_magnitude"] = None
        case _:
            pass
    names.update(dict.fromkeys(meters))
    names["affordance_at_position"] = affordances + 1
    names.update(dict.fromkeys(("time_sin", "time_cos", "interaction_progress", "lifetime_progress")))
    return names


def axis_velocities(substrate: Substrate) -> tuple[str, ...]:
    """The variables into which HAMLET writes the velocity on an axis each, for all axes; of those beyond the third it
    has none, and an empty name stands here."""
    axes = substrate_axes(substrate)
    return (*("velocity_x", "velocity_y", "velocity_z")[:axes], *("",) * (axes - 3))


def automatic_names(substrate: Substrate) -> tuple[str, ...]:
    """Automatic variables that HAMLET does not write in every pack."""
    return ("grid_encoding", "local_window") if isinstance(substrate, pack.Grid) and len(substrate.sizes) <= 3 else ()


def velocity_axis(name: str, substrate: Substrate) -> int | None:
    """The axis whose velocity HAMLET writes into a variable of this name; it knows three axes."""
    axes = axis_velocities(substrate)[:3]
    return axes.index(name) if name in axes else None


def written_variables(substrate: Substrate, automatic: Mapping[str, int | None]) -> dict[str, int | None]:
    """The automatic variables, and those that HAMLET writes although only the pack declares them."""
    names = dict(automatic)
    axes = substrate_axes(substrate)
    if axes == 0:
        return {**names, "velocity_magnitude": None}
    for name in ("velocity_x", "velocity_y", "velocity_z", "velocity_magnitude"):
        if name == "velocity_magnitude" or velocity_axis(name, substrate) is not None:
            names.setdefault(name, None)
    names.setdefault("position", axes)
    names.setdefault("grid_encoding", axes)
    return names


def read_variables(report: PackFindings, node: Node) -> tuple[Variable, ...]:
    """The variables of variables_reference.yaml, in file order."""
    fields = Fields(report, node, "variables_reference.yaml")
    fields.documentation("version", "description", "notes")
    fields.ignored("exposed_observations", why="HAMLET observes all scalars and float vectors, as they are.")
    nodes = fields.items("variables")
    fields.done()
    fields.at_most(MOST_VARIABLES, "variables", len(nodes), "variables")
    variables = tuple(_variable(report, item) for item in nodes[:MOST_VARIABLES])
    given_twice(report, (variable.id for variable in variables), "the variable")
    return variables


def check_variables(
    report: PackFindings,
    variables: Sequence[Variable],
    automatic: Mapping[str, int | None],
    substrate: Substrate,
    training: Training,
) -> None:
    """Refuse what makes HAMLET's first observation fail."""
    written = written_variables(substrate, automatic)
    for variable in variables:
        name = variable.id.value
        if variable.type.value not in ("scalar", "vecNf"):
            _check_type(report, variable, written, training)
            continue
        refuse = partial(report.add, "H120", span=variable.id.span)
        if variable.scope.value == "agent_private" and "engine" not in variable.readers:
            message = f"HAMLET's engine observes the private `{name}`, and may not read it"
            refuse(message, hint="Add `engine` to `readable_by`.")
        if "agent" not in variable.readers:
            refuse(f"HAMLET observes `{name}`, and agents may not read it", hint="Add `agent` to `readable_by`.")
        if variable.scope.value == "global" and variable.type.value == "vecNf":
            refuse(f"HAMLET cannot observe the global vector `{name}`", hint="Write `scope: agent`.")
        if isinstance(substrate, pack.Aspatial) and _is_of_space(name):
            refuse(f"HAMLET has no `{name}` without a space", hint="Give the variable another name.")
        if name not in written:
            continue
        if "engine" not in variable.writers:
            refuse(f"HAMLET writes `{name}`, and its engine may not", hint="Add `engine` to `writable_by`.")
        _check_size(report, variable, written[name], substrate, training)
        _check_scope(report, variable)
        overwritten = name != _never_written(training) and not name.startswith("velocity_")
        if overwritten and any(variable.default):
            why = "HAMLET writes this variable before it is read."
            report.ignore("`default`", variable.default_span, why)


def _is_of_space(name: str) -> bool:
    """Whether HAMLET takes a variable of this name for the position, or for the velocity on an axis."""
    return name in ("position", "grid_encoding") or (name.startswith("velocity_") and name != "velocity_magnitude")


def _check_type(
    report: PackFindings, variable: Variable, written: Mapping[str, int | None], training: Training
) -> None:
    """Refuse a type that cannot hold what HAMLET writes, which are numbers with fractions."""
    name = variable.id.value
    if name in written and name != _never_written(training):
        message = f"HAMLET cannot write `{name}` into a variable of type `{variable.type.value}`"
        needed = "scalar" if written[name] is None else "vecNf"
        report.add("H120", message, variable.type.span, hint=f"Write `type: {needed}`.")


def _check_scope(report: PackFindings, variable: Variable) -> None:
    """The time is one for all agents, and everything else is an agent's own."""
    name, scope = variable.id.value, variable.scope
    if variable.type.value == "scalar" and (name in _SHARED) != (scope.value == "global"):
        whose = "is the same for all agents" if name in _SHARED else "is an agent's own"
        hint = "Write `scope: global`." if name in _SHARED else "Write `scope: agent`."
        report.add("H120", f"HAMLET cannot write `{name}`, which {whose}, into this variable", scope.span, hint=hint)


def _never_written(training: Training) -> str:
    """The automatic variable that HAMLET does not write: there are two views, and agents have one."""
    return "grid_encoding" if training.partial_observability.value else "local_window"


def _check_size(
    report: PackFindings, variable: Variable, wanted: int | None, substrate: Substrate, training: Training
) -> None:
    """Refuse a variable of another size than what HAMLET writes into it."""
    name = variable.id.value
    if name == _never_written(training):
        return
    if name in _encoded(substrate) and wanted is not None and _scaled(substrate):
        wanted *= 2
    size = len(variable.default) if variable.type.value == "vecNf" else None
    if size != wanted:
        needed = "a `scalar`" if wanted is None else f"a `vecNf` with `dims: {wanted}`"
        message = f"HAMLET cannot write `{name}` into this variable"
        report.add("H120", message, variable.id.span, hint=f"It must be {needed}.")


def _encoded(substrate: Substrate) -> tuple[str, ...]:
    """The variables that hold the encoded position; on a grid of cells there is the grid, too."""
    cells = isinstance(substrate, pack.Grid) and len(substrate.sizes) <= 3
    return ("position",) if cells else ("position", "grid_encoding")


def check_unread(
    report: PackFindings, variables: Sequence[Variable], rewarded: Collection[str], substrate: Substrate
) -> None:
    """Truth values and whole numbers are not observed: they have an effect where a reward reads them, or where one
    takes the place of a variable that is observed."""
    automatic = (*automatic_names(substrate), *rewarded)
    for variable in variables:
        if variable.type.value not in ("scalar", "vecNf") and variable.id.value not in automatic:
            kind = "truth values" if variable.type.value == "bool" else "whole numbers"
            why = f"HAMLET observes no {kind}, and no reward reads it."
            report.ignore(f"the variable `{variable.id.value}`", variable.id.span, why)


def check_encoding(
    report: PackFindings, variables: Sequence[Variable], automatic: Mapping[str, int | None], substrate: Substrate
) -> None:
    """A scaled position is twice as long, and does not fit into the automatic variable; and there has to be one."""
    declared = {variable.id.value for variable in variables} & {"position", "grid_encoding"}
    if isinstance(substrate, pack.Grid) and "position" not in automatic and not declared:
        if substrate.encoding.value != "relative":
            why = "HAMLET observes no position on so many axes."
            report.ignore("`observation_encoding`", substrate.encoding.span, why)
        return
    size = automatic.get("position")
    if size is not None and _scaled(substrate) and "position" not in declared:
        encoding = substrate.encoding.span if isinstance(substrate, pack.Grid | pack.Continuous) else substrate.span
        message = f"`observation_encoding: scaled` needs {2 * size} numbers, and `position` has {size}"
        hint = f"Declare `position` with `type: vecNf` and `dims: {2 * size}` in variables_reference.yaml."
        report.add("H120", message, encoding, hint=hint)


def _scaled(substrate: Substrate) -> bool:
    return not isinstance(substrate, pack.Aspatial) and substrate.encoding.value == "scaled"


def _variable(report: PackFindings, node: Node) -> Variable:
    fields = Fields(report, node, "the variable")
    fields.documentation("description")
    fields.ignored("lifetime", why="A variable that HAMLET does not write keeps its default for ever.")
    name = fields.name("id")
    kind = fields.word("type", _TYPES)
    default = _default(report, fields, kind.value, _size(fields, kind.value))
    variable = Variable(
        name,
        fields.word("scope", _SCOPES),
        kind,
        default,
        fields.key("default"),
        _parties(fields, "readable_by", ("agent", "engine"), "Agents and the engine read variables, and nobody else."),
        _parties(fields, "writable_by", ("engine",), "The engine writes variables, and nobody else."),
        fields.span,
    )
    fields.done()
    return variable


def _parties(fields: Fields, key: str, known: Sequence[str], why: str) -> tuple[str, ...]:
    """Who may read or write a variable."""
    fields.items(key)
    names = fields.names(key)
    for name in names:
        if name.value and name.value not in known:
            fields.report.ignore(f"`{name.value}` in `{key}`", name.span, why)
    return tuple(name.value for name in names)


def _size(fields: Fields, kind: pack.VariableType) -> int | None:
    """How many numbers a vector has; `None` where it is no vector."""
    match kind:
        case "scalar" | "bool":
            if fields.find("dims") is not None:
                hint = "Remove `dims`, or write `type: vecNf`."
                fields.report.add("H119", f"`dims` beside `type: {kind}`", fields.key("dims"), hint=hint)
            return None
        case "vec2i" | "vec3i":
            fields.ignored("dims", why=f"A `{kind}` has as many numbers as its name says.")
            return 2 if kind == "vec2i" else 3
        case "vecNf" | "vecNi":
            return fields.integer("dims", least=1, most=MOST_CELLS).value


def _default(report: PackFindings, fields: Fields, kind: pack.VariableType, size: int | None) -> tuple[float, ...]:
    """The numbers of a default, with zeros after the last; a vector with a single number is all zeros."""
    node = fields.need("default")
    if node is None:
        return (0.0,) * (size or 1)
    if kind == "bool":
        value = meaning(node) if isinstance(node, ScalarNode) else None
        if not isinstance(value, bool):
            mismatch(report, node, "`true` or `false`", "`default`")
        return (1.0 if value is True else 0.0,)
    if size is None:
        return (number(report, node, "`default`").value,)
    if not isinstance(node, ListNode):
        number(report, node, "`default`")
        return (0.0,) * size
    values = [number(report, item, "an item of `default`").value for item in node.items]
    if len(values) > size:
        message = f"`default` has {len(values)} numbers, the variable {size}"
        report.add("H119", message, fields.key("default"), hint="Change `dims`, or remove numbers.")
    return (*values, *(0.0,) * (size - len(values)))
