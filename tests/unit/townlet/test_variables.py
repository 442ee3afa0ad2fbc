"""Variables that HAMLET writes and a pack declares: what their defaults do, and which declarations HAMLET fails with.

What is expected here is what HAMLET's engine did with the same declarations.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hamlet.package import manifest
from hamlet.package.module import Module
from hamlet.universe.codec import to_json
from hamlet_townlet import read_pack as read
from hamlet_townlet.adapter import VectorizedEnv
from hamlet_townlet.frontend import read_pack, translate
from hamlet_townlet.translate.text import text_of
from hamletc.compile import check_file
from hamletc.frontend import Stopwatch
from samples.packs import Edits, described, edited

FULL = ("partial_observability: true", "partial_observability: false")
ASPATIAL: Edits = {
    "substrate": "type: aspatial\naspatial: {}\n",
    "training": [FULL, ("enabled_actions: [UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, HUM]", "device: cpu")],
}
UP, RIGHT, WAIT = 0, 3, 5


def declared(name: str, default: object, scope: str = "agent", kind: str = "scalar", readers: str = "agent") -> str:
    return (
        f"  - {{id: {name}, scope: {scope}, type: {kind}, default: {default}, "
        f"readable_by: [{readers}], writable_by: [engine]}}\n"
    )


def with_variables(variables: str, more: Edits | None = None) -> Edits:
    return {"variables_reference": [("variables:\n", f"variables:\n{variables}")], **(more or {})}


def made(folder: Path, edits: Edits) -> VectorizedEnv:
    """An environment of a changed pack, on the interpreter."""
    checked = check_file(edited(folder, edits), Stopwatch())
    described = {name: text.encode() for name, text in checked.attached.items()}
    module = Module(folder, checked.universe, manifest.sha256(to_json(checked.universe).encode()), described)
    return VectorizedEnv(module, 2, backend="interpreter")


def seen(env: VectorizedEnv, name: str) -> list[float]:
    """What the first agent observes of a variable."""
    (field,) = (field for field in env.description.fields if field.name == name)
    return [float(value) for value in env.observe()[0, field.offset : field.offset + field.count]]


def text(folder: Path, edits: Edits) -> list[str]:
    pack, _ = read_pack(edited(folder, edits))
    return text_of(translate(pack)[0], pack).split("\n")


NAMES = ("velocity_x", "velocity_y", "velocity_magnitude")


def test_defaults_of_velocities_show_until_the_first_step(tmp_path: Path) -> None:
    env = made(tmp_path, with_variables(declared("velocity_x", 0.5) + declared("velocity_magnitude", -2)))
    for _ in range(3):  # resets keep them
        env.reset()
        assert [seen(env, name) for name in NAMES] == [[0.5], [0.0], [-2.0]]
    env.positions = torch.tensor([[1, 1], [1, 1]])
    env.step(torch.tensor([RIGHT, WAIT]))
    assert [seen(env, name) for name in NAMES] == [[1.0], [0.0], [1.0]]
    env.reset()  # and keep what the last step wrote
    assert [seen(env, name) for name in NAMES] == [[1.0], [0.0], [1.0]]


def test_each_default_stands_for_itself(tmp_path: Path) -> None:
    """HAMLET's magnitude before the first step is its own default, not the length of the other ones."""
    env = made(tmp_path, with_variables(declared("velocity_y", 3e38) + declared("velocity_x", 3e38)))
    env.reset()
    assert [seen(env, name) for name in NAMES] == [[pytest.approx(3e38)], [pytest.approx(3e38)], [0.0]]


def test_a_velocity_that_hamlet_never_writes_keeps_its_default(tmp_path: Path) -> None:
    env = made(tmp_path, with_variables(declared("velocity_z", 0.5)))
    env.reset()
    env.step(torch.tensor([UP, UP]))
    assert seen(env, "velocity_z") == [0.5]


def test_a_magnitude_without_a_space_is_0_from_the_first_step_on(tmp_path: Path) -> None:
    edits = with_variables(declared("velocity_magnitude", 2, readers="agent, engine"), ASPATIAL)
    reward = [("shaping:\n", "shaping:\n    - {type: vfs_variable, weight: 5, variable: velocity_magnitude}\n")]
    env = made(tmp_path, {**edits, "drive_as_code": reward})
    env.reset()
    assert seen(env, "velocity_magnitude") == [2.0]
    env.step(torch.tensor([1, 1]))
    assert seen(env, "velocity_magnitude") == [0.0]
    assert env.r_shaping.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        (declared("velocity_x", 0.5) + declared("velocity_magnitude", -2), "start velocity (0.5, 0) speed -2"),
        (declared("velocity_magnitude", 0.1), "start speed 0.1"),
        (declared("velocity_y", -1), "start velocity (0, -1) speed 0"),
        (declared("velocity_y", 0), None),
        (declared("velocity_z", 1), None),
    ],
)
def test_what_import_prints(variables: str, line: str | None, tmp_path: Path) -> None:
    found = [each for each in text(tmp_path, with_variables(variables)) if each.startswith("start ")]
    assert found == ([] if line is None else [line])


def test_what_takes_the_place_of_an_automatic_variable_may_be_hidden(tmp_path: Path) -> None:
    """Truth values and whole numbers are not observed, and then neither is the automatic variable of that name."""
    checked = check_file(edited(tmp_path, with_variables(declared("grid_encoding", "true", kind="bool"))), Stopwatch())
    names = [field.name for field in described(checked).fields]
    assert "local_window" in names
    assert "grid_encoding" not in names


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        (declared("velocity_x", 0.5, scope="global"), "HAMLET cannot write `velocity_x`, which is an agent's own"),
        (declared("energy", 0.5, scope="global"), "HAMLET cannot write `energy`, which is an agent's own"),
        (declared("time_cos", 0.5), "HAMLET cannot write `time_cos`, which is the same for all agents"),
        (
            declared("velocity_x", "true", kind="bool"),
            "HAMLET cannot write `velocity_x` into",
        ),
        (
            declared("local_window", "[1, 2]", kind="vec2i"),
            "HAMLET cannot write `local_window` into",
        ),
        (
            declared("own", 0.5, scope="agent_private"),
            "HAMLET's engine observes the private `own`",
        ),
    ],
)
def test_declarations_with_which_hamlet_fails(variable: str, message: str, tmp_path: Path) -> None:
    pack, files = read(edited(tmp_path, with_variables(variable)))
    found = [diagnostic for file in files for diagnostic in file.diagnostics]
    assert pack is None
    errors = [each for each in found if each.severity == "error"]
    assert [each.code for each in errors] == ["H120"]
    assert errors[0].message.startswith(message)


def test_a_private_variable_that_the_engine_may_read(tmp_path: Path) -> None:
    env = made(tmp_path, with_variables(declared("own", 0.5, scope="agent_private", readers="agent, engine")))
    assert seen(env, "own") == [0.5]
