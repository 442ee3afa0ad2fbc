"""From what the user named to a loaded package, for the verbs that run one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hamletc.cli.show import count_warnings
from hamletc.compile import Options, build_checked, check_file
from hamletc.frontend import Stopwatch
from hamletc.kinds import expect

if TYPE_CHECKING:
    from hamlet.package.module import Module


def open_package(universe: Path) -> Module:
    """The generated package in a folder; or that of a file or a pack, compiled into generated/NAME."""
    from hamlet.package.module import in_memory, load

    if expect(universe, "text", "sources", "package", "nothing") == "package":
        return load(universe)
    from hamletc.package import ahead_in, default_folder, with_ahead, write

    stopwatch = Stopwatch()
    checked = check_file(universe, stopwatch)
    count_warnings(checked)
    folder = default_folder(checked.universe.name)
    files = build_checked(checked, Options(), stopwatch)
    ahead = ahead_in(folder, files)
    if ahead:
        files = with_ahead(files, ahead)
    write(files, folder)
    return in_memory(folder, files)
