"""What packs let agents observe, in the text language."""

from __future__ import annotations

from pathlib import Path

from translating import FULL, INSTANT, checked, elsewhere, lines

from hamletc.compile import Checked
from samples.packs import Edits, described

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
