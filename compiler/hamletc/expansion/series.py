"""What goes through a series, written out for each thing of it: `total(c) over c in c1 .. c10`, and
`repeat c in c1 .. c10 { ... }`. An index stands for a name or a number, as a parameter does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, TypeAlias

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.binding import NAMES_OF_WORDS
from hamletc.expansion.lets import MOST_PARTS, ExpansionError
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, as_written, binary, call, constant, names_in, number, rebuilt
from hamletc.language import syntax
from hamletc.language.words import MEANINGS

LONGEST_SERIES = 100
"""The most things of one series."""
MOST_LISTED = 12
"""The most things of a list that a hint writes."""
_NUMBERED = re.compile(r"(.*?)([0-9]+)", re.DOTALL)
_OF_LANGUAGE = ("quantity", "option", "parameter", "function", "region")
"""What a name in the text of a template is bound to that no index can be."""

_End: TypeAlias = tuple[str | None, int, int]
Step: TypeAlias = tuple[syntax.Expr, ...]
"""What the indices stand for at one time."""


def in_step(lists: tuple[syntax.SeriesList, ...], span: Span) -> tuple[Step, ...] | Finding:
    """What several lists of series have at each time, or why they have not as many; `span` is where they stand."""
    several: list[tuple[syntax.Expr, ...]] = []
    for each in lists:
        things: list[syntax.Expr] = []
        for series in each.series:
            more = through(series)
            if isinstance(more, Finding):
                return more
            things += more
        several.append(tuple(things))
    lengths = tuple(map(len, several))
    if len(set(lengths)) > 1:
        return messages.series.SeriesOutOfStep(span, lengths)
    return tuple(zip(*several, strict=True))


def through(series: syntax.Series) -> tuple[syntax.Expr, ...] | Finding:
    """The names or numbers of a series, or why it is none."""
    if series.last is None:
        return (_thing(series.first),)
    first, last = _end(series.first), _end(series.last)
    if first is None or last is None or first[0] != last[0] or not first[1] <= last[1] < first[1] + LONGEST_SERIES:
        downwards = None if first is None or last is None else _downwards(first, last)
        return messages.series.NoSeries(series.span, series.first.text, series.last.text, LONGEST_SERIES, downwards)
    stem, low, width = first
    if stem is None:
        return tuple(number(each, series.span) for each in range(low, last[1] + 1))
    texts = (f"{stem}{each:0{width}}" for each in range(low, last[1] + 1))
    quoted = isinstance(series.first.value, syntax.Name) and series.first.value.quoted
    return tuple(syntax.Name(text, series.span, quoted) for text in texts)


def _downwards(first: _End, last: _End) -> str | None:
    """The list of what goes down from one end to the other, where there is little of it."""
    (stem, high, wide), (other, low, narrow) = first, last
    width = max(wide, narrow)
    if stem != other or not high - MOST_LISTED < low < high:
        return None
    return f"({', '.join(str(n) if stem is None else f'{stem}{n:0{width}}' for n in range(high, low - 1, -1))})"


def _end(end: syntax.Signed) -> _End | None:
    """The letters before the number at an end of a series, `None` where it is a number itself; the number; and how many
    digits it has at least. `None` where there is no number."""
    if isinstance(end.value, syntax.Name):
        match = _NUMBERED.fullmatch(end.value.text)
        if match is None:
            return None
        stem, digits = match.groups()
        return stem, int(digits), len(digits) if digits.startswith("0") else 0
    value = constant(end)
    return None if value is None or not value.is_integer() else (None, int(value), 0)


def _thing(written: syntax.Signed) -> syntax.Expr:
    """One thing of a list."""
    if written.value is not None:
        return written.value
    value = constant(written)
    return syntax.Numeral(written.text, written.span) if value is None else number(value, written.span)


def series_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places, used: set[str]
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without indices, and what is wrong with these. The names of lets at the end of series are added
    to those that are `used`.

    Raises:
        ExpansionError: they stand for too much.
    """
    writing = _Writing(places, _constants(declarations), used)
    return tuple(map(writing.tree, declarations)), tuple(writing.problems)


