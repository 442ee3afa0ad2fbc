"""First episodes of many worlds at once, each agent's by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from hamlet.env.environment import Env
from hamlet_minari.seats import Seats

Array: TypeAlias = np.ndarray[Any, Any]
Chosen: TypeAlias = tuple[torch.Tensor, torch.Tensor | None]


@dataclass(frozen=True, slots=True)
class Episode:
    """The first episode of an agent.

    Attributes:
        world, agent: the number of its world, and its own in there.
        observations, masks: of its ticks and after the last one, as their spaces have them, an element per row.
        actions: of its ticks.
        rewards: [ticks] f32; terminations, truncations: [ticks] bool.
        cut: whether it went on, and only the data set ends: its last truncation is none of the universe.
    """

    world: int
    agent: int
    observations: Any
    masks: Array
    actions: Any
    rewards: Array
    terminations: Array
    truncations: Array
    cut: bool

    def __len__(self) -> int:
        return len(self.rewards)


def played(env: Env, seats: Seats, choose: Callable[[], Chosen], ticks: int) -> Iterator[Episode]:
    """The episodes of these agents, world by world, in worlds that were reset; at most so many ticks of each. Agents
    that do not live at the beginning have none."""
    worlds = env.num_worlds
    lanes = (np.arange(worlds)[:, None] * env.num_agents + np.array(seats.agents)).reshape(-1)
    living = env.state["alive"].cpu().numpy()[lanes].copy()
    lengths = np.zeros(len(lanes), np.int64)
    rows: dict[str, list[Array]] = {"observation": [], "mask": []}
    going = living.copy()
    _note(rows, env, lanes)
    for _ in range(ticks):
        if not going.any():
            break
        actions, controls = choose()
        acted = {"action": actions.cpu().numpy()[lanes].copy()}
        if controls is not None:
            acted["controls"] = controls.cpu().numpy().T[lanes].copy()
        env.step(actions, controls)
        happened = {
            name: env.outcome[name].cpu().numpy()[lanes].copy() for name in ("reward", "terminated", "truncated")
        }
        for name, values in (acted | happened).items():
            rows.setdefault(name, []).append(values)
        _note(rows, env, lanes)
        lengths += going
        going &= ~(happened["terminated"] | happened["truncated"])
    stacked = {name: np.stack(each, axis=1) for name, each in rows.items()}
    for row, lane in enumerate(lanes):
        if living[row]:
            world, agent = divmod(int(lane), env.num_agents)
            yield _episode(env, seats, env.first_world + world, agent, stacked, row, int(lengths[row]))


def _note(rows: Mapping[str, list[Array]], env: Env, lanes: Array) -> None:
    """Note what agents see now."""
    assert env.observation is not None
    rows["observation"].append(env.observation.cpu().numpy()[lanes].copy())
    rows["mask"].append(env.action_mask.cpu().numpy()[lanes].copy())


def _episode(
    env: Env, seats: Seats, world: int, agent: int, rows: Mapping[str, Array], row: int, ticks: int
) -> Episode:
    """The episode of a row of what was noted."""
    terminations, truncations = rows["terminated"][row, :ticks], rows["truncated"][row, :ticks].copy()
    cut = not (terminations[-1] or truncations[-1])
    truncations[-1] |= cut
    controls = rows["controls"][row, :ticks] if "controls" in rows else None
    return Episode(
        world,
        agent,
        seats.handout.arrays(rows["observation"][row, : ticks + 1]),
        seats.masks(env, rows["mask"][row, : ticks + 1]),
        seats.acts(env, rows["action"][row, :ticks], controls),
        rows["reward"][row, :ticks],
        terminations,
        truncations,
        bool(cut),
    )
