"""The picture of a trace: each meter over ticks, and what every construct changed of it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from hamlet_lab.trace.changes import Trace
from hamlet_lab.trace.told import MANY, name_of
from hamletc.cli.plot import save

MOST_PANELS = 12
MOST_CONSTRUCTS = 9
"""Constructs with colours of their own in a panel: those that changed most."""


def draw(trace: Trace, path: Path) -> None:
    """Draw the numbers that changed, one panel each: a line, and under it a bar for each change, by construct.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    series = _series(trace)
    figure, panels = pyplot.subplots(
        len(series) or 1, 1, figsize=(9.5, 1.9 * (len(series) or 1) + 0.6), sharex=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for panel, (state, changes) in zip(panels[:, 0], series.items(), strict=False):
        moved: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for tick, construct, before, after in changes:
            moved[construct][tick] += after - before
        order = sorted(moved, key=lambda name: -sum(map(abs, moved[name].values())))
        above, below = defaultdict[int, float](float), defaultdict[int, float](float)
        for number, construct in enumerate(order):
            colour = f"C{number}" if number < MOST_CONSTRUCTS else "0.7"
            for place, (tick, by) in enumerate(moved[construct].items()):
                stack = above if by > 0 else below
                label = construct if place == 0 and number < MOST_CONSTRUCTS else None
                panel.bar(tick, by, bottom=stack[tick], width=0.9, color=colour, label=label, linewidth=0)
                stack[tick] += by
        panel.axhline(0, color="0.6", linewidth=0.5)
        line = panel.twinx()
        ticks, values = _line(trace, changes)
        line.step(ticks, values, where="post", color="black", linewidth=1.2)
        line.tick_params(labelsize=7)
        panel.set_title(name_of(state), fontsize=10, loc="left")
        panel.tick_params(labelsize=7)
        panel.spines[["top"]].set_visible(False)
        panel.legend(fontsize=6, ncols=4, loc="lower right", bbox_to_anchor=(1, 1), frameon=False, borderpad=0)
    panels[-1, 0].set_xlabel("tick", fontsize=9)
    course = trace.course
    figure.suptitle(f"{course.label}: world {course.world}, agent {trace.agent}", fontsize=11)
    save(figure, path)


def _series(trace: Trace) -> dict[str, list[tuple[int, str, float, float]]]:
    """The changes of numbers, by state, in the order of the first change: tick, construct, before, after."""
    series: dict[str, list[tuple[int, str, float, float]]] = defaultdict(list)
    for tick in trace.ticks:
        for each in tick.changes:
            if each.state.startswith(("meter.", "world.")) and not each.state.startswith(MANY):
                values = float(each.before.text), float(each.after.text)
                series[each.state].append((tick.number, each.source.construct, *values))
    return dict(list(series.items())[:MOST_PANELS])


def _line(trace: Trace, changes: list[tuple[int, str, float, float]]) -> tuple[list[int], list[float]]:
    """The value of a state after each tick."""
    last = {tick: after for tick, _, _, after in changes}
    value, ticks, values = changes[0][2], list[int](), list[float]()
    for tick in trace.ticks:
        value = last.get(tick.number, value)
        ticks.append(tick.number)
        values.append(value)
    return ticks, values
