"""Packs: what is read, and every way to get one wrong, each a change of the sound pack in one place."""

from __future__ import annotations

from pathlib import Path

from reading_packs import CONTINUOUS, FIXED, FULL, INSTANT

from hamlet_townlet import read_pack
from hamlet_townlet.pack import Aspatial, Continuous, Discretization, Grid
from hamlet_townlet.rewards import NoBonus, StreakBonus
from samples.packs import BASE, Edits, copy_base, edited, sound

# --- what is read --------------------------------------------------------------------------------------------------


def test_the_base() -> None:
    pack, _ = read_pack(BASE)
    assert pack is not None
    assert [bar.name.value for bar in pack.bars] == ["energy", "mood", "warmth"]
    assert [a.name.value for a in pack.affordances] == ["Stove", "Hammock"]
    assert [(c.group, c.source.value, c.target.value) for c in pack.cascades] == [
        ("primary_to_pivotal", "mood", "energy")
    ]
    assert isinstance(pack.substrate, Grid)
    assert [size.value for size in pack.substrate.sizes] == [4, 4]
    assert pack.training.lifespan.value == 100
    assert isinstance(pack.rewards.shaping[0], StreakBonus)
    assert pack.rewards.extrinsic.base.value == 1.0
    assert pack.variables[0].default == (0.25,)
    hum = pack.actions[0]
    assert [(c.meter.value, c.amount.value) for c in (*hum.costs, *hum.effects)] == [("energy", 0.001), ("mood", 0.01)]
    assert hum.costs[0].amount.span.line == 5


def test_bars_are_sorted_by_index(tmp_path: Path) -> None:
    pack = sound(tmp_path, {"bars": [("index: 0", "index: 9"), ("index: 2", "index: 0"), ("index: 9", "index: 2")]})
    assert [bar.name.value for bar in pack.bars] == ["warmth", "mood", "energy"]


def test_global_actions_are_looked_for_in_the_folder_above(tmp_path: Path) -> None:
    pack = copy_base(tmp_path)
    (pack / "global_actions.yaml").rename(tmp_path / "global_actions.yaml")
    read, _ = read_pack(pack)
    assert read is not None
    assert read.sources[-1].path == tmp_path.resolve() / "global_actions.yaml"


def test_a_misspelt_file(tmp_path: Path) -> None:
    pack = copy_base(tmp_path)
    (pack / "bars.yaml").rename(pack / "bar.yaml")
    read, files = read_pack(pack)
    assert read is None
    ((found,),) = [file.diagnostics for file in files]
    assert (found.code, found.hint) == ("H100", "Did you mean `bar.yaml`? Rename it.")


def test_numbers_as_people_mean_them(tmp_path: Path) -> None:
    pack = sound(tmp_path, {"bars": [("initial: 0.5", "initial: 5e-1")], "training": [("100", "1e2")]})
    assert pack.bars[1].initial.value == 0.5
    assert pack.training.lifespan.value == 100


def test_an_affordance_is_deployed_by_name_or_id(tmp_path: Path) -> None:
    edits: Edits = {
        "training": [("enabled_affordances: null", "enabled_affordances: [Stove]")],
        "affordances": [('id: "1"', "id: Stove"), ("id: Stove", "id: first")],
    }
    assert [a.name.value for a in sound(tmp_path, {**edits, "drive_as_code": [("Stove", "first")]}).deployed] == [
        "Stove",
        "Hammock",
    ]


def test_a_continuous_space(tmp_path: Path) -> None:
    more = CONTINUOUS + "  action_discretization: {}\n"
    bars: Edits = {"bars": [("name: mood", "name: hygiene"), ("name: warmth", "name: satiation")]}
    rename = [("mood", "hygiene")]
    pack = sound(
        tmp_path,
        {
            **bars,
            "substrate": more,
            "cascades": [("warmth\n    target", "satiation\n    target"), ("source: mood", "source: hygiene")],
            "affordances": [*rename, ("meter: warmth", "meter: satiation")],
            "global_actions": rename,
            "training": [FULL, ("[UP, DOWN, LEFT, RIGHT,", "[STOP, MOVE_7_2,")],
        },
    )
    assert isinstance(pack.substrate, Continuous)
    grain = pack.substrate.discretization
    assert isinstance(grain, Discretization)
    assert (grain.directions.value, grain.magnitudes.value) == (8, 3)
    assert pack.substrate.bounds[1][0].value == -1.0


def test_no_space_ignores_positions(tmp_path: Path) -> None:
    pack = edited(
        tmp_path,
        {
            "substrate": "type: aspatial\naspatial: {}\n",
            "affordances": [("name: Stove", "name: Stove\n    position: 3")],
            "training": [FULL, ("UP, DOWN, LEFT, RIGHT, ", "")],
        },
    )
    read, files = read_pack(pack)
    assert read is not None
    assert isinstance(read.substrate, Aspatial)
    assert read.affordances[0].position is None
    ignored = [d.message.split("`")[1] for f in files for d in f.diagnostics if d.code == "H130"]
    assert ignored == ["position", "vision_range", "randomize_affordances", "num_agents"]


def test_fixed_positions(tmp_path: Path) -> None:
    places = [
        ("name: Stove", "name: Stove\n    position: [3, 0]"),
        ("name: Hammock", "name: Hammock\n    position: {q: 1, r: 2}"),
    ]
    pack = sound(tmp_path, {"affordances": places, "training": [FIXED]})
    assert [a.position.coordinates for a in pack.affordances if a.position] == [(3, 0), (1, 2)]


def test_timing_bonus_without_temporal_mechanics_is_nothing(tmp_path: Path) -> None:
    bonus = (
        "{type: timing_bonus, weight: 1, time_ranges: [{start_hour: 1, end_hour: 2, affordance: Stove, multiplier: 2}]}"
    )
    edits: Edits = {"drive_as_code": [("    - {type", f"    - {bonus}\n    - {{type")], "training": [INSTANT]}
    pack, files = read_pack(edited(tmp_path, edits))
    assert pack is not None
    assert isinstance(pack.rewards.shaping[0], NoBonus)
    assert [d.code for f in files for d in f.diagnostics if d.code != "H130"] == ["H132"]


def test_defaults_of_vectors(tmp_path: Path) -> None:
    kinds = "{scope: agent, readable_by: [agent], writable_by: [engine], "
    pack = sound(
        tmp_path,
        {
            "variables_reference": "variables:\n"
            f"- {kinds}id: a, type: vecNf, dims: 3, default: [1, 2.5]}}\n"
            f"- {kinds}id: b, type: vecNf, dims: 2, default: 7}}\n"
            f"- {kinds}id: c, type: bool, default: yes}}\n"
            f"- {kinds}id: d, type: vec2i, default: [3, 4]}}\n"
        },
    )
    assert [v.default for v in pack.variables] == [(1.0, 2.5, 0.0), (0.0, 0.0), (1.0,), (3.0, 4.0)]
