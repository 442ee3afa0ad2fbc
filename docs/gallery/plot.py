"""python docs/gallery/plot.py [NAME ...]: the pictures of docs/gallery.md: runs of its universes on the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import torch
from matplotlib import pyplot

import hamlet
from hamlet.env.environment import Env

HERE = Path(__file__).parent
UNIVERSES = HERE.parents[1] / "universes" / "gallery"


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn over time.

    Attributes:
        values: meters, meters of the world and reports; the mean over agents.
        actions: what everybody does, in turn; without any an agent that stands on something uses it in two of three
            ticks, and walks at random otherwise.
        hold: what the one control is, as a sum of meters with these weights.
        at: ticks after which meters of cells are drawn as maps, in the place of lines over time.
        each: whether every agent has a line of its own, instead of their mean.
        policy: what everybody does in a tick, in the place of `actions`.
    """

    values: tuple[str, ...]
    ticks: int
    agents: int = 1
    actions: tuple[str, ...] = ("WAIT",)
    hold: Mapping[str, float] = field(default_factory=dict)
    each: bool = False
    seed: int = 1
    at: tuple[int, ...] = ()
    policy: Callable[[Env, int], torch.Tensor] | None = None


def hunters(env: Env, tick: int) -> torch.Tensor:
    """Who hears of the herd goes there, others walk at random; three of four tell of it before they eat."""
    action = torch.randint(0, 4, (env.num_lanes,), generator=torch.Generator().manual_seed(tick))
    for way, towards in (("south", "UP"), ("east", "LEFT")):
        far = env.meter(way)
        action = torch.where(far != 0, env.action_names.index(towards) + (far > 0).int(), action)
    for name, who in (("INTERACT", 1.0), ("TELL", 0.75)):
        number = env.action_names.index(name)
        does = env.action_mask[:, number] & (torch.arange(env.num_lanes) < who * env.num_lanes)
        action = torch.where(does, number, action)
    return action.to(torch.int32)


WORK = (
    "PICK_wood",
    "RIGHT",
    "PICK_stone",
    "PICK_wood",
    "DOWN",
    "CRAFT_axe",
    "USE_axe",
    "LEFT",
    "PICK_wood",
    "UP",
    "USE_axe",
)
"""A day in the workshop."""
PICTURES = {
    "alarm": Picture(("sees", "heard", "fear"), 200, 24, ("CALL", "WAIT", "WAIT")),
    "auction": Picture(("gain",), 199, 6, each=True),
    "berries": Picture(("eaten", "left"), 200, 6, actions=(), seed=2),
    "bus": Picture(("away", "rides"), 100, 1, ("INTERACT",), seed=2),
    "bandit": Picture(("coins",), 99, 6, ("GREEN",), each=True),
    "cartpole": Picture(("angle", "place"), 300, hold={"angle": 12, "turn": 2.5, "place": 0.3, "roll": 0.6}, seed=3),
    "cold_night": Picture(("air", "warmth"), 96, seed=3),
    "combo": Picture(("enemy", "ready"), 60, 1, ("JAB", "JAB", "JAB", "HOOK")),
    "commons": Picture(("fish", "effort"), 300, 8, ("MORE", *["WAIT"] * 79)),
    "commute": Picture(("trip", "far"), 300, actions=(), seed=2),
    "cooldowns": Picture(
        ("rest of Spring", "thirst", "wear of Forge"), 99, 3, ("INTERACT", "HAMMER", "INTERACT", "INTERACT")
    ),
    "epidemic": Picture(("sick_now", "had_it"), 300, 256),
    "forest_fire": Picture(("tree", "fire"), 91, at=(0, 30, 60, 90)),
    "garden": Picture(("soil", "fruit", "rain"), 360, 2, ("WATER", "WAIT", "PICK")),
    "gifts": Picture(("coins",), 300, 12, each=True),
    "hex": Picture(("low", "water"), 31, at=(0, 10, 20, 30), seed=2),
    "hidden_prey": Picture(("food", "name"), 600, 8, each=True, seed=3, policy=hunters),
    "job": Picture(("money", "missed", "hired"), 120),
    "kata": Picture(("points",), 120, 6, ("JAB", "HOOK", "UPPERCUT", *["WAIT"] * 4), each=True),
    "cellars": Picture(("torch", "in_corridor"), 900, actions=(), seed=3),
    "lessons": Picture(("hits", "stage"), 40, actions=("SHOOT",), seed=2),
    "market": Picture(("price", "bread"), 99, 12, each=True),
    "maze": Picture(("steps",), 119, 3, actions=(), each=True),
    "momentum": Picture(("x", "y", "heat"), 400),
    "moss": Picture(("scent", "moss"), 91, at=(0, 30, 60, 90), seed=3),
    "notice_board": Picture(("board", "left"), 200, 8, ("INTERACT",)),
    "oscillators": Picture(("left", "right"), 700),
    "potions": Picture(("left of calm", "left of swift", "left of lucky", "stacks of strong"), 200, seed=2),
    "predators": Picture(("hares", "lynxes"), 1500),
    "queue": Picture(("waiting",), 2000, 64, ("INTERACT",)),
    "reputation": Picture(("food",), 299, 8, ("SHARE", "SHARE", "KEEP"), each=True),
    "seasons": Picture(("fat", "asleep", "snow"), 1080, actions=("FORAGE",), seed=2),
    "sleep": Picture(("pressure", "asleep"), 384),
    "tag": Picture(("place", "left"), 150, 6, actions=()),
    "thermostat": Picture(("room", "wish"), 96, 6, ("WAIT",)),
    "tools": Picture(("wood", "axe", "warmth"), 300, actions=(), seed=4),
    "workshop": Picture(("wood", "stone", "axe"), 300, 6, WORK, seed=2),
    "vote": Picture(("money",), 60, 8, ("MORE", "LESS"), each=True),
    "wolves": Picture(("kills", "flock"), 100, 34, ("wolf.STALK", "sheep.GRAZE", "sheep.WATCH")),
}


