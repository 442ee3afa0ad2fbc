"""Games by hand, and boards of them: what is written replays, and nothing else is ranked."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet
from hamlet.env.keep.episode import Episode
from hamletc.cli.package import in_memory_of
from processes import COMMAND, Command
from saved_policies import saved

STALL = """universe stall
space grid map
map { "S.." starts "S" }
lifespan 12 ticks
param wage = 0.1 in 0 .. 1
meter food = 0.25 { decay 0.05 }
meter luck = uniform(0, 1)
affordance Stall at (1, 0) { instantly { food += wage } }
dies when food <= 0
reward food
observe { meters }
"""
HUNT = """universe hunt
space grid 5 x 1
lifespan 8 ticks
world { meter place = 0 in 0 .. 4  rule look: place = total(position x when it) }
role it: 1 agent { reward 1 when count(runner) < 2  observe { position relative } }
role runner: 2 agents { dies when position x == place  reward 1  observe { position relative } }
world ends when count(runner) == 0
"""


@pytest.fixture
def stall(tmp_path: Path) -> Path:
    path = tmp_path / "stall.hamlet"
    path.write_text(STALL)
    return path


@pytest.fixture
def hunt(tmp_path: Path) -> Path:
    path = tmp_path / "hunt.hamlet"
    path.write_text(HUNT)
    return path


def test_a_game_is_an_episode_that_replays(hamletc_here: Command, stall: Path) -> None:
    done = hamletc_here("play", stall, "--keys", "right enter*3 .*20", "-o", "ada.episode")
    assert (done.returncode, done.stderr) == (0, "")
    assert "@ agent 0  dead  WAIT" in done.stdout
    assert "you: agent 0 (@) return 2.15, ended by food <= 0" in done.stdout
    assert "enter INTERACT" not in done.stdout, "nobody chooses after the end"
    (mine,) = [line for line in done.stdout.splitlines() if line.startswith("agent 0  you ")]
    assert mine.split()[3:5] == ["2.15", "11"]
    assert "random in your place" in done.stdout
    assert done.stdout.endswith("episode  ada.episode: 11 ticks\n")
    replayed = hamletc_here("replay", stall, "ada.episode")
    assert replayed.stdout.startswith("world 0 of stall on interpreter is equal to the bit in 11 of 11 recorded ticks")
    assert Episode.load("ada.episode").hands == (0,)


def test_masked_actions_take_no_time_and_the_end_of_keys_ends_the_game(hamletc_here: Command, stall: Path) -> None:
    done = hamletc_here("play", stall, "--keys", "left enter #5 #99 right", "--seed", "3")
    assert "tick 2 " in done.stdout, "only WAIT, which is #5, and RIGHT took a tick"
    assert done.stdout.endswith("episode  stall.episode: 2 ticks; it has not ended, so no board takes it\n")
    assert hamletc_here("play", stall, "--keys", "left").stdout.endswith("nothing was played\n")
    hamletc_here("play", stall, "--keys", "right")
    assert sorted(path.name for path in Path().glob("*.episode")) == ["stall-2.episode", "stall.episode"]
    hamletc_here("play", stall, "--keys", "right", "--no-write")
    assert len(list(Path().glob("*.episode"))) == 2


def test_a_policy_plays_the_others_and_the_same_world(hamletc_here: Command, hunt: Path, tmp_path: Path) -> None:
    module = in_memory_of(hunt)
    runner = saved(Path("runner.safetensors"), module, role="runner", inputs=2, actions=module_actions(module))
    done = hamletc_here("play", hunt, "--role", "it", "--keys", "right .*8", "--policy", runner, "-o", "a.episode")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:3] for line in lines if line[:2] in (["runner", "0"], ["runner", "1"])] == [
        ["runner", "0", str(runner)],
        ["runner", "1", str(runner)],
    ]
    assert f"{runner} in your place" in done.stdout
    assert hamletc_here("replay", "a.episode").returncode == 0
    episode = Episode.load("a.episode")
    assert (episode.hands, len(episode.others)) == ((0,), 64)
    (tmp_path / "class").mkdir()
    episode.save("class/ada.episode")
    done = hamletc_here("board", "class")
    assert done.stderr == (
        "error: these games were played beside a policy: give it, as --policy RUN, so that it is checked\n"
    )
    assert hamletc_here("board", "class", "--policy", runner).returncode == 0
    other = saved(Path("other.safetensors"), module, role="runner", hidden=(9,), inputs=2,
                  actions=module_actions(module))  # fmt: skip
    done = hamletc_here("board", "class", "--policy", other)
    assert done.stderr == f"error: --policy: these games were played beside another policy than {other}\n"
    # A runner that stood still for the hunter.
    actions = episode.actions.clone()
    actions[1, 1] = (actions[1, 1] + 1) % 4
    again(module, replace(episode, actions=actions)).save("class/bob.episode")
    done = hamletc_here("board", "class", "--policy", runner)
    assert done.returncode == 1
    assert done.stderr.endswith(f"refused bob.episode: the actions of others are not those of {runner} in tick 1\n")


def module_actions(module: Any) -> int:
    env = hamlet.make(module, backend="interpreter", quiet=True)
    return len(env.roles["runner"].action_numbers)


def again(module: Any, episode: Episode, before: Callable[[Any], None] = lambda _: None, **others: Any) -> Episode:
    """An episode of the actions of another one, as a forger makes it: every tick is what its beginning leads to."""
    env = hamlet.make(module, agents=episode.agents, seed=episode.seed, backend="interpreter", quiet=True, **others)
    before(env)
    forged = env.record(0, len(episode.actions), episode.actions)
    return replace(forged, hands=episode.hands, others=episode.others)


def test_a_board_ranks_and_says_why_it_refuses(hamletc_here: Command, stall: Path, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()

    def game(name: str, keys: str, *others: str, universe: Path = stall) -> Episode:
        assert hamletc_here("play", universe, "--keys", keys, "-o", f"class/{name}.episode", *others).returncode == 0
        return Episode.load(f"class/{name}.episode")

    ada = game("ada", "right enter*9 .*20")
    game("bob", ".*20")
    game("cy", ".*20")
    assert (
        hamletc_here("record", stall, "--world", "0", "--policy", "random", "-o", "class/dan.episode").returncode == 0
    )
    done = hamletc_here("board", "class", "--json")
    games = {each["name"]: each for each in json.loads(done.stdout)["games"]}
    assert done.returncode == 0
    assert next(iter(games)) == "ada"
    assert [games[name]["rank"] for name in ("ada", "bob", "cy")] == [1, games["bob"]["rank"], games["bob"]["rank"]]
    assert games["ada"]["returned"] == pytest.approx(returned(stall, ada))
    assert "the same actions in the same world: bob, cy\n" in hamletc_here("board", "class").stdout

    module = in_memory_of(stall)
    game("quits", "right")
    game("pays", "right enter .*20", "--param", "wage=1")
    game("later", ".*20", "--seed", "1")
    rich = tmp_path / "rich.hamlet"
    rich.write_text(STALL.replace("decay 0.05", "decay 0.01"))
    game("rich", ".*20", universe=rich)
    again(module, ada, lambda env: env.set("food", 1.0)).save("class/fed.episode")
    waits = ada.actions[-1:].repeat(14, 1)
    bob = Episode.load("class/bob.episode")
    replace(ada, checks=(*ada.checks[:4], 7, *ada.checks[5:])).save("class/forged.episode")
    replace(bob, actions=torch.cat([bob.actions, waits]), checks=(*bob.checks, *[0] * 14)).save("class/twice.episode")
    whole = Path("class/ada.episode").read_bytes()
    Path("class/torn.episode").write_bytes(whole[: len(whole) // 2])
    done = hamletc_here("board", "class", "--seed", "0")
    assert done.returncode == 1
    assert "refused" not in done.stdout
    refused = dict(line.removeprefix("refused ").split(".episode: ") for line in done.stderr.splitlines()
                   if line.startswith("refused"))  # fmt: skip
    assert refused == {
        "quits": "its episode has not ended in tick 1",
        "pays": "it begins with other params than world 0 of seed 0: "
        "--param says which numbers the worlds of a board have",
        "later": "it is of seed 1, and this board of seed 0",
        "rich": "it is of another version of stall: meter food differs",
        "fed": "it begins with other meters than world 0 of seed 0",
        "forged": "what it recorded differs from the replay first in tick 4 of 12",
        "twice": "it goes on after its end, in tick 6",
        "torn": "is no episode recorded by hamlet, or a damaged one",
    }
    done = hamletc_here("board", "class", "--universe", rich, "--json")
    assert [each["name"] for each in json.loads(done.stdout)["games"]] == ["rich"]
    assert hamletc_here("board", "class", "--param", "wage=1", "--json").stdout.count('"pays"') == 1


def returned(universe: Path, episode: Episode) -> float:
    env = hamlet.make(in_memory_of(universe), backend="interpreter", quiet=True)
    total = 0.0
    for row in episode.actions:
        total += float(env.step(row)[1])
    return total


def test_folders_without_games_are_one_line(hamletc_here: Command, tmp_path: Path) -> None:
    done = hamletc_here("board", "nowhere")
    assert (done.returncode, done.stderr) == (1, "error: cannot read nowhere: No such file or directory\n")
    (tmp_path / "empty").mkdir()
    done = hamletc_here("board", "empty")
    assert done.stderr == "error: empty has no games: `hamletc play` writes NAME.episode\n"
    (tmp_path / "empty" / "a.episode").write_text("{}")
    done = hamletc_here("board", "empty")
    assert done.stderr == "refused a.episode: is no episode recorded by hamlet, or a damaged one\n"
    assert (done.returncode, done.stdout) == (1, "empty: no game was taken\n")


def test_what_play_refuses_is_one_line(hamletc_here: Command, stall: Path, hunt: Path) -> None:
    for arguments, said in (
        ((stall,), "standard input is no terminal: give the keys, as in --keys 'up up enter'"),
        ((stall, "--keys", "up", "--agent", "1"), "--agent 1: there are agents 0 .. 0"),
        ((stall, "--keys", "up", "--role", "it"), "--role it: stall has no roles"),
        ((hunt, "--keys", "right", "--role", "ti"), "--role ti: hunt has it, runner"),
        ((stall, "--keys", "right", "-o", "a.json"), "a.json does not end in .episode"),
        ((stall, "--keys", "right", "-o", "a.episode", "--no-write"), "a.episode is not written"),
        ((stall, "--keys", "right", "--param", "wage=3"), "--param wage: 3 is outside of its bounds, 0 .. 1"),
    ):
        done = hamletc_here("play", *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {said}\n")


def test_a_terminal_shows_the_game_and_is_as_it_was_after_ctrl_c(stall: Path, tmp_path: Path) -> None:
    """Keys go into a terminal of a process of its own, with the pictures that come out of it."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        os.execvpe(sys.executable, [sys.executable, "-c", COMMAND, "play", str(stall)],
                   os.environ | {"TERM": "xterm", "HAMLET_THREADS": "1"})  # fmt: skip
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    before = termios.tcgetattr(terminal)
    shown = bytearray()
    for text, key in ((b"tick 0 ", b"\x1b[C"), (b"tick 1 ", b"\x1b[A\r"), (b"tick 2 ", b" "), (b"tick 4 ", b"\x03")):
        until(terminal, shown, text)
        os.write(terminal, key)
    until(terminal, shown, b"so no board takes it")
    assert termios.tcgetattr(terminal) == before
    assert os.waitpid(process, 0)[1] == 0
    os.close(terminal)
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert "\u2192 RIGHT" in said
    assert "(\u2191 UP)" in said, "masked"
    assert "enter INTERACT" in said
    assert "UP is not possible now" in said
    assert "Space: the world waits for you  + - speed, 8 ticks/s" in said
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l"), "the cursor is there again"
    episode = Episode.load(tmp_path / "stall.episode")
    assert episode.actions.flatten().tolist()[:2] == [3, 4]
    assert hamlet.replay(episode, in_memory_of(stall), "interpreter").ok


def until(terminal: int, shown: bytearray, text: bytes) -> None:
    """Read what a program shows until it has shown a text."""
    end = time.monotonic() + 60
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, shown.decode(errors="replace")
        shown += os.read(terminal, 65536)
