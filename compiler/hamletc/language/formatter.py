"""Source text in canonical form.

One item per line, four spaces of indentation; a short block without blocks in it stands in one line. Neighbouring
meters, params, rules and cascades are aligned. Numbers keep their spelling, comments their place, a lone statement its
braces, a blank line (one at most) stays; parentheses that change nothing go. Long lines are broken behind `->` and
before `then`, `else`, `or`, `and`; within a comparison or a term only where that is not enough. Formatting formatted
text changes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic
from hamletc.language import syntax
from hamletc.language.layout import Item, item_of
from hamletc.language.losses import compare_tokens
from hamletc.language.parser import is_fragment, parse_fragment_scan, parse_scan
from hamletc.language.spelling import spell_name
from hamletc.language.tokens import Scan, scan

Part: TypeAlias = syntax.RolePart | syntax.CellItem | syntax.LinksDecl
"""A declaration, or a part of a block."""
WIDTH = 120
"""The longest line: longer blocks and expressions are broken."""

_PLACE = re.compile(r"`[^`]*`|\"[^\"]*\"|[ ()]")
_EVERYWHERE = 10_000
_ARROW = ("->",)
_LEVELS: tuple[tuple[tuple[str, ...] | None, int], ...] = (
    *((_ARROW, 0), (("else",), 0), (("then",), 0), (("or",), 0), (("and",), 0), (("+", "-"), 0), (("over",), 0)),
    *(
        (("else",), _EVERYWHERE),
        (("then",), _EVERYWHERE),
        (("or",), _EVERYWHERE),
        (("and",), _EVERYWHERE),
        (("+", "-"), _EVERYWHERE),
    ),
    (None, _EVERYWHERE),
)
"""Where a line is broken, the best place first: before which words (behind an arrow; anywhere), and in how many
parentheses at most. So a comparison or a term is never broken where a condition can be."""

_CHAPTERS: tuple[tuple[type[syntax.Decl], ...], ...] = (
    (*syntax.SETTINGS.values(), syntax.ParamDecl, syntax.InputDecl, syntax.ControlDecl),
    (syntax.SlotsDecl, syntax.ItemDecl),
    (syntax.RuleDecl, syntax.CascadeDecl),
    (syntax.ActionDecl, syntax.AllowDecl, syntax.ActsDecl),
    (syntax.DiesDecl, syntax.EndsDecl, syntax.RewardDecl, syntax.ReportDecl, syntax.ObserveDecl, syntax.DrawDecl),
)
_CHAPTER = {kind: number for number, kinds in enumerate(_CHAPTERS) for kind in kinds}
"""The chapter of a declaration; any other kind is one of its own. A blank line stands between different ones."""


@dataclass(frozen=True, slots=True)
class _Remark:
    """A comment, and whether it stands behind something in its line."""

    text: str
    line: int
    column: int
    trailing: bool


def format_source(text: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The canonical form of a text, comments included; or `None`, and why it cannot be parsed.

    Raises:
        FormattingError: the canonical form would not have everything that the text has.
    """
    scanned = scan(text)
    file, diagnostics = _parsed(scanned)
    if file is None or diagnostics:
        return None, diagnostics
    first_columns: dict[int, int] = {}
    for token in scanned.tokens:
        first_columns.setdefault(token.line, token.column)
    remarks = [
        _Remark(c.text, c.line, c.column, first_columns.get(c.line, c.column) < c.column) for c in scanned.comments
    ]
    formatted = _format(file, _items(file), remarks)
    compare_tokens(scanned, scan(formatted))
    return formatted, ()


def _parsed(scanned: Scan) -> tuple[syntax.File | None, tuple[Diagnostic, ...]]:
    """The tree of a universe, or of a text that others include; that has no name."""
    if not is_fragment(scanned):
        return parse_scan(scanned)
    declarations, diagnostics = parse_fragment_scan(scanned)
    start = Span(1, 1, 1, 1)
    return syntax.File(syntax.Name("", start), declarations, start), diagnostics


def format_file(file: syntax.File) -> str:
    """The canonical text of a syntax tree that has no source: its spans do not matter. Parsed again it gives the same
    tree but for spans, and for backticks that are not needed."""
    return _format(file, [_in_line(item, line) for line, item in enumerate(_items(file), start=1)], [])


