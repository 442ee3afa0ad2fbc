"""The shaping bonuses of drive_as_code.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from hamlet_townlet.pack import (
    ApproachReward,
    BalanceBonus,
    Bonus,
    CompletionBonus,
    CrisisAvoidance,
    DiversityBonus,
    EconomicEfficiency,
    EfficiencyBonus,
    MinimumCondition,
    NoBonus,
    ShapingVariable,
    Spanned,
    StateAchievement,
    StoppingBonus,
    StreakBonus,
)
from hamlet_townlet.reader.fields import Fields, refer
from hamlet_townlet.reader.nodes import Node
from hamlet_townlet.reader.report import PackFindings

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
    span = fields.span
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
            return EfficiencyBonus(weight, _bar(report, fields, "bar", names), _level(fields, "threshold"), span)
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
            bar = _bar(report, fields, "money_bar", names)
            return EconomicEfficiency(weight, bar, _level(fields, "min_balance"), span)
        case "balance_bonus":
            fields.items("bars")
            bars = fields.names("bars")
            _at_least(report, fields, "bars", len(bars), 2)
            for bar in bars:
                refer(report, bar, names.meters, "meter")
            return BalanceBonus(weight, bars, fields.number("max_imbalance", above=0, most=1), span)
        case "crisis_avoidance":
            threshold = fields.number("crisis_threshold", above=0, most=1)
            return CrisisAvoidance(weight, _bar(report, fields, "bar", names), threshold, span)
        case "vfs_variable":
            variable = fields.name("variable")
            refer_variable(report, variable, names)
            return ShapingVariable(weight, variable, span)


def _bar(report: PackFindings, fields: Fields, key: str, names: Names) -> Spanned[str]:
    bar = fields.name(key)
    refer(report, bar, names.meters, "meter")
    return bar


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
    condition = MinimumCondition(_bar(report, fields, "bar", names), _level(fields, "min_value"))
    fields.done()
    return condition


def _timing(report: PackFindings, fields: Fields, kind: Spanned[Kind], names: Names) -> StoppingBonus | NoBonus:
    nodes = fields.items("time_ranges")
    _at_least(report, fields, "time_ranges", len(nodes), 1)
    for node in nodes:
        part = Fields(report, node, "the time range")
        part.integer("start_hour", least=0, most=23)
        part.integer("end_hour", least=0, most=23)
        part.number("multiplier", above=0)
        refer(report, part.name("affordance"), names.affordance_ids, "affordance")
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
