"""Universes of the gallery in which cells spread, held to what is known of such processes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor
from watch import GALLERY, always, make

import hamlet
from hamlet.env.environment import Env


def laid_out(env: Env, meter: str) -> Tensor:
    """A meter of cells, [worlds, ..., y, x]."""
    space = env.universe.space
    assert isinstance(space, hamlet.universe.Grid)
    return env.meter(meter).T.reshape(env.num_worlds, *space.sizes[::-1]).clone()


def widened(cells: Tensor) -> Tensor:
    """These cells (bool) and those beside them."""
    found = cells.clone()
    for axis in range(1, cells.dim()):
        size = cells.shape[axis]
        found.narrow(axis, 1, size - 1).logical_or_(cells.narrow(axis, 0, size - 1))
        found.narrow(axis, 0, size - 1).logical_or_(cells.narrow(axis, 1, size - 1))
    return found


def test_a_fire_burns_what_hangs_together_and_comes_through_above_the_threshold() -> None:
    came_through = {}
    for density in (0.5, 0.7):
        env = make("forest_fire", worlds=24)
        env.reset(params={"density": density})
        trees = laid_out(env, "tree") > 0
        assert abs(float(trees.float().mean()) - density) < 0.01  # 55,296 cells
        burns = trees & (torch.arange(48) == 0)
        while not torch.equal(burns, grown := widened(burns) & trees):
            burns = grown
        wait = always("WAIT")
        for tick in range(450):
            env.step(wait(env, tick))
            if not env.meter("fire").any():
                break
        # Exactly the trees that hang together with those on the left.
        assert torch.equal(laid_out(env, "tree") > 0, trees & ~burns)
        came_through[density] = float(burns[:, :, -1].any(dim=1).float().mean())
    # Site percolation on a square lattice: the threshold is at 0.5927 (M. E. J. Newman, R. M. Ziff, 2000). On 48 x 48
    # cells the share that is crossed goes from 0 to 1 between about 0.53 and 0.65.
    assert came_through[0.5] < 0.1
    assert came_through[0.7] > 0.9


@pytest.mark.parametrize("space", ["24 x 24", "5 x 4 x 5 x 4 x 5"])
def test_moss_creeps_a_cell_in_a_tick_to_where_food_is_smelled_in_any_dimensions(space: str, tmp_path: Path) -> None:
    lines = (GALLERY / "moss.hamlet").read_text().splitlines()
    assert lines[3] == "space grid 24 x 24 { starts anywhere }"
    lines[3] = f"space grid {space} {{ starts anywhere }}"
    path = tmp_path / "moss.hamlet"
    path.write_text("\n".join(lines))
    env = hamlet.make(hamlet.compile(path, tmp_path / "moss"), worlds=4, seed=3, backend="interpreter", quiet=True)
    env.reset()
    food, moss = laid_out(env, "food") > 0, laid_out(env, "moss") > 0
    smelled, reached, wait = torch.zeros_like(food), moss, always("WAIT")
    for tick in range(40):
        env.step(wait(env, tick))
        # What is smelled goes one cell far in a tick, and so does moss, where something is smelled: exactly.
        smelled, reached = food | widened(smelled), widened(reached)
        scent, moss = laid_out(env, "scent"), laid_out(env, "moss")
        assert torch.equal(scent > 0, smelled)
        assert not (moss > 0)[~reached].any()
    # Where food is it takes in more than the 0.01 that it loses. Far from there it has lost that in most ticks.
    assert moss[food].mean() > 1.5 * moss[~widened(widened(food))].mean()
