"""Packs in the text language: what each part of a pack becomes, quirk by quirk, as `hamletc import` prints it."""

from __future__ import annotations

from pathlib import Path

import pytest
from translating import ALL_ACTIONS, FIXED, FULL, INSTANT, checked, continuous, drive, elsewhere, lines

from hamletc.compile import check_file
from hamletc.frontend import Stopwatch
from samples.packs import Edits, described, edited

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
