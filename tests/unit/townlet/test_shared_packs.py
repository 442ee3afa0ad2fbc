"""The packs of HAMLET itself, where they lie beside the repository."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from hamlet_townlet import Pack, read_pack
from hamlet_townlet.reader.read_variables import automatic_variables
from samples.packs import NOT_THERE, SHARED, SHARED_PACKS

pytestmark = pytest.mark.skipif(not SHARED_PACKS, reason=NOT_THERE)


reading = cache(read_pack)
"""Each pack is read once."""


@pytest.mark.parametrize("directory", SHARED_PACKS, ids=lambda path: path.name)
def test_reads(directory: Path) -> None:
    pack, files = reading(directory)
    errors = [(f.path.name, d) for f in files for d in f.diagnostics if d.severity == "error"]
    assert [d.message for _, d in errors] == []
    assert pack is not None
    assert len([d for f in files for d in f.diagnostics]) <= 20


@pytest.mark.parametrize("directory", SHARED_PACKS, ids=lambda path: path.name)
def test_the_tables_are_those_of_the_traces(directory: Path) -> None:
    """Meters, affordances, deployed affordances, custom actions, lifespan: as HAMLET recorded them."""
    metas = [json.loads(path.read_text()) for path in (SHARED / "traces").glob(f"{directory.name}__*.json")]
    own = SHARED / "traces" / f"{directory.name}.json"
    metas += [json.loads(own.read_text())] if own.exists() else []
    metas = [meta for meta in metas if meta.get("pack_dir") == f"packs/{directory.name}"]
    assert metas
    pack, _ = reading(directory)
    assert pack is not None
    for meta in metas:
        assert [bar.name.value for bar in pack.bars] == meta["meters"]
        assert [affordance.name.value for affordance in pack.affordances] == meta["affordances"]
        assert [affordance.name.value for affordance in pack.deployed] == meta["deployed"]
        custom = [action for action in meta["actions"] if action["source"] == "custom"]
        assert [action.name.value for action in pack.actions] == [action["name"] for action in custom]
        assert pack.training.lifespan.value == meta["lifespan"]
        assert pack.training.temporal.value == meta["temporal"]
        assert pack.training.partial_observability.value == meta["pomdp"]
        assert observed(pack) == [(field["variable"], field["size"]) for field in meta["obs_layout"]]


def observed(pack: Pack) -> list[tuple[str, int]]:
    """The observed variables with their sizes, in order."""
    meters = [bar.name.value for bar in pack.bars]
    automatic = automatic_variables(pack.substrate, meters, len(pack.affordances), pack.training)
    declared = {v.id.value: len(v.default) for v in pack.variables if v.type.value in ("scalar", "vecNf")}
    kept = [(name, 1 if size is None else size) for name, size in automatic.items() if name not in declared]
    return [*kept, *declared.items()]


RELATIVE = (r'observation_encoding: "?relative"?', "observation_encoding: scaled")
PARTIAL = ("partial_observability: false", "partial_observability: true")
OBLONG = [("width: 8", "width: 6"), ("height: 8", "height: 9")]
BONUS = "shaping: [{type: completion_bonus, weight: 1.0, affordance: Bed}]"


@pytest.mark.parametrize(
    ("name", "edits", "found"),
    [
        ("L1_3D_house", {"substrate": [RELATIVE]}, ("substrate", "H120")),
        ("L1_continuous_2D", {"substrate": [RELATIVE]}, ("substrate", "H120")),
        ("L1_full_observability", {"substrate": [RELATIVE]}, ("substrate", "H120")),
        ("L1_3D_house", {"training": [PARTIAL, (r"vision_range: \d", "vision_range: 3")]}, ("training", "H120")),
        ("L1_continuous_1D", {"training": [PARTIAL]}, ("training", "H120")),
        (
            "L1_full_observability",
            {"substrate": OBLONG},
            ("substrate", "H118"),
        ),
        ("L1_full_observability", {"drive_as_code": [(r"shaping: \[\]", BONUS)]}, ("drive_as_code", "H112")),
    ],
)
def test_the_combinations_that_fail_in_hamlet(
    name: str, edits: dict[str, list[tuple[str, str]]], found: tuple[str, str], tmp_path: Path
) -> None:
    pack = shutil.copytree(SHARED / "packs" / name, tmp_path / "pack")
    shutil.copy(SHARED / "packs" / "global_actions.yaml", tmp_path)
    for file, changes in edits.items():
        path = pack / f"{file}.yaml"
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            text, count = re.subn(old, new, text)
            assert count, old
        path.write_text(text, encoding="utf-8")
    read, files = read_pack(pack)
    assert read is None
    assert [(f.path.stem, d.code) for f in files for d in f.diagnostics if d.severity == "error"] == [found]
