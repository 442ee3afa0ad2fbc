"""Games turn by turn and by a clock, of one agent and of several."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from time import sleep
from typing import Literal

import pytest
from rich.console import Console

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_lab.play.game import Game
from hamlet_lab.play.keys import END, bindings_of
from hamlet_lab.play.session import Session
from hamletc.cli.package import in_memory_of
from hamletc.cli.policy import Player

POND = """universe pond
space grid 4 x 1 { starts anywhere }
control depth in 0 .. 1
meter air = 1 { decay 0.01 }
action DIVE { air -= depth }
action WINK { needs air < 0.5  air += 0.1 }
dies when air <= 0
reward air
observe { meters }
"""
TURNS = """universe turns
space none
world { state turn: int in 0 .. 1 = 0  rule next: turn = 1 - turn }
meter score = 0 in 0 .. 10
action TAKE { score += 1 }
actions TAKE WAIT
acts when agent == turn
dies when score >= 3
reward score
observe { meters }
"""


class Timed:
    """Keys and pauses: a number of seconds is how long nothing comes."""

    waits = True

    def __init__(self, *keys: str | None) -> None:
        """`None`: none in time, where time passes."""
        self._keys = iter(keys)
        self.asked: list[float | None] = []

    def read(self, seconds: float | None) -> str | None:
        self.asked.append(seconds)
        key = next(self._keys, END)
        while key is None and seconds is None:
            key = next(self._keys, END)
        if key is None and seconds:
            sleep(seconds)
        return key


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Module]:
    folder = tmp_path_factory.mktemp("sessions")
    for name, text in (("pond", POND), ("turns", TURNS)):
        (folder / f"{name}.hamlet").write_text(text)
    return {name: in_memory_of(Path(folder / f"{name}.hamlet")) for name in ("pond", "turns")}


def game_of(module: Module, agents: int, hands: tuple[int, ...]) -> Game:
    def make(autoreset: Literal["same_step", "next_step"]) -> Env:
        return hamlet.make(module, agents=agents, backend="interpreter", quiet=True, autoreset=autoreset)

    return Game(make, hands, Player())


def played(game: Game, keyboard: Timed, clock: bool = False, rate: float = 64.0) -> str:
    shown = StringIO()
    console = Console(file=shown, force_terminal=True, width=150, height=60, color_system=None)
    Session(game, bindings_of(game.env.universe), keyboard, console, rate, clock).run()
    return shown.getvalue()


def actions(game: Game) -> list[list[str]]:
    return [[game.env.action_names[each] for each in row] for row in game.episode().actions.tolist()]


def test_the_world_waits_for_whoever_plays(modules: dict[str, Module]) -> None:
    game, keyboard = game_of(modules["pond"], 1, (0,)), Timed("+", "w", "up", "-", "d")
    shown = played(game, keyboard)
    assert actions(game) == [["DIVE"]]
    assert set(keyboard.asked) == {None}
    assert "WINK is not possible now" in shown
    assert "(w WINK)" in shown


def test_controls_are_steered_between_ticks(modules: dict[str, Module]) -> None:
    """Moves have the arrows. A control begins in its middle, and stays within its bounds."""
    game = game_of(modules["pond"], 1, (0,))
    shown = played(game, Timed("]", "d", "[", *"[[[[[[[[", "d"))
    assert game.episode().controls is not None
    assert [row.item() for row in game.episode().controls] == [0.625, 0.0]
    assert "[ ] depth = 0.625" in shown


def test_a_clock_runs_without_whoever_plays(modules: dict[str, Module]) -> None:
    """It takes the last key before a tick, and to wait where none came; Space stops it."""
    game = game_of(modules["pond"], 1, (0,))
    played(game, Timed(" ", "left", "right", *[None] * 6, "space", "left"), clock=True)
    assert [row for row in actions(game) if row != ["WAIT"]][-1] == ["LEFT"]
    assert ["WAIT"] in actions(game)


def test_agents_of_one_person_choose_one_after_the_other(modules: dict[str, Module]) -> None:
    game = game_of(modules["pond"], 3, (0, 2))
    shown = played(game, Timed("d", "tab", "d", "d"))
    assert [(row[0], row[2]) for row in actions(game)] == [("DIVE", "WAIT"), ("DIVE", "DIVE")]
    assert "agent 2: " in shown
    assert game.episode().hands == (0, 2)


def test_whoever_does_not_act_is_not_asked(modules: dict[str, Module]) -> None:
    """Two people at one keyboard take turns, and one beside random actions sees these take theirs."""
    both = game_of(modules["turns"], 2, (0, 1))
    played(both, Timed(*"tttttttttt"))
    assert actions(both)[:2] == [["TAKE", "WAIT"], ["WAIT", "TAKE"]]
    assert both.scores.agents[0].ended == "score >= 3"
    assert not both.going or both.ticks == 10
    one, keyboard = game_of(modules["turns"], 2, (0,)), Timed("t", *[None] * 4, "t")
    played(one, keyboard)
    assert actions(one)[0][0] == "TAKE"
    assert {None} < set(keyboard.asked), "a key is waited for, and in turns of others time"


def test_what_others_do_can_be_stopped_and_seen_tick_by_tick(modules: dict[str, Module]) -> None:
    game = game_of(modules["turns"], 2, (0,))
    shown = played(game, Timed("t", "space", "x"))
    assert game.ticks == 2
    assert "Space goes on, any other key is one tick" in shown
