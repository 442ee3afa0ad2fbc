"""Wiring of packs: of every field that a reader asks for, a change shows in what the pack becomes, or is reported.

The packs here differ from the sound one in what their names say; together they have every field there is.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pack_fields import outcome, watch, without_wire

from hamlet_townlet import read_pack
from hamlet_townlet.reader.fields import Fields
from hamletc.compile import check_file
from hamletc.frontend import Stopwatch
from samples.packs import Edits, edited

FULL = ("partial_observability: true\n  vision_range: 1", "partial_observability: false\n  vision_range: 0")
FULL_BUT_WIDE = ("partial_observability: true", "partial_observability: false")
INSTANT = ("enable_temporal_mechanics: true", "enable_temporal_mechanics: false")
FIXED = ("randomize_affordances: true", "randomize_affordances: false")
ALONE = ("num_agents: 2", "num_agents: 1")
NO_MOVES = ("UP, DOWN, LEFT, RIGHT, ", "")

METERS = [("name: mood", "name: hygiene"), ("name: warmth", "name: satiation")]
"""HAMLET's moves in larger spaces want these."""
RENAMED: Edits = {
    "bars": METERS,
    "cascades": [("source: warmth", "source: satiation"), ("source: mood", "source: hygiene")],
    "affordances": [("meter: mood", "meter: hygiene"), ("meter: warmth", "meter: satiation")],
    "global_actions": [("mood", "hygiene")],
}

