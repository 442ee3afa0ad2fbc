"""Packs as a front end of the compiler: a folder of YAML files becomes a tree of the text language."""

from __future__ import annotations

from pathlib import Path

from hamlet_townlet.adapter import description
from hamlet_townlet.adapter.description import Description
from hamlet_townlet.pack import ACTIONS, FILES, Pack
from hamletc.diagnostics import FileDiagnostics
from hamletc.errors import CompileError, SourceError
from hamletc.frontend import Stopwatch, UniverseText
from hamletc.kinds import arrays_in
from hamletc.language.syntax import File


class Packs:
    """See `hamletc.frontend.FrontEnd`."""

    reads = "a pack (bars.yaml, ...)"
    attaches = (description.FILENAME,)

    def owns(self, path: Path) -> bool:
        """A folder with a file that packs have, be it a broken one."""
        return any((path / name).exists() for name in FILES if name != ACTIONS)

    def knows(self, path: Path) -> str | None:
        """A pack, one of its files, or a trace of HAMLET's engine."""
        if self.owns(path):
            return "is a pack of HAMLET and no text: `hamletc import` prints it as one"
        if path.suffix in (".yaml", ".yml") and self.owns(path.parent):
            return f"is one file of a pack: name the folder, {path.parent}"
        if is_trace(path):
            return "is a trace of HAMLET: `hamletc replay PACK TRACE` takes it"
        return None

    def read(self, path: Path, stopwatch: Stopwatch) -> UniverseText:
        """The pack in a folder."""
        pack, findings = stopwatch.lap("read", lambda: read_pack(path))
        tree, described = stopwatch.lap("translate", lambda: translate(pack))
        return reading(pack, findings, tree, described)


FRONT_END = Packs()


def read_pack(path: Path) -> tuple[Pack, tuple[FileDiagnostics, ...]]:
    """A pack, and warnings about it.

    Raises:
        SourceError: it has errors; with all of them.
        CompileError: there is no pack.
    """
    from hamlet_townlet.reader.read import read_pack
    from hamletc.kinds import expect

    if expect(path, "sources", "text") == "text":
        raise CompileError(f"{path} is a file, and no folder of a pack")
    pack, findings = read_pack(path)
    if pack is None:
        raise SourceError(path, findings)
    return pack, findings


def translate(pack: Pack) -> tuple[File, Description]:
    """A pack in the text language, and what HAMLET knows about it beyond that."""
    from hamlet_townlet.translate import translate

    return translate(pack)


def reading(pack: Pack, findings: tuple[FileDiagnostics, ...], tree: File, described: Description) -> UniverseText:
    """The translation of a pack, with the warnings from reading it."""
    attached = {description.FILENAME: description.to_json(described)}
    return UniverseText(pack.directory, tree, pack.sources, findings, attached, described.pack)


def is_trace(path: Path) -> bool:
    """Whether a file is a trace of HAMLET's engine."""
    return "reset_at.npy" in arrays_in(path)
