"""drive_as_code.yaml: rewards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import get_args

from hamlet_townlet.pack import (
    BarBonus,
    Bonus,
    Extrinsic,
    Intrinsic,
    Modifier,
    ModifierRange,
    Rewards,
    ShapingVariable,
    Spanned,
    Strategy,
    VariableBonus,
)
from hamlet_townlet.reader.fields import Fields, refer, shown, spelled
from hamlet_townlet.reader.nodes import MapNode, Node
from hamlet_townlet.reader.read_shaping import Names, read_bonus, refer_variable
from hamlet_townlet.reader.report import PackFindings
from hamletc.diagnostics import Label

_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
_TERMS = ("bars", "bar_bonuses", "variable_bonuses", "variable", "base", "base_reward")


def read_rewards(report: PackFindings, node: Node, names: Names) -> Rewards:
    """The rewards of drive_as_code.yaml."""
    file = Fields(report, node, "drive_as_code.yaml")
    fields = file.section("drive_as_code", "`drive_as_code`")
    file.documentation("version", "description")
    file.done()
    fields.documentation("version", "description")
    modifiers = _modifiers(report, fields.find("modifiers"), names)
    known = [modifier.name.value for modifier in modifiers]
    rewards = Rewards(
        modifiers,
        _extrinsic(report, fields.section("extrinsic", "the extrinsic reward"), names, known),
        _intrinsic(report, fields.section("intrinsic", "the intrinsic reward"), known),
        tuple(_bonuses(report, fields.optional_items("shaping"), names)),
    )
    _composition(report, fields)
    fields.done()
    _check_modifiers(report, rewards)
    return rewards


def _check_modifiers(report: PackFindings, rewards: Rewards) -> None:
    """A modifier has an effect where something applies it."""
    applied = {name.value for name in (*rewards.extrinsic.modifiers, *rewards.intrinsic.modifiers)}
    for modifier in rewards.modifiers:
        if modifier.name.value not in applied:
            name = modifier.name.value
            report.ignore(f"the modifier `{shown(name)}`", modifier.name.span, "No `apply_modifiers` names it.")


def variables_of(rewards: Rewards) -> frozenset[str]:
    """The variables that rewards read."""
    read = {modifier.variable.value for modifier in rewards.modifiers if modifier.variable is not None}
    read |= {bonus.variable.value for bonus in rewards.extrinsic.variable_bonuses}
    return frozenset(read | {bonus.variable.value for bonus in rewards.shaping if isinstance(bonus, ShapingVariable)})


def _bonuses(report: PackFindings, nodes: Sequence[Node], names: Names) -> Sequence[Bonus]:
    return [bonus for node in nodes if (bonus := read_bonus(report, node, names)) is not None]


def _modifiers(report: PackFindings, node: Node | None, names: Names) -> tuple[Modifier, ...]:
    if not isinstance(node, MapNode):
        Fields(report, node, "`modifiers`")
        return ()
    return tuple(_modifier(report, Spanned(e.key.text, e.key.span), e.value, names) for e in node.entries)


def _modifier(report: PackFindings, name: Spanned[str], node: Node, names: Names) -> Modifier:
    fields = Fields(report, node, "the modifier")
    bar, variable = fields.optional_name("bar"), fields.optional_name("variable")
    ranges = [_range(report, item) for item in fields.items("ranges")]
    fields.done()
    if bar is not None:
        refer(report, bar, names.meters, "meter")
    if variable is not None:
        refer_variable(report, variable, names)
    if fields.readable and (bar is None) == (variable is None):
        both = "both `bar` and `variable`" if bar is not None else "neither `bar` nor `variable`"
        report.add("H119", f"the modifier `{name.value}` has {both}", name.span, hint="Give it exactly one.")
    ranges.sort(key=lambda r: r.low.value)
    if "ranges" in fields.entries and not report.failed:
        _check_tiling(report, fields, ranges)
    return Modifier(name, bar, variable, tuple(ranges), fields.span)


def _range(report: PackFindings, node: Node) -> ModifierRange:
    fields = Fields(report, node, "the range")
    fields.documentation("name")
    read = ModifierRange(fields.number("min"), fields.number("max"), fields.number("multiplier"))
    fields.done()
    return read


def _check_tiling(report: PackFindings, fields: Fields, ranges: Sequence[ModifierRange]) -> None:
    """The ranges have to cover 0 to 1, each number once."""
    if not ranges:
        report.add("H119", "there are no ranges", fields.key("ranges"), hint="Give at least one, from 0 to 1.")
        return
    for read in ranges:
        if read.low.value >= read.high.value:
            report.add("H119", "the range ends before it begins", read.low.span, hint="Write the lower end as `min`.")
            return
    if ranges[0].low.value != 0:
        message = f"the first range begins at {spelled(ranges[0].low.value)}"
        report.add("H119", message, ranges[0].low.span, hint="Begin at 0.")
    for one, other in pairwise(ranges):
        if one.high.value != other.low.value:
            kind = "a gap" if one.high.value < other.low.value else "an overlap"
            secondary = (Label(one.high.span, "the range before ends here"),)
            hint = f"Write `min: {spelled(one.high.value)}`."
            report.add("H119", f"{kind} between two ranges", other.low.span, secondary=secondary, hint=hint)
    if ranges[-1].high.value != 1:
        message = f"the last range ends at {spelled(ranges[-1].high.value)}"
        report.add("H119", message, ranges[-1].high.span, hint="End at 1.")


def _extrinsic(report: PackFindings, fields: Fields, names: Names, modifiers: Sequence[str]) -> Extrinsic:
    kind = fields.word("type", _STRATEGIES)
    used = _used(kind.value)
    for key in _TERMS:
        if key not in used:
            fields.ignored(key, why=f"The strategy `{kind.value}` uses other keys.")
    start = next((key for key in used if key.startswith("base")), "base")
    default = 1.0 if kind.value in ("multiplicative", "constant_base_with_shaped_bonus") else 0.0
    bars = fields.names("bars") if "bars" in used else ()
    for bar in bars:
        refer(report, bar, names.meters, "meter")
    bar_nodes = fields.optional_items("bar_bonuses") if "bar_bonuses" in used else ()
    variable_nodes = fields.optional_items("variable_bonuses") if "variable_bonuses" in used else ()
    extrinsic = Extrinsic(
        kind,
        fields.optional_number(start) or Spanned(default, kind.span),
        bars,
        tuple(_bar_bonus(report, item, names, kind.value) for item in bar_nodes),
        tuple(_variable_bonus(report, item, names) for item in variable_nodes),
        _applied(report, fields, modifiers),
        fields.span,
    )
    fields.done()
    return extrinsic


def _used(strategy: Strategy) -> tuple[str, ...]:
    """The keys that a strategy uses."""
    match strategy:
        case "multiplicative" | "additive_unweighted" | "aggregation":
            return ("base", "bars")
        case "constant_base_with_shaped_bonus":
            return ("base_reward", "bar_bonuses", "variable_bonuses")
        case "weighted_sum" | "polynomial" | "threshold_based" | "hybrid":
            return ("base", "bar_bonuses")
        case "vfs_variable":
            return ("base", "variable_bonuses")


def _applied(report: PackFindings, fields: Fields, modifiers: Sequence[str]) -> tuple[Spanned[str], ...]:
    applied = fields.names("apply_modifiers")
    for name in applied:
        refer(report, name, modifiers, "modifier")
    return applied


def _bar_bonus(report: PackFindings, node: Node, names: Names, strategy: Strategy) -> BarBonus:
    fields = Fields(report, node, "the bonus")
    bonus = BarBonus(
        fields.name("bar"), fields.number("center", least=0, most=1), fields.number("scale", above=0), fields.span
    )
    if strategy == "weighted_sum" and bonus.center.value != 0:
        fields.ignored("center", why="The strategy `weighted_sum` has none: it is 0.")
    fields.done()
    refer(report, bonus.bar, names.meters, "meter")
    return bonus


def _variable_bonus(report: PackFindings, node: Node, names: Names) -> VariableBonus:
    fields = Fields(report, node, "the bonus")
    bonus = VariableBonus(fields.name("variable"), fields.number("weight"), fields.span)
    fields.done()
    refer_variable(report, bonus.variable, names)
    return bonus


def _intrinsic(report: PackFindings, fields: Fields, modifiers: Sequence[str]) -> Intrinsic:
    if fields.word("strategy", ("none", "rnd", "icm", "count_based", "adaptive_rnd")).value != "none":
        fields.ignored("strategy", why="What gives intrinsic rewards is the exploration module of the environment.")
    fields.ignored("rnd_config", "icm_config", "count_config", "adaptive_config")
    intrinsic = Intrinsic(
        fields.number("base_weight", least=0, most=1), _applied(report, fields, modifiers), fields.span
    )
    fields.done()
    return intrinsic


def _composition(report: PackFindings, fields: Fields) -> None:
    """Nothing of it has an effect; a pack that asks for nothing gets no warning."""
    node = fields.find("composition")
    if node is None:
        return
    section = Fields(report, node, "the composition")
    if section.find("normalize") is not None and section.flag("normalize").value:
        section.ignored("normalize", why="HAMLET never normalizes rewards.")
    section.ignored("clip", why="HAMLET never clips rewards.")
    section.documentation("log_components", "log_modifiers")
    section.done()
