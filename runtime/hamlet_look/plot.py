"""A world and the meters of all agents as a figure of matplotlib, which is imported when one is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.env.view import View
from hamlet_look.paint import painted

BANDS = ((10, 90, 0.2), (25, 75, 0.35))
"""Percentiles of a band, and how dark it is."""


def figure(title: str, view: View, meters: np.ndarray[Any, Any]) -> Any:
    """The picture of a world beside the meters [meters, living agents] of all worlds: their mean, and bands that hold
    the middle half and the middle 80%."""
    from hamlet_look.figures import ShownFigure

    pixels, bars = painted(view), view.players[0].meters
    result = ShownFigure(figsize=(11, 0.5 + 11 * 0.62 * pixels.shape[0] / pixels.shape[1]), layout="constrained")
    picture, panel = result.subplots(1, 2, width_ratios=(2.2, 1))
    picture.imshow(pixels)
    picture.axis("off")
    rows = np.arange(len(bars))
    low, high = (np.array([getattr(bar, end) for bar in bars]).reshape(-1, 1) for end in ("low", "high"))
    shares = (meters - low) / np.where(high > low, high - low, 1.0)
    if shares.shape[1]:
        for begin, end, dark in BANDS:
            least, most = np.percentile(shares, (begin, end), axis=1)
            panel.barh(rows, most - least, left=least, height=0.7, color="tab:blue", alpha=dark, linewidth=0)
        panel.plot(shares.mean(axis=1), rows, "|", color="black", markersize=12)
    panel.set_yticks(rows, [f"{bar.name}  {bar.low:g}..{bar.high:g}" for bar in bars])
    panel.set_xlim(-0.02, 1.02)
    panel.invert_yaxis()
    panel.set_xlabel("share of its bounds, all living agents")
    panel.spines[["top", "right"]].set_visible(False)
    result.suptitle(title, fontsize=10)
    return result
