"""Wiring of packs: of every field that a reader asks for, a change shows in what the pack becomes, or is reported.

The packs here differ from the sound one in what their names say; together they have every field there is.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_packs import (
    ACTIONS,
    ALL_ACTIONS,
    AT_ONCE,
    CONTEXTS,
    FULL,
    FULL_BUT_WIDE,
    GRIDND,
    INSTANT,
    LINE,
    NO_MOVES,
    RENAMED,
    VARIABLES,
    WEIGHTED,
)
from pack_fields import outcome, watch, without_wire

from hamlet_townlet import read_pack
from hamlet_townlet.reader.fields import Fields
from hamletc.compile import check_file
from hamletc.frontend import Stopwatch
from samples.packs import Edits, edited

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
