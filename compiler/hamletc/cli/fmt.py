"""`hamletc fmt`: one way to lay out a universe."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import rich_click as click

from hamlet.garbage import without_collections
from hamletc.errors import CompileError, SourceError
from hamletc.read import read


@click.command()
@click.argument("universes", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--check", "dry", is_flag=True, help="Change nothing; exit code 1 if a file would change.")
@click.pass_context
def fmt(ctx: click.Context, universes: tuple[Path, ...], dry: bool) -> None:
    """Format the files UNIVERSES in place."""
    from hamletc.diagnostics import by_file
    from hamletc.language.formatter import format_source
    from hamletc.language.losses import FormattingError

    changed = False
    for path in universes:
        source = read(path)
        try:
            with without_collections():
                formatted, diagnostics = format_source(source.text)
        except FormattingError as error:
            raise FormattingError(f"{path}: {error}; nothing was changed") from error
        if formatted is None:
            raise SourceError(path, by_file(diagnostics, (source,)))
        if formatted == source.text:
            continue
        changed = True
        if not dry:
            replace_text(path, formatted)
        click.echo(f"{'would reformat' if dry else 'reformatted'} {path}")
    if dry and changed:
        ctx.exit(1)


def replace_text(path: Path, text: str) -> None:
    """Write a text in place of a file, whole or not at all."""
    staging = path.with_name(f".{path.name}.formatted")
    try:
        staging.write_text(text, encoding="utf-8", newline="")
        shutil.copymode(path, staging)
        staging.replace(path)
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            staging.unlink()
