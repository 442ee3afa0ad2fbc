"""Looking at an environment: text, pixels, figures, and what a notebook shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from hamlet import html
from hamlet.arguments import whole, word
from hamlet.env.attributes import Attributes
from hamlet.env.keep.state import TICK_LIMIT
from hamlet.env.looking import view_of
from hamlet.env.view import View, is_shown

RENDER_MODES = ("ansi", "rgb_array")
MANY = 12
"""Actions that a table in a notebook names."""


class Pictured(Attributes):
    """Pictures of worlds."""

    def view(self, world: int = 0) -> View:
        """A view of a world now: its space, affordances, agents and meters.

        Raises:
            EnvError: there is no world of this number, 0 .. num_worlds - 1.

        Example:
            print(env.view(0).players[0].meters)
        """
        number = whole(world, 0, self.num_worlds - 1, f"a world is a number in 0 .. {self.num_worlds - 1}")
        return view_of(self.universe, self._present().buffers, number, self.tick, self._acted())

    def _acted(self) -> torch.Tensor | None:
        """The actions of the last tick, [lanes], where they are known."""
        match self._now.acted:
            case "drawn":
                return self._policy_words((self.tick - 1) % TICK_LIMIT) * self.num_actions >> 32
            case int() as action:
                return torch.tensor([action])
            case acted:
                return acted

    def render(self, mode: str = "ansi", world: int = 0) -> str | np.ndarray[Any, np.dtype[np.uint8]]:
        """A picture of a world: its grid or graph, what cells have and what lies there, agents, meters as bars, and
        whether affordances are open, closed or away.

        Args:
            mode: "ansi", a text with colours for a terminal, or "rgb_array", [height, width, 3] u8, of a size that
                stays the same.
            world: the number of the world, 0 .. num_worlds - 1.

        Raises:
            EnvError: there is no such mode, or no such world.

        Example:
            print(env.render("ansi", world=0))
        """
        from hamlet_look.paint import painted
        from hamlet_look.text import drawn

        chosen, seen = word("render mode", mode, RENDER_MODES), self.view(world)
        return drawn(seen) if chosen == "ansi" else painted(seen)

    def plot(self, world: int = 0) -> Any:
        """A figure of matplotlib with a world's picture and, beside it, each meter over all living agents: the mean,
        and the bands that hold the middle half and the middle 80%. `figure.savefig("town.png")` writes it, and a
        notebook shows it.

        Raises:
            EnvError: there is no such world.
        """
        from hamlet_look.plot import figure

        seen, alive = self.view(world), self._buffers.state["alive"]
        shown = [row for row, meter in enumerate(self.universe.meters) if is_shown(meter)]
        return figure(repr(self), seen, self._buffers.state["meters"][:, alive][shown].cpu().numpy())

    def _repr_html_(self) -> str:
        rows = {
            "worlds x agents": f"{self.num_worlds:,} x {self.num_agents:,}",
            "runs on": self.choice,
            "seed, tick": f"{self.seed}, {self.tick:,}",
            "observes": f"{len(self.observation_names):,} values",
            "actions": ", ".join(self.action_names[:MANY]) + (", ..." if self.num_actions > MANY else ""),
        }
        return html.table(f"Env of {self.universe.name}", rows)
