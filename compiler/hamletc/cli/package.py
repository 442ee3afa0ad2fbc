"""From what the user named to a loaded package, for the verbs that run one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hamletc.cli.show import count_warnings
from hamletc.compile import Options, build_checked, check_file, write_to_cache
from hamletc.frontend import Stopwatch
from hamletc.kinds import expect
from hamletc.targets.target import targets_for

if TYPE_CHECKING:
    from hamlet.package.module import Module


def at_home() -> bool:
    """Whether the current folder is the user's home, where no verb writes unasked."""
    try:
        return Path.cwd().samefile(Path.home())
    except (OSError, RuntimeError):
        return False


def open_package(universe: Path, write_here: bool | None = None, runners: Iterable[str] = ()) -> Module:
    """The generated package in a folder; or that of a file or a pack, compiled into `generated/NAME` of the current
    folder, or into the user's cache where `write_here` is false. By default it is false in the user's home alone.
    Kernels are those of the usual targets, and of those on request that are among `runners`.

    Raises:
        EnvError: one of the runners is a backend that this machine cannot run. No file was written.
    """
    from hamlet.package.module import in_memory, load

    if expect(universe, "text", "sources", "package", "nothing") == "package":
        return load(universe)
    from hamletc.package import ahead_in, default_folder, with_ahead, write

    stopwatch = Stopwatch()
    checked = check_file(universe, stopwatch)
    count_warnings(checked)
    files = build_checked(checked, Options(targets_for(runners)), stopwatch)
    if at_home() if write_here is None else not write_here:
        return in_memory(write_to_cache(checked.universe.name, files), files)
    folder = default_folder(checked.universe.name)
    _check_runners(in_memory(folder, files), runners)
    ahead = ahead_in(folder, files)
    if ahead:
        files = with_ahead(files, ahead)
    write(files, folder)
    return in_memory(folder, files)


def in_memory_of(universe: Path, targets: tuple[str, ...] = ()) -> Module:
    """The generated package in a folder; or that of a file or a pack, with kernels of these targets, which is written
    nowhere: the interpreter needs none of its files."""
    from hamlet.package.module import in_memory, load

    if expect(universe, "text", "sources", "package", "nothing") == "package":
        return load(universe)
    stopwatch = Stopwatch()
    checked = check_file(universe, stopwatch)
    count_warnings(checked)
    return in_memory(Path(checked.universe.name), build_checked(checked, Options(targets), stopwatch))


def _check_runners(module: Module, runners: Iterable[str]) -> None:
    from hamlet.backend.registry import backend_kind, backend_names
    from hamlet.errors import EnvError

    for name in runners:
        if name in backend_names() and (missing := backend_kind(name).missing(module)):
            raise EnvError(missing)
