"""`hamletc import`: a pack in the text language."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamlet_townlet.frontend import read_pack, reading, translate
from hamletc.cli.show import show_warnings
from hamletc.compile import check


@click.command("import")
@click.argument("pack", type=click.Path(path_type=Path))
def import_(pack: Path) -> None:
    """Print the pack in the folder PACK as a universe in the text language, which compiles to the same ticks."""
    from hamlet_townlet.translate.text import text_of

    read, warnings = read_pack(pack)
    tree, description = translate(read)
    show_warnings(check(reading(read, warnings, tree, description)))
    click.echo(text_of(tree, read), nl=False)
