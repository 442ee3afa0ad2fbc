"""`hamletc play`: a world by hand, in the terminal."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import rich_click as click

from hamletc.cli.policy import Player, player_of, policy_option
from hamletc.errors import CompileError
from hamletc.kinds import EPISODE

if TYPE_CHECKING:
    from rich.table import Table

    from hamlet.env.environment import Env
    from hamlet_lab.play.game import Game, Make, Score

RATE = 8.0
"""Ticks of a second."""
FEWEST_TICKS = 1000
"""So many ticks or as many as were played, an episode without end is compared in."""
MOST_ROWS = 12
"""Agents whose lives are listed, at most."""
MOST_TEXT = 1 << 22
"""The most bytes of a file with keys."""


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--agent", "numbers", type=click.IntRange(min=0), multiple=True, metavar="N",
              help="An agent that you play, by its number; by default 0. Repeatable.")  # fmt: skip
@click.option("--role", "roles", multiple=True, metavar="NAME", help="Play all agents of this role. Repeatable.")
@policy_option("Who plays all others, and plays the same world after you")
@click.option("--agents", type=click.IntRange(min=1), default=None, help="In the world; by default 1, or as roles say.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--world", type=click.IntRange(min=0), default=0, show_default=True, help="Which one, by its number.")
@click.option("--param", "param", multiple=True, metavar="NAME=NUMBER", help="A param of the world. Repeatable.")
@click.option("--clock", is_flag=True, help="Let time run from the beginning; by default the world waits for you.")
@click.option("--rate", type=click.FloatRange(0.25, 64), default=RATE, show_default=True,
              help="Ticks of a second while time runs.")  # fmt: skip
@click.option("--keys", metavar="TEXT|FILE", help="Keys in place of a keyboard: names of keys or of actions.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file, NAME.episode; by default a new one.")
@click.option("--no-write", is_flag=True, help="Write no file.")
def play(
    universe: Path,
    numbers: tuple[int, ...],
    roles: tuple[str, ...],
    policy: str,
    agents: int | None,
    seed: int,
    world: int,
    param: tuple[str, ...],
    clock: bool,
    rate: float,
    keys: str | None,
    output: Path | None,
    no_write: bool,
) -> None:
    """Play a world of UNIVERSE (a file, a pack, or a generated package) to the end of its episode.

    The keys of all actions stand beneath the picture. The world waits for you, until Space lets time run. Ctrl-C ends
    the game. Then the policy, and random actions, play the same world in your place.

    The game is written as an episode, which `hamletc replay` runs again; `hamletc board` ranks a folder of them.
    """
    from rich.console import Console

    import hamlet
    from hamlet_lab.play.game import Game, seats
    from hamlet_lab.play.keyboard import Written, typed
    from hamlet_lab.play.keys import bindings_of, keys_of
    from hamlet_lab.play.session import Session
    from hamletc.cli.package import at_home, in_memory_of
    from hamletc.cli.params import check_within, declared, numbers_of

    if output is not None and (no_write or output.suffix != EPISODE):
        raise CompileError(f"{output} is not written" if no_write else f"{output} does not end in {EPISODE}")
    player, params = player_of(policy), numbers_of(param)
    module = in_memory_of(universe)
    player.check(module)
    for name, value in params.items():
        check_within(declared(name, module.universe), value)

    def make(autoreset: Literal["same_step", "next_step"]) -> Env:
        return hamlet.make(
            module,
            worlds=1,
            agents=agents,
            backend="interpreter",
            seed=seed,
            first_world=world,
            params=dict(params),
            quiet=True,
            launch="step",
            autoreset=autoreset,
        )

    bindings = bindings_of(module.universe)
    script = None if keys is None else Written(keys_of(text_of(keys), bindings))
    console = Console(highlight=False)
    # Whatever is refused is refused before the terminal changes.
    hands = seats(make("same_step"), numbers, roles)
    if output is not None:
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CompileError(f"cannot write {output}: {error.strerror}") from error
    with typed() if script is None else nullcontext(script) as keyboard:
        game = Game(make, hands, player)
        Session(game, bindings, keyboard, console, rate, clock).run()
    if not game.ticks:
        click.echo("nothing was played")
        return
    console.print(results(game, player, make))
    if not no_write and (output is not None or not at_home()):
        path = output or fresh(Path(module.name))
        game.episode().save(path)
        ended = "" if not game.going else "; it has not ended, so no board takes it"
        click.echo(f"episode  {path}: {game.ticks} tick{'s' * (game.ticks != 1)}{ended}")


def results(game: Game, player: Player, make: Make) -> Table:
    """The lives of all agents, and of those by hand as others play them in the same world."""
    from rich.table import Table

    from hamlet_lab.play.game import instead
    from hamletc.cli.show import literal

    rows = Table(box=None, pad_edge=False)
    for heading in ("", "who", "return", "ticks", "ended by"):
        rows.add_column(heading, overflow="fold")
    names = [each.name for each in game.env.view(0).players]
    shown = [*game.hands, *(agent for agent in range(len(names)) if agent not in game.hands)][:MOST_ROWS]

    def row(who: str, agent: int, score: Score) -> None:
        ended = score.ended or "not yet"
        rows.add_row(literal(names[agent]), literal(who), f"{score.returned:.6g}", str(score.ticks), literal(ended))

    for agent in shown:
        row("you" if agent in game.hands else player.named, agent, game.scores.agents[agent])
    if len(names) > len(shown):
        rows.add_row(f"and {len(names) - len(shown)} more", "", "", "", "")
    ticks = max(FEWEST_TICKS, game.ticks)
    rows.add_section()
    for other in (*(() if player.is_random else (player,)), Player()):
        for agent, score in zip(game.hands, instead(make, game.hands, player, other, ticks), strict=True):
            row(f"{other.named} in your place", agent, score)
    return rows


def text_of(keys: str) -> str:
    """The text itself, or that of the file of this name.

    Raises:
        CompileError: the file cannot be read, or is no text.
    """
    from hamlet.regular import read_regular

    path = Path(keys)
    try:
        if not path.is_file():
            return keys
        return read_regular(path, MOST_TEXT).decode()
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise CompileError(f"{path} is no text") from error
        if isinstance(error, OSError) and path.exists():
            raise CompileError(f"cannot read {path}: {error.strerror}") from error
        return keys


def fresh(path: Path) -> Path:
    """A name that no file has: NAME.episode, NAME-2.episode, ..."""
    number = 1
    while (file := path.with_name(f"{path.name}{f'-{number}' if number > 1 else ''}{EPISODE}")).exists():
        number += 1
    return file
