"""A curriculum in a training: a part of the worlds that are through with it begin it anew.

Worlds go through their stages once, often within a few updates, and whoever is evaluated begins at the first stage. So
of all worlds one in `SHARE` is as it was in the beginning, as soon as an update finds it in the last stage; the others
stay there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from hamlet.env.environment import Env
from hamlet_train.exact.network import Array
from hamlet_train.kinds import STAGE, stages_of

SHARE = 4


@dataclass(frozen=True, slots=True)
class Curriculum:
    """A curriculum of an environment.

    Attributes:
        last: the number of its last stage.
        first: the numbers that worlds keep from episode to episode as they were in the beginning, [worlds] by name.
        mine: [worlds] bool, those that begin anew.
    """

    env: Env
    last: int
    first: Mapping[str, torch.Tensor]
    mine: torch.Tensor

    @classmethod
    def of(cls, env: Env) -> Curriculum | None:
        """The curriculum of worlds that have not begun; `None` in a universe without stages."""
        stages, world = stages_of(env.universe), env.universe.world
        if not stages or world is None:
            return None
        first = {each.name: env.meter(each.name).clone() for each in world.meters if each.kept}
        numbers = torch.arange(env.num_worlds, device=env.device) + env.first_world
        return cls(env, len(stages) - 1, first, numbers % SHARE == SHARE - 1)

    def begin_anew(self) -> Array | None:
        """The worlds [worlds] bool that have begun anew just now, if there are any."""
        over = (self.env.meter(STAGE) == self.last) & self.mine
        worlds = over.nonzero().flatten().tolist()
        if not worlds:
            return None
        for name, values in self.first.items():
            self.env.set(name, values[over], worlds=worlds)
        self.env.reset(worlds=over)
        began: Array = over.cpu().numpy()
        return began