def _constants(declarations: tuple[syntax.Decl, ...]) -> Mapping[str, syntax.Numeral]:
    """The numbers that lets stand for, which may be the end of a series."""
    lets = (item for item in declarations if isinstance(item, syntax.LetDecl))
    return {let.name.text: let.value for let in lets if isinstance(let.value, syntax.Numeral) and not let.value.unit}


class _Writing:
    """Writes out what goes through series. `constants` are the numbers that names stand for; `problems` is what is
    wrong with series."""

    def __init__(self, places: Places, constants: Mapping[str, syntax.Numeral], used: set[str]) -> None:
        self._places = places
        self._used = used
        self._constants = constants
        self._parts = 0
        self.problems: list[Diagnostic] = []

    def tree(self, node: Any, _field: Field | None = None) -> Any:
        """The node with everything below it, the outer indices first."""
        match node:
            case syntax.Name() | syntax.Numeral():
                return node
            case syntax.CallExpr(each=syntax.Each() as each):
                return self._joined(node, each)
            case syntax.RepeatStmt(each=syntax.Each() as each, body=body):
                rounds = self._rounds(each, body, node.span)
                return tuple(self.tree(statement) for statements in rounds for statement in statements)
            case _:
                made = rebuilt(node, self.tree)
                is_longer = isinstance(made, syntax.RuleDecl | syntax.CascadeDecl) and len(made.body) > 1
                return replace(made, braced=True) if is_longer and made is not node else made

    def _joined(self, node: syntax.CallExpr, each: syntax.Each) -> syntax.Expr:
        """One expression for what a function joins."""
        join = _JOINS.get(node.function.text)
        if join is None or node.function.quoted or len(node.arguments) != 1 or node.within is not None:
            self._say(messages.series.NotThroughSeries(node.span, node.function.text))
            return replace(node, each=None)
        terms = [self.tree(term) for (term,) in self._rounds(each, node.arguments, node.span)]
        return join(terms, node.span) if terms else replace(node, each=None)

    def _rounds(self, each: syntax.Each, body: tuple[Any, ...], span: Span) -> Iterator[tuple[Any, ...]]:
        """A body for each time, with what the indices stand for then; nothing where something is wrong."""
        wrong = _wrong_index(each, body)
        if wrong is not None:
            self._say(wrong)
            return
        texts = [name.text for name in each.names]
        steps = self._steps(each)
        for step in steps:
            meanings = dict(zip(texts, step, strict=True))
            moved = self._copies(meanings, span, len(steps))
            yield tuple(self._put(node, meanings, moved) for node in body)

    def _steps(self, each: syntax.Each) -> tuple[Step, ...]:
        if len(each.names) != len(each.lists):
            self._say(messages.series.SeriesOfOthers(each.span, len(each.names), len(each.lists)))
            return ()
        lists = tuple(replace(known, series=tuple(map(self._resolved, known.series))) for known in each.lists)
        steps = in_step(lists, each.span)
        if isinstance(steps, Finding):
            self._say(steps)
            return ()
        return steps

    def _resolved(self, series: syntax.Series) -> syntax.Series:
        """A series that ends in numbers where its ends stand for numbers."""
        if series.last is None:
            return series
        return replace(series, first=self._end(series.first), last=self._end(series.last))

    def _end(self, end: syntax.Signed) -> syntax.Signed:
        known = self._constants.get(end.value.text) if isinstance(end.value, syntax.Name) else None
        if known is None or not isinstance(end.value, syntax.Name):
            return end
        self._used.add(end.value.text)
        return replace(end, text=known.text, value=None)

    def _say(self, finding: Finding) -> None:
        told = self._places.told(finding)
        if all((each.code, each.primary.span) != (told.code, told.primary.span) for each in self.problems):
            self.problems.append(told)

    def _copies(self, meanings: Mapping[str, syntax.Expr], user: Span, rounds: int) -> Callable[[Span], Span]:
        """What gives places in one round; so draws in it are its own."""
        numbers: dict[int, int] = {}
        said = " and ".join(f"`{name}` is `{_text(meaning)}`" for name, meaning in meanings.items())

        def moved(span: Span) -> Span:
            if span.file not in numbers:
                numbers[span.file] = self._places.add(Copy(span.file, user, "written", f"where {said}", rounds=rounds))
            return replace(span, file=numbers[span.file])

        return moved

    def _put(self, node: Any, meanings: Mapping[str, syntax.Expr], moved: Callable[[Span], Span]) -> Any:
        """A node with what the indices stand for."""
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise ExpansionError(self._places.told(messages.series.TooMuchThroughSeries(node.span, MOST_PARTS)))
        if isinstance(node, syntax.Name):
            return self._name(node, Field("", "expression"), meanings, moved)
        inner = meanings
        if isinstance(node, syntax.CallExpr | syntax.RepeatStmt) and node.each is not None:
            hidden = {name.text for name in node.each.names}
            inner = {name: meaning for name, meaning in meanings.items() if name not in hidden}

        def each(item: Any, field: Field) -> Any:
            known = meanings if field.name == "each" else inner
            if not isinstance(item, syntax.Name):
                return self._put(item, known, moved)
            stays = (type(node), field.name) in NAMES_OF_WORDS or isinstance(node, syntax.Each)
            return replace(item, span=moved(item.span)) if stays else self._name(item, field, known, moved)

        made = rebuilt(node, each, moved)
        return as_written(made) if isinstance(made, syntax.Signed) else made

    def _name(
        self, item: syntax.Name, field: Field, meanings: Mapping[str, syntax.Expr], moved: Callable[[Span], Span]
    ) -> Any:
        """What stands for a name."""
        bound = isinstance(item, syntax.Bound) and item.space in _OF_LANGUAGE
        meaning = None if bound else meanings.get(item.text)
        match meaning:
            case None:
                return replace(item, span=moved(item.span))
            case syntax.Name(text=text, quoted=quoted):
                return replace(item, text=text, quoted=quoted, span=moved(item.span))
            case _ if field.role == "tree":
                self._say(messages.series.IndexIsNoName(item.span, item.text, _text(meaning)))
                return item
            case _:
                return rebuilt(meaning, lambda part, _: part, lambda _: moved(item.span))