def _items(file: syntax.File) -> list[Item]:
    """The header and the declarations."""
    extends = "" if file.base is None else f' extends "{file.base.path}"'
    span = file.name.span if file.base is None else file.base.span
    header = Item("", f"universe {spell_name(file.name)}{extends}", None, span)
    return [header, *map(item_of, file.declarations)]


def _in_line(item: Item, line: int) -> Item:
    """The item as if it stood in this line of a source."""
    block = None if item.block is None else tuple(_in_line(inner, line) for inner in item.block)
    tail = None if item.tail is None else _in_line(item.tail, line)
    return replace(item, block=block, span=Span(line, 1, line, 1), tail=tail)


def _format(file: syntax.File, items: Sequence[Item], remarks: Sequence[_Remark]) -> str:
    header, *items = items
    writer = _Writer(remarks)
    whole = bool(file.name.text)
    if whole:
        writer.write(header, 0, first=True)
    paddings = _paddings(file.declarations, items, remarks)
    chapter: int | type[syntax.Decl] = -1
    first = not whole
    for declaration, item, padding in zip(file.declarations, items, paddings, strict=True):
        previous = chapter
        kind = declaration.declaration if isinstance(declaration, syntax.OverrideDecl) else declaration
        if not isinstance(kind, syntax.LetDecl | syntax.OnceDecl):  # it stands where it is used
            chapter = _CHAPTER.get(type(kind), type(kind))
        inner: Sequence[int] = ()
        blocks = syntax.WorldDecl | syntax.CellsDecl | syntax.PairsDecl | syntax.RoleDecl
        if isinstance(kind, blocks) and item.block is not None:
            inner = _paddings(kind.items, item.block, remarks)
        writer.write(item, 0, first=first, apart=chapter != previous and not first, padding=padding, inner=inner)
        first = False
    writer.write_rest()
    return "\n".join(writer.lines) + "\n"


def _paddings(declarations: Sequence[Part], items: Sequence[Item], remarks: Sequence[_Remark]) -> list[int]:
    """The width of each declaration's key: that of the longest in its run of neighbouring lines."""
    runs: list[list[int]] = []
    for index, (declaration, item) in enumerate(zip(declarations, items, strict=True)):
        if index > 0 and _neighbours(declarations[index - 1], declaration, items[index - 1], item, remarks):
            runs[-1].append(index)
        else:
            runs.append([index])
    widths = [max(len(items[i].key) for i in run) for run in runs]
    return [width for width, run in zip(widths, runs, strict=True) for _ in run]


def _neighbours(a: Part, b: Part, first: Item, second: Item, remarks: Sequence[_Remark]) -> bool:
    """Whether two declarations of one kind will stand in adjacent lines."""
    if type(a) is not type(b) or isinstance(a, syntax.OverrideDecl) or not (first.key and second.key):
        return False
    if second.span.line - first.span.end_line > 1 or not (_fits(first, 0, remarks) and _fits(second, 0, remarks)):
        return False
    between = _between(remarks, _place(first), _place(second))
    return len(between) <= 1 and all(remark.trailing for remark in between)


def _place(item: Item) -> tuple[int, int]:
    return item.span.line, item.span.column


def _fits(item: Item, indent: int, remarks: Sequence[_Remark]) -> bool:
    """Whether an item is written in one line."""
    if indent + len(item.flat) > WIDTH or item.nests or item.broken:
        return False
    return item.block is None or not _between(remarks, _place(item), (item.span.end_line, item.span.end_column))


def _between(remarks: Sequence[_Remark], first: tuple[int, int], last: tuple[int, int]) -> Sequence[_Remark]:
    """The comments behind the first place and before the last; all comments are in the order of the text."""
    return remarks[bisect_right(remarks, first, key=_where) : bisect_left(remarks, last, key=_where)]


def _where(remark: _Remark) -> tuple[int, int]:
    return remark.line, remark.column


