"""The picture of a bench: rate against the number of agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hamlet_lab.bench import CaseRates
from hamletc.errors import CompileError

LINES = {"none": "-", "uint8": "-.", "bfloat16": "--", "float32": ":"}
COLORS = {"triton": "tab:green", "numba": "tab:blue", "interpreter": "tab:orange"}


def write_rates(title: str, found: Sequence[CaseRates], path: Path) -> None:
    """A panel for rollouts and one for steps; a line for each backend and type of observation.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    launches = [launch for launch in ("rollout", "step") if any(item.case.launch == launch for item in found)]
    figure, panels = pyplot.subplots(
        1, len(launches), figsize=(4.6 * len(launches), 3.6), sharey=True, squeeze=False, layout="constrained"
    )
    for launch, panel in zip(launches, panels[0], strict=True):
        chosen = [item for item in found if item.case.launch == launch]
        for backend, observed in dict.fromkeys((item.case.backend, item.case.observed) for item in chosen):
            line = sorted(
                (item.case.lanes, item.median)
                for item in chosen
                if (item.case.backend, item.case.observed) == (backend, observed)
            )
            panel.plot(
                *zip(*line, strict=True),
                linestyle=LINES[observed],
                color=COLORS.get(backend),
                marker="o",
                markersize=3,
                linewidth=1.4,
                label=f"{backend}, observations {observed}",
            )
        panel.set(xscale="log", yscale="log", xlabel="agents", title=launch)
        panel.grid(alpha=0.25, linewidth=0.5)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("agent-ticks per second")
    panels[0][-1].legend(fontsize=7)
    figure.suptitle(title, fontsize=11)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110, metadata={"Software": None})
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from error
    finally:
        pyplot.close(figure)