def _wrong_index(each: syntax.Each, body: tuple[Any, ...]) -> Finding | None:
    """What is wrong with an index, if anything is."""
    read = {name.text for name in names_in(body)}
    for number_of, name in enumerate(each.names):
        if name.text in MEANINGS and not name.quoted:
            return messages.series.IndexOfWord(name.span, name.text)
        if name.text in {before.text for before in each.names[:number_of]}:
            return messages.series.IndexTwice(name.span, name.text)
        if name.text not in read:
            return messages.series.UnusedIndex(name.span, name.text)
    return None


def _text(meaning: syntax.Expr) -> str:
    """A name or a number, as a message shows it."""
    match meaning:
        case syntax.Name(text=text) | syntax.Numeral(text=text):
            return text
        case syntax.UnaryExpr(operand=syntax.Numeral(text=text)):
            return f"-{text}"
        case _:
            return "?"


# --- what joins the terms --------------------------------------------------------------------------------------------

Join: TypeAlias = Callable[[list[syntax.Expr], Span], syntax.Expr]


def _sum(terms: list[syntax.Expr], span: Span) -> syntax.Expr:
    """Added from left to right."""
    return reduce(lambda a, b: binary("+", a, b, span), terms)


def _number_of(terms: list[syntax.Expr], span: Span) -> syntax.Expr:
    return _sum([syntax.WhenExpr(number(1, term.span), term, term.span) for term in terms], span)


def _mean(terms: list[syntax.Expr], span: Span) -> syntax.Expr:
    return binary("/", _sum(terms, span), number(len(terms), span), span)


def _extreme(function: str) -> Join:
    return lambda terms, span: call(function, *terms, span=span) if len(terms) > 1 else terms[0]


_JOINS: Mapping[str, Join] = {
    "count": _number_of,
    "total": _sum,
    "average": _mean,
    "lowest": _extreme("min"),
    "highest": _extreme("max"),
}
