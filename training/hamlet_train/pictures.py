"""Pictures at the end of a training: its curve, and an episode as a film."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hamlet.env.environment import Env
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Chooser
from hamlet_train.evaluation import Evaluated, of_chance, trained

FRAMES = 200
MILLISECONDS = 100
"""A film has at most so many frames, each shown for so long."""


def write_curve(title: str, evaluations: Sequence[Evaluated], path: Path) -> None:
    """Draw the lengths and returns of evaluations over the agent-ticks of training into a PNG: means, a band from the
    lower to the upper quartile, and random actions as a dashed line; a colour for each role.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import EngFormatter

    from hamletc.cli.plot import save

    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, name, what in zip(
        panels, ("length", "returned"), ("length of episodes, ticks", "return of episodes"), strict=True
    ):
        _draw(panel, evaluations, name)
        panel.set_title(what, fontsize=10)
        panel.set_xlabel("agent-ticks of training", fontsize=9)
        panel.xaxis.set_major_formatter(EngFormatter(sep=" "))
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
    roles = max((len(each.fared) for each in evaluations), default=1)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    figure.set_figheight(3.6 + 0.2 * roles)
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def _draw(panel: Any, evaluations: Sequence[Evaluated], name: str) -> None:
    points, chance = trained(evaluations), of_chance(evaluations)
    ticks = [point.ticks for point in points]
    for number, fared in enumerate(points[-1].fared if points else ()):
        middles = [getattr(point.fared[number], name) for point in points]
        colour, role = f"C{number}", fared.role or "policy"
        lower, upper = ([getattr(middle, end) for middle in middles] for end in ("lower", "upper"))
        panel.fill_between(ticks, lower, upper, color=colour, alpha=0.2, linewidth=0, label=f"{role}, quartiles")
        means = [middle.mean for middle in middles]
        panel.plot(ticks, means, color=colour, linewidth=1.4, marker=".", markersize=4, label=f"{role}, mean")
        if chance is not None:
            level = getattr(chance.fared[number], name).mean
            label = f"{fared.role}, random actions" if fared.role else "random actions"
            panel.axhline(level, color=colour if fared.role else "black", linewidth=1, linestyle="--", label=label)


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
