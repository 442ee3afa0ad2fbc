"""`hamletc rewind`: any tick of a run, and what follows there."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.terminal import visible_lines
from hamletc.errors import CompileError
from hamletc.kinds import expect

if TYPE_CHECKING:
    from torch import Tensor

    from hamlet.universe import Universe

MOST_RUN = 1 << 31
MOST_BYTES = 64 << 20
MOST_TRACED = 1 << 12


@click.command()
@click.argument("universe")
@click.argument("ticks", metavar="TICK...", nargs=-1, required=True, type=click.IntRange(0, MOST_RUN))
@click.option("--world", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="Its number.")
@click.option("--agent", type=click.IntRange(min=0), default=0, show_default=True, help="The agent of the world.")
@click.option("--agents", type=click.IntRange(min=1), help="In the world; by default 1, or as roles say.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--trace", "traced", type=click.IntRange(0, MOST_TRACED), default=0, show_default=True,
              help="Print so many ticks from there, as `hamletc trace` does.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the states as JSON.")
def rewind(
    universe: str,
    ticks: tuple[int, ...],
    world: int,
    agent: int,
    agents: int | None,
    seed: int,
    traced: int,
    as_json: bool,
) -> None:
    """Print the state of an agent of UNIVERSE after TICK ticks of random actions, for each TICK, in any order.

    The run is played once, to the last TICK, with checkpoints that take 64 MiB at most; each TICK is played on from the
    checkpoint before it. UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it.
    """
    from hamlet.backend.protocol import RandomPolicy, Stream
    from hamlet.env.keep.history import History
    from hamlet.env.keep.keeping import Keeping
    from hamlet.env.make import checked_shape
    from hamlet_lab.cli.trace import usual
    from hamlet_lab.diff.open import opened, spec
    from hamlet_lab.divergence.events import Runner
    from hamlet_lab.trace.changes import traced as trace_of
    from hamlet_lab.trace.course import played
    from hamlet_lab.trace.told import lines

    named = spec(universe)
    if named.path is None:
        raise click.BadParameter(f"{universe} names no universe.", param_hint="UNIVERSE")
    expect(named.path, "text", "sources", "package", "nothing")
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        source = opened(named.path, Path(folder) / "package")
        shape = checked_shape(source.universe, 1, agents, world)
        if agent >= shape.agents:
            which = f"agents 0 .. {shape.agents - 1}" if shape.agents > 1 else "agent 0 alone"
            raise CompileError(f"there is no agent {agent}: world {world} has {which}")
        side = source.side(named.backend or usual())
        candidate, run = side.candidate, Runner(side.universe, side.candidate, shape)
        history = History(side.universe, shape, candidate.backend.name, MOST_BYTES)
        backend, most = Keeping(candidate.backend, run.buffers, history), max(ticks)
        backend.reset(run.buffers, Stream(seed, 0))
        if most:
            backend.rollout(run.buffers, most, RandomPolicy(), Stream(seed, 0), False, None)
        told = []
        for tick in ticks:
            begin = time.perf_counter()
            buffers = history.restored(candidate.backend, candidate.device, tick, 0) if most else run.buffers
            seconds = time.perf_counter() - begin
            state = _state(buffers.state, side.universe, agent)
            if as_json:
                told.append({"tick": tick, "world": world, "agent": agent, "state": state})
                continue
            about = f"{side.label}, world {world}, agent {agent}, seed {seed}: after {tick:,} of {most:,} ticks"
            click.echo(f"{about}, in {1000 * seconds:.1f} ms")
            click.echo(visible_lines("\n".join(f"  {name}  {value}" for name, value in state.items())))
            if traced:
                runner = Runner.resumed(side.universe, candidate, buffers)
                course = played(side, runner, seed, tick, traced, RandomPolicy())
                click.echo(visible_lines("\n".join(lines(trace_of(course, agent, side)))))
    if as_json:
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))


def _state(state: Mapping[str, Tensor], universe: Universe, agent: int) -> dict[str, str]:
    """The fields of an agent and of its world but cells and pairs, by name, in words."""
    from hamlet import schema
    from hamlet_lab.divergence.record import value_of
    from hamlet_lab.trace.told import name_of

    result: dict[str, str] = {}
    for each in schema.state_fields(universe):
        if each.pitch or each.rows == ():
            continue
        values = state[each.name].reshape(len(each.names), -1)[:, agent if each.per == "lane" else 0]
        result |= {name_of(name): str(value_of(value)) for name, value in zip(each.names, values, strict=True)}
    return result
