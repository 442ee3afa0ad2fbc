"""`hamletc check --fix`: the edits of diagnostics that are sure, written into files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.terminal import visible
from hamletc.cli.fmt import replace_text
from hamletc.diagnostics import edited
from hamletc.diagnostics.mending import MOST_ROUNDS, sure_edits

if TYPE_CHECKING:
    from hamletc.diagnostics import FileDiagnostics


def mend(check: Callable[[], Sequence[FileDiagnostics]]) -> None:
    """Write what the hints of diagnostics say where that is sure, until nothing is left of that, and say where."""
    counts: dict[Path, int] = {}
    for _ in range(MOST_ROUNDS):
        done = False
        for file in check():
            edits = sure_edits(file.diagnostics)
            text = edited(file.text, edits)
            if text != file.text:
                replace_text(file.path, text)
                done = True
                mended = sum(not set(edits).isdisjoint(each.edits) for each in file.diagnostics)
                counts[file.path] = counts.get(file.path, 0) + mended
        if not done:
            break
    for path, count in counts.items():
        click.echo(f"{visible(str(path))}: did what {count} {'hint says' if count == 1 else 'hints say'}")
