"""python docs/gallery/sheet.py: the contact sheets of docs/gallery.md and docs/ports.md, with a picture of each shipped
universe."""

from __future__ import annotations

from collections.abc import Sequence
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
LONG = {"virus": 460}
"""Ticks where there is little to see before."""
ACROSS = 4
WIDE, HIGH = 450, 270
"""Pixels of a picture on the sheet."""


def board(path: Path) -> Pixels:
    """A world of a universe after some ticks of random play, [height, width, 3] u8."""
    agents = AGENTS.get(path.stem)
    env = hamlet.make(hamlet.compile(path), worlds=1, agents=agents, seed=1, backend="interpreter", quiet=True)
    env.rollout(LONG.get(path.stem, TICKS))
    pixels = env.render("rgb_array")
    assert isinstance(pixels, np.ndarray), "pixels are an array"
    return pixels


def picture(path: Path) -> Pixels:
    """A board, smaller, [at most HIGH, WIDE, 3] u8."""
    pixels = board(path)
    times = max(2, -(-pixels.shape[0] // HIGH), -(-pixels.shape[1] // WIDE))
    height, width = (size // times for size in pixels.shape[:2])
    blocks = pixels[: times * height, : times * width].reshape(height, times, width, times, 3)
    framed = np.full((height, WIDE, 3), 255, np.uint8)
    framed[:, :width] = blocks.mean(axis=(1, 3)).astype(np.uint8)
    return framed


def row(pictures: Sequence[Pixels]) -> Pixels:
    """Pictures side by side, [as high as the highest, ACROSS * WIDE, 3] u8, with lines between."""
    framed = np.full((max(len(each) for each in pictures) + 1, ACROSS * WIDE, 3), 255, np.uint8)
    for number, each in enumerate(pictures):
        framed[: len(each), number * WIDE : (number + 1) * WIDE] = each
    framed[-1:], framed[:, WIDE - 1 :: WIDE] = 220, 220
    return framed


def sheet(paths: Sequence[Path], to: Path) -> None:
    """Write a picture of each universe to a file."""
    pictures = [picture(path) for path in paths]
    rows = [row(pictures[n : n + ACROSS]) for n in range(0, len(pictures), ACROSS)]
    image.imsave(to, np.concatenate(rows), metadata={"Software": ""})


def main() -> None:
    """Write docs/gallery.png and docs/ports.png."""
    ours = [*sorted(UNIVERSES.glob("*.hamlet")), *sorted((UNIVERSES / "gallery").glob("*.hamlet"))]
    sheet(ours, HERE.parent / "gallery.png")
    sheet(sorted((UNIVERSES / "ports").glob("*.hamlet")), HERE.parent / "ports.png")


if __name__ == "__main__":
    main()