class _Writer:
    """Writes items in order, and each comment before the first item that follows it in the source."""

    def __init__(self, remarks: Sequence[_Remark]) -> None:
        self.lines: list[str] = []
        self._remarks = remarks
        self._written = 0  # how many of them
        self._line = 1  # where what was written last ends in the source
        self._remarked = True  # whether the last line has a comment, or there is no line

    def write(
        self,
        item: Item,
        indent: int,
        *,
        first: bool = False,
        apart: bool = False,
        padding: int = 0,
        inner: Sequence[int] = (),
    ) -> None:
        """Write an item. `first` forbids a blank line before it, `apart` demands one; `padding` is the width of its
        key, `inner` are those of the keys in its block."""
        blank = self._write_remarks(_place(item), indent, item.span.line, first=first, apart=apart)
        if blank:
            self.lines.append("")
        if item.block is None or _fits(item, indent, self._remarks):
            self._put(indent, f"{item.key:<{padding}}{item.flat.removeprefix(item.key)}")
        else:
            part: Item | None = item
            before, head = "", f"{item.key:<{padding}}{item.head.removeprefix(item.key)}"
            while part is not None:
                self._put(indent, f"{before}{head} {{")
                for index, each in enumerate(part.block or ()):
                    self.write(each, indent + 4, first=index == 0, padding=inner[index] if inner else 0)
                last = (part.span.end_line, part.span.end_column)
                end = last if part.tail is None else _place(part.tail)
                self._write_remarks(end, indent + 4, None, first=False, apart=False)
                part = part.tail
                before, head = "} ", "" if part is None else part.head
            self._put(indent, "}")
        self._line = max(self._line, item.span.end_line)

    def write_rest(self) -> None:
        """Write the comments behind the last item."""
        if self._written < len(self._remarks):
            last = self._remarks[-1]
            self._write_remarks((last.line + 1, 1), 0, None, first=False, apart=False)

    def _write_remarks(
        self, before: tuple[int, int], indent: int, line: int | None, *, first: bool, apart: bool
    ) -> bool:
        """Write the comments before a place. Returns whether a blank line stands before the item at `line`."""
        own: list[_Remark] = []
        while self._written < len(self._remarks) and _where(self._remarks[self._written]) < before:
            remark = self._remarks[self._written]
            self._written += 1
            if remark.trailing and not own and not self._remarked:
                self.lines[-1] += f"  {remark.text}"
                self._line = max(self._line, remark.line)
                self._remarked = True
            else:
                own.append(remark)
        blanks: list[bool] = []
        for start in [*(remark.line for remark in own), *([] if line is None else [line])]:
            blanks.append(start - self._line > 1)
            self._line = max(self._line, start)
        if first and blanks:
            blanks[0] = False
        elif apart and not any(blanks):
            blanks[0] = True
        for remark, blank in zip(own, blanks, strict=False):
            self.lines.extend([""] if blank else [])
            self.lines.append(" " * indent + remark.text)
            self._remarked = True
        return line is not None and blanks[-1]

    def _put(self, indent: int, text: str) -> None:
        self.lines.extend(_broken(" " * indent + text, indent + 4))
        self._remarked = False


def _broken(line: str, indent: int) -> list[str]:
    """A line, broken where it is too long: at what binds loosest first, and tighter only where that is not enough."""
    if len(line) <= WIDTH:
        return [line]
    begin = len(line) - len(line.lstrip())
    first, *rest = _pieces(line[begin:], WIDTH - indent, 0)
    lines = [line[:begin] + first]
    for piece in rest:
        if len(lines[-1]) + 1 + len(piece) > WIDTH or lines[-1].endswith(" ->"):
            lines.append(" " * indent + piece)
        else:
            lines[-1] += f" {piece}"
    return lines


def _pieces(text: str, longest: int, level: int) -> list[str]:
    """A text between the spaces at which a line may end; no piece is longer than `longest` if that can be."""
    if len(text) <= longest or level == len(_LEVELS):
        return [text]
    words, deepest = _LEVELS[level]
    parts: list[str] = []
    begin = depth = 0
    for match in _PLACE.finditer(text):
        depth += (match[0] == "(") - (match[0] == ")")
        if match[0] != " " or depth > deepest:
            continue
        after = text[match.end() : match.end() + 5].split(" ", 1)[0]
        if words is None or (_follows_arrow(text, match.end()) if words == _ARROW else after in words):
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [piece for part in (*parts, text[begin:]) for piece in _pieces(part, longest, level + 1)]


def _follows_arrow(text: str, index: int) -> bool:
    """Whether a statement begins here, behind an arrow."""
    return text[:index].endswith("-> ") and text[index] != "{"
