"""`hamletc page`: universes in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from hamletc.page.file import File
    from hamletc.page.played import Played
    from hamletc.page.site import Ready


@click.command()
@click.argument("universes", type=click.Path(path_type=Path), nargs=-1)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("site"), show_default=True,
              help="Folder to write into.")  # fmt: skip
@click.option("--editor/--no-editor", default=None,
              help="Whether universes can be edited in the page. [default: unless some are named]")  # fmt: skip
@click.option("--pyodide", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Folder of Pyodide, for the editor. [default: node_modules/pyodide, here or around]")  # fmt: skip
@click.option("--policy", "policies", type=click.Path(path_type=Path), multiple=True, metavar="RUN|zoo:NAME",
              help="Who plays its universe on the page: a run of hamletc train, a file with weights, or one of the "
                   "zoo; several times for several universes.")  # fmt: skip
def page(
    universes: tuple[Path, ...], output: Path, editor: bool | None, pyodide: Path | None, policies: tuple[Path, ...]
) -> None:
    """Write a page on which UNIVERSES (files, packs, or folders of files) run in a browser: a folder that any host
    serves. Without names it has a tutorial, the gallery with the policies of the zoo, the ports, and the compiler."""
    from hamlet.env.keep.files import write_file
    from hamletc.cli.progress import steps_of
    from hamletc.page.pyodide import compiler_files, pyodide_folder
    from hamletc.page.site import index, ready, static_files, universe_files, universes_of

    named = universes_of(universes, Path())
    edited = not universes if editor is None else editor
    compiler = compiler_files(pyodide_folder(pyodide, Path())) if edited or pyodide is not None else None
    checked: list[Ready] = []
    played: dict[int, Played] = {}
    total, count = 0, len(named)

    def write(files: Iterable[File]) -> None:
        nonlocal total
        for file in files:
            target = output / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, file.contents)
            total += len(file.contents)

    with steps_of(2 * count + 1) as step:
        for number, each in enumerate(named):
            step(number, f"{each.id}: checking")
            checked.append(ready(each))
        if not universes and find_spec("safetensors") is None:
            click.echo("no policies: those of the zoo need safetensors, which is not installed", err=True)
        elif policies or not universes:
            from hamletc.page.played import of_the_zoo, players

            step(count, "policies")
            here = [each.universe for each in checked]
            played = players(policies or of_the_zoo(here), here)
            checked = [replace(each, policy=played.get(number)) for number, each in enumerate(checked)]
        write((*static_files(), *(compiler or ())))
        for number, one in enumerate(checked, count + 1):
            write(universe_files(one, partial(_say, step, number, one.named.id)))
    # What is in a page last is its list: a page that is half written has none of the new universes.
    write([index(named, compiler is not None)])
    policy = "policy" if len(played) == 1 else "policies"
    others = f" and {len(played)} {policy}" if played else ""
    click.echo(f"wrote {output} with {count} universe{'s' * (count != 1)}{others}, {total / 1e6:.1f} MB")
    click.echo(f"look   python -m http.server --directory {output} --bind 127.0.0.1 8000   then http://127.0.0.1:8000")


def _say(step: Callable[[int, str], None], number: int, name: str, what: str) -> None:
    step(number, f"{name}: {what}")
