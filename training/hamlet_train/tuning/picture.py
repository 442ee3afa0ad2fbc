"""The picture of a tuning: how candidates fared on each rung, and which numbers of a setting went with that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hamlet_train.tuning.kept import Tuned
from hamlet_train.tuning.space import written

COLUMNS = 5
"""Small panels beside each other."""


def write_picture(title: str, tuned: Tuned, path: Path) -> None:
    """Draw a PNG: above, the mean of each candidate over its agent-ticks, beside those who learn nothing; beneath, for
    each setting that was searched, the means after the first rung by its numbers.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import EngFormatter, NullFormatter

    from hamletc.cli.plot import save

    ranking, settings = tuned.ranking, searched(tuned)
    rows = -(-len(settings) // COLUMNS)
    figure = pyplot.figure(figsize=(10, 4 + 1.9 * rows), layout="constrained")
    grid = figure.add_gridspec(1 + rows, COLUMNS, height_ratios=[2.2] + [1.0] * rows)
    above = figure.add_subplot(grid[0, :])
    labelled = False
    for place, each in reversed(list(enumerate(ranking))):
        colour = "C0" if place == 0 else "C1" if each.is_usual else "0.7"
        label = ("the best" if place == 0 else None, "the defaults" if each.is_usual else None)
        said = ": ".join(filter(None, label)) or ("others" if colour == "0.7" and not labelled else None)
        labelled = labelled or said == "others"
        ticks, means = [one.ticks for one in each.scores], [one.mean.value for one in each.scores]
        width, order = (0.8, 2) if colour == "0.7" else (1.6, 3)
        above.plot(ticks, means, color=colour, linewidth=width, marker=".", label=said, zorder=order)
    for (name, mean), style in zip(tuned.references.items(), ("--", ":"), strict=True):
        above.axhline(mean.value, color="black", linewidth=1, linestyle=style, label=name)
    above.set_xscale("log")
    above.set_xticks(tuned.search.rungs.ticks)
    above.xaxis.set_major_formatter(EngFormatter(places=0, sep=" "))
    above.xaxis.set_minor_formatter(NullFormatter())
    above.set_xlabel("agent-ticks of a candidate", fontsize=9)
    above.set_title(f"mean {tuned.search.worlds.measure} of first episodes", fontsize=10)
    above.legend(fontsize=8, frameon=False)
    for index, name in enumerate(settings):
        _draw(figure.add_subplot(grid[1 + index // COLUMNS, index % COLUMNS]), name, tuned)
    for panel in figure.axes:
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=8)
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def searched(tuned: Tuned) -> list[str]:
    """The settings that differ among candidates."""
    every = [each.manifest.settings for each in tuned.ranking]
    return [name for name in type(every[0]).__slots__ if len({getattr(each, name) for each in every}) > 1]


def _draw(panel: Any, name: str, tuned: Tuned) -> None:
    values = sorted({getattr(each.manifest.settings, name) for each in tuned.ranking})
    for each in tuned.ranking:
        place = values.index(getattr(each.manifest.settings, name))
        colour = "C0" if each is tuned.best else "C1" if each.is_usual else "0.6"
        panel.plot(place, each.scores[0].mean.value, ".", color=colour, zorder=3 if colour != "0.6" else 2)
    panel.set_xticks(range(len(values)), [written(value) for value in values], rotation=45)
    panel.set_xlim(-0.5, len(values) - 0.5)
    panel.set_title(name, fontsize=9)
