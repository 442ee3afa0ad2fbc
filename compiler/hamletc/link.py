"""`include`, `extends`, files of maps and tables: from the text of a universe to all of its texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.places import rewritten
from hamletc.language import syntax
from hamletc.language.parser import parse, parse_fragment
from hamletc.language.source import LARGEST_SOURCE, Source, read_source
from hamletc.level_files import levels_of
from hamletc.table_files import SUFFIXES, rows_of

MOST_FILES = 64
"""The most files that a universe may include."""
SUFFIX = ".hamlet"
MAPS = (".txt", ".map")
"""How the names of files end that are maps."""
Reader: TypeAlias = Callable[[Path], str | Diagnostic]


def link(
    file: syntax.File, source: Source, reader: Reader = read_source
) -> tuple[syntax.File, tuple[Source, ...], tuple[Diagnostic, ...]]:
    """A file with the declarations of those that it includes and with what it extends; all texts, in the order in which
    they are met; and what is wrong with them. The number of a text is that of its spans. `reader` gives the text of a
    file."""
    if file.base is None and not any(map(_reads, file.declarations)):
        return file, (source,), ()
    linker = _Linker(source, reader)
    return linker.file(file, PurePosixPath()), tuple(linker.sources), tuple(linker.problems)


def _reads(item: syntax.Decl) -> bool:
    """Whether a declaration reads a file."""
    match item:
        case syntax.OverrideDecl(declaration=inner):
            return _reads(inner)
        case syntax.TemplateDecl(declarations=several):
            return any(map(_reads, several))
        case syntax.PairsDecl(items=items):
            return any(isinstance(each, syntax.LinksDecl) and each.file is not None for each in items)
        case syntax.MapDecl(file=name) | syntax.TableDecl(file=name):
            return name is not None
        case _:
            return isinstance(item, syntax.IncludeDecl)


class _Linker:
    def __init__(self, source: Source, reader: Reader) -> None:
        self._reader = reader
        self._folder = source.path.parent
        self.sources = [source]
        self.problems: list[Diagnostic] = []
        self._met: dict[Path, Span] = {source.path.resolve(): Span(1, 1, 1, 1)}
        self._open = [source.path.resolve()]
        self._size = len(source.text)

    def declarations(self, written: tuple[syntax.Decl, ...], folder: PurePosixPath) -> tuple[Any, ...]:
        """The declarations of a file, with those of files that it includes in their places. `folder` is where it is."""
        made: list[syntax.Decl] = []
        for item in written:
            if isinstance(item, syntax.IncludeDecl):
                made += self._included(item, folder)
            else:
                made.append(self._with_rows(item, folder))
        return tuple(made)

    def _with_rows(self, item: syntax.Decl, folder: PurePosixPath) -> syntax.Decl:
        """A declaration with the rows of maps and tables that are files."""
        match item:
            case syntax.OverrideDecl(declaration=inner):
                return replace(item, declaration=self._with_rows(inner, folder))
            case syntax.TemplateDecl(declarations=several):
                return replace(item, declarations=tuple(self._with_rows(each, folder) for each in several))
            case syntax.MapDecl(file=syntax.Quoted() as file):
                rows = self._rows(file, folder)
                levels = levels_of(rows)
                return replace(item, items=(*levels, *item.items)) if levels else replace(item, rows=rows)
            case syntax.TableDecl(file=syntax.Quoted() as file):
                return replace(item, rows=self._numbers(file, folder))
            case syntax.PairsDecl(items=items):
                return replace(item, items=tuple(self._with_links(each, folder) for each in items))
            case _:
                return item

    def _with_links(self, item: syntax.PairItem, folder: PurePosixPath) -> syntax.PairItem:
        """Pairs with the rows of links that are a file."""
        match item:
            case syntax.LinksDecl(file=syntax.Quoted() as file):
                return replace(item, rows=self._numbers(file, folder))
            case _:
                return item

    def _rows(self, file: syntax.Quoted, folder: PurePosixPath) -> tuple[syntax.Quoted, ...]:
        """The lines of a file, without empty ones at its end."""
        place = self._place_of(file.text, file.span, folder, MAPS, "read as a map")
        text = None if place is None else self._text(place, folder / file.text, file.span)
        if text is None:
            return ()
        number, lines = len(self.sources) - 1, text.rstrip("\r\n").split("\n")
        rows = ((line, row.removesuffix("\r")) for line, row in enumerate(lines, 1))
        return tuple(syntax.Quoted(row, Span(line, 1, line, len(row) + 1, number)) for line, row in rows)

    def _numbers(self, file: syntax.Quoted, folder: PurePosixPath) -> tuple[syntax.TableRow, ...]:
        """The numbers of a file, line by line; none where something is wrong with it."""
        place = self._place_of(file.text, file.span, folder, SUFFIXES, "read as a table")
        text = None if place is None else self._text(place, folder / file.text, file.span)
        rows: list[syntax.TableRow] = []
        for row in () if text is None else rows_of(text, len(self.sources) - 1, file.span):
            if isinstance(row, Finding):
                self._say(row)
                return ()
            rows.append(row)
        return tuple(rows)

    def file(self, file: syntax.File, folder: PurePosixPath) -> syntax.File:
        """A file with all that it includes and extends."""
        base = file.base
        if base is not None:
            base = replace(base, file=self._taken(base, folder))
        return replace(file, base=base, declarations=self.declarations(file.declarations, folder))

    def _say(self, finding: Finding) -> None:
        self.problems.append(finding.diagnostic())

    def _included(self, item: syntax.IncludeDecl, folder: PurePosixPath) -> tuple[syntax.Decl, ...]:
        file = self._taken(item, folder)
        return () if file is None else file.declarations

    def _taken(self, item: syntax.IncludeDecl | syntax.Base, folder: PurePosixPath) -> syntax.File | None:
        """The declarations of a file that is included or extended, with those of all that it includes and extends
        itself.
        """
        place = self._place_of(item.path, item.span, folder, (SUFFIX,), "included or extended")
        if place is None:
            return None
        real, span, shown = place.resolve(), item.span, item.path
        if real in self._open:
            way = tuple(each.name for each in (*self._open[self._open.index(real) :], real))
            self._say(messages.layers.IncludesItself(span, way))
        elif real in self._met:
            self._say(messages.layers.ReadTwice(span, shown, self._met[real]))
        else:
            self._met[real] = span
            self._open.append(real)
            file = self._read(place, folder / shown, item)
            self._open.pop()
            return file
        return None

    def _place_of(
        self,
        shown: str,
        span: Span,
        folder: PurePosixPath,
        suffixes: tuple[str, ...],
        done: Literal["read as a map", "read as a table", "included or extended"],
    ) -> Path | None:
        """Where a file is that a text names, in the folder of that text or below; `done` says what cannot be done."""
        path = PurePosixPath(shown)
        if path.is_absolute() or ".." in path.parts or "\\" in shown or ":" in shown or path.suffix not in suffixes:
            self._say(messages.layers.NoSuchPath(span, shown, done, suffixes))
            return None
        place = self._folder / folder / path
        try:
            real = place.resolve()
            inside = real.is_relative_to(self._folder.resolve())
            there = real.is_file()
        except (OSError, RuntimeError, ValueError):
            inside, there, real = True, False, place
        if not inside:
            self._say(messages.layers.LinkLeadsOut(span, shown))
        elif not there:
            self._say(messages.layers.NoSuchFile(span, shown))
        elif len(self.sources) > MOST_FILES:
            self._say(messages.layers.TooManyFiles(span, MOST_FILES))
        else:
            return place
        return None

    def _text(self, path: Path, name: PurePosixPath, span: Span) -> str | None:
        """The text of a file, which becomes one of the sources."""
        number = len(self.sources)
        text = self._reader(path)
        self._size += 0 if isinstance(text, Diagnostic) else len(text)
        if self._size > LARGEST_SOURCE:
            self._say(messages.layers.FilesTooLarge(span, LARGEST_SOURCE))
            return None
        if isinstance(text, Diagnostic):
            self.sources.append(Source(path, "", str(name)))
            self.problems.append(_in_file(text, number))
            return None
        self.sources.append(Source(path, text, str(name)))
        return text

    def _read(self, path: Path, name: PurePosixPath, item: syntax.IncludeDecl | syntax.Base) -> syntax.File | None:
        number = len(self.sources)
        text = self._text(path, name, item.span)
        if text is None:
            return None
        if isinstance(item, syntax.Base):
            file, problems = parse(text)
        else:
            declarations, problems = parse_fragment(text)
            nowhere = Span(1, 1, 1, 1)
            file = syntax.File(syntax.Name("", nowhere), declarations, nowhere)
        self.problems += (_in_file(problem, number) for problem in problems)
        return None if file is None else self.file(_in_file(file, number), name.parent)


def _in_file(node: Any, number: int) -> Any:
    """A tree or a diagnostic with the places of a file."""
    return rewritten(node, lambda span: replace(span, file=number))
