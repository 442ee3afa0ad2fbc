"""Thin walls that levels draw between their cells. No cell has them, so they stand in all levels alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Finding
from hamletc.expansion.drawn_levels import place_of
from hamletc.language import syntax

OPEN = ". :+"
"""Letters between cells that stop nobody."""


@dataclass(frozen=True, slots=True)
class Thinned:
    """A map whose levels have cells alone, with the thin walls that they drew; or what is wrong with these."""

    map: syntax.MapDecl
    problems: tuple[Finding, ...] = ()


def thinned(written: syntax.MapDecl) -> Thinned:
    """A map of levels of one size, without drawings of what is between cells."""
    kinds = [item for item in written.items if isinstance(item, syntax.DrawnWallsDecl)]
    levels = [item for item in written.items if isinstance(item, syntax.LevelDecl)]
    if not kinds:
        return Thinned(written)
    problems = list(_odd(kinds, levels[0]))
    if problems:
        return Thinned(written, tuple(problems))
    columns, rows = ("".join(each.letters.text for each in kinds if each.axis == axis) for axis in ("columns", "rows"))
    between = _Between(
        columns, rows, 1 + any(each.axis == "columns" for each in kinds), 1 + any(each.axis == "rows" for each in kinds)
    )
    problems = [finding for level in levels for finding in between.unknown(level)][:1]
    first = between.walls(levels[0])
    other = next((level for level in levels if between.walls(level) != first), None)
    if other is not None:
        problems.append(messages.levels.ThinWallsDiffer(kinds[0].span, other.name.text, levels[0].span, other.span))
    pairs = tuple(between.pair(cells, kinds[0].span) for cells in first)
    items = [between.cells(item) if isinstance(item, syntax.LevelDecl) else item for item in written.items]
    kept = tuple(item for item in items if not isinstance(item, syntax.DrawnWallsDecl))
    thin = (syntax.ThinWallsDecl(pairs, kinds[0].span),) if pairs else ()
    return Thinned(replace(written, items=(*kept, *thin)), tuple(problems))


def _odd(kinds: list[syntax.DrawnWallsDecl], level: syntax.LevelDecl) -> Iterator[Finding]:
    """Drawings in which a column or a row is missing, and axes that are said twice."""
    first: dict[str, syntax.DrawnWallsDecl] = {}
    for item in kinds:
        if first.setdefault(item.axis, item) is not item:
            yield messages.everywhere.GivenTwice(item.span, f"`wall between {item.axis}`", first[item.axis].span)
        count = len(level.rows) if item.axis == "rows" else len(level.rows[0].text)
        if count % 2 == 0:
            yield messages.maps.NoOddNumber(item.span, item.axis, count)
        if not item.letters.text:
            yield messages.maps.NoLetters(item.letters.span)


@dataclass(frozen=True, slots=True)
class _Between:
    """Which letters between `columns` and `rows` of cells are walls; `across` and `down` are 2 where some are drawn."""

    columns: str
    rows: str
    across: int
    down: int

    def walls(self, level: syntax.LevelDecl) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """The pairs of cells between which a level draws a wall."""
        return [pair for pair, letter, known, _ in self._drawn(level) if pair is not None and letter in known]

    def unknown(self, level: syntax.LevelDecl) -> Iterator[Finding]:
        """Letters between cells that mean nothing."""
        for _, letter, known, span in self._drawn(level):
            if letter not in known + OPEN:
                yield messages.maps.LetterWithoutMeaning(span, letter)

    def _drawn(
        self, level: syntax.LevelDecl
    ) -> Iterator[tuple[tuple[tuple[int, int], tuple[int, int]] | None, str, str, Span]]:
        """The letters between cells, with the cells on both sides (`None` at a corner), and those that are walls."""
        for line, place in product(range(len(level.rows)), range(len(level.rows[0].text))):
            past = line % self.down != 0, place % self.across != 0
            if not any(past):
                continue
            x, y = place // self.across, line // self.down
            pair = None if all(past) else ((x, y), (x + past[1], y + past[0]))
            known = self.columns + self.rows if all(past) else self.rows if past[0] else self.columns
            row = level.rows[line]
            yield pair, row.text[place], known, place_of(row, place)

    def cells(self, level: syntax.LevelDecl) -> syntax.LevelDecl:
        """A level without what it draws between its cells."""
        rows = (replace(row, text=row.text[:: self.across]) for row in level.rows[:: self.down])
        return replace(level, rows=tuple(rows))

    def pair(self, cells: tuple[tuple[int, int], tuple[int, int]], span: Span) -> syntax.CellPair:
        """Two cells as an author writes them."""
        first, second = (tuple(syntax.Signed(str(x), span) for x in cell) for cell in cells)
        return syntax.CellPair(first, second, span)
