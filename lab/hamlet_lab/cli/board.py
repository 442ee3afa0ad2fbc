"""`hamletc board`: games that were played by hand, played again and ranked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.backend.registry import backend_names
from hamlet.terminal import visible
from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError
from hamletc.kinds import EPISODE

if TYPE_CHECKING:
    from rich.table import Table

    from hamlet.env.keep.episode import Episode
    from hamlet.package.module import Module
    from hamlet_lab.play.board import Entry

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("folder", type=PATH)
@click.option("--universe", type=PATH, help="Of the board: a file, a pack or a package; by default that of most games.")
@click.option("--agent", "numbers", type=click.IntRange(min=0), multiple=True, metavar="N",
              help="An agent that was played by hand; by default those of most games. Repeatable.")  # fmt: skip
@policy_option("Who played all others", None)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Take games of this seed alone.")
@click.option("--world", type=click.IntRange(min=0), help="Take games of this world alone.")
@click.option("--param", "param", multiple=True, metavar="NAME=NUMBER", help="A param of the games. Repeatable.")
@click.option("--backend", type=click.Choice(backend_names()), default="interpreter", show_default=True,
              help="What plays them again.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the board as JSON.")
@click.pass_context
def board(
    ctx: click.Context,
    folder: Path,
    universe: Path | None,
    numbers: tuple[int, ...],
    policy: str | None,
    seed: int | None,
    world: int | None,
    param: tuple[str, ...],
    backend: str,
    as_json: bool,
) -> None:
    """Play all games in FOLDER again (NAME.episode, as `hamletc play` writes them), and rank them by their returns.

    A game begins as its world does, every tick has the recorded bits, all others act as they have to, and it ends where
    its episode ends; the file's name is the player's. What is something else is refused with a line that says why.

    Exit code 1 if a game was refused, or there is none.
    """
    from hamlet.env.keep.episode import Episode
    from hamlet.errors import HamletError
    from hamlet_lab.play.board import Rules, Terms, check_player, common_terms, judged, most_common
    from hamletc.cli.package import in_memory_of
    from hamletc.cli.params import check_within, declared, numbers_of
    from hamletc.cli.progress import progress_of
    from hamletc.targets.target import target_names

    files = files_in(folder)
    targets = (backend,) if backend in target_names() else ()
    player, params = None if policy is None else player_of(policy), numbers_of(param)
    refused: dict[str, str] = {}
    episodes: dict[str, Episode] = {}
    for file in files:
        try:
            episodes[file.stem] = Episode.load(file)
        except HamletError as error:
            refused[file.name] = str(error).removeprefix(f"{file} ")
    entries: list[Entry] = []
    module = None if universe is None else in_memory_of(universe, targets)
    if episodes:
        if module is None:
            chosen, terms = most_common(episodes.values())
            module = made(chosen, targets)
        else:
            mine = [each for each in episodes.values() if each.universe.name == module.name]
            terms = common_terms(mine or episodes.values())
        if numbers:
            hands = tuple(sorted(set(numbers)))
            others = "" if len(hands) == terms.agents else terms.others or "random"
            terms = Terms(hands, terms.agents, others)
        check_player(terms, player)
        if player is not None:
            player.check(module)
        for name, value in params.items():
            check_within(declared(name, module.universe), value)
        rules = Rules(module, terms, player, params, seed, world, backend)
        with progress_of(f"playing {len(episodes)} game{'s' if len(episodes) > 1 else ''} again") as tell:
            for number, (name, episode) in enumerate(episodes.items(), 1):
                try:
                    entries.append(judged(name, episode, rules))
                except HamletError as error:
                    refused[f"{name}{EPISODE}"] = str(error)
                tell(number / len(episodes))
    entries.sort(key=lambda each: (-each.returned, each.ticks, each.name))
    if as_json:
        ranked = [asdict(each) | {"rank": rank} for rank, each in zip(ranks(entries), entries, strict=True)]
        click.echo(json.dumps({"games": ranked, "refused": refused}, indent=1, ensure_ascii=False))
    else:
        show(folder, module, entries)
        for name, why in sorted(refused.items()):
            click.echo(f"refused {visible(name)}: {visible(why)}", err=True)
    if refused or not entries:
        ctx.exit(1)


def files_in(folder: Path) -> list[Path]:
    """The episodes of a folder by name.

    Raises:
        CompileError: it is no folder, or has none.
    """
    try:
        files = sorted(each for each in folder.iterdir() if each.suffix == EPISODE)
    except OSError as error:
        raise CompileError(f"cannot read {folder}: {error.strerror}") from error
    if not files:
        raise CompileError(f"{folder} has no games: `hamletc play` writes NAME{EPISODE}")
    return files


def made(universe: object, targets: tuple[str, ...]) -> Module:
    """The package of a universe of an episode, in memory."""
    from hamlet.package.module import in_memory
    from hamlet.universe import Universe
    from hamletc.compile import Options, build
    from hamletc.frontend import Stopwatch

    assert isinstance(universe, Universe)
    return in_memory(Path(universe.name), build(universe, Options(targets), Stopwatch()))


def ranks(entries: Sequence[Entry]) -> list[int]:
    """The rank of each: equal returns have the same one."""
    return [1 + sum(other.returned > each.returned for other in entries) for each in entries]


def show(folder: Path, module: Module | None, entries: Sequence[Entry]) -> None:
    """Print the board, and who did the same as others."""
    from rich.console import Console

    if not entries or module is None:
        click.echo(f"{folder}: no game was taken")
        return
    Console(highlight=False, soft_wrap=True).print(table(module, entries))
    alike: dict[tuple[int, int, str], list[str]] = {}
    for entry in entries:
        alike.setdefault((entry.seed, entry.world, entry.actions), []).append(entry.name)
    for names in alike.values():
        if len(names) > 1:
            click.echo(f"the same actions in the same world: {visible(', '.join(sorted(names)))}")


def table(module: Module, entries: Sequence[Entry]) -> Table:
    """Games by descending returns."""
    from rich.table import Table

    from hamletc.cli.show import literal

    rows = Table(title=module.name)
    for heading in ("", "player", "return", "ticks", "ended by", "seed", "world"):
        rows.add_column(heading, overflow="fold")
    for rank, each in zip(ranks(entries), entries, strict=True):
        numbers = f"{each.returned:.6g}", str(each.ticks)
        rows.add_row(str(rank), literal(each.name), *numbers, literal(each.ended), str(each.seed), str(each.world))
    return rows
