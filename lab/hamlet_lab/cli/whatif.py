"""`hamletc whatif`: what follows from one change and from nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.terminal import visible_lines
from hamletc.errors import CompileError
from hamletc.kinds import expect

if TYPE_CHECKING:
    from hamlet.backend.buffers import Shape
    from hamlet.universe import Universe
    from hamlet_lab.whatif.alteration import Alteration
    from hamlet_lab.whatif.question import Start

MOST_TICKS = 1 << 16


@click.command()
@click.argument("universe")
@click.option("--world", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="Its number.")
@click.option("--agent", type=click.IntRange(min=0), default=0, show_default=True, help="The agent of the world.")
@click.option("--agents", type=click.IntRange(min=1), help="In each world; by default 1, or as roles say.")
@click.option("--tick", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="When it is changed.")
@click.option("--action", help="The agent takes this action in the tick, or is put at this affordance and uses it.")
@click.option("--set", "setting", metavar="NAME=NUMBER",
              help="A param of the world, or a meter of the agent or the world, is this before the tick.")  # fmt: skip
@click.option("--ticks", type=click.IntRange(1, MOST_TICKS), default=200, show_default=True,
              help="How long both are followed.")  # fmt: skip
@click.option("--worlds", type=click.IntRange(0, 1 << 16), default=256, show_default=True,
              help="How many worlds are changed alike for the effect on lengths and returns; 0: none.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--param", "param", multiple=True, metavar="NAME=NUMBER", help="A param of all worlds. Repeatable.")
@click.option("--shares", type=click.Choice(["affordances", "rules", "both", "agents"]),
              help="In place of a change: which of these earned the reward, as Shapley values.")  # fmt: skip
@click.option("--orders", type=click.IntRange(2, 1 << 14), default=32, show_default=True,
              help="Orders that are sampled for shares.")  # fmt: skip
def whatif(
    universe: str,
    world: int,
    agent: int,
    agents: int | None,
    tick: int,
    action: str | None,
    setting: str | None,
    ticks: int,
    worlds: int,
    seed: int,
    param: tuple[str, ...],
    shares: str | None,
    orders: int,
) -> None:
    """Play a world of UNIVERSE twice from a tick on, with one change and without, by random actions: which agents part,
    where each does first, by which line; and what that does to lengths and returns, over many worlds.

    UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it, as `hamletc diff` takes it. Both
    have the same random numbers, so that nothing but the change makes a difference.
    """
    from hamlet.backend.buffers import Shape
    from hamlet.env.make import checked_shape
    from hamlet_lab.cli.trace import usual
    from hamlet_lab.diff.open import opened, spec
    from hamlet_lab.whatif.effects import effects
    from hamlet_lab.whatif.question import Question, Start
    from hamlet_lab.whatif.twins import parts, twins
    from hamletc.cli.params import check_within, declared, numbers_of

    named = spec(universe)
    if named.path is None:
        raise click.BadParameter(f"{universe} names no universe.", param_hint="UNIVERSE")
    if (action is not None) + (setting is not None) + (shares is not None) != 1:
        raise click.UsageError("say one change: --action NAME or --set NAME=NUMBER; or --shares.")
    expect(named.path, "text", "sources", "package", "nothing")
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        source = opened(named.path, Path(folder) / "package")
        params = numbers_of(param)
        for name, value in params.items():
            check_within(declared(name, source.universe), value)
        shape = checked_shape(source.universe, 1, agents, world)
        if shares == "agents":
            if shape.agents == 1:
                raise CompileError(f"world {world} has agent 0 alone: --agents N takes more")
            many = Shape(worlds or 1, shape.agents, world)
            _agent_shares(Start(source.side(named.backend or usual()), seed, params), many, ticks, orders)
            return
        if shares is not None:
            _shares(source.universe, shares, shape.agents, worlds or 1, ticks, seed, orders, params)
            return
        if agent >= shape.agents:
            which = f"agents 0 .. {shape.agents - 1}" if shape.agents > 1 else "agent 0 alone"
            raise CompileError(f"there is no agent {agent}: world {world} has {which}")
        alteration = _alteration(source.universe, action, setting)
        side = source.side(named.backend or usual())
        question = Question(Start(side, seed, params), agent, alteration, tick, ticks)
        without, altered = twins(question, shape)
        parting = list(parts(side, without, altered))
        click.echo(f"{side.label}, world {world}, agent {agent}, seed {seed}: what if {alteration} in tick {tick}")
        _say(f"{len(parting)} of {shape.agents} agents of the world part in {ticks} ticks; no other world knows of it")
        for each in parting:
            _say(f"  {each}")
        if worlds:
            many = Shape(worlds, shape.agents, 0)
            click.echo(f"over {worlds} worlds, to the end of the episode or for {ticks} ticks, with 95% intervals:")
            for effect in effects(question, many):
                _say(f"  {effect}")


def _say(text: str) -> None:
    click.echo(visible_lines(text))


def _alteration(universe: Universe, action: str | None, setting: str | None) -> Alteration:
    from hamlet_lab.whatif.alteration import act, set_to

    if action is not None:
        return act(universe, action)
    name, equals, number = (setting or "").partition("=")
    try:
        value = float(number)
    except ValueError as error:
        raise CompileError(f"--set {setting}: write NAME=NUMBER") from error
    if not equals or value != value:
        raise CompileError(f"--set {setting}: write NAME=NUMBER")
    return set_to(universe, name.strip(), value)


def _agent_shares(start: Start, shape: Shape, ticks: int, orders: int) -> None:
    from hamlet_lab.whatif.agents import agent_shares
    from hamlet_lab.whatif.orders import lines

    of = f"{shape.worlds} worlds of {shape.agents} agents, for {ticks} ticks at most, random actions"
    click.echo(f"{start.side.label}: the sum of all agents' returns, over {of}")
    _say("\n".join(lines(agent_shares(start, shape, ticks, orders))))


def _shares(
    universe: Universe,
    kinds: str,
    agents: int,
    worlds: int,
    ticks: int,
    seed: int,
    orders: int,
    params: Mapping[str, float],
) -> None:
    from hamlet.package.module import in_memory
    from hamlet_lab.sweep.run import Trial
    from hamlet_lab.whatif import shares
    from hamlet_lab.whatif.orders import lines
    from hamletc.compile import Options, build
    from hamletc.frontend import Stopwatch

    module = in_memory(Path(universe.name), build(universe, Options(()), Stopwatch()))
    trial = Trial(module, worlds=worlds, agents=agents, ticks=ticks, seed=seed, backend="auto")
    made = shares.shares(
        universe, trial, orders, {"affordances": "affordance", "rules": "rule", "both": ""}[kinds], params
    )
    _say("\n".join(lines(made)))
