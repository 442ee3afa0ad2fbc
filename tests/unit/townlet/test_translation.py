"""Packs in the text language: what each part of a pack becomes, quirk by quirk, as `hamletc import` prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hamlet.numbers.binary32 import round32, spell32
from hamlet_townlet.frontend import read_pack, translate
from hamlet_townlet.translate.text import text_of
from hamletc.compile import Checked, check_file
from hamletc.frontend import Stopwatch
from samples.packs import Edits, described, edited

FULL = ("partial_observability: true", "partial_observability: false")
INSTANT = ("enable_temporal_mechanics: true", "enable_temporal_mechanics: false")
FIXED = ("randomize_affordances: true", "randomize_affordances: false")
ALL_ACTIONS = ("enabled_actions: [UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, HUM]", "device: cpu")
HAMLETS_BARS = [("name: mood", "name: hygiene"), ("name: warmth", "name: satiation")]
HAMLETS_CASCADES = [("source: warmth", "source: satiation"), ("source: mood", "source: hygiene")]


def lines(folder: Path, edits: Edits) -> list[str]:
    """The lines of the text of a changed pack, without indentation; each is checked to be a universe."""
    pack = edited(folder, edits)
    check_file(pack, Stopwatch())
    read, _ = read_pack(pack)
    return [re.sub(r" +", " ", line).strip() for line in text_of(translate(read)[0], read).split("\n")]


def checked(folder: Path, edits: Edits) -> Checked:
    return check_file(edited(folder, edits), Stopwatch())


def elsewhere(edits: dict[str, str | list[tuple[str, str]]]) -> Edits:
    """Edits that put the sound pack into another space than a plane of cells: HAMLET wants its meters there."""
    mood = [("meter: mood", "meter: hygiene"), ("meter: warmth", "meter: satiation")]
    return {
        "bars": HAMLETS_BARS,
        "cascades": HAMLETS_CASCADES,
        "affordances": mood,
        "training": [FULL, ALL_ACTIONS],
        "global_actions": [("mood", "hygiene")],
        **edits,
    }


def continuous(axes: int, kind: str = "continuous", more: str = "") -> str:
    bounds = ", ".join("[0.0, 10.0]" for _ in range(axes))
    return (
        f"type: {kind}\ncontinuous:\n  dimensions: {axes}\n  bounds: [{bounds}]\n  boundary: clamp\n"
        "  movement_delta: 0.1\n  interaction_radius: 0.8\n  distance_metric: euclidean\n"
        f"  observation_encoding: relative\n{more}"
    )


# --- the space -----------------------------------------------------------------------------------------------------


def test_every_pack_runs_by_hand(tmp_path: Path) -> None:
    text = lines(tmp_path, {})
    for line in ("episodes by hand", "track uses by world", "inert allowed", "clock 24 hours"):
        assert line in text
    assert "space grid 4 x 4 { edges wrap places stored }" in text
    assert "lifespan 100 ticks { reward 1 }" in text
    assert "param depletion = 1 in 0 .. 1000" in text


def test_agents_start_anywhere_where_positions_are_given(tmp_path: Path) -> None:
    edits: Edits = {
        "training": [FIXED],
        "affordances": [
            ("id: Stove", "id: Stove\n    position: [1, 2]"),
            ('id: "1"', "id: b\n    position: {q: 0, r: 3}"),
        ],
    }
    text = lines(tmp_path, edits)
    assert "space grid 4 x 4 { edges wrap places stored starts anywhere }" in text
    assert any(line.startswith("affordance Stove at (1, 2) ") for line in text)
    assert any(line.startswith("affordance Hammock at (0, 3) ") for line in text)


def test_moves_in_a_plane_are_scaled_twice(tmp_path: Path) -> None:
    text = lines(tmp_path, elsewhere({"substrate": continuous(2)}))
    assert "space continuous (0 .. 10) x (0 .. 10) { reach 0.8 edges clamp distance euclidean }" in text
    moves = "UP (0, -0.010000001) DOWN (0, 0.010000001) LEFT (-0.010000001, 0) RIGHT (0.010000001, 0)"
    assert f"moves {{ {moves} }}" in text


def test_discretized_moves(tmp_path: Path) -> None:
    more = "  action_discretization: {num_directions: 4, num_magnitudes: 3}\n"
    text = lines(tmp_path, elsewhere({"substrate": continuous(2, more=more)}))
    first = text.index("moves {") + 1
    assert text[first : first + 3] == ["STOP (0, 0)", "MOVE_0_1 (0.0050000004, 0)", "MOVE_0_2 (0.010000001, 0)"]
    # The sine of pi is not 0 in binary64: the move goes somewhere, if not far.
    assert text[first + 3] == "MOVE_1_1 (3.061617e-19, 0.0050000004)"


@pytest.mark.parametrize(("axes", "kind"), [(1, "continuous"), (3, "continuous"), (5, "continuousnd")])
def test_other_moves_are_the_usual_ones(axes: int, kind: str, tmp_path: Path) -> None:
    text = lines(tmp_path, elsewhere({"substrate": continuous(axes, kind)}))
    assert "moves {" not in text
    assert any("step 0.1" in line for line in text)


# --- meters and what happens to them -------------------------------------------------------------------------------


def test_an_unclamped_meter_decays_even_by_nothing(tmp_path: Path) -> None:
    edits: Edits = {
        "training": [INSTANT],
        "bars": [("base_depletion: 0.002", "base_depletion: 0"), ("base_depletion: 0.003", "base_depletion: 0.0")],
        "affordances": [("costs_per_tick:", "costs:")],
    }
    text = lines(tmp_path, edits)
    assert any(line.startswith("meter mood = 0.5 { decay 0 * depletion") for line in text)
    assert "meter warmth = 0.8" in text


def test_modulations_and_cascades_go_by_group_and_target(tmp_path: Path) -> None:
    entry = "  - {{name: {}, category: {}, source: {}, target: {}, threshold: 0.3, strength: 0.1}}\n"
    cascades = "modulations: []\ncascades:\n" + "".join(
        entry.format(*row)
        for row in (
            ("d", "secondary_to_pivotal_weak", "mood", "energy"),
            ("b", "primary_to_pivotal", "warmth", "mood"),
            ("a", "primary_to_pivotal", "warmth", "energy"),
            ("c", "secondary_to_primary", "mood", "energy"),
            ("never", "tertiary", "mood", "energy"),
        )
    )
    text = lines(tmp_path, {"cascades": cascades})
    assert [line.split(":")[0][-1] for line in text if line.startswith("cascade")] == ["a", "b", "c", "d"]
    assert "cascade a: warmth < 0.3 -> energy -= 0.1 * deficit" in text


def test_modulations(tmp_path: Path) -> None:
    text = lines(tmp_path, {})
    assert "rule warmth_slows_tiring: energy -= 0.001 * (0.5 + 1.5 * (1 - warmth))" in text


def test_names_of_rules_are_made_unique(tmp_path: Path) -> None:
    text = lines(tmp_path, {"cascades": [("name: gloom", "name: warmth_slows_tiring")]})
    assert any(line.startswith("cascade warmth_slows_tiring_2:") for line in text)


def test_params_get_names_that_no_meter_has(tmp_path: Path) -> None:
    edits: Edits = {"bars": [("name: mood", "name: depletion")], "cascades": [("source: mood", "source: depletion")]}
    more: Edits = {"affordances": [("meter: mood", "meter: depletion")], "global_actions": [("mood", "depletion")]}
    done = checked(tmp_path, {**edits, **more})
    assert described(done).depletion == "depletion_2"
    assert [param.name for param in done.universe.params] == ["depletion_2"]


def test_terminal_conditions(tmp_path: Path) -> None:
    more = (
        "  - {meter: mood, operator: '==', value: 0.5}\n  - {meter: nobody, operator: '<', value: 1}\n"
        "  - {meter: warmth, operator: '>', value: 0.9}\n"
    )
    text = lines(tmp_path, {"bars": [("terminal_conditions:\n", f"terminal_conditions:\n{more}")]})
    # In binary32: 1e-8 + 1e-5 * 0.5.
    assert "dies when abs(mood - 0.5) <= 5.0099998e-06 or warmth > 0.9 or energy <= 0" in text


# --- affordances ---------------------------------------------------------------------------------------------------


def test_with_temporal_mechanics(tmp_path: Path) -> None:
    text = lines(tmp_path, {})
    first = text.index("affordance Stove at random open 6 .. 22 lasts 2 ticks together {")
    assert text[first + 1] == "each tick { mood -= 0.01 warmth += 0.2 }"
    assert "affordance Hammock at random lasts 3 ticks together {" in text


@pytest.mark.parametrize(
    ("hours", "written"),
    [
        ("[18, 28]", " open 18 .. 4"),
        ("[22, 6]", " open 22 .. 6"),
        ("[20, 24]", " open 20 .. 24"),
        ("[0, 25]", " open 0 .. 1"),
        ("[5, 5]", ""),
        ("[4, 28]", ""),
        ("[0, 24]", ""),
    ],
)
def test_opening_hours(hours: str, written: str, tmp_path: Path) -> None:
    text = lines(tmp_path, {"affordances": [("[6, 22]", hours)]})
    assert f"affordance Stove at random{written} lasts 2 ticks together {{" in text


def test_money_is_asked_for_by_the_first_cost_in_money(tmp_path: Path) -> None:
    costs = "costs_per_tick:\n      - {meter: energy, amount: 0.1}\n      - {meter: money, amount: 0.2}\n"
    costs += "      - {meter: money, amount: 0.9}\n"
    rename: Edits = {
        "bars": [("name: mood", "name: money")],
        "cascades": [("source: mood", "source: money")],
        "global_actions": [("mood", "money")],
    }
    text = lines(tmp_path, {**rename, "affordances": [("costs_per_tick:\n", costs), ("meter: mood", "meter: money")]})
    first = next(n for n, line in enumerate(text) if line.startswith("affordance Stove"))
    assert text[first + 1] == "needs money >= 0.2"


@pytest.mark.parametrize(("ticks", "duration"), [("0", "forever"), ("-3", "forever")])
def test_durations_that_are_none(ticks: str, duration: str, tmp_path: Path) -> None:
    text = lines(tmp_path, {"affordances": [("duration_ticks: 3", f"duration_ticks: {ticks}")]})
    first = next(n for n, line in enumerate(text) if line.startswith("affordance Hammock"))
    head = f"affordance Hammock at random lasts {duration} together {{"
    if ticks == "0":
        assert text[first : first + 2] == [head, "each tick { energy += 0.4 when progress == 1 }"]
    else:
        assert text[first] == f"{head} }}"


def test_without_a_duration_it_is_one_tick(tmp_path: Path) -> None:
    text = lines(tmp_path, {"affordances": [("    duration_ticks: 3\n", "")]})
    assert "affordance Hammock at random lasts 1 tick together {" in text


@pytest.mark.parametrize("kind", ["dual", "instant", "multi_tick", "anything"])
def test_without_temporal_mechanics(kind: str, tmp_path: Path) -> None:
    pipeline = (
        "    effect_pipeline:\n      per_tick:\n        - {meter: warmth, amount: 0.1}\n"
        "      on_completion:\n        - {meter: mood, amount: -0.2}\n"
    )
    affordances = (
        "affordances:\n  - id: Stove\n    name: Stove\n    interaction_type: " + kind + "\n    duration_ticks: 3\n"
        "    operating_hours: [8, 10]\n    costs:\n      - {meter: energy, amount: 0.3}\n" + pipeline
    )
    text = lines(tmp_path, {"affordances": affordances, "training": [INSTANT]})
    first = text.index("affordance Stove at random {")
    effects = "warmth += 0.3 mood -= 0.2 " if kind == "dual" else ""
    assert text[first + 1] == f"instantly {{ {effects}energy -= 0.3 unclamped }}"
    assert not any(line.startswith("clock") for line in text)


def test_what_hamlet_cannot_run_does_nothing_and_is_named(tmp_path: Path) -> None:
    done = checked(tmp_path, {"affordances": [("multi_tick", "continuous")]})
    assert described(done).raising == ("Hammock",)
    assert next(d.code for file in done.warnings for d in file.diagnostics) == "H133"


def test_only_what_is_deployed_is_in_the_universe(tmp_path: Path) -> None:
    done = checked(tmp_path, {"training": [("enabled_affordances: null", "enabled_affordances: [Hammock]"), FULL]})
    assert [affordance.name for affordance in done.universe.affordances] == ["Hammock"]
    assert described(done).deployed == (1,)
    assert described(done).vocabulary == ("Stove", "Hammock")


# --- actions and masks ---------------------------------------------------------------------------------------------


def test_masks_stop_at_edges_whatever_the_boundary(tmp_path: Path) -> None:
    text = lines(tmp_path, {})
    for line in ("allow UP when position y > 0", "allow RIGHT when position x < 3"):
        assert line in text
    assert "allow all when energy > 0 and warmth > 0" in text  # no meter is called health: it takes the last one


def test_masks_of_floors_are_swapped(tmp_path: Path) -> None:
    grid = (
        "type: grid\ngrid: {topology: cubic, width: 3, height: 3, depth: 2, boundary: clamp, "
        "observation_encoding: relative}"
    )
    text = lines(tmp_path, elsewhere({"substrate": grid}))
    assert "allow UP_Z when position z < 1" in text
    assert "allow DOWN_Z when position z > 0" in text


def test_disabled_actions(tmp_path: Path) -> None:
    text = lines(tmp_path, {"training": [("UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, HUM", "DOWN, LEFT, WAIT")]})
    assert "allow RIGHT UP INTERACT HUM when false" in text or "allow UP RIGHT INTERACT HUM when false" in text
    assert not any(line.startswith("allow UP when position") for line in text)


def test_custom_actions(tmp_path: Path) -> None:
    actions = (
        "custom_actions:\n"
        "  - {name: if, type: movement, costs: {energy: -0.1, mood: 0.2}, effects: {warmth: 0.3}, delta: [9, -1]}\n"
        "  - {name: GO HOME, type: movement, costs: {}, effects: {}, teleport_to: [1, 2], delta: [1, 0]}\n"
        "  - {name: IDLE, type: passive, costs: {}, effects: {}}\n"
    )
    text = lines(tmp_path, {"global_actions": actions, "training": [ALL_ACTIONS]})
    first = text.index("action `if` {")
    assert text[first + 1] == "together { energy += 0.1 mood -= 0.2 warmth += 0.3 }"
    assert text[first + 2 : first + 4] == ["move (1, -1)", "keeps progress"]  # 9 cells on a ring of 4 are 1
    assert "action `GO HOME` { teleport (1, 2) keeps progress }" in text
    assert "action IDLE { }" in text


# --- rewards -------------------------------------------------------------------------------------------------------


def reward(text: list[str], name: str) -> str:
    """A reward on one line."""
    first = next(n for n, line in enumerate(text) if line.startswith(f"reward {name}:"))
    last = next(n for n in range(first + 1, len(text)) if re.match(r"(reward|report|observe)\b", text[n]))
    return " ".join(text[first:last]).removeprefix(f"reward {name}: ").strip()


def drive(extrinsic: str, modifiers: str = "{}", shaping: str = "[]", applied: str = "[]") -> str:
    return (
        f"drive_as_code:\n  modifiers: {modifiers}\n  extrinsic: {extrinsic}\n"
        f"  intrinsic: {{strategy: none, base_weight: 0.5, apply_modifiers: {applied}}}\n  shaping: {shaping}\n"
    )


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


# --- observations --------------------------------------------------------------------------------------------------


def fields(done: Checked) -> list[tuple[str, int, int]]:
    return [(field.name, field.offset, field.count) for field in described(done).fields]


def test_partial_observation(tmp_path: Path) -> None:
    done = checked(tmp_path, {})
    assert fields(done) == [
        ("grid_encoding", 0, 16),
        ("local_window", 16, 9),
        ("position", 25, 2),
        ("velocity_x", 27, 1),
        ("velocity_y", 28, 1),
        ("velocity_magnitude", 29, 1),
        ("energy", 30, 1),
        ("mood", 31, 1),
        ("warmth", 32, 1),
        ("affordance_at_position", 33, 3),
        ("time_sin", 36, 1),
        ("time_cos", 37, 1),
        ("interaction_progress", 38, 1),
        ("lifetime_progress", 39, 1),
        ("season", 40, 1),
    ]
    text = lines(tmp_path / "again", {}) if (tmp_path / "again").mkdir() is None else []
    first = text.index("observe {") + 1
    assert text[first : first + 11] == [
        "blank 16",
        "window 1",
        "position relative",
        "velocity x y",
        "speed",
        "meters energy mood warmth",
        "blank 3",
        "time",
        "progress per 10",
        "lifetime",
        "constant 0.25",
    ]


def test_what_is_not_deployed_is_nowhere(tmp_path: Path) -> None:
    text = lines(
        tmp_path, {"training": [("enabled_affordances: null", "enabled_affordances: [Hammock]"), FULL, INSTANT]}
    )
    first = text.index("observe {") + 1
    assert text[first : first + 2] == ["grid", "blank 25"]
    here = text.index("here Hammock nothing")
    assert text[here - 1 : here + 5] == [
        "blank 1",
        "here Hammock nothing",
        "blank 1",
        "constant 1",
        "blank 1",
        "lifetime",
    ]


def test_declared_variables_move_to_the_end(tmp_path: Path) -> None:
    more = "".join(
        f"  - {{id: {name}, scope: agent, type: {kind}, default: {default}, readable_by: [agent], "
        "writable_by: [engine]}\n"
        for name, kind, default in (
            ("energy", "scalar", 0.0),
            ("grid_encoding", "vecNf, dims: 2", "[0.5, -1]"),
            ("flag", "bool", "true"),
            ("pair", "vec2i", "[1, 2]"),
            ("triple", "vecNf, dims: 3", 7),
        )
    )
    edits: Edits = {"variables_reference": [("variables:\n", f"variables:\n{more}")]}
    done = checked(tmp_path, edits)
    assert fields(done)[0] == ("local_window", 0, 9)
    assert [(name, count) for name, _, count in fields(done)[-4:]] == [
        ("energy", 1),
        ("grid_encoding", 2),
        ("triple", 3),
        ("season", 1),
    ]
    (tmp_path / "again").mkdir()
    text = lines(tmp_path / "again", edits)
    first = text.index("lifetime") + 1
    assert text[first : first + 4] == ["meters energy", "constant 0.5 -1", "blank 3", "constant 0.25"]


def test_the_time_may_be_declared_in_halves(tmp_path: Path) -> None:
    more = "  - {id: time_sin, scope: global, type: scalar, default: 0, readable_by: [agent], writable_by: [engine]}\n"
    edits: Edits = {"variables_reference": [("variables:\n", f"variables:\n{more}")]}
    assert [name for name, _, _ in fields(checked(tmp_path, edits))][-5:] == [
        "time_cos",
        "interaction_progress",
        "lifetime_progress",
        "time_sin",
        "season",
    ]
    (tmp_path / "again").mkdir()
    text = lines(tmp_path / "again", edits)
    first = text.index("time cos")
    assert text[first : first + 4] == ["time cos", "progress per 10", "lifetime", "time sin"]


def test_what_is_declared_on_a_grid_of_many_axes(tmp_path: Path) -> None:
    grid = (
        "type: gridnd\ngridnd: {topology: hypercube, dimension_sizes: [2, 3, 2, 2], boundary: wrap, "
        "observation_encoding: scaled}\n"
    )
    variables = "variables:\n" + "".join(
        f"  - {{id: {name}, scope: agent, type: {kind}, default: 0.5, readable_by: [agent], writable_by: [engine]}}\n"
        for name, kind in (
            ("grid_encoding", "vecNf, dims: 8"),
            ("velocity_z", "scalar"),
            ("velocity_magnitude", "scalar"),
            ("position", "vecNf, dims: 8"),
            ("local_window", "scalar"),
        )
    )
    text = lines(tmp_path, elsewhere({"substrate": grid, "variables_reference": variables}))
    first = text.index("lifetime") + 1
    assert text[first : first + 5] == ["position scaled", "velocity x2", "speed", "position scaled", "constant 0.5"]


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "name"),
    [("3D house", "pack_3D_house"), ("class", "class_"), ("é-ß", "___"), ("town", "town"), ("when", "when_")],
)
def test_names_of_universes(folder: str, name: str, tmp_path: Path) -> None:
    pack = edited(tmp_path, {}).rename(tmp_path / folder)
    assert check_file(pack, Stopwatch()).universe.name == name


def test_meters_and_affordances_may_have_any_name(tmp_path: Path) -> None:
    edits: Edits = {
        "bars": [("name: mood", "name: if"), ("name: warmth", "name: 'over 9000 °C'")],
        "cascades": [("source: mood", "source: if"), ("source: warmth", "source: 'over 9000 °C'")],
        "affordances": [
            ("meter: mood", "meter: if"),
            ("meter: warmth", "meter: 'over 9000 °C'"),
            ("name: Stove", "name: '#'"),
        ],
        "global_actions": [("mood", "if")],
    }
    text = lines(tmp_path, edits)
    assert any(line.startswith("meter `over 9000 °C` = 0.8") for line in text)
    assert any(line.startswith("affordance `#` at random") for line in text)


def test_a_label_in_another_file_goes_into_the_hint(tmp_path: Path) -> None:
    done = checked(
        tmp_path, {"affordances": [("name: Stove", "name: warmth")], "drive_as_code": drive("{type: aggregation}")}
    )
    shared = [d for file in done.warnings for d in file.diagnostics if d.code == "H076"]
    assert [d.primary.span.file for d in shared] == [2]
    assert shared[0].secondary == ()
    assert shared[0].hint is not None
    assert "bars.yaml:15:11" in shared[0].hint