AT_ONCE = """\
affordances:
  - id: Stove
    name: Stove
    interaction_type: dual
    duration_ticks: 2
    operating_hours: [0, 24]
    position: [1, 2]
    costs: [{meter: mood, amount: 0.01}]
    effect_pipeline:
      per_tick: [{meter: warmth, amount: 0.2}]
      on_completion: [{meter: energy, amount: 0.125}]
  - id: "1"
    name: Hammock
    interaction_type: instant
    operating_hours: [0, 24]
    position: {q: 0, r: 3}
    effect_pipeline:
      on_start: [{meter: energy, amount: 0.4}]
  - id: Shed
    name: Shed
    operating_hours: [8, 28]
    position: [3, 3]
    costs_per_tick: [{meter: energy, amount: 0.1, type: linear}]
"""
UNUSED = """\
affordances:
  - id: Stove
    name: Stove
    interaction_type: dual
    duration_ticks: 2
    operating_hours: [6, 22]
    category: home
    capabilities: [{type: cooldown, cooldown_ticks: 3}]
    availability: [{meter: energy, min: 0.5}]
    modes: {coffee: {hours: [0, 5]}}
    costs: [{meter: mood, amount: 0.01}]
    costs_per_tick: [{meter: mood, amount: 0.01}]
    effect_pipeline:
      on_start: [{meter: warmth, amount: 0.2}]
      per_tick: [{meter: warmth, amount: 0.2, type: linear}]
      on_completion: [{meter: warmth, amount: 0.1}]
      on_early_exit: [{meter: mood, amount: 0.2}]
      on_failure: [{meter: mood, amount: 0.3}]
"""
ALL_BONUSES = """\
drive_as_code:
  modifiers:
    tired:
      bar: energy
      ranges:
        - {name: low, min: 0.0, max: 0.3, multiplier: 0.5}
        - {name: high, min: 0.3, max: 1.0, multiplier: 1.0}
    windy:
      variable: velocity_x
      ranges:
        - {name: calm, min: 0.0, max: 0.5, multiplier: 2.0}
        - {name: fast, min: 0.5, max: 1.0, multiplier: 3.0}
  extrinsic:
    type: vfs_variable
    base: 0.5
    variable_bonuses:
      - {variable: velocity_x, weight: 0.5}
    apply_modifiers: [tired]
  intrinsic:
    strategy: none
    base_weight: 0.25
    apply_modifiers: [windy]
  shaping:
    - {type: approach_reward, weight: 0.5, target_affordance: Stove, max_distance: 3.0}
    - {type: completion_bonus, weight: 0.5, affordance: Stove}
    - {type: efficiency_bonus, weight: 0.5, bar: energy, threshold: 0.5}
    - {type: state_achievement, weight: 0.5, conditions: [{bar: energy, min_value: 0.5}]}
    - {type: streak_bonus, weight: 0.5, affordance: Stove, min_streak: 2}
    - {type: diversity_bonus, weight: 0.5, min_unique_affordances: 2}
    - {type: economic_efficiency, weight: 0.5, money_bar: satiation, min_balance: 0.5}
    - {type: balance_bonus, weight: 0.5, bars: [energy, satiation], max_imbalance: 0.5}
    - {type: crisis_avoidance, weight: 0.5, bar: energy, crisis_threshold: 0.5}
    - {type: vfs_variable, weight: 0.5, variable: velocity_x}
"""
IGNORED_REWARDS = """\
drive_as_code:
  modifiers:
    tired: {bar: energy, ranges: [{name: all, min: 0.0, max: 1.0, multiplier: 0.5}]}
  extrinsic:
    type: additive_unweighted
    base: 0.5
    bars: [energy, mood]
    base_reward: 3.0
    bar_bonuses: [{bar: energy, center: 0.5, scale: 0.5}]
    variable_bonuses: [{variable: season, weight: 0.5}]
    variable: season
  intrinsic:
    strategy: rnd
    base_weight: 0.25
    rnd_config: {feature_dim: 128}
    icm_config: {beta: 0.5}
    count_config: {bins: 3}
    adaptive_config: {variance: 0.5}
  shaping:
    - {type: timing_bonus, weight: 0.5, time_ranges: [{start_hour: 1, end_hour: 2, affordance: Stove, multiplier: 2.0}]}
    - {type: completion_bonus, weight: 0.5, affordance: Shed}
  composition: {normalize: true, clip: {min: -1, max: 1}, log_components: true, log_modifiers: false}
"""
WEIGHTED = """\
drive_as_code:
  extrinsic:
    type: weighted_sum
    base: 0.5
    bar_bonuses: [{bar: energy, center: 0.5, scale: 0.5}, {bar: mood, center: 0.0, scale: 0.25}]
  intrinsic: {strategy: none, base_weight: 0.0}
"""
VARIABLES = """\
variables:
  - {id: season, scope: global, type: scalar, default: 0.25, readable_by: [agent], writable_by: [engine]}
  - {id: velocity_x, scope: agent, type: scalar, default: 0.5, readable_by: [agent, engine], writable_by: [engine]}
  - {id: energy, scope: agent, type: scalar, default: 0.0, readable_by: [agent], writable_by: [engine], lifetime: tick}
  - {id: mood, scope: agent, type: scalar, default: 1.0, readable_by: [agent, acs], writable_by: [engine, actions]}
  - {id: wind, scope: agent, type: vecNf, dims: 3, default: [0.5, 1.5], readable_by: [agent], writable_by: [engine]}
  - {id: flag, scope: agent, type: bool, default: true, readable_by: [agent], writable_by: [engine]}
  - {id: cells, scope: agent, type: vecNi, dims: 2, default: [1, 2], readable_by: [agent], writable_by: [engine]}
  - {id: pair, scope: agent, type: vec2i, dims: 2, default: [1, 2], readable_by: [agent], writable_by: [engine]}
exposed_observations: [{source_variable: season}]
"""
ACTIONS = """\
custom_actions:
  - {name: HUM, type: passive, costs: {energy: 0.001}, effects: {mood: 0.01}, icon: h}
  - {name: JUMP, type: movement, costs: {}, effects: {}, delta: [1, 2]}
  - {name: HOME, type: movement, costs: {}, effects: {}, teleport_to: [1, 0]}
  - {name: BOTH, type: movement, costs: {}, effects: {}, delta: [1, 2], teleport_to: [2, 2]}
  - name: PAY
    type: transaction
    costs: {mood: 0.25}
    effects: {}
    id: 7
    enabled: true
    source: custom
    source_affordance: Stove
    reads: [energy]
    writes: [{variable_id: season, expression: "1"}]
"""
CUES = """\
simple_cues: [{cue_id: tired, condition: {meter: energy, operator: "<", threshold: 0.2}}]
compound_cues: [{cue_id: both, conditions: [{meter: mood, operator: "<", threshold: 0.2}]}]
derived_cues: [{cue_id: a}]
"""
CUBIC = (
    "topology: square\n  width: 4\n  height: 4\n",
    "topology: cubic\n  width: 2\n  height: 2\n  depth: 3\n  distance_metric: manhattan\n",
)
GRIDND = """\
type: gridnd
gridnd: {topology: hypercube, dimension_sizes: [2, 3, 2, 2], boundary: wrap, observation_encoding: absolute}
"""
PLANE = """\
type: continuous
continuous:
  dimensions: 2
  bounds: [[0.0, 4.0], [-1.0, 1.5]]
  boundary: clamp
  movement_delta: 0.5
  interaction_radius: 0.75
  distance_metric: euclidean
  observation_encoding: relative
  action_discretization: {num_directions: 4, num_magnitudes: 3}
"""
LINE = """\
type: continuous
continuous:
  {dimensions: 1, bounds: [[0.0, 4.0]], boundary: wrap, movement_delta: 0.5, interaction_radius: 0.75,
   distance_metric: euclidean, observation_encoding: absolute, action_discretization: {}}
"""
ALL_ACTIONS = ("enabled_actions: [UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, HUM]", "device: cpu")

