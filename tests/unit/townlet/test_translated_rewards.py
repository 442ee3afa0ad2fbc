"""Rewards of packs in the text language, as `hamletc import` prints them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from translating import checked, continuous, drive, elsewhere, lines

from hamlet.numbers.binary32 import round32, spell32
from samples.packs import Edits, described

# --- rewards -------------------------------------------------------------------------------------------------------


def reward(text: list[str], name: str) -> str:
    """A reward on one line."""
    first = next(n for n, line in enumerate(text) if line.startswith(f"reward {name}:"))
    last = next(n for n in range(first + 1, len(text)) if re.match(r"(reward|report|observe)\b", text[n]))
    return " ".join(text[first:last]).removeprefix(f"reward {name}: ").strip()


BONUSES = "bar_bonuses: [{bar: energy, center: 0.5, scale: 2}, {bar: mood, center: 0, scale: 0.25}]"


@pytest.mark.parametrize(
    ("extrinsic", "written"),
    [
        ("{type: multiplicative, bars: [energy, mood]}", "energy * mood"),
        ("{type: multiplicative, base: 3, bars: [energy, mood]}", "3 * energy * mood"),
        ("{type: additive_unweighted, bars: [energy, mood]}", "energy + mood"),
        ("{type: aggregation, base: 0.1, bars: [energy, mood]}", "0.1 + min(energy, mood)"),
        ("{type: aggregation, base: 0.1, bars: [mood]}", "0.1 + mood"),
        ("{type: aggregation, base: 0.1}", "0.1"),
        (f"{{type: constant_base_with_shaped_bonus, {BONUSES}}}", "1 + 2 * (energy - 0.5) + 0.25 * (mood - 0)"),
        (f"{{type: weighted_sum, {BONUSES}}}", "2 * energy + 0.25 * mood"),
        (f"{{type: hybrid, {BONUSES}}}", "2 * (energy - 0.5) + 0.25 * mood"),
        (f"{{type: threshold_based, {BONUSES}}}", "2 when energy >= 0.5 + 0.25 when mood >= 0"),
        (f"{{type: polynomial, base: 0.1, {BONUSES}}}", "0.1 + 2 * sqrt(energy) + 0.25"),
        (
            "{type: vfs_variable, base: 0.1, variable_bonuses: [{variable: velocity_x, weight: -2}]}",
            "0.1 + -2 * velocity x",
        ),
        (
            "{type: vfs_variable, variable_bonuses: [{variable: energy, weight: 1}]}",
            "1 * (if fresh > 0.5 then energy else previous(energy))",
        ),
        ("{type: vfs_variable, variable_bonuses: [{variable: time_sin, weight: 1}]}", "1 * day_sin"),
        (
            "{type: vfs_variable, variable_bonuses: [{variable: lifetime_progress, weight: 1}]}",
            "1 * (if fresh > 0.5 then min(age / 100, 1) else previous(min(age / 100, 1)))",
        ),
    ],
)
def test_extrinsic_rewards(extrinsic: str, written: str, tmp_path: Path) -> None:
    text = lines(tmp_path, {"drive_as_code": drive(extrinsic)})
    assert reward(text, "extrinsic") == written
    assert reward(text, "intrinsic") == "intrinsic_raw * 0.5"
    assert ("param fresh = 0 in 0 .. 1" in text) == ("fresh" in written)


def test_constants_meet_in_binary32(tmp_path: Path) -> None:
    bonuses = "[{variable: season, weight: 0.3}]"
    edits: Edits = {
        "drive_as_code": drive(f"{{type: vfs_variable, base: 0.1, variable_bonuses: {bonuses}}}"),
        "variables_reference": [
            ("default: 0.25", "default: 0.15"),
            ("readable_by: [agent]", "readable_by: [agent, engine]"),
        ],
    }
    exact = round32(round32(0.1) + round32(round32(0.3) * round32(0.15)))
    assert exact != round32(0.1 + 0.3 * 0.15)
    assert reward(lines(tmp_path, edits), "extrinsic") == spell32(exact)


def test_the_last_range_of_a_modifier_is_for_everything_else(tmp_path: Path) -> None:
    ranges = (
        "[{min: 0.5, max: 1, multiplier: 3}, {min: 0, max: 0.25, multiplier: 1}, {min: 0.25, max: 0.5, multiplier: -2}]"
    )
    modifiers = f"{{tired: {{bar: energy, ranges: {ranges}}}, fast: {{variable: velocity_y, ranges: {ranges}}}}}"
    extrinsic = "{type: additive_unweighted, bars: [mood], apply_modifiers: [tired]}"
    text = lines(tmp_path, {"drive_as_code": drive(extrinsic, modifiers, applied="[fast, tired]")})
    tired = "(if energy < 0.25 then 1 else if energy < 0.5 then -2 else 3)"
    fast = "(if velocity y < 0 then 3 else if velocity y < 0.25 then 1 else if velocity y < 0.5 then -2 else 3)"
    assert reward(text, "extrinsic") == f"mood * {tired}"
    assert reward(text, "intrinsic") == f"intrinsic_raw * 0.5 * ({fast} * {tired})"
    joined = " ".join(text)
    assert f"report intrinsic_weights: {fast} * {tired}" in joined


@pytest.mark.parametrize(
    ("bonus", "written"),
    [
        ("{type: completion_bonus, weight: 2, affordance: Stove}", "2 when last == Stove"),
        ("{type: completion_bonus, weight: 2, affordance: '1'}", "0"),
        ("{type: streak_bonus, weight: 2, affordance: Stove, min_streak: 3}", "2 when streak of Stove >= 3"),
        ("{type: diversity_bonus, weight: 2, min_unique_affordances: 2}", "2 when visited >= 2"),
        ("{type: efficiency_bonus, weight: 2, bar: mood, threshold: 0.5}", "2 when mood >= 0.5"),
        ("{type: economic_efficiency, weight: 2, money_bar: mood, min_balance: 0.5}", "2 when mood >= 0.5"),
        ("{type: crisis_avoidance, weight: 2, bar: mood, crisis_threshold: 0.5}", "2 when mood > 0.5"),
        (
            "{type: balance_bonus, weight: 2, bars: [mood, energy], max_imbalance: 0.5}",
            "2 when (max(mood, energy) - min(mood, energy)) <= 0.5",
        ),
        (
            "{type: state_achievement, weight: 2, "
            "conditions: [{bar: mood, min_value: 0.5}, {bar: energy, min_value: 1}]}",
            "2 when (mood >= 0.5 and energy >= 1)",
        ),
        ("{type: vfs_variable, weight: -2, variable: velocity_magnitude}", "-2 * speed"),
    ],
)
def test_bonuses(bonus: str, written: str, tmp_path: Path) -> None:
    extrinsic = "{type: multiplicative, bars: [energy]}"
    text = lines(tmp_path, {"drive_as_code": drive(extrinsic, shaping=f"[{bonus}]")})
    assert reward(text, "shaping") == written


@pytest.mark.parametrize(
    "bonus",
    [
        "{type: approach_reward, weight: 0.5, target_affordance: Stove, max_distance: 4}",
        "{type: timing_bonus, weight: 1, "
        "time_ranges: [{start_hour: 1, end_hour: 2, affordance: Stove, multiplier: 2}]}",
    ],
)
def test_bonuses_with_which_hamlet_stops(bonus: str, tmp_path: Path) -> None:
    done = checked(
        tmp_path, {"drive_as_code": drive("{type: additive_unweighted, bars: [energy]}", shaping=f"[{bonus}]")}
    )
    assert described(done).stopping == (bonus[7:].split(",")[0],)
    assert [d.code for file in done.warnings for d in file.diagnostics] == ["H133"]


def test_approach_is_straight(tmp_path: Path) -> None:
    bonus = "[{type: approach_reward, weight: 0.5, target_affordance: Stove, max_distance: 4}]"
    edits = elsewhere({"substrate": continuous(2), "drive_as_code": drive("{type: aggregation}", shaping=bonus)})
    assert reward(lines(tmp_path, edits), "shaping") == "clamp(0.5 * (1 - straight distance to Stove / 4), 0, 0.5)"
