"""Keys of actions, and keys that a text names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamlet.universe import Universe
from hamlet_lab.play.keys import bindings_of, keys_of
from hamletc.compile import check_file
from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch

PORTS = Path("universes/ports").resolve()
EDGE = """universe edge
space grid 3 x 2
moves { UP (0, -1)  HOP (2, 0)  EAST (1, 0)  GO (-1, 0) }
control thrust in -1 .. 1
control gear: int in 0 .. 3
meter food = 0.5
action TURN_LEFT { food += 0.1 }
action SLOT_7 { food += 0.1 }
action HARVEST { food += 0.1 }
action HEAT { food += thrust * 0.1 + gear * 0.01 }
reward food
observe { meters }
"""


def read(path: Path) -> Universe:
    return check_file(path, Stopwatch()).universe


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Universe:
    path = tmp_path_factory.mktemp("edge") / "edge.hamlet"
    path.write_text(EDGE)
    return read(path)


def keys(universe: Universe) -> dict[str, str]:
    bindings = bindings_of(universe)
    return {bindings.names[number]: key for key, number in bindings.actions.items()}


def test_arrows_are_moves_and_other_actions_have_letters(edge: Universe) -> None:
    assert keys(edge) == {
        "UP": "up",
        "HOP": "right",
        "GO": "left",
        "INTERACT": "enter",
        "WAIT": ".",
        "SLOT_7": "7",
        "EAST": "e",
        "TURN_LEFT": "t",
        "HARVEST": "h",
        "HEAT": "a",
    }


def test_names_say_directions_and_what_nobody_chooses_has_no_key() -> None:
    assert keys(read(PORTS / "taxi.hamlet"))["SOUTH"] == "down"
    assert keys(read(PORTS / "frozen_lake.hamlet")) == {"WEST": "left", "SOUTH": "down", "EAST": "right", "NORTH": "up"}
    drops = keys(read(PORTS / "connect_four.hamlet"))
    assert drops == {f"DROP_{column}": str(column) for column in range(7)}


def test_controls_have_keys_that_no_action_has(edge: Universe) -> None:
    bindings = bindings_of(edge)
    # Left, right and up are moves here.
    assert bindings.controls == {"[": (0, -0.25), "]": (0, 0.25), "{": (1, -1.0), "}": (1, 1.0)}
    free = bindings_of(read(PORTS / "mountain_car_continuous.hamlet")).controls
    assert free == {"left": (0, -0.25), "right": (0, 0.25)}


def test_a_text_names_keys_and_actions(edge: Universe) -> None:
    bindings = bindings_of(edge)
    assert keys_of("up HOP #12 enter*2 ea]*2 . WAIT", bindings) == [
        *("up", "right", "#", "1", "2", "enter", "enter", "enter"),
        *("e", "a", "]", "e", "a", "]", ".", "."),
    ]
    for text, said in (
        ("HARVST", "--keys HARVST: there is no such key or action: did you mean HARVEST?"),
        ("zz", "--keys zz: there is no such key or action: actions are UP, HOP"),
        ("up*9999999", "has more than 1,048,576 keys"),
    ):
        with pytest.raises(CompileError, match=r"^--keys") as problem:
            keys_of(text, bindings)
        assert said in str(problem.value)
