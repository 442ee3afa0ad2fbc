"""Hidden prey, held to a theory that is computed here. Tolerances are of statistics."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor
from watch import Policy, make, watch

from hamlet.env.environment import Env

SIDE, HUNT, HUNTERS = 10, 40, 12


def hunting(tellers: int) -> Policy:
    """All walk at random, or where they are told to; the first so many of each world tell before they eat."""

    def policy(env: Env, tick: int) -> Tensor:
        drawn = torch.Generator().manual_seed(tick)
        up, left, interact, tell = (env.action_names.index(name) for name in ("UP", "LEFT", "INTERACT", "TELL"))
        east, south = env.meter("east").flatten(), env.meter("south").flatten()
        action = torch.randint(0, 4, (env.num_lanes,), generator=drawn)
        action = torch.where(south != 0, up + (south > 0).int(), action)
        action = torch.where(east != 0, left + (east > 0).int(), action)
        tells = torch.arange(env.num_lanes) % env.num_agents < tellers
        action = torch.where(env.action_mask[:, interact], interact, action)
        return torch.where(env.action_mask[:, tell] & tells, tell, action).to(torch.int32)

    return policy


def expected(hunters: int) -> float:
    """The share of so many hunters who tell each other that eats in a hunt: random walks from anywhere on a torus.

    Who comes to the herd first, after n moves, tells in the next tick. Others have moved twice more when they know the
    way, and each that is as far as d has the d ticks and one to eat.
    """
    axis = np.minimum(np.arange(SIDE), SIDE - np.arange(SIDE))
    far = axis[:, None] + axis[None, :]
    # By the number of moves: where those are who have not met the herd, which stands at (0, 0).
    apart = [np.full((SIDE, SIDE), 1 / SIDE**2)]
    apart[0][0, 0] = 0
    for _ in range(HUNT):
        moved = sum(np.roll(apart[-1], step, axis) for step in (1, -1) for axis in (0, 1)) / 4
        moved[0, 0] = 0
        apart.append(moved)
    missed = [1.0, *(float(place.sum()) for place in apart)]
    last, share = HUNT - 1, 0.0
    if hunters == 1:
        return 1 - missed[last + 1]
    for moves in range(last):
        before, after = missed[moves], missed[moves + 1]
        # This one is the first, or comes with the first.
        share += (before - after) * before ** (hunters - 1)
        known = min(moves + 2, last)
        met = after - missed[known + 1]
        told = apart[known][far <= last - known].sum() if moves + 2 <= last else 0.0
        share += (before ** (hunters - 1) - after ** (hunters - 1)) * (met + float(told))
    return share


@pytest.mark.parametrize(("asked", "tellers", "hunters"), [(4.0, 0, 1), (1.0, HUNTERS, HUNTERS)])
def test_who_is_told_finds_what_random_walks_find_together(asked: float, tellers: int, hunters: int) -> None:
    env = make("hidden_prey", worlds=200, agents=HUNTERS)
    env.params["asked"].fill_(asked)
    # A hunt lasts from the tick after hour 0 to the next one.
    ate = (watch(env, HUNT + 1, hunting(tellers)).used[1:] == 0).any(dim=0).double()
    # The hunters of a world share its herd, so worlds are what is drawn.
    error = float(ate.mean(dim=1).std()) / env.num_worlds**0.5
    assert error < 0.03
    assert abs(float(ate.mean()) - expected(hunters)) < 3 * error


def test_a_good_name_keeps_alive_where_it_is_asked_for() -> None:
    tellers = HUNTERS * 3 // 4
    telling, silent = {}, {}
    for asked in (0.0, 1.0):
        env = make("hidden_prey", worlds=24, agents=HUNTERS)
        env.params["asked"].fill_(asked)
        watch(env, 500, hunting(tellers))
        first = (env.state["episode"] == env.state["episode"].min()).unsqueeze(1)
        alive = (env.state["alive"].reshape(-1, HUNTERS) & first).double()
        telling[asked], silent[asked] = alive[:, :tellers].mean(dim=0), alive[:, tellers:].mean(dim=0)
    # Whom tellers tell changes nothing for themselves, so without names silence costs nothing: a free ride.
    assert torch.equal(telling[0.0], telling[1.0])
    assert silent[0.0].mean() > 0.9 * telling[0.0].mean()
    # With names the silent have lost theirs one by one, and alone they find a quarter of what they need.
    assert telling[1.0].mean() > 2 * silent[1.0].mean()
    assert telling[1.0].mean() > 0.5
