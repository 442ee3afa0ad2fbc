"""`hamletc trace`: every change of an agent's states, with the line that made it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.core import ParameterSource

from hamlet.terminal import visible_lines
from hamlet_lab.lint import PLAYERS
from hamletc.cli.policy import policy_option
from hamletc.errors import CompileError
from hamletc.kinds import expect

if TYPE_CHECKING:
    from hamlet_lab.diff.open import Spec
    from hamlet_lab.divergence.session import Side
    from hamlet_lab.trace.course import Course

PICTURES = (".svg", ".png")
MOST_TICKS = 1 << 16


@click.command()
@click.argument("universe")
@click.option("--world", type=click.IntRange(0, 2**31 - 1), help="Its number; by default 0, or the episode's.")
@click.option("--agent", type=click.IntRange(min=0), default=0, show_default=True, help="The agent of the world.")
@click.option("--agents", type=click.IntRange(min=1), help="In the world; by default 1, or as roles say.")
@click.option("--ticks", type=click.IntRange(1, MOST_TICKS), default=40, show_default=True, help="For how long.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@policy_option()
@click.option("--player", type=click.Choice(PLAYERS),
              help="Who acts: a simple policy of `hamletc lint`, in one of its worlds.")  # fmt: skip
@click.option("--param", "param", multiple=True, metavar="NAME=NUMBER", help="A param of the world. Repeatable.")
@click.option("--state", "states", multiple=True, metavar="NAME", help="Only this meter, state or local. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the trace as JSON.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Draw it too, into NAME.svg or NAME.png.")
@click.pass_context
def trace(
    ctx: click.Context,
    universe: str,
    world: int | None,
    agent: int,
    agents: int | None,
    ticks: int,
    seed: int,
    policy: str,
    player: str | None,
    param: tuple[str, ...],
    states: tuple[str, ...],
    as_json: bool,
    output: Path | None,
) -> None:
    """Print what changes an agent of UNIVERSE, tick by tick: each state, before and after, and the line that did it.

    UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it, as `hamletc diff` takes it; or what
    `hamletc record` wrote, an episode or a run. What the program does is compared, after each tick and bit by bit, with
    what the backend left.

    Exit code 0 if all bits are equal, 1 if some are not.
    """
    from hamlet_lab.trace.changes import traced
    from hamlet_lab.trace.told import lines, to_json

    if output is not None and output.suffix not in PICTURES:
        raise click.BadParameter(f"{output} ends in neither .svg nor .png.", param_hint="--output")
    if player is not None and (policy != "random" or param):
        raise click.UsageError("a player acts by itself, with params as they are: no --policy and no --param.")
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        course, side = _course(universe, Path(folder), world, agents, ticks, seed, policy, player, param)
        if agent >= course.agents:
            which = f"agents 0 .. {course.agents - 1}" if course.agents > 1 else "agent 0 alone"
            raise CompileError(f"there is no agent {agent}: world {course.world} has {which}")
        made = traced(course, agent, side)
    for name in states:
        _check_state(name, side)
    click.echo(to_json(made, states) if as_json else visible_lines("\n".join(lines(made, states))), nl=not as_json)
    asked = ctx.get_parameter_source("ticks") is ParameterSource.COMMANDLINE
    if asked and len(course.ticks) < ticks:
        click.echo(f"there is no tick {ticks - 1}: {course.label} has {len(course.ticks)} ticks", err=True)
    if output is not None:
        from hamlet_lab.trace.picture import draw

        draw(made, output)
        click.echo(f"picture  {output}", err=as_json)
    if made.differs is not None:
        ctx.exit(1)


def _course(
    text: str,
    folder: Path,
    world: int | None,
    agents: int | None,
    ticks: int,
    seed: int,
    policy: str,
    player: str | None,
    param: tuple[str, ...],
) -> tuple[Course, Side]:
    from hamlet_lab.diff.open import spec

    named = spec(text)
    if named.path is None:
        raise click.BadParameter(f"{text} names no universe.", param_hint="UNIVERSE")
    kind = expect(named.path, "text", "sources", "package", "nothing", "episode", "recorded run")
    if kind in ("episode", "recorded run") and (param or agents is not None or policy != "random" or player):
        raise CompileError(
            f"{named.path} has its own agents, params and actions: no --agents, --param, --policy, --player"
        )
    if kind == "recorded run":
        return _recorded(named, folder, world or 0, ticks)
    if kind == "episode":
        return _episode(named, folder, world, ticks)
    if player is not None:
        return _player(named, folder, world or 0, agents, ticks, seed, player)
    return _live(named, folder, world or 0, agents, ticks, seed, policy, param)


def _recorded(named: Spec, folder: Path, world: int, ticks: int) -> tuple[Course, Side]:
    from hamlet_lab.diff.open import opened_recording
    from hamlet_lab.trace.course import of_recording
    from hamlet_lab.verify.recording import read_recording

    assert named.path is not None
    if named.backend is not None:
        raise CompileError(f"{named.path} is a recorded run: nothing runs it, so that @{named.backend} means nothing")
    recording = read_recording(named.path)
    side = opened_recording(named.path, recording, folder / "package").side()
    return of_recording(recording, world, ticks), side


def _episode(named: Spec, folder: Path, world: int | None, ticks: int) -> tuple[Course, Side]:
    from hamlet.env.keep.episode import Episode
    from hamlet_lab.diff.open import Opened, built
    from hamlet_lab.trace.course import of_episode

    assert named.path is not None
    episode = Episode.load(named.path)
    if world not in (None, episode.world):
        raise CompileError(f"there is no world {world}: {named.path} is an episode of world {episode.world}")
    universe = episode.universe
    opened = Opened(named.path.name, universe, lambda runner: built(universe, folder / "package", runner), {})
    side = opened.side(named.backend or usual())
    return of_episode(side, episode, ticks), side


def _live(
    named: Spec,
    folder: Path,
    world: int,
    agents: int | None,
    ticks: int,
    seed: int,
    policy: str,
    param: tuple[str, ...],
) -> tuple[Course, Side]:
    import hamlet
    from hamlet.backend.registry import backend_names
    from hamlet.env.make import checked_shape
    from hamlet_lab.diff.open import opened
    from hamlet_lab.trace.course import live, of_episode
    from hamletc.cli.params import check_within, declared, numbers_of
    from hamletc.cli.policy import player_of

    assert named.path is not None
    universe = opened(named.path, folder / "package")
    params = numbers_of(param)
    for name, value in params.items():
        check_within(declared(name, universe.universe), value)
    shape = checked_shape(universe.universe, 1, agents, world)
    backend = named.backend or usual()
    side, player = universe.side(backend), player_of(policy)
    if player.is_random:
        return live(side, shape, seed, ticks, params), side
    env = hamlet.make(
        universe.package(backend),
        worlds=1,
        first_world=world,
        agents=shape.agents,
        seed=seed,
        backend=backend if backend in backend_names() else "interpreter",
        params=params,
        quiet=True,
    )
    return of_episode(side, env.record(0, ticks, player.of(env)), ticks), side


def _player(
    named: Spec, folder: Path, world: int, agents: int | None, ticks: int, seed: int, player: str
) -> tuple[Course, Side]:
    from hamlet.env.make import checked_shape
    from hamlet_lab.diff.open import opened
    from hamlet_lab.divergence.compiled import lowered
    from hamlet_lab.lint.followed import followed
    from hamlet_lab.lint.gains import gains_of

    assert named.path is not None
    source = opened(named.path, folder / "package")
    universe, side = source.universe, source.side(named.backend or usual())
    count = checked_shape(universe, 1, agents, world).agents
    gains = gains_of(universe, lowered(universe).program)
    return followed(side, player, count, world, seed, ticks, gains), side


def usual() -> str:
    """The backend that runs a world where none is named: kernels, where something compiles them."""
    from hamlet.backend.choose import choose

    return choose("auto", "cpu").backend


def _check_state(name: str, side: Side) -> None:
    """Raises `CompileError` where a universe has no state and no local of a name."""
    from hamlet import schema
    from hamlet.universe import Let, nodes
    from hamlet_lab.trace.changes import plain_name
    from hamlet_lab.trace.told import name_of
    from hamletc.suggest import closest

    names = {row for of in schema.state_fields(side.universe) for row in of.names}
    names |= {name.partition("[")[0] for name in names}
    names |= {name_of(each) for each in names} | {each.partition(".")[2] for each in names if "." in each}
    lets = {each.name for each in nodes(side.universe) if isinstance(each, Let)}
    lets = {plain_name(each, lets) for each in lets}
    names |= lets | {each.removeprefix("let ") for each in lets}
    if name not in names:
        meant = closest(name, sorted(names))
        raise CompileError(f"there is no state {name}" + (f": did you mean {meant}?" if meant else ""))
