"""`hamletc bench`: how fast a universe runs on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from hamletc.cli.plot import save
from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.backend.registry import Tune
    from hamlet_lab.bench import CaseRates, Observed

OBSERVED = ("none", "uint8", "bfloat16", "float32")
NARROWEST = 120
"""Columns that the table takes."""
LINES = {"none": "-", "uint8": "-.", "bfloat16": "--", "float32": ":"}
COLORS = {"triton": "tab:green", "c": "tab:blue", "interpreter": "tab:orange"}


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--backend", "backends", multiple=True, help="Repeatable; by default all that run here.")
@click.option("--worlds", multiple=True, type=click.IntRange(min=1), help="Repeatable; by default 64, 4096 and 65536.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option(
    "--observe", "observed", multiple=True, type=click.Choice(OBSERVED), help="Repeatable; by default what it can be."
)
@policy_option("Who acts in rollouts")
@click.option("--ticks", type=click.IntRange(1, 2**20), default=64, show_default=True, help="Ticks of a rollout.")
@click.option("--samples", type=click.IntRange(1, 1000), default=7, show_default=True, help="Timings of each case.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.option("--tune", type=click.Choice(["default", "max", "off"]), default="default", show_default=True,
              help="How much triton may try for speed.")  # fmt: skip
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all numbers there.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Write a PNG of rate and memory against number of agents there."
)
def bench(
    universe: Path,
    backends: tuple[str, ...],
    worlds: tuple[int, ...],
    agents: int | None,
    observed: tuple[str, ...],
    policy: str,
    ticks: int,
    samples: int,
    device: str | None,
    tune: Tune,
    json_path: Path | None,
    plot: Path | None,
) -> None:
    """Time UNIVERSE (a file, or a generated package) by backend, number of worlds and type of observation.

    The rate is in agent-ticks per second: the median of the samples, with the slowest and the fastest. The bytes are
    what a tick has to move at the least; the roofline is their share of the bandwidth of a copy in the same run. The
    memory is that of the environment's arrays, on a GPU what its allocator gave out at most.
    """
    from rich.console import Console

    from hamlet.backend.choose import choose
    from hamlet.schema.roles import fewest_agents
    from hamlet_lab.bench import available, cases, copy_bandwidth, machine, measure, observable
    from hamletc.cli.package import open_package

    player, module = player_of(policy), open_package(universe)
    player.check(module)
    chosen = backends or available(module)
    where = choose(chosen[0], device)
    every = observable(module.universe) if player.obs_dtype is None else (player.obs_dtype,)
    seen = cast("tuple[Observed, ...]", observed or every)
    agents = agents or fewest_agents(module.universe)
    planned = cases(chosen, worlds or (64, 4096, 65536), agents, seen, ticks)
    console = Console(highlight=False, soft_wrap=True, width=NARROWEST)
    bandwidth = copy_bandwidth(where.device, samples)
    with Console(stderr=True).status("compiling") as status:
        rates = measure(
            module,
            planned,
            device,
            samples,
            bandwidth,
            lambda case: status.update(f"{case.backend}, {case.worlds} worlds"),
            tune,
            player,
        )
    if not player.is_random:
        console.print(f"rollouts are played by {player.title}, steps take random actions")
    console.print(f"{module.name} on {machine(where.device)}; a copy moves {bandwidth / 1e9:.1f} GB/s")
    console.print(table(rates))
    if json_path is not None:
        report: dict[str, Any] = {"universe": module.name, "machine": machine(where.device), "copy": bandwidth}
        report["cases"] = [asdict(item) for item in rates]
        try:
            json_path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise CompileError(f"cannot write {json_path}: {error.strerror}") from error
        click.echo(f"numbers  {json_path}")
    if plot is not None:
        write_rates(module.name, rates, plot)
        click.echo(f"plot     {plot}")


def table(rates: list[CaseRates]) -> Any:
    """The measured cases as rows."""
    from rich.table import Table

    result = Table(box=None, pad_edge=False)
    for heading in ("backend", "launch", "observed", "agents"):
        result.add_column(heading)
    for heading in ("million/s", "slowest", "fastest", "bytes", "roofline", "first launch", "memory"):
        result.add_column(heading, justify="right")
    for item in rates:
        case = item.case
        launch = "step" if case.launch == "step" else f"{case.ticks} ticks"
        columns = (f"{rate / 1e6:,.2f}" for rate in (item.median, item.slowest, item.fastest))
        result.add_row(
            case.backend, launch, case.observed, f"{case.lanes:,}", *columns,
            f"{item.bytes:.1f}", f"{item.roofline:.1%}", f"{item.first:.2f} s", mebibytes(item),
        )  # fmt: skip
    return result


def mebibytes(item: CaseRates) -> str:
    """The memory of a case: of the environment's arrays, or on a GPU what its allocator gave out at most."""
    return f"{(item.memory if item.peak is None else item.peak) / 2**20:,.2f} MiB"


def write_rates(title: str, rates: Sequence[CaseRates], path: Path) -> None:
    """A panel for rollouts, one for steps and one for memory; a line for each backend and type of observation.

    Raises:
        CompileError: the file cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    launches = [launch for launch in ("rollout", "step") if any(item.case.launch == launch for item in rates)]
    figure, panels = pyplot.subplots(
        1, len(launches) + 1, figsize=(4.6 * len(launches) + 4.6, 3.6), squeeze=False, layout="constrained"
    )
    *timed, memory = panels[0]
    for launch, panel in zip(launches, timed, strict=True):
        chosen = [item for item in rates if item.case.launch == launch]
        _lines(panel, chosen, lambda item: item.median)
        panel.set(xscale="log", yscale="log", xlabel="agents", title=launch)
        panel.sharey(timed[0])
    # What is launched needs no other arrays.
    _lines(memory, [item for item in rates if item.case.launch == launches[0]], lambda item: item.peak or item.memory)
    memory.set(xscale="log", yscale="log", xlabel="agents", ylabel="bytes", title="memory")
    timed[0].set_ylabel("agent-ticks per second")
    timed[-1].legend(fontsize=7)
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def _lines(panel: Any, rates: Sequence[CaseRates], of: Callable[[CaseRates], float]) -> None:
    """A number of cases against their agents."""
    for backend, observed in dict.fromkeys((item.case.backend, item.case.observed) for item in rates):
        line = sorted(
            (item.case.lanes, of(item))
            for item in rates
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
    panel.grid(alpha=0.25, linewidth=0.5)
    panel.spines[["top", "right"]].set_visible(False)
