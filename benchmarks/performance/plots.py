"""The plots of docs/performance.md."""

from __future__ import annotations

from pathlib import Path

from reports import Report

COLOURS = {"none": "tab:blue", "float32": "tab:orange"}
LABELS = {"agents": "agents", "meters": "meters", "affordances": "affordances", "ticks": "ticks per launch"}


def draw_scaling(report: Report, backend: str, folder: Path) -> None:
    """A plot for each sweep: points with their spread and the model as a line; below it the bytes of an agent-tick."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(exist_ok=True)
    for sweep, rows in report["sweeps"].items():
        figure, (rates, moved) = pyplot.subplots(
            2, 1, figsize=(6, 4.6), sharex=True, height_ratios=(3, 1), layout="constrained"
        )
        for observed, colour in COLOURS.items():
            line = [row for row in rows if row["observed"] == observed]
            values = [row["value"] for row in line]
            medians = [row["median"] for row in line]
            reach = [
                [row["median"] - row["slowest"] for row in line],
                [row["fastest"] - row["median"] for row in line],
            ]
            way = "steps" if line[0]["launch"] == "step" else "rollouts"
            name = f"{way}, {'no observations' if observed == 'none' else 'f32 observations'}"
            rates.errorbar(values, medians, reach, fmt="o", color=colour, markersize=4, capsize=3, label=name)
            rates.plot(values, [row["model"] for row in line], color=colour, linewidth=1, alpha=0.7, label="its model")
            moved.plot(values, [row["bytes"] for row in line], color=colour, marker=".", linewidth=1)
        rates.set(yscale="log", ylabel="agent-ticks per second", title=f"{backend}: {LABELS[sweep]}")
        moved.set(xscale="log", yscale="log", xlabel=LABELS[sweep], ylabel="bytes per\nagent-tick")
        for panel in (rates, moved):
            panel.grid(alpha=0.25, linewidth=0.5)
            panel.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside lower center", ncols=2, fontsize=7, frameon=False)
        figure.savefig(folder / f"{backend}_{sweep}.png", dpi=80, metadata={"Software": None})
        pyplot.close(figure)
