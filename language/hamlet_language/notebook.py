"""Universes in notebooks: `%load_ext hamlet_language.notebook` gives the cell magic `%%hamlet`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from hamlet_language.document import Document
from hamlet_language.fixing import fixed
from hamletc.compile import Options, build_checked, check, write_to_cache
from hamletc.diagnostics import has_errors, render_files
from hamletc.frontend import Stopwatch, UniverseText

USAGE = "%%hamlet [NAME] [--fix]"


class Shell(Protocol):
    """The part of IPython that a magic needs."""

    user_ns: dict[str, Any]

    def register_magic_function(self, func: Callable[[str, str], None], kind: str, name: str) -> None:
        """Make a function a magic."""

    def set_next_input(self, s: str, replace: bool = False) -> None:
        """Write a text into the next cell, or into this one."""


def load_ipython_extension(shell: Shell) -> None:
    """Give a notebook the magic `%%hamlet`."""

    def hamlet(line: str, cell: str) -> None:
        """Check the universe in a cell, say what is wrong with it, and where nothing is, compile it: NAME, or else the
        universe's own name, is then what `hamlet.make` takes. With --fix the cell gets what hints say for certain."""
        words = shlex.split(line)
        names = [word for word in words if word != "--fix"]
        if len(names) > 1 or any(not name.isidentifier() for name in names):
            print(f"usage: {USAGE}")
            return
        document = Document(Path("cell.hamlet"), cell)
        if "--fix" in words and (text := fixed(document)) != cell:
            shell.set_next_input(f"%%hamlet {' '.join(names)}".rstrip() + f"\n{text}", replace=True)
            document = Document(document.path, text)
        if document.checked:
            print(render_files(document.checked), end="")
        if has_errors(document.checked) or document.included:
            return
        name, module = _compiled(document)
        shell.user_ns[names[0] if names else name] = module

    shell.register_magic_function(hamlet, "cell", "hamlet")


def _compiled(document: Document) -> tuple[str, object]:
    """The name of a universe, and its package in memory."""
    from hamlet.package.module import in_memory

    file, sources, _ = document.linked
    assert file is not None, "a text with errors is not compiled"
    checked = check(UniverseText(document.path, file, sources))
    files = build_checked(checked, Options(), Stopwatch())
    return checked.universe.name, in_memory(write_to_cache(checked.universe.name, files), files)
