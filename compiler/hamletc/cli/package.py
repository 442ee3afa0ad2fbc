"""From what the user named to a loaded package, for the verbs that run one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hamletc.cli.show import show_diagnostics
from hamletc.compile import Options, Stopwatch, build, check_file

if TYPE_CHECKING:
    from hamlet.module import Module


def open_package(universe: Path) -> Module:
    """The generated package in a folder; or that of a file, compiled into generated/NAME."""
    import hamlet

    if universe.is_dir():
        return hamlet.load(universe)
    from hamletc.package import default_folder, write

    stopwatch = Stopwatch()
    checked = check_file(universe, stopwatch)
    show_diagnostics(checked.source, checked.warnings)
    folder = default_folder(checked.universe.name)
    write(build(checked.universe, Options(), stopwatch), folder)
    return hamlet.load(folder)
