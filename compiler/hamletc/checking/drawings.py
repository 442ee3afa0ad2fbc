"""Drawings. Whatever is drawn is there already: a drawing adds nothing to the state of a world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from hamlet import universe
from hamlet.universe import NoSpace, Span
from hamlet.universe.drawings import COLOURS, LIES, LONGEST_LETTER, Drawable
from hamlet.universe.space import axes_of, graph_of, letters_of
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, any_number, is_known
from hamletc.checking.space import FARTHEST
from hamletc.language import syntax
from hamletc.language.declared import Kind

Look: TypeAlias = universe.DrawLook
HIDDEN = (universe.Velocity, universe.Speed)
"""Quantities that are state only where a tick reads them."""


def resolve_drawings(
    declaration: syntax.DrawDecl, draft: Draft, names: Names, report: Findings
) -> tuple[universe.Drawing, ...]:
    """The drawings of a universe in file order, without those that have errors."""
    drawings = _Drawings(declaration, draft, names, report)
    return tuple(each for item in declaration.items for each in drawings.of(item))


class _Drawings:
    """Resolves the items of `draw`."""

    def __init__(self, written: syntax.DrawDecl, draft: Draft, names: Names, report: Findings) -> None:
        self._has_canvas = any(isinstance(item, syntax.DrawCanvas) for item in written.items)
        self._draft, self._names, self._report = draft, names, report
        self._kept = {meter.name for meter in draft.meters_of_all()}

    def of(self, item: syntax.DrawItem) -> Iterator[universe.Drawing]:
        """The drawings that an item stands for: of copies of an affordance one each."""
        match item:
            case syntax.DrawCanvas():
                yield from self._canvas(item)
            case syntax.DrawAgents(letter=letter, colour=colour):
                yield from self._look("agents", "", letter, colour, item.span)
            case syntax.DrawAside():
                yield universe.DrawAside(item.span)
            case syntax.DrawRole(name=name, letter=letter, colour=colour):
                if name.text in (self._names.roles or {}):
                    yield from self._look("role", name.text, letter, colour, item.span)
                else:
                    self._names.refuse(name, "a role", tuple(self._names.roles or {}))
            case syntax.DrawAffordance(name=name, letter=letter, colour=colour):
                for each in self._affordances(name):
                    yield from self._look("affordance", each, letter, colour, item.span)
            case syntax.DrawThing(name=name, letter=letter, colour=colour):
                if self._names.means(_lying(name), "cell meter"):
                    yield from self._look("item", name.text, letter, colour, item.span)
                else:
                    lying = (each for each in self._names.of_kind("cell meter") if each.startswith(LIES))
                    self._names.refuse(name, "a kind of things", tuple(each.removeprefix(LIES) for each in lying))
            case syntax.DrawWall(colour=colour):
                if self._has_map(item.span, "walls"):
                    yield from self._look("wall", "", None, colour, item.span)
            case syntax.DrawRegion(name=name, letter=letter, colour=colour):
                if (region := self._names.find(name, "region")) is not None:
                    yield from self._look("region", region, letter, colour, item.span)
            case syntax.DrawCell():
                yield from self._cell(item)
            case syntax.DrawMark():
                yield from self._mark(item)
            case syntax.DrawLine():
                yield from self._line(item)
            case syntax.DrawLinks():
                yield from self._links(item)
            case syntax.DrawGauges(names=words):
                yield from self._gauges(words, item.span)

    # --- looks -------------------------------------------------------------------------------------------------------

    def _look(
        self,
        kind: Drawable,
        name: str,
        letter: syntax.Quoted | None,
        colour: syntax.Name | None,
        span: Span,
        option: str = "",
    ) -> Iterator[Look]:
        shown, ink = self._letter(letter), self._colour(colour)
        if letter is None and colour is None:
            self._report.add(messages.drawings.NoLook(span))
        elif shown is not None and ink is not None:
            yield Look(kind, name, option, shown, ink, span)

    def _cell(self, item: syntax.DrawCell) -> Iterator[Look]:
        if (name := self._names.find(item.name, "cell meter")) is None:
            return
        if item.option is None:
            yield from self._look("cell", name, item.letter, item.colour, item.span)
            return
        state = self._names.state(item.name)
        options = () if state is None else tuple(each.text for each in state.options)
        if is_known(item.option, options, f"no option of `{name}`", self._report):
            yield from self._look("cell", name, item.letter, item.colour, item.span, item.option.text)

    def _letter(self, letter: syntax.Quoted | None) -> str | None:
        """The letter, or `None` where what stands in quotes is none; empty where nothing does."""
        if letter is None:
            return ""
        text = letter.text
        several = len(text) <= LONGEST_LETTER and text.isprintable() and all(ord(each) > 127 for each in text)
        if text.strip() and (several or (len(text) == 1 and text.isprintable())):
            return text
        self._report.add(messages.drawings.NoLetter(letter.span, text))
        return None

    def _colour(self, colour: syntax.Name | None) -> str | None:
        """The colour, or `None` where there is no such one; empty where none is said."""
        if colour is None:
            return ""
        return colour.text if is_known(colour, tuple(COLOURS), "no colour", self._report) else None

    def _affordances(self, name: syntax.Name) -> tuple[str, ...]:
        copies = tuple(copy for copy, of in self._names.copy_of.items() if of == name.text)
        if copies:
            return copies
        found = self._names.find(name, "affordance")
        return () if found is None else (found,)

    def _has_map(self, span: Span, what: str) -> bool:
        space = self._draft.space
        if space is not None and (letters_of(space) is None or graph_of(space) is not None):
            self._report.add(messages.drawings.NothingToDraw(span, what, "a map"))
            return False
        return True

    # --- what stands on the board ------------------------------------------------------------------------------------

    def _canvas(self, item: syntax.DrawCanvas) -> Iterator[universe.DrawCanvas]:
        if not isinstance(self._draft.space, NoSpace | None):
            self._report.add(messages.drawings.CanvasInSpace(item.span))
            return
        ends = []
        for low, high in (item.across, item.up):
            least = any_number(low, FARTHEST, "a coordinate", self._report)
            most = any_number(high, FARTHEST, "a coordinate", self._report)
            if least is None or most is None:
                return
            if least >= most:
                self._report.add(messages.drawings.CanvasEmpty(low.span, low.text, high.text))
                return
            ends.append((least, most))
        (left, right), (bottom, top) = ends
        yield universe.DrawCanvas((left, bottom), (right, top), item.span)

    def _mark(self, item: syntax.DrawMark) -> Iterator[universe.DrawMark]:
        place, letter, ink = self._point(item.at), self._letter(item.letter), self._colour(item.colour)
        holds, condition = self._condition(item.condition)
        if self._has_board(item.span) and holds and place and letter is not None and ink is not None:
            yield universe.DrawMark(*place, condition, letter, ink, item.span)

    def _line(self, item: syntax.DrawLine) -> Iterator[universe.DrawLine]:
        begin, end, ink = self._point(item.begin), self._point(item.end), self._colour(item.colour)
        holds, condition = self._condition(item.condition)
        if self._has_board(item.span) and holds and begin and end and ink is not None:
            yield universe.DrawLine(*begin, *end, condition, ink, item.span)

    def _links(self, item: syntax.DrawLinks) -> Iterator[universe.DrawLinks]:
        """Agents stand in a plane, on cells or not."""
        space, ink = self._draft.space, self._colour(item.colour)
        pairs = Expressions(self._names, self._report, scope="observe", asker="each")
        condition = self._shown(pairs.condition(item.condition))
        if space is not None and (graph_of(space) is not None or len(axes_of(space)) != 2):
            self._report.add(messages.drawings.NothingToDraw(item.span, "places", "a space of two dimensions"))
        elif condition is not None and ink is not None:
            yield universe.DrawLinks(condition, ink, item.span)

    def _has_board(self, span: Span) -> bool:
        """Whether there is a board; on a graph nodes have no coordinates."""
        space = self._draft.space
        if isinstance(space, NoSpace) and not self._has_canvas:
            self._report.add(messages.drawings.NothingToDraw(span, "places", "a space or a canvas"))
            return False
        return True

    def _point(self, point: tuple[syntax.Expr, ...]) -> tuple[universe.Expression, universe.Expression] | None:
        """A place on the board, whose first row is that of a board with one axis."""
        if not self._fits(point):
            return None
        numbers = [self._shown(Expressions(self._names, self._report, scope="observe").number(each)) for each in point]
        x, y = numbers if len(numbers) == 2 else (*numbers, universe.Number(0.0, point[0].span))
        return None if x is None or y is None else (x, y)

    def _fits(self, point: tuple[syntax.Expr, ...]) -> bool:
        """Whether a place has as many numbers as it takes."""
        space, (first, last) = self._draft.space, (point[0].span, point[-1].span)
        graph = space is not None and graph_of(space) is not None
        one_axis = space is not None and len(axes_of(space)) == 1
        if len(point) == (1 if graph else 2) or (len(point) == 1 and one_axis):
            return True
        further = Span(first.end_line, first.end_column, last.end_line, last.end_column, first.file)
        said = messages.drawings
        self._report.add(said.NumberOfNode(first, further) if graph else said.OneNumber(first))
        return False

    def _condition(self, expr: syntax.Expr | None) -> tuple[bool, universe.Expression | None]:
        """Whether there is nothing wrong with a condition, and what it is."""
        if expr is None:
            return True, None
        condition = self._shown(Expressions(self._names, self._report, scope="observe").condition(expr))
        return condition is not None, condition

    def _shown(self, value: universe.Expression | None) -> universe.Expression | None:
        """An expression, if all that it asks for is there without the drawing."""
        if value is None:
            return None
        for node in universe.nodes(value):
            meter = node.meter if isinstance(node, universe.MeterValue | universe.WorldValue) else None
            unread = isinstance(node, HIDDEN) and not self._draft.reads_velocity()
            if unread or (meter is not None and meter not in self._kept):
                self._report.add(messages.drawings.NotState(value.span))
                return None
        return value

    def _gauges(self, words: tuple[syntax.Name, ...], span: Span) -> Iterator[universe.DrawGauges]:
        kinds: tuple[Kind, ...] = ("meter", "world meter")
        shown: list[str] = []
        for word in words:
            if any(self._names.means(word, kind) for kind in kinds):
                shown.append(word.text)
            else:
                self._names.refuse(word, "a meter", self._names.of_kind(*kinds))
        if len(shown) == len(words):
            yield universe.DrawGauges(tuple(shown), span)


def _lying(name: syntax.Name) -> syntax.Name:
    return syntax.Name(f"{LIES}{name.text}", name.span, quoted=True)