CONTEXTS: dict[str, tuple[Edits, tuple[str, ...]]] = {
    "sound": ({}, ("bars", "cascades", "affordances", "substrate", "drive_as_code", "training", "global_actions")),
    "at once": (
        {
            "training": [
                FULL,
                INSTANT,
                FIXED,
                ("enabled_affordances: null", "enabled_affordances: [Stove, Hammock, Shed]"),
            ],
            "affordances": AT_ONCE,
        },
        ("affordances", "training"),
    ),
    "unused with temporal mechanics": ({"affordances": UNUSED}, ("affordances",)),
    "unused without": ({"affordances": UNUSED, "training": [INSTANT]}, ("affordances", "training")),
    "bonuses": (
        {
            **RENAMED,
            "substrate": PLANE,
            "training": [FULL, ALL_ACTIONS],
            "drive_as_code": ALL_BONUSES,
            "cascades": [
                ("cascades:\n", "math_type: gradient_penalty\nexecution_order: [a]\ncascades:\n"),
                ("source: warmth", "source: satiation"),
                (
                    "source: mood\n    target: energy",
                    "source: hygiene\n    target: energy\n    source_index: 1\n    target_index: 0",
                ),
            ],
        },
        ("substrate", "drive_as_code", "training", "cascades"),
    ),
    "ignored rewards": (
        {
            "drive_as_code": IGNORED_REWARDS,
            "training": [INSTANT, FULL, ("enabled_affordances: null", "enabled_affordances: [Stove]")],
            "affordances": AT_ONCE,
            "bars": [("name: energy\n", "name: energy\n    tier: pivotal\n    range: [0.0, 1.0]\n")],
        },
        ("drive_as_code", "bars"),
    ),
    "weighted sum": ({"drive_as_code": WEIGHTED}, ("drive_as_code",)),
    "variables": ({"variables_reference": VARIABLES}, ("variables_reference",)),
    "actions": ({"global_actions": ACTIONS, "training": [ALL_ACTIONS]}, ("global_actions",)),
    "cues": ({"cues": CUES}, ("cues",)),
    "three axes": (
        {**RENAMED, "substrate": [CUBIC], "training": [ALL_ACTIONS]},
        ("substrate",),
    ),
    "many axes": ({**RENAMED, "substrate": GRIDND, "training": [FULL, ALL_ACTIONS]}, ("substrate",)),
    "a line": ({**RENAMED, "substrate": LINE, "training": [FULL, ALL_ACTIONS, ALONE]}, ("substrate", "training")),
    "no space": (
        {"substrate": "type: aspatial\naspatial: {}\n", "training": [FULL, NO_MOVES]},
        ("substrate", "training", "bars"),
    ),
}
"""Edits of the sound pack, and the files whose fields are changed in it."""

