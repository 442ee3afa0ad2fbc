"""drive_as_code.yaml: rewards, their modifiers, and shaping bonuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from hamlet_townlet.reader.fields import Fields, refer, shown, spelled
from hamlet_townlet.reader.nodes import MapNode, Node
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.rewards import (
    ApproachReward,
    BalanceBonus,
    BarBonus,
    Bonus,
    CompletionBonus,
    CrisisAvoidance,
    DiversityBonus,
    EfficiencyBonus,
    Extrinsic,
    Intrinsic,
    MinimumCondition,
    Modifier,
    ModifierRange,
    NoBonus,
    Rewards,
    StateAchievement,
    StoppingBonus,
    Strategy,
    StreakBonus,
    VariableBonus,
)
from hamlet_townlet.spanned import Spanned
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
    shaping = fields.optional_items("shaping")
    rewards = Rewards(
        modifiers,
        _extrinsic(report, fields.section("extrinsic", "the extrinsic reward"), names, known),
        _intrinsic(report, fields.section("intrinsic", "the intrinsic reward"), known),
        tuple(bonus for item in shaping if (bonus := read_bonus(report, item, names)) is not None),
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
    read |= {bonus.variable.value for bonus in rewards.shaping if isinstance(bonus, VariableBonus)}
    return frozenset(read)


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
    bar = fields.reference("bar", names.meters, "meter")
    bonus = BarBonus(bar, fields.number("center", least=0, most=1), fields.number("scale", above=0), fields.span)
    if strategy == "weighted_sum" and bonus.center.value != 0:
        fields.ignored("center", why="The strategy `weighted_sum` has none: it is 0.")
    fields.done()
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
    """Warn of what a composition asks for: nothing in it has an effect."""
    node = fields.find("composition")
    if node is None:
        return
    section = Fields(report, node, "the composition")
    if section.find("normalize") is not None and section.flag("normalize").value:
        section.ignored("normalize", why="HAMLET never normalizes rewards.")
    section.ignored("clip", why="HAMLET never clips rewards.")
    section.documentation("log_components", "log_modifiers")
    section.done()


Kind: TypeAlias = Literal[
    "approach_reward",
    "completion_bonus",
    "efficiency_bonus",
    "state_achievement",
    "streak_bonus",
    "diversity_bonus",
    "timing_bonus",
    "economic_efficiency",
    "balance_bonus",
    "crisis_avoidance",
    "vfs_variable",
]
_KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Names:
    """What rewards can refer to. `scalars` and `vectors` are variables, `hidden` those that the engine may not read."""

    meters: Sequence[str]
    affordance_ids: Sequence[str]
    affordance_names: Sequence[str]
    deployed: Sequence[str]
    scalars: Sequence[str]
    vectors: Sequence[str]
    hidden: Sequence[str]
    temporal: bool
    continuous: bool


def refer_variable(report: PackFindings, name: Spanned[str], names: Names) -> None:
    """Refuse a variable that is unknown, a vector, or hidden from the engine."""
    if refer(report, name, [*names.scalars, *names.vectors], "variable") and name.value not in names.scalars:
        message = f"HAMLET cannot reward the vector `{name.value}`"
        report.add("H120", message, name.span, hint="Use a scalar variable.")
    elif name.value in names.hidden:
        message = f"HAMLET's engine reads `{name.value}` for a reward, and may not"
        report.add("H120", message, name.span, hint="Add `engine` to its `readable_by` in variables_reference.yaml.")


def read_bonus(report: PackFindings, node: Node, names: Names) -> Bonus | None:
    """A shaping bonus; `None` where its type is not known."""
    fields = Fields(report, node, "the bonus")
    before = len(report.found)
    kind = fields.word("type", _KINDS)
    if len(report.found) > before:
        fields.correct()
        return None
    bonus = _bonus(report, fields, kind, names)
    fields.done()
    return bonus


def _bonus(report: PackFindings, fields: Fields, kind: Spanned[Kind], names: Names) -> Bonus:
    span, bars = fields.span, (names.meters, "meter")
    weight = fields.number("weight") if kind.value == "vfs_variable" else fields.number("weight", above=0)
    match kind.value:
        case "approach_reward":
            target = _affordance(report, fields, "target_affordance", names)
            approach = ApproachReward(weight, target, fields.number("max_distance", above=0), span)
            if target.value in names.deployed and not names.continuous:
                hint = "Use a continuous space, or another bonus."
                message = "HAMLET cannot run `approach_reward` in this space: it stops in the first step"
                report.add("H133", message, kind.span, hint=hint)
                return StoppingBonus(kind.value, span)
            return approach
        case "completion_bonus":
            return CompletionBonus(weight, _affordance(report, fields, "affordance", names), span)
        case "efficiency_bonus":
            return EfficiencyBonus(weight, fields.reference("bar", *bars), _level(fields, "threshold"), span)
        case "state_achievement":
            nodes = fields.items("conditions")
            _at_least(report, fields, "conditions", len(nodes), 1)
            return StateAchievement(weight, tuple(_condition(report, item, names) for item in nodes), span)
        case "streak_bonus":
            affordance = _affordance(report, fields, "affordance", names)
            return StreakBonus(weight, affordance, fields.integer("min_streak", least=1), span)
        case "diversity_bonus":
            return DiversityBonus(weight, fields.integer("min_unique_affordances", least=1), span)
        case "timing_bonus":
            return _timing(report, fields, kind, names)
        case "economic_efficiency":
            bar = fields.reference("money_bar", *bars)
            return EfficiencyBonus(weight, bar, _level(fields, "min_balance"), span)
        case "balance_bonus":
            fields.items("bars")
            balanced = fields.names("bars")
            _at_least(report, fields, "bars", len(balanced), 2)
            for bar in balanced:
                refer(report, bar, *bars)
            return BalanceBonus(weight, balanced, fields.number("max_imbalance", above=0, most=1), span)
        case "crisis_avoidance":
            threshold = fields.number("crisis_threshold", above=0, most=1)
            return CrisisAvoidance(weight, fields.reference("bar", *bars), threshold, span)
        case "vfs_variable":
            variable = fields.name("variable")
            refer_variable(report, variable, names)
            return VariableBonus(variable, weight, span)


def _level(fields: Fields, key: str) -> Spanned[float]:
    return fields.number(key, least=0, most=1)


def _affordance(report: PackFindings, fields: Fields, key: str, names: Names) -> Spanned[str]:
    """An affordance by its id. HAMLET pays the bonus for the affordance of this *name*."""
    affordance = fields.name(key)
    if affordance.value in names.affordance_names and affordance.value not in names.affordance_ids:
        message = f"`{affordance.value}` is the name of an affordance, HAMLET wants an id here"
        hint = "At run time it compares names: give the affordance an `id` that is its name."
        report.add("H112", message, affordance.span, hint=hint)
    elif refer(report, affordance, names.affordance_ids, "affordance") and (
        affordance.value not in names.affordance_names
    ):
        message = f"HAMLET never pays this bonus: no affordance has the name `{affordance.value}`"
        hint = "It compares the id with names: give the affordance an `id` that is its name."
        report.add("H132", message, affordance.span, hint=hint)
    elif affordance.value in names.affordance_names and affordance.value not in names.deployed:
        message = f"HAMLET never pays this bonus: `{affordance.value}` is not deployed"
        report.add("H132", message, affordance.span, hint="Enable it in training.yaml, or remove the bonus.")
    return affordance


def _condition(report: PackFindings, node: Node, names: Names) -> MinimumCondition:
    fields = Fields(report, node, "the condition")
    condition = MinimumCondition(fields.reference("bar", names.meters, "meter"), _level(fields, "min_value"))
    fields.done()
    return condition


def _timing(report: PackFindings, fields: Fields, kind: Spanned[Kind], names: Names) -> Bonus:
    nodes = fields.items("time_ranges")
    _at_least(report, fields, "time_ranges", len(nodes), 1)
    for node in nodes:
        part = Fields(report, node, "the time range")
        part.integer("start_hour", least=0, most=23)
        part.integer("end_hour", least=0, most=23)
        part.number("multiplier", above=0)
        part.reference("affordance", names.affordance_ids, "affordance")
        part.done()
    if names.temporal:
        message = "HAMLET cannot run `timing_bonus` with temporal mechanics: it stops in the first step"
        report.add("H133", message, kind.span, hint="Remove the bonus.")
        return StoppingBonus(kind.value, fields.span)
    message = "HAMLET never pays `timing_bonus` without temporal mechanics"
    report.add("H132", message, kind.span, hint="Remove the bonus.")
    return NoBonus(fields.span)


def _at_least(report: PackFindings, fields: Fields, key: str, count: int, least: int) -> None:
    if key in fields.entries and count < least:
        report.add("H110", f"`{key}` has {count} items", fields.key(key), hint=f"It needs at least {least}.")
