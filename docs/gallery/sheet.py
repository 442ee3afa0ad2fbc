"""python docs/gallery/sheet.py: the contact sheet of docs/gallery.md, with a picture of each shipped universe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import image

import hamlet
from hamlet_look.pixels import Pixels

HERE = Path(__file__).parent
UNIVERSES = HERE.parents[1] / "universes"
TICKS = 20
AGENTS = {"alarm": 4, "epidemic": 120, "garden": 3, "gifts": 9, "market": 3, "shifts": 2, "thermostat": 5, "vote": 6}
"""Agents of a world, where one would show little."""
ACROSS = 4
WIDE, HIGH = 450, 270
"""Pixels of a picture on the sheet."""


def board(path: Path) -> Pixels:
    """A world of a universe after some ticks of random play, [height, width, 3] u8."""
    agents = AGENTS.get(path.stem)
    env = hamlet.make(hamlet.compile(path), worlds=1, agents=agents, seed=1, backend="interpreter", quiet=True)
    env.rollout(TICKS)
    pixels = env.render("rgb_array")
    assert isinstance(pixels, np.ndarray), "pixels are an array"
    return pixels


def picture(path: Path) -> Pixels:
    """A board, smaller, [HIGH, WIDE, 3] u8."""
    pixels = board(path)
    times = max(2, -(-pixels.shape[0] // HIGH), -(-pixels.shape[1] // WIDE))
    height, width = (size // times for size in pixels.shape[:2])
    blocks = pixels[: times * height, : times * width].reshape(height, times, width, times, 3)
    framed = np.full((HIGH, WIDE, 3), 255, np.uint8)
    framed[:height, :width] = blocks.mean(axis=(1, 3)).astype(np.uint8)
    framed[-1:], framed[:, -1:] = 220, 220
    return framed


def main() -> None:
    """Write docs/gallery.png."""
    paths = [*sorted(UNIVERSES.glob("*.hamlet")), *sorted((UNIVERSES / "gallery").glob("*.hamlet"))]
    pictures = [picture(path) for path in paths]
    pictures += [np.full((HIGH, WIDE, 3), 255, np.uint8)] * (-len(pictures) % ACROSS)
    rows = [np.concatenate(pictures[n : n + ACROSS], axis=1) for n in range(0, len(pictures), ACROSS)]
    image.imsave(HERE.parent / "gallery.png", np.concatenate(rows), metadata={"Software": ""})


if __name__ == "__main__":
    main()