APART = {
    "* version": "for people",
    "drive_as_code.yaml drive_as_code.modifiers.*.ranges.*.name": "for people",
    "drive_as_code.yaml drive_as_code.composition.log_*": "what HAMLET logs",
    "global_actions.yaml custom_actions.*.icon": "for people",
    "training.yaml training.device": "of the training run",
}
"""What has no effect and is not reported, and why."""


@pytest.mark.parametrize("context", CONTEXTS)
def test_changes_show_or_are_reported(context: str, tmp_path: Path) -> None:
    edits, files = CONTEXTS[context]
    assert without_wire(edited(tmp_path, edits), [f"{file}.yaml" for file in files], APART) == []


def test_the_packs_have_every_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that a reader asks for, and that no pack here has, has no wire: give one of them the field."""
    asked = watch(monkeypatch)
    for number, (edits, _) in enumerate(CONTEXTS.values()):
        (tmp_path / str(number)).mkdir()
        assert outcome(edited(tmp_path / str(number), edits))[0] is not None
    missing = asked.keys - asked.there - asked.prose
    assert not missing, sorted(missing)
    assert len(asked.there) > 150


def test_a_field_without_a_wire_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test tests: a reader that forgets a field, and one that asks for another."""
    monkeypatch.setattr(Fields, "ignored", lambda self, *names, **_: [self.find(name) for name in names])
    edits, files = CONTEXTS["at once"]
    found = without_wire(edited(tmp_path, edits), [f"{file}.yaml" for file in files], APART)
    assert "affordances.yaml affordances.*.operating_hours.*" in {line.partition(":")[0] for line in found}


# --- what was found without a wire ---------------------------------------------------------------------------------


def ignored(folder: Path, edits: Edits) -> list[tuple[str, str]]:
    """The keys of which is said that they have no effect, with their files."""
    pack, files = read_pack(edited(folder, edits))
    assert pack is not None, [each.message for file in files for each in file.diagnostics]
    said = [(file.path.stem, each.message) for file in files for each in file.diagnostics if each.code == "H130"]
    return [(file, message.split("`")[1] if "`" in message else message) for file, message in said]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({"training": [FULL_BUT_WIDE]}, ("training", "vision_range")),
        ({"training": [INSTANT]}, ("affordances", "operating_hours")),
        ({"training": [INSTANT]}, ("affordances", "costs_per_tick")),
        ({"training": [INSTANT]}, ("affordances", "interaction_type")),
        ({"training": [INSTANT]}, ("affordances", "on_completion")),
        ({"training": [INSTANT]}, ("affordances", "duration_ticks")),
        ({"affordances": [("costs_per_tick:", "costs:")]}, ("affordances", "costs")),
        ({"affordances": [("per_tick:\n        -", "on_start:\n        -")]}, ("affordances", "on_start")),
        ({"drive_as_code": [("strategy: none", "strategy: rnd")]}, ("drive_as_code", "strategy")),
        ({"drive_as_code": [("    apply_modifiers: [tired]\n", "")]}, ("drive_as_code", "tired")),
        ({"drive_as_code": WEIGHTED}, ("drive_as_code", "center")),
        ({"variables_reference": VARIABLES}, ("variables_reference", "flag")),
        ({"variables_reference": VARIABLES}, ("variables_reference", "default")),
        ({"variables_reference": VARIABLES}, ("variables_reference", "dims")),
        ({"variables_reference": VARIABLES}, ("variables_reference", "acs")),
        ({"variables_reference": VARIABLES}, ("variables_reference", "actions")),
        ({"global_actions": [("type: passive", "type: transaction")]}, ("global_actions", "type")),
        ({"global_actions": ACTIONS, "training": [ALL_ACTIONS]}, ("global_actions", "delta")),
        ({"cues": "derived_cues: [{cue_id: a}]\n"}, ("cues", "cues.yaml has no effect in HAMLET either")),
        ({**RENAMED, "substrate": GRIDND, "training": [FULL, ALL_ACTIONS]}, ("substrate", "observation_encoding")),
        ({**RENAMED, "substrate": LINE, "training": [FULL, ALL_ACTIONS]}, ("training", "num_agents")),
        (
            {"substrate": "type: aspatial\naspatial: {}\n", "training": [FULL, NO_MOVES]},
            ("training", "randomize_affordances"),
        ),
    ],
)
def test_what_had_no_effect_and_no_warning(edits: Edits, expected: tuple[str, str], tmp_path: Path) -> None:
    assert expected in ignored(tmp_path, edits)


