"""A text that somebody edits, with the texts that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from hamlet.garbage import without_collections
from hamlet.universe import Span
from hamlet_language.positions import Lines
from hamletc.changes import declarations_of
from hamletc.checking.check import check, prove
from hamletc.checking.proofs import Proofs
from hamletc.diagnostics import Diagnostic, FileDiagnostics, Label, by_file, diagnose
from hamletc.errors import CompileError
from hamletc.expansion.locals import Local, locals_in
from hamletc.language import syntax
from hamletc.language.parser import is_fragment, parse_fragment_scan, parse_scan
from hamletc.language.source import LARGEST_SOURCE, Source, read_source
from hamletc.language.tokens import Scan, Token, scan
from hamletc.link import link

NO_OTHERS: Mapping[Path, str] = MappingProxyType({})
_START = Span(1, 1, 1, 1)


class Document:
    """A text, read once, whatever is asked about it.

    Attributes:
        path: where the text is or would be, beside the files that it includes.
        text: the text, which need not be a universe.
        others: texts of other files that take the place of those on the disk, by their resolved paths.
    """

    def __init__(self, path: Path, text: str, others: Mapping[Path, str] = NO_OTHERS) -> None:
        self.path = path
        self.text = text
        self.others = others

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text."""
        return Lines(self.text)

    @cached_property
    def scanned(self) -> Scan:
        """The tokens of the text."""
        return scan(self.text)

    @property
    def included(self) -> bool:
        """Whether it is a text for others to include, without `universe NAME`."""
        return is_fragment(self.scanned)

    @cached_property
    def _parsed(self) -> tuple[syntax.File | None, tuple[Diagnostic, ...]]:
        if len(self.text) > LARGEST_SOURCE:
            hint = "Check that it is the right file; no universe needs so much text."
            return None, (diagnose("H003", f"the text is larger than {LARGEST_SOURCE >> 20} MiB", _START, hint=hint),)
        if self.included:
            declarations, problems = parse_fragment_scan(self.scanned)
            return syntax.File(syntax.Name("", _START), declarations, _START), problems
        return parse_scan(self.scanned)

    @property
    def file(self) -> syntax.File | None:
        """The syntax tree as far as it could be read; `None` where nothing can be trusted."""
        return self._parsed[0]

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The errors of syntax."""
        return self._parsed[1]

    @property
    def source(self) -> Source:
        """The text as the compiler has one."""
        return Source(self.path, self.text)

    @cached_property
    def linked(self) -> tuple[syntax.File | None, tuple[Source, ...], tuple[Diagnostic, ...]]:
        """The tree with those of the files that it includes and extends, all texts, and what is wrong with these."""
        if self.file is None:
            return None, (self.source,), ()
        return link(self.file, self.source, self._read)

    @cached_property
    def checked(self) -> tuple[FileDiagnostics, ...]:
        """All that the checker says about the text and those that belong to it, file by file."""
        with without_collections():
            return self._checked()

    @property
    def diagnosed(self) -> tuple[Diagnostic, ...]:
        """All that the checker says about the text itself."""
        own = (file.diagnostics for file in self.checked if file.path == self.path)
        return tuple(each for diagnostics in own for each in diagnostics)

    def _checked(self) -> tuple[FileDiagnostics, ...]:
        if self.problems:
            return by_file(self.problems, (self.source,))
        try:
            file, sources, problems = self.linked
            if problems:
                return by_file(problems, sources)
            # Only what includes it says which names there are.
            if file is None or self.included:
                return ()
            said = check(file, tuple(source.title for source in sources), whole=False)[1]
            return by_file(said, sources)
        except CompileError as error:
            return self._refused(str(error))
        except RecursionError:
            return self._refused("the text nests deeper than can be followed")

    def _refused(self, message: str) -> tuple[FileDiagnostics, ...]:
        """A diagnostic where there is no place to point at."""
        whole = Diagnostic("", "error", message, Label(_START), "")
        return (FileDiagnostics(self.path, self.text, (whole,)),)

    @cached_property
    def proofs(self) -> Proofs | None:
        """Where values of the universe lie; `None` where it has errors, or is none."""
        file, sources, problems = self.linked
        if file is None or self.included or self.problems or problems:
            return None
        try:
            with without_collections():
                return prove(file, tuple(source.title for source in sources))
        except (CompileError, RecursionError):
            return None

    @property
    def declarations(self) -> tuple[syntax.Decl, ...]:
        """All declarations, those of what it extends first; the names of locals are known by their keys."""
        return self._bound[0]

    @property
    def locals(self) -> tuple[Local, ...]:
        """The locals of all declarations."""
        return self._bound[1]

    @cached_property
    def _bound(self) -> tuple[tuple[syntax.Decl, ...], tuple[Local, ...]]:
        return locals_in(declarations_of(self.linked[0]))

    def token(self, line: int, column: int) -> Token | None:
        """The word or number that a place is in or behind, as the compiler counts places."""
        for token in self.scanned.tokens:
            span = token.span
            if span.line == line and span.column <= column <= span.end_column and token.kind in ("word", "quoted"):
                return token
        return None

    def _read(self, path: Path) -> str | Diagnostic:
        text = self.others.get(path.resolve())
        return read_source(path) if text is None else text
