"""Whole packs: each compiles, and what `hamletc import` prints of it has the same tick IR."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from examples import LONG, SHARE
from hamlet_townlet.adapter import description
from hamlet_townlet.frontend import read_pack, reading, translate
from hamlet_townlet.translate.text import text_of
from hamletc.compile import Checked, Options, build_checked, check, check_file
from hamletc.frontend import Stopwatch
from hamletc.ir.text import print_program
from hamletc.language.formatter import format_source
from hamletc.language.source import Source
from hamletc.lowering.lower import lower
from hamletc.read import parsed
from samples.packs import NOT_THERE, OWN, SHARED, SHARED_PACKS, checked, described

PLACE = re.compile(r" :\d+(@\d+)?$", re.MULTILINE)


def agree(directory: Path) -> None:
    """A pack and its text compile to the same program but for places; the text is formatted; the package is whole."""
    pack, found = read_pack(directory)
    tree, described = translate(pack)
    universe = check(reading(pack, found, tree, described)).universe
    description.check(described, universe)
    text = text_of(tree, pack)
    assert format_source(text) == (text, ())
    source = Source(Path("imported.hamlet"), text)
    program, other = print_program(lower(universe)), print_program(lower(check(parsed(source)).universe))
    assert PLACE.sub("", program) == PLACE.sub("", other)
    assert len(program) > 10_000


@pytest.mark.parametrize("directory", OWN, ids=lambda path: path.name)
def test_own_packs(directory: Path) -> None:
    agree(directory)
    done = check_file(directory, Stopwatch())
    files = build_checked(done, Options(), Stopwatch())
    assert description.from_json(files[description.FILENAME].decode()) == described(done)
    assert f'SOURCE = "{directory.name}"' in files["__init__.py"].decode()


def test_there_is_an_own_pack_of_every_space() -> None:
    spaces = {type(check_file(path, Stopwatch()).universe.space).__name__ for path in OWN}
    assert spaces == {"Grid", "Continuous", "NoSpace"}
    kinds = {kind for path in OWN for kind in re.findall(r"(?m)^type: (\w+)", (path / "substrate.yaml").read_text())}
    assert kinds == {"grid", "gridnd", "continuous", "continuousnd", "aspatial"}


@pytest.mark.skipif(not SHARED_PACKS, reason=NOT_THERE)
@pytest.mark.parametrize(
    "directory",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.long] if n % 8 else [])
        for n, path in enumerate(SHARED_PACKS)
    ],
)
def test_shared_packs(directory: Path) -> None:
    agree(directory)


@pytest.mark.skipif(not SHARED_PACKS, reason=NOT_THERE)
def test_the_tables_of_shared_packs_are_those_of_the_traces() -> None:
    """Actions in their order, which of them are enabled, and the observation, as HAMLET recorded them."""
    from hamlet.schema import action_names

    compared = 0
    for path in sorted((SHARED / "traces").glob("*.json"))[:: 1 if LONG else SHARE]:
        meta = json.loads(path.read_text())
        directory = SHARED / str(meta.get("pack_dir"))
        if not directory.is_dir() or "actions" not in meta:
            continue
        done = checked(directory)
        known = described(done)
        assert list(action_names(done.universe)) == [action["name"] for action in meta["actions"]]
        assert list(known.enabled) == [action["enabled"] for action in meta["actions"]]
        assert [(f.name, f.offset, f.count) for f in known.fields] == [
            (entry["variable"], entry["offset"], entry["size"]) for entry in meta["obs_layout"]
        ]
        compared += 1
    assert compared > (100 if LONG else 25)


@pytest.mark.parametrize("kind", ["continuousnd", "gridnd"])
def test_a_pack_of_a_hundred_axes(kind: str, tmp_path: Path) -> None:
    done = large(tmp_path, "swarm", continuous(100) if kind == "continuousnd" else cells([2] * 13 + [1] * 87))
    assert len(done.universe.moves) == 200
    files = build_checked(done, Options(), Stopwatch())
    assert "x99" in files["c_kernels.c"].decode()


def test_ticks_do_not_grow_with_the_number_of_moves(tmp_path: Path) -> None:
    few, many = (large(tmp_path, "orchard", plane(directions)).universe for directions in (16, 128))
    assert (len(few.moves), len(many.moves)) == (49, 385)
    sizes = [[len(function.nodes) for function in lower(universe).functions] for universe in (few, many)]
    assert sizes[0] == sizes[1]


def large(folder: Path, name: str, substrate: str) -> Checked:
    """A pack of this project in another space."""
    own = next(path for path in OWN if path.name == name)
    pack = folder / f"{name}{len(list(folder.iterdir()))}"
    pack.mkdir()
    for path in (*own.iterdir(), own.parent / "global_actions.yaml"):
        (pack / path.name).write_text(path.read_text())
    training = (own / "training.yaml").read_text()
    (pack / "training.yaml").write_text(training.split("training:\n")[0])
    rewards = (own / "drive_as_code.yaml").read_text()
    (pack / "drive_as_code.yaml").write_text(rewards.replace("velocity_magnitude", "energy"))
    (pack / "substrate.yaml").write_text(substrate)
    return check_file(pack, Stopwatch())


def continuous(axes: int) -> str:
    return (
        f"type: continuousnd\ncontinuous:\n  dimensions: {axes}\n  bounds: {[[0.0, 2.0]] * axes}\n  boundary: bounce\n"
        "  movement_delta: 0.5\n  interaction_radius: 1.2\n  distance_metric: euclidean\n"
        "  observation_encoding: relative\n"
    )


def cells(sizes: list[int]) -> str:
    return (
        f"type: gridnd\ngridnd:\n  topology: hypercube\n  dimension_sizes: {sizes}\n  boundary: wrap\n"
        "  observation_encoding: relative\n"
    )


def plane(directions: int) -> str:
    own = next(path for path in OWN if path.name == "orchard")
    return (own / "substrate.yaml").read_text().replace("num_directions: 16", f"num_directions: {directions}")
