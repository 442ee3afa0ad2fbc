"""`--policy` of every verb that plays: what was learnt acts, and what does not fit is refused in a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from rich.console import Console

import hamlet
import hamlet_lab.verify
from hamlet.package.module import Module
from hamlet.policies.files import written
from hamletc.cli.policy import player_of
from hamletc.cli.reload import Watched
from hamletc.cli.screen import show_live
from saved_policies import about_of, saved, tensors_of

Command = Callable[..., CompletedProcess[str]]
SHOP = """universe shop
space grid 3 x 2
lifespan 30 ticks
param wage = 0.1 in 0 .. 1
meter food = 0.49 { decay 0.02 }
affordance Stall at random { instantly { food += wage } }
dies when food <= 0
reward food
observe { meters  here }
"""
WAITS = 5
"""The action of `idle`: WAIT, of six."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP, encoding="utf-8")
    return path


@pytest.fixture
def idle(shop: Path, tmp_path: Path) -> Path:
    """A policy that always waits: nobody uses anything, and everybody starves in tick 25."""
    module: Module = hamlet.compile(shop)
    about = about_of(module, (8,))
    tensors = tensors_of(about)
    tensors["biases.1"] = np.where(np.arange(about["actions"] + 1) == WAITS, 80, -80).astype(np.float32)
    path = tmp_path / "idle.safetensors"
    path.write_bytes(written(tensors, about))
    return path


def test_run_reports_what_a_policy_does(hamletc_here: Command, shop: Path, idle: Path) -> None:
    done = hamletc_here("run", shop, "--policy", idle, "--worlds", "50", "--ticks", "60", "--no-write")
    assert done.returncode == 0
    assert f"policy       {idle}, seed 0" in done.stdout
    assert "mean length  25.0 ticks" in done.stdout
    assert "Stall  0" in done.stdout


def test_watch_shows_the_action_of_a_policy(shop: Path, idle: Path) -> None:
    player, shown = player_of(str(idle)), StringIO()
    console = Console(file=shown, force_terminal=True, width=100, height=50, color_system=None)

    def make(module: Module) -> object:
        player.check(module)
        return hamlet.make(module, worlds=1, backend="interpreter", obs_dtype=player.obs_dtype, quiet=True)

    watched = Watched(shop, make, ())  # type: ignore[arg-type]  # an environment
    show_live(watched.first(), 6, 1e9, console, watched, player)
    assert "tick 6 " in shown.getvalue()
    assert "WAIT" in shown.getvalue()


def test_watch_says_that_a_policy_is_of_another_version(shop: Path, idle: Path) -> None:
    player = player_of(str(idle))

    def make(module: Module) -> object:
        player.check(module)
        return hamlet.make(module, worlds=1, backend="interpreter", obs_dtype=player.obs_dtype, quiet=True)

    watched = Watched(shop, make, ())  # type: ignore[arg-type]  # an environment
    env = watched.first()
    shop.write_text(SHOP.replace("decay 0.02", "decay 0.031"))
    news = watched.news(env)
    assert news is not None
    assert (news.broken, news.env) == (True, env)
    assert "was learnt on another version of shop: meter food differs" in news.text
    shop.write_text("# The same with a comment.\n" + SHOP)
    news = watched.news(env)
    assert news is not None
    assert not news.broken


def test_watch_and_run_watch_take_a_policy(hamletc_here: Command, shop: Path, idle: Path) -> None:
    first = hamletc_here("watch", shop, "--policy", idle, "--ticks", "4")
    second = hamletc_here("run", shop, "--watch", "--policy", idle, "--ticks", "4")
    assert first.stdout == second.stdout
    assert "tick 4 " in first.stdout


