"""The picture of two universes side by side: who is alive, returns, uses and ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hamlet_lab.diff.behaviour import Behaviour, Row
from hamletc.cli.plot import save

COLOURS = "tab:blue", "tab:orange"
MOST_BARS = 12


def draw(labels: tuple[str, str], behaviour: Behaviour, path: Path) -> None:
    """Draw what differs in behaviour, and where the universes part.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    bars = {
        "uses in a life": [row for row in behaviour.rows if row.name.startswith("uses of ")],
        "share of lives that ended by": [row for row in behaviour.rows if row.name.startswith("ended by ")],
    }
    most = max(2, *(min(len(rows), MOST_BARS) for rows in bars.values()))
    figure, panels = pyplot.subplots(
        2, 2, figsize=(9.6, 4.4 + 0.3 * most), layout="constrained", height_ratios=(3.4, 0.6 + 0.5 * most)
    )
    alive, returns = panels[0]
    for label, colour, shares, gained in zip(labels, COLOURS, behaviour.survival, behaviour.returns, strict=True):
        # Who has ended stays at 0, also where nothing was played any more.
        padded = [1.0, *shares, *[shares[-1] if shares else 0.0] * (behaviour.ticks - len(shares))]
        alive.step(range(len(padded)), padded, where="post", color=colour, label=label, linewidth=1.4)
        share = np.arange(len(gained) + 1) / len(gained)
        returns.step([gained[0], *gained], share, where="post", color=colour, label=label, linewidth=1.4)
    alive.set(xlabel="tick", ylabel="agents in their first life", ylim=(-0.02, 1.02), xlim=(0, _last(behaviour)))
    returns.set(xlabel="return of the first life", ylabel="share of agents up to it", ylim=(-0.02, 1.02))
    if behaviour.parting is not None and behaviour.parting.place.tick is not None:
        alive.axvline(behaviour.parting.place.tick, color="0.5", linewidth=0.8, linestyle=":")
        alive.annotate(
            "first parts",
            (behaviour.parting.place.tick, 0.02),
            (3, 0),
            textcoords="offset points",
            fontsize=7,
            color="0.4",
        )
    for panel, (title, rows) in zip(panels[1], bars.items(), strict=True):
        _bars(panel, title, rows)
    for panel in panels.flat:
        panel.tick_params(labelsize=8)
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
    figure.legend(*alive.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=9, frameon=False)
    save(figure, path)


def _bars(panel: Any, title: str, rows: list[Row]) -> None:
    """Both sides of each row as bars, with the interval of the difference at the right one."""
    chosen = sorted(rows, key=lambda row: -np.nanmax([row.left, row.right]))[:MOST_BARS]
    panel.set_title(title, fontsize=9, loc="left")
    if not chosen:
        panel.text(0.5, 0.5, "none", transform=panel.transAxes, ha="center", fontsize=9, color="0.5")
        panel.set(xticks=[], yticks=[])
        return
    height, places = 0.38, np.arange(len(chosen))
    for side, colour in enumerate(COLOURS):
        values = np.array([(row.left, row.right)[side] for row in chosen])
        panel.barh(places + (side - 0.5) * height, np.nan_to_num(values), height, color=colour, linewidth=0)
        for place, value in zip(places, values, strict=True):
            if not np.isfinite(value):
                panel.text(0, place + (side - 0.5) * height, " has none", va="center", fontsize=7, color=colour)
    halves = np.array([row.half if np.isfinite(row.half) else 0.0 for row in chosen])
    rights = np.nan_to_num(np.array([row.right for row in chosen]))
    panel.errorbar(rights, places + 0.5 * height, xerr=halves, fmt="none", ecolor="0.25", elinewidth=0.9)
    names = [row.name.removeprefix("uses of ").removeprefix("ended by ") for row in chosen]
    panel.set_yticks(places, names)
    panel.invert_yaxis()
    panel.set_xlim(left=0)


def _last(behaviour: Behaviour) -> int:
    """The tick after which nothing changes any more in either curve, and a little."""
    ends = [len(shares) - 1 if shares and shares[-1] > 0 else _ended(shares) for shares in behaviour.survival]
    return max(10, min(behaviour.ticks, int(1.05 * max(ends)) + 1))


def _ended(shares: tuple[float, ...]) -> int:
    return next((tick for tick, share in enumerate(shares) if share == 0), len(shares))
