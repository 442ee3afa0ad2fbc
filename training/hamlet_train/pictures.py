"""What a training ends with: its curve, and an episode as a film."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hamlet.env.environment import Env
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Chooser
from hamlet_train.ppo import Progress

FRAMES = 200
MILLISECONDS = 100
"""A film has at most so many frames, each shown for so long."""


def write_curve(title: str, lines: Sequence[Progress], path: Path) -> None:
    """Draw the length and the return of episodes over the ticks of training into a PNG.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from hamletc.cli.plot import save

    figure, (lengths, returns) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    ticks = [line.ticks for line in lines]
    length, spread = (np.array([getattr(line, name) for line in lines]) for name in ("length", "spread"))
    lengths.fill_between(ticks, length - spread, length + spread, color="tab:blue", alpha=0.25, linewidth=0)
    lengths.plot(ticks, length, color="tab:blue", linewidth=1.4)
    returns.plot(ticks, [line.returned for line in lines], color="tab:blue", linewidth=1.4)
    lengths.set_title("length of episodes: mean and standard deviation", fontsize=10)
    returns.set_title("mean return", fontsize=10)
    for panel in (lengths, returns):
        panel.set_xlabel("ticks of agents", fontsize=9)
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def write_film(env: Env, choose: Chooser, path: Path) -> int:
    """Draw world 0 tick by tick until its episode ends into a GIF; how many ticks it shows.

    Raises:
        TrainError: the file cannot be written.
    """
    from PIL import Image

    frames = [Image.fromarray(_frame(env))]
    episode = int(env.state["episode"][0])
    while len(frames) < FRAMES:
        env.step(*choose())
        if int(env.state["episode"][0]) != episode:
            break
        frames.append(Image.fromarray(_frame(env)))
    palette = frames[0].quantize(64)
    shown = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    try:
        shown[0].save(path, save_all=True, append_images=shown[1:], duration=MILLISECONDS, loop=0)
    except OSError as error:
        raise TrainError(f"cannot write {path}: {error.strerror}") from error
    return len(frames) - 1


def _frame(env: Env) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    frame = env.render("rgb_array")
    assert isinstance(frame, np.ndarray)
    return frame