def test_what_is_the_case_is_not_reported(tmp_path: Path) -> None:
    """Keys that HAMLET wants in every pack are silent where they say what is so."""
    assert ignored(tmp_path, {"training": [FULL, INSTANT], "affordances": AT_ONCE.partition("  - id: Shed")[0]}) == [
        ("affordances", "position")
    ]


def test_a_bonus_for_what_is_not_deployed(tmp_path: Path) -> None:
    edits: Edits = {"training": [("enabled_affordances: null", "enabled_affordances: [Hammock]")]}
    pack, files = read_pack(edited(tmp_path, edits))
    assert pack is not None
    assert [(each.code, each.message) for file in files for each in file.diagnostics] == [
        ("H132", "HAMLET never pays this bonus: `Stove` is not deployed")
    ]


def test_a_reward_reads_what_the_engine_may_read(tmp_path: Path) -> None:
    bonus = "    - {type: vfs_variable, weight: 1, variable: season}\n"
    edits: dict[str, list[tuple[str, str]]] = {"drive_as_code": [("shaping:\n", f"shaping:\n{bonus}")]}
    pack, files = read_pack(edited(tmp_path, edits))
    assert pack is None
    assert [each.code for file in files for each in file.diagnostics] == ["H120"]
    (tmp_path / "again").mkdir()
    edits["variables_reference"] = [("readable_by: [agent]", "readable_by: [agent, engine]")]
    assert read_pack(edited(tmp_path / "again", edits))[0] is not None


# --- parts that say again what others say --------------------------------------------------------------------------


def test_the_same_end_twice_is_one_cause(tmp_path: Path) -> None:
    again = "  - {meter: energy, operator: '<=', value: -0.0}\n  - {meter: energy, operator: '<=', value: 0.125}\n"
    pack, files = read_pack(edited(tmp_path, {"bars": [("value: 0.0\n", f"value: 0.0\n{again}")]}))
    assert [each.code for file in files for each in file.diagnostics] == ["H134"]
    assert pack is not None
    causes = check_file(tmp_path / "pack", Stopwatch()).universe.causes
    assert [cause.name for cause in causes] == ["energy <= 0", "energy <= 0.125"]


def test_an_affordance_enabled_twice_is_there_once(tmp_path: Path) -> None:
    edits: Edits = {"training": [("enabled_affordances: null", "enabled_affordances: [Stove, Hammock, Stove]")]}
    pack, files = read_pack(edited(tmp_path, edits))
    assert [each.code for file in files for each in file.diagnostics] == ["H134"]
    assert pack is not None
    assert [each.name.value for each in pack.deployed] == ["Stove", "Hammock"]


# --- what the text language would refuse ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edits", "codes"),
    [
        ({"training": [("max_steps_per_episode: 100", "max_steps_per_episode: 50000000")]}, []),
        ({"affordances": [("duration_ticks: 3", "duration_ticks: 5000000")]}, []),
        ({"cascades": [("threshold: 0.25", "threshold: 1.0e-50")]}, ["H131"]),
        ({"training": [INSTANT, FULL], "affordances": AT_ONCE.replace("amount: 0.2}", "amount: 3.0e+38}")}, None),
    ],
)
def test_packs_that_hamlet_runs_compile(edits: Edits, codes: list[str] | None, tmp_path: Path) -> None:
    checked = check_file(edited(tmp_path, edits), Stopwatch())
    found = [each.code for file in checked.warnings for each in file.diagnostics]
    assert codes is None or found == codes
