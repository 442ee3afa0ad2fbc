"""A life as a film that a page shows tick by tick: pictures, actions, rewards."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

import numpy as np
from PIL import Image

from hamlet.env.environment import Env
from hamlet_train.collect import Choice
from hamlet_train.evaluate import Chooser
from hamlet_train.report.followed import action_names, followed

FRAMES = 80
"""Pictures of a film, at most."""
COLOURS = 48
"""Colours of a picture: those of the first one of a life."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture, and what happened up to it.

    Attributes:
        tick: its number; 0 is the beginning.
        action: the name of the last action; empty at the beginning. controls: what was given with it.
        reward: since the picture before. returned: of the life so far.
        image: a PNG in base64.
    """

    tick: int
    action: str
    controls: str
    reward: float
    returned: float
    image: str


@dataclass(frozen=True, slots=True)
class Life:
    """A life that was filmed.

    Attributes:
        name: which one it is: the best, a median, the worst.
        world, agent: whose it is. seed: of its world.
        length, returned, ended: how long it was, its return, and how it ended.
    """

    name: str
    world: int
    agent: int
    seed: int
    length: int
    returned: float
    ended: str
    shots: tuple[Shot, ...]


def filmed(name: str, env: Env, choose: Chooser, agent: int, length: int) -> Life:
    """Film an agent of an environment of one world, whose life is known to have this length."""
    every, names = max(-(-length // FRAMES), 1), action_names(env)
    pictures = _Pictures(env)
    shots = [Shot(0, "", "", 0.0, 0.0, pictures.now())]
    gained = since = 0.0
    over = False

    def tell(tick: int, choice: Choice) -> None:
        nonlocal gained, since, over
        if over:
            return
        reward = float(env.outcome["reward"][agent])
        gained, since = gained + reward, since + reward
        over = bool(env.outcome["terminated"][agent] | env.outcome["truncated"][agent])
        if tick % every == 0 or over:
            controls = ""
            if choice[1] is not None:
                pairs = zip(env.control_names, choice[1][:, agent].tolist(), strict=True)
                controls = ", ".join(f"{control} {value:.3g}" for control, value in pairs)
            # A world that begins anew shows its next episode already.
            image = "" if over and env.num_agents == 1 and not env.universe.by_hand else pictures.now()
            action = names[int(choice[0][agent])]
            shots.append(Shot(tick, action, controls, since, gained, image or shots[-1].image))
            since = 0.0

    course = followed(env, choose, length, tell).episodes
    ending = int(course.endings[agent])
    ended = course.ways[ending] if ending >= 0 else "not ended"
    return Life(name, env.first_world, agent, env.seed, int(course.lengths[agent]), gained, ended, tuple(shots))


class _Pictures:
    """Pictures of world 0, as PNG in base64."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._palette = _drawn(env).quantize(COLOURS)

    def now(self) -> str:
        """The picture of the present tick."""
        memory = io.BytesIO()
        image = _drawn(self._env).quantize(palette=self._palette, dither=Image.Dither.NONE)
        image.save(memory, "PNG", compress_level=6)
        return base64.b64encode(memory.getvalue()).decode("ascii")


def _drawn(env: Env) -> Image.Image:
    frame = env.render("rgb_array")
    assert isinstance(frame, np.ndarray)
    return Image.fromarray(frame)