def test_an_episode_says_who_played_it(hamletc_here: Command, shop: Path, idle: Path) -> None:
    done = hamletc_here("record", shop, "--world", "2", "-o", "a.episode", "--policy", idle)
    assert "a.episode: 25 ticks of world 2 of shop.hamlet@interpreter, ended by food <= 0" in done.stdout
    done = hamletc_here("replay", "a.episode", "--policy", idle)
    assert done.returncode == 0
    assert done.stdout.endswith(f"\nevery action is that of {idle}\n")
    assert hamletc_here("record", shop, "--world", "2", "-o", "b.episode").returncode == 0
    done = hamletc_here("replay", shop, "b.episode", "--policy", idle, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["ok"]
    assert f"{idle} acts otherwise first in tick " in done.stderr
    assert hamletc_here("replay", "b.episode", "--policy", "random").returncode == 0
    assert hamletc_here("record", shop, "-o", "c.npz", "--ticks", "2").returncode == 0
    done = hamletc_here("replay", "c.npz", "--policy", idle)
    assert (done.returncode, done.stderr) == (2, "error: --policy is about an episode, and c.npz is none\n")


def test_sweep_and_design_play_what_was_learnt(hamletc_here: Command, shop: Path, idle: Path) -> None:
    """The table is the same however many variants there are: a network has words of its own."""
    common = "--policy", idle, "--ticks", "40", "--backend", "c", "--worlds", "2"
    assert hamletc_here("sweep", shop, "--param", "wage=0:0.7:8", *common, "--out", "few.csv").returncode == 0
    assert hamletc_here("sweep", shop, "--param", "wage=0:0.7:71", *common, "--out", "many.csv").returncode == 0
    few, many = (Path(name).read_text().splitlines() for name in ("few.csv", "many.csv"))
    assert many[1::10] == few[1:]
    done = hamletc_here("design", shop, "--param", "wage=0:1", "--want", "median life above 24", *common)
    assert done.returncode == 0
    assert "all wishes hold" in done.stdout


def test_a_sampling_network_draws_the_same_in_every_sweep(hamletc_here: Command, shop: Path, tmp_path: Path) -> None:
    drawn = saved(tmp_path / "drawn.safetensors", hamlet.compile(shop))
    common = "--policy", drawn, "--ticks", "40", "--backend", "c", "--worlds", "2"
    assert hamletc_here("sweep", shop, "--param", "wage=0:0.7:8", *common, "--out", "few.csv").returncode == 0
    assert hamletc_here("sweep", shop, "--param", "wage=0:0.7:71", *common, "--out", "many.csv").returncode == 0
    few, many = (Path(name).read_text().splitlines() for name in ("few.csv", "many.csv"))
    assert many[1::10] == few[1:]


def test_verify_compares_rollouts_of_a_policy(
    hamletc_here: Command, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hamlet_lab.verify, "QUICK", replace(hamlet_lab.verify.QUICK, rounds=8))
    minded = saved(tmp_path / "minded.safetensors", hamlet.compile(shop), (32, 8), memory=32)
    plain = hamletc_here("verify", shop, "--quick", "--backends", "ir", "--allow-unfired")
    done = hamletc_here("verify", shop, "--quick", "--backends", "ir", "--allow-unfired", "--policy", minded)
    assert (plain.returncode, done.returncode) == (0, 0)
    assert ticks_of(done.stdout) > ticks_of(plain.stdout)
    wide = saved(tmp_path / "wide.safetensors", hamlet.compile(shop), (70,))
    done = hamletc_here("verify", shop, "--quick", "--backends", "ir", "--policy", wide)
    assert (done.returncode, done.stderr.count("acts by steps, in which no kernel has a part")) == (1, 1)


def ticks_of(said: str) -> int:
    return int(said.split(" agent-ticks")[0].split()[-1].replace(",", ""))


def test_bench_times_rollouts_of_a_policy(hamletc_here: Command, shop: Path, idle: Path) -> None:
    sizes = "--worlds", "64", "--samples", "1", "--backend", "c", "--ticks", "2"
    done = hamletc_here("bench", shop, *sizes, "--policy", idle, "--json", "a.json")
    assert f"rollouts are played by the policy {idle}, steps take random actions" in done.stdout
    assert {each["case"]["observed"] for each in json.loads(Path("a.json").read_text())["cases"]} == {"float32"}
    done = hamletc_here("bench", shop, *sizes, "--policy", idle, "--observe", "uint8")
    assert (done.returncode, done.stdout) == (1, "")
    assert 'reads observations in f32: make the environment with obs_dtype="float32"' in done.stderr


VERBS = {
    "run": ("run", "{u}", "--no-write"),
    "run --watch": ("run", "{u}", "--watch"),
    "watch": ("watch", "{u}"),
    "record": ("record", "{u}", "--world", "1", "-o", "out.episode"),
    "sweep": ("sweep", "{u}", "--param", "wage=0:1:2", "--out", "out.csv"),
    "design": ("design", "{u}", "--param", "wage=0:1", "--want", "mean life above 3", "--json", "out.json"),
    "verify": ("verify", "{u}", "--quick"),
    "bench": ("bench", "{u}", "--json", "out.json"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_another_universe_is_refused_in_a_line_and_nothing_is_written(
    verb: str, hamletc_here: Command, idle: Path, tmp_path: Path
) -> None:
    richer = tmp_path / "richer.hamlet"
    richer.write_text(SHOP.replace("decay 0.02", "decay 0.04"))
    before = sorted(path.name for path in tmp_path.iterdir())
    arguments = [each.format(u=richer) for each in VERBS[verb]]
    done = hamletc_here(*arguments, "--policy", idle)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {idle} was learnt on another version of shop: meter food differs\n"
    done = hamletc_here(*arguments, "--policy", "nothing")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: cannot read nothing: No such file or directory\n"
    after = sorted(path.name for path in tmp_path.iterdir())
    assert set(after) - set(before) <= {"generated"}
