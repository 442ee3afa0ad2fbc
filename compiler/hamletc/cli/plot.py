"""The picture of a run: every meter over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hamletc.errors import CompileError


@dataclass(frozen=True, slots=True)
class Sample:
    """The meters of all agents alive at one tick: mean, 10% and 90% quantile of each meter in file order; NaN where
    nobody is."""

    tick: int
    means: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]


def write_meters(title: str, names: Sequence[str], samples: Sequence[Sample], path: Path) -> None:
    """Draw the meters over time into a PNG, one small panel each: mean, and the band that holds the middle 80%.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    columns = min(len(names), 4) or 1
    rows = -(-len(names) // columns) or 1
    figure, panels = pyplot.subplots(
        rows, columns, figsize=(3.2 * columns, 2.1 * rows + 0.5), sharex=True, squeeze=False, layout="constrained"
    )
    ticks = [sample.tick for sample in samples]
    for index, panel in enumerate(panels.flat):
        if index >= len(names):
            panel.set_visible(False)
            continue
        panel.fill_between(
            ticks,
            [sample.lows[index] for sample in samples],
            [sample.highs[index] for sample in samples],
            color="tab:blue",
            alpha=0.25,
            linewidth=0,
        )
        panel.plot(ticks, [sample.means[index] for sample in samples], color="tab:blue", linewidth=1.4)
        panel.set_title(names[index], fontsize=10)
        panel.tick_params(labelsize=8)
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
        if index + columns >= len(names):
            panel.set_xlabel("tick", fontsize=9)
            panel.tick_params(labelbottom=True)
    figure.suptitle(title if names else f"{title}\n(agents have no meters)", fontsize=11)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Write a figure of pyplot as a PNG, or as an SVG where the path ends in .svg, and close it. The bytes depend on
    nothing but what it shows.

    Raises:
        CompileError: it cannot be written there.
    """
    from matplotlib import pyplot

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = "Date" if path.suffix == ".svg" else "Software"
        with pyplot.rc_context({"svg.hashsalt": "hamletc", "svg.fonttype": "none"}):
            figure.savefig(path, dpi=110, metadata={made: None})
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from error
    finally:
        pyplot.close(figure)