def draw(name: str, picture: Picture) -> None:
    """Run the universe and write its picture."""
    env = hamlet.make(
        hamlet.compile(UNIVERSES / f"{name}.hamlet"), agents=picture.agents, seed=picture.seed, backend="interpreter"
    )
    shown = {value: _reader(env, value) for value in picture.values}
    rows: dict[str, list[torch.Tensor]] = {value: [] for value in shown}
    for tick in range(picture.ticks):
        actions = _actions(env, picture.actions, tick) if picture.policy is None else picture.policy(env, tick)
        env.step(actions, _controls(env, picture.hold))
        for value, read in shown.items():
            rows[value].append(read().clone())
    if picture.at:
        _maps(name, rows, picture.at, env)
        return
    figure, plots = pyplot.subplots(len(rows), 1, sharex=True, figsize=(6, 1.1 + 1.1 * len(rows)), squeeze=False)
    for plot, (value, values) in zip(plots[:, 0], rows.items(), strict=True):
        lines = torch.stack(values)
        plot.plot(lines if picture.each else lines.mean(dim=1), linewidth=1)
        plot.set_ylabel(value)
        plot.spines[["top", "right"]].set_visible(False)
    plots[-1, 0].set_xlabel("tick")
    figure.tight_layout()
    figure.savefig(HERE / f"{name}.png", dpi=72, metadata={"Software": None})
    pyplot.close(figure)


def _maps(name: str, rows: dict[str, list[torch.Tensor]], ticks: tuple[int, ...], env: Env) -> None:
    space = env.universe.space
    assert isinstance(space, hamlet.universe.Grid), "cells are on a grid"
    figure, plots = pyplot.subplots(len(rows), len(ticks), figsize=(1.6 * len(ticks), 1.7 * len(rows)), squeeze=False)
    for line, (value, values) in zip(plots, rows.items(), strict=True):
        for plot, tick in zip(line, ticks, strict=True):
            laid = values[tick].reshape(space.sizes[::-1])
            if space.metric == "hexagonal":
                down, right = torch.meshgrid(*map(torch.arange, laid.shape), indexing="ij")
                plot.scatter(right + down / 2, -down, c=laid, vmin=0, vmax=1, cmap="YlGn", marker="h", s=26)
            else:
                plot.imshow(laid, vmin=0, vmax=1, cmap="YlGn", interpolation="nearest")
            plot.set_xticks([])
            plot.set_yticks([])
            plot.set_xlabel(f"tick {tick + 1}" if line is plots[-1] else "")
        line[0].set_ylabel(value)
    figure.tight_layout()
    figure.savefig(HERE / f"{name}.png", dpi=72, metadata={"Software": None})
    pyplot.close(figure)


def _actions(env: Env, actions: tuple[str, ...], tick: int) -> torch.Tensor:
    if actions:
        return torch.full((env.num_lanes,), env.action_names.index(actions[tick % len(actions)]), dtype=torch.int32)
    walk = torch.randint(0, 4, (env.num_lanes,), generator=torch.Generator().manual_seed(tick), dtype=torch.int32)
    interact = env.action_names.index("INTERACT")
    return torch.where(env.action_mask[:, interact] & (tick % 3 > 0), interact, walk)


def _controls(env: Env, weights: Mapping[str, float]) -> torch.Tensor | None:
    if not weights:
        return None
    wanted = torch.stack([weight * env.meter(name) for name, weight in weights.items()]).sum(dim=0)
    return torch.minimum(torch.maximum(wanted, env.control_low), env.control_high).unsqueeze(0)


def _reader(env: Env, value: str) -> Callable[[], torch.Tensor]:
    return (lambda: env.reports[value]) if value in env.reports else (lambda: env.meter(value))


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        draw(name, PICTURES[name])
