"""`hamletc profile`: where the time goes, by phase of the tick and by line of the universe."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from hamlet_lab.runners import ARCHITECTURES
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.backend.choose import Choice
    from hamlet.package.module import Module
    from hamlet_lab.profile.counts import Counted
    from hamlet_lab.profile.times import Times

WIDTH = 110
"""Columns that the tables take."""
KERNELS: tuple[Literal["rollout", "step"], ...] = ("rollout", "step")


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--backend", default="auto", show_default=True, help="What is timed and traced.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.option("--worlds", type=click.IntRange(min=1), default=16384, show_default=True, help="Worlds that are timed.")
@click.option("--agents", type=click.IntRange(min=1), default=1, show_default=True, help="Agents in each world.")
@click.option("--ticks", type=click.IntRange(1, 2**20), default=64, show_default=True, help="Ticks of a rollout.")
@click.option("--samples", type=click.IntRange(1, 1000), default=9, show_default=True, help="Timings of each part.")
@click.option(
    "--gpu", type=click.Choice(ARCHITECTURES), default="sm_90", show_default=True, help="Its code is counted."
)
@click.option("--only", type=click.Choice(("time", "code")), help="Only measure time, or only count instructions.")
@click.option("--lines", "every_line", is_flag=True, help="Time every line too: compiles a kernel for each.")
@click.option("--trace", type=click.Path(path_type=Path), help="Write a trace of calls for ui.perfetto.dev there.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all numbers there.")
def profile(
    universe: Path,
    backend: str,
    device: str | None,
    worlds: int,
    agents: int,
    ticks: int,
    samples: int,
    gpu: str,
    only: str | None,
    every_line: bool,
    trace: Path | None,
    json_path: Path | None,
) -> None:
    """Say where the time of UNIVERSE (a file, or a generated package) goes.

    Time is measured: a kernel is compiled again without a phase, and both run in turns. Instructions are counted, in
    machine code for a GPU, which need not be there. What cannot be had on this machine is left out, and said.
    """
    # Read when torch is imported: its profiler would tell when it begins and ends.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    from rich.console import Console

    from hamlet.backend.choose import choose
    from hamlet_lab.bench import machine
    from hamlet_lab.cli.profile_tables import code_tables, time_table
    from hamletc.cli.package import open_package

    choice = choose(backend, device)
    module = open_package(universe)
    console = Console(highlight=False, soft_wrap=True, width=WIDTH)
    left_out: list[str] = []
    report: dict[str, Any] = {"universe": module.name, "backend": choice.backend, "machine": machine(choice.device)}
    with Console(stderr=True).status("compiling") as status:
        if only != "code":
            found = _times(module, choice, worlds, agents, ticks, samples, every_line, status.update, left_out)
            if found is not None:
                report["time"] = {"worlds": worlds, "agents": agents, "ticks": ticks} | asdict(found)
                status.stop()
                console.print(time_table(found, f"{module.name}, {choice.backend} on {report['machine']}"))
                status.start()
        if only != "time":
            status.update(f"counting instructions for {gpu}")
            counted = _counts(module, int(gpu.removeprefix("sm_")), left_out)
            if counted:
                report["code"] = [asdict(kernel) for kernel in counted]
                status.stop()
                for table in code_tables(counted):
                    console.print(table)
    if trace is not None:
        from hamlet_lab.profile.trace import write_trace

        write_trace(module, choice.backend, device, worlds, agents, ticks, trace)
        console.print(f"trace    {trace}")
    for reason in left_out:
        console.print(f"left out: {reason}")
    if json_path is not None:
        _write(json_path, report | {"left_out": left_out})
        console.print(f"numbers  {json_path}")


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

        return [count(module, capability, kernel) for kernel in KERNELS]
    except (HamletError, ImportError, FileNotFoundError) as error:
        left_out.append(f"instructions: {str(error).splitlines()[0]}")
        return []


def _write(path: Path, report: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from error
