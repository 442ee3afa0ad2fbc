"""`hamletc profile`: where the time goes, by phase of the tick, by line of the universe, and by what Python does."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from hamlet_lab.runners import ARCHITECTURES
from hamletc.cli.show import literal
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.backend.choose import Choice
    from hamlet.package.module import Module
    from hamlet_lab.profile.counts import Counted
    from hamlet_lab.profile.times import Times

WIDTH = 110
"""Columns that the tables take."""
SHOWN_LINES = 24
"""Lines of the universe in the table, the dearest first; the JSON has all."""
KERNELS: tuple[Literal["rollout", "step"], ...] = ("rollout", "step")


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--backend", default="auto", show_default=True, help="What is timed and traced.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.option("--worlds", type=click.IntRange(min=1), default=16384, show_default=True, help="Worlds that are timed.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--ticks", type=click.IntRange(1, 2**20), default=64, show_default=True, help="Ticks of a rollout.")
@click.option("--samples", type=click.IntRange(1, 1000), default=9, show_default=True, help="Timings of each part.")
@click.option(
    "--gpu", type=click.Choice(ARCHITECTURES), default="sm_90", show_default=True, help="Its code is counted."
)
@click.option("--only", type=click.Choice(("time", "code", "calls")),
              help="Only measure time, only count instructions, or only look at calls in Python.")  # fmt: skip
@click.option("--lines", "every_line", is_flag=True, help="Time every line too: compiles a kernel for each.")
@click.option(
    "--script", type=click.Path(path_type=Path), help="Say for a program in Python, too, what its time goes to."
)
@click.option("--trace", type=click.Path(path_type=Path), help="Write a trace of calls for ui.perfetto.dev there.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all numbers there.")
def profile(
    universe: Path,
    backend: str,
    device: str | None,
    worlds: int,
    agents: int | None,
    ticks: int,
    samples: int,
    gpu: str,
    only: str | None,
    every_line: bool,
    script: Path | None,
    trace: Path | None,
    json_path: Path | None,
) -> None:
    """Say where the time of UNIVERSE (a file, or a generated package) goes.

    Time is measured: a kernel is compiled again without a phase, and both run in turns. Instructions are counted, in
    machine code for a GPU, which need not be there. Calls are those of one world: what Python does in them, and on a
    GPU what its allocator does and how busy it is. What cannot be had on this machine is left out, and said.
    """
    # Read when torch is imported: its profiler would tell when it begins and ends.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    from rich.console import Console

    from hamlet.backend.choose import choose
    from hamlet.schema.roles import fewest_agents
    from hamlet_lab.bench import machine
    from hamletc.cli.package import open_package

    choice = choose(backend, device)
    module = open_package(universe)
    agents = agents or fewest_agents(module.universe)
    console = Console(highlight=False, soft_wrap=True, width=WIDTH)
    left_out: list[str] = []
    report: dict[str, Any] = {"universe": module.name, "backend": choice.backend, "machine": machine(choice.device)}
    with Console(stderr=True).status("compiling") as status:
        if only in (None, "time"):
            times = _times(module, choice, worlds, agents, ticks, samples, every_line, status.update, left_out)
            if times is not None:
                report["time"] = {"worlds": worlds, "agents": agents, "ticks": ticks} | asdict(times)
                status.stop()
                console.print(time_table(times, f"{module.name}, {choice.backend} on {report['machine']}"))
                status.start()
        if only in (None, "code"):
            status.update(f"counting instructions for {gpu}")
            counted = _counts(module, int(gpu.removeprefix("sm_")), left_out)
            if counted:
                report["code"] = [asdict(kernel) for kernel in counted]
                status.stop()
                for table in code_tables(counted):
                    console.print(table)
        if only in (None, "calls"):
            status.update("profiling calls")
            report |= _calls(module, choice, agents, script, left_out)
            status.stop()
            for table in calls_tables(report):
                console.print(table)
    if trace is not None:
        from hamlet_lab.profile.trace import write_trace

        write_trace(module, choice.backend, device, worlds, agents, ticks, trace)
        console.print(f"trace    {literal(str(trace))}")
    for reason in left_out:
        console.print(f"left out: {literal(reason)}")
    if json_path is not None:
        _write(json_path, report | {"left_out": left_out})
        console.print(f"numbers  {literal(str(json_path))}")


def _times(
    module: Module,
    choice: Choice,
    worlds: int,
    agents: int,
    ticks: int,
    samples: int,
    every_line: bool,
    progress: Any,
    left_out: list[str],
) -> Times | None:
    """The parts of a tick, each left out in turn."""
    if choice.backend == "interpreter":
        left_out.append("time by phase: the interpreter has no kernels that a phase could be left out of (try --trace)")
        return None
    import tempfile

    from hamlet_lab.ablation import build_without, line_parts, phase_parts
    from hamlet_lab.profile.times import Variant, measure
    from hamletc.compile import lower

    lowered = lower(module.universe)
    program = lowered.program
    parts = [*phase_parts(program), *(line_parts(program, module.universe) if every_line else ())]
    with tempfile.TemporaryDirectory() as folder:
        built = (
            build_without(lowered, part, choice.backend, Path(folder) / str(number))
            for number, part in enumerate(parts)
        )
        variants = [Variant(part.name, without) for part, without in zip(parts, built, strict=True)]
        return measure(
            module,
            variants,
            len(phase_parts(program)),
            choice.backend,
            str(choice.device),
            worlds,
            agents,
            ticks,
            samples,
            lambda name: progress(f"compiling {name}"),
        )


def _counts(module: Module, capability: int, left_out: list[str]) -> list[Counted]:
    """The kernels of `KERNELS`, as far as this machine can compile and read them."""
    from hamlet.errors import HamletError

    try:
        from hamlet_lab.profile.counts import count

        return count(module, capability, KERNELS)
    except (HamletError, ImportError, FileNotFoundError) as error:
        left_out.append(f"instructions: {str(error).splitlines()[0]}")
        return []


def _calls(module: Module, choice: Choice, agents: int, script: Path | None, left_out: list[str]) -> dict[str, Any]:
    """The report of what calls cost in Python, and of what steps take of a GPU."""
    from hamlet_lab.profile.calls import measure, of_script

    costs, use = measure(module, choice.backend, str(choice.device), agents)
    if script is not None:
        costs.append(of_script(script))
    report: dict[str, Any] = {"calls": [asdict(each) for each in costs]}
    if use is None:
        left_out.append(f"allocator and utilisation: {choice.backend} runs on {choice.device}, not on a GPU")
        return report
    if use.utilisation is None:
        left_out.append("utilisation: the driver cannot be asked without nvidia-ml-py (pip install nvidia-ml-py)")
    return report | {"device": asdict(use)}


def calls_tables(report: Mapping[str, Any]) -> list[Any]:
    """Calls by what Python does in them, and what steps take of a GPU."""
    calls = report["calls"]
    table = _table("calls of one world in Python, microseconds: measured, and parted as under a profiler",
                   ("part", *(call["name"] for call in calls)))  # fmt: skip
    totals = {name: sum(call["microseconds"] * call["parts"].get(name, 0) for call in calls) for call in calls
              for name in call["parts"]}  # fmt: skip
    for name in sorted(totals, key=lambda each: -totals[each]):
        table.add_row(name, *(f"{call['microseconds'] * call['parts'].get(name, 0):,.1f}" for call in calls))
    table.add_row("whole call", *(f"{call['microseconds']:,.1f}" for call in calls))
    if "device" not in report:
        return [table]
    use = report["device"]
    device = _table(f"steps on {report['machine']}: as torch's allocator and the driver say", ("what", "value"))
    for name in ("allocated", "peak", "reserved"):
        device.add_row(name, f"{use[name] / 2**20:,.2f} MiB")
    device.add_row("allocations of a step", f"{use['allocations']:.2f}")
    if use["utilisation"] is not None:
        device.add_row("utilisation", f"{use['utilisation']:.0%}")
    return [table, device]


def _write(path: Path, report: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from error


def time_table(times: Times, title: str) -> Any:
    """Nanoseconds of each part."""
    table = _table(
        f"{title}: measured, {times.clock}, median of {times.rounds} rounds",
        ("part", "ns per agent-tick", "least", "most", "share"),
    )
    for part in (*times.parts, times.whole):
        numbers = (f"{value:.3f}" for value in (part.median, part.least, part.most))
        table.add_row(literal(part.name), *numbers, f"{part.median / times.whole.median:.1%}")
    return table


def code_tables(counted: Sequence[Counted]) -> list[Any]:
    """Kernels, pipes, phases and lines."""
    architecture = f"sm_{counted[0].capability}"
    headings = ("kernel", "registers", "spilled", "instructions", "executed per agent-tick", "ALU pipe", "stores")
    kernels = _table(f"kernels for {architecture}: counted", headings)
    for kernel in counted:
        kernels.add_row(
            kernel.kernel,
            str(kernel.registers),
            f"{kernel.spilled} bytes",
            f"{kernel.instructions:,}",
            f"{kernel.executed:,.1f}",
            f"{kernel.pipes.get('alu', 0):,.1f}",
            f"{kernel.stores:,.1f}",
        )
    phases = _costs("phase", architecture, counted, lambda purpose: purpose.phase)
    lines = _costs(
        "line", architecture, counted,
        lambda purpose: f"{purpose.source}:{purpose.line}  {purpose.construct}" if purpose.line else "",
    )  # fmt: skip
    return [kernels, _pipes(architecture, counted), phases, lines]


def _pipes(architecture: str, counted: Sequence[Counted]) -> Any:
    """Executed instructions by pipe, and the clocks that the pipe is busy with them."""
    from hamlet_lab.machine_code.pipes import PIPES, clocks

    headings = [heading for kernel in counted for heading in (kernel.kernel, "clocks")]
    table = _table(f"machine instructions of a warp for {architecture} per tick by pipe: counted", ("pipe", *headings))
    busy = [clocks(kernel.pipes, kernel.capability) for kernel in counted]
    for name in PIPES:
        if any(name in kernel.pipes for kernel in counted):
            cells = (
                (f"{kernel.pipes.get(name, 0):.1f}", f"{taken.get(name, 0):.1f}")
                for kernel, taken in zip(counted, busy, strict=True)
            )
            table.add_row(name, *(cell for pair in cells for cell in pair))
    return table


def _costs(what: str, architecture: str, counted: Sequence[Counted], name: Any) -> Any:
    """Executed instructions by a name of purposes, and those of the ALU pipe; what has none is left out."""
    costs: dict[str, list[list[float]]] = defaultdict(lambda: [[0.0, 0.0] for _ in counted])
    for index, kernel in enumerate(counted):
        for item in kernel.items:
            if key := name(item.purpose):
                cost = costs[key][index]
                cost[0] += item.executed
                cost[1] += item.alu
    headings = [heading for kernel in counted for heading in (kernel.kernel, "ALU", "share")]
    table = _table(f"machine instructions for {architecture} per agent-tick by {what}: counted", (what, *headings))
    ordered = sorted(costs.items(), key=lambda item: -item[1][0][0]) if what == "line" else list(costs.items())
    for key, values in ordered[: SHOWN_LINES if what == "line" else None]:
        cells = (
            (f"{executed:.1f}", f"{alu:.1f}", f"{executed / kernel.executed:.1%}")
            for (executed, alu), kernel in zip(values, counted, strict=True)
        )
        table.add_row(literal(key), *(cell for each in cells for cell in each))
    if what == "line" and len(ordered) > SHOWN_LINES:
        table.add_row(f"... {len(ordered) - SHOWN_LINES} more lines")
    return table


def _table(title: str, headings: Sequence[str]) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="", box=None, pad_edge=False)
    table.add_column(headings[0])
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table
