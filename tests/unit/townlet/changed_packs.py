"""Changes of the sound pack that have every field between them."""

from __future__ import annotations

from samples.packs import Edits

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
