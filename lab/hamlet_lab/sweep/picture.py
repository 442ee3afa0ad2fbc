"""The picture of a sweep: lines with quartiles over one param, heat maps over two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hamlet_lab.sweep.grid import Axis, Grid
from hamlet_lab.sweep.table import Table
from hamletc.cli.plot import save
from hamletc.errors import CompileError

KINDS = ("return", "life")
UNITS = {"return": "return of an episode", "life": "life in ticks"}
GEOMETRIC = 1e-3
"""How far steps may be from having the same ratio for an axis to be logarithmic."""


def check_drawable(grid: Grid) -> None:
    """Raise `CompileError` unless one or two params vary."""
    if not 1 <= len(grid.varied) <= 2:
        names = ", ".join(axis.name for axis in grid.varied) or "none"
        raise CompileError(f"--plot: a picture is of one or two params that vary; here {names} vary")


def draw(title: str, grid: Grid, table: Table, path: Path) -> None:
    """Draw the medians of returns and of lives, and the quartiles where one param varies.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(9.2, 3.6), layout="constrained")
    for kind, panel in zip(KINDS, panels, strict=True):
        match grid.varied:
            case (axis,):
                _lines(panel, kind, axis, table)
            case (rows, columns):
                _map(figure, panel, kind, rows, columns, table)
            case _:
                check_drawable(grid)
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def _lines(panel: Any, kind: str, axis: Axis, table: Table) -> None:
    low, median, high = (_finite(table[f"{which} {kind}"]) for which in ("lower quartile", "median", "upper quartile"))
    order = np.argsort(axis.values, kind="stable")
    values = np.array(axis.values)[order]
    panel.fill_between(values, low[order], high[order], color="tab:blue", alpha=0.25, linewidth=0)
    panel.plot(values, median[order], color="tab:blue", marker="o", markersize=3, linewidth=1.4)
    panel.set(xlabel=axis.name, ylabel=UNITS[kind])
    if _geometric(values):
        panel.set_xscale("log")
    panel.grid(alpha=0.25, linewidth=0.5)
    panel.spines[["top", "right"]].set_visible(False)


def _map(figure: Any, panel: Any, kind: str, rows: Axis, columns: Axis, table: Table) -> None:
    values = _finite(table[f"median {kind}"]).reshape(len(rows.values), len(columns.values))
    up, right = (np.argsort(axis.values, kind="stable") for axis in (rows, columns))
    x, y = np.array(columns.values)[right], np.array(rows.values)[up]
    shown = panel.pcolormesh(x, y, values[np.ix_(up, right)], shading="nearest", cmap="viridis")
    panel.set(xlabel=columns.name, ylabel=rows.name)
    for values_of, scale in ((x, panel.set_xscale), (y, panel.set_yscale)):
        if _geometric(values_of):
            scale("log")
    figure.colorbar(shown, ax=panel, label=f"median {UNITS[kind]}")


def _finite(values: Any) -> Any:
    """Numbers that can be drawn: gaps where nothing was reached."""
    return np.where(np.isfinite(values), values, np.nan)


def _geometric(values: Any) -> bool:
    """Whether sorted numbers, at least three, have steps of the same ratio."""
    if len(values) < 3 or values[0] <= 0:
        return False
    ratios = values[1:] / values[:-1]
    return bool(abs(ratios - ratios.mean()).max() < GEOMETRIC * ratios.mean())
