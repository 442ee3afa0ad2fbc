"""`let`: each use of its name becomes the expression that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.binding import own_meters
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, names_in, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import declared
from hamletc.language.heights import DEEPEST_TREE

MOST_PARTS = 20_000
"""The most nodes of a syntax tree that lets may stand for in a universe."""


class ExpansionError(Exception):
    """Something that cannot be written out."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def circle(uses: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """The first of the names that need themselves, with those on the way back to it; empty where there is none."""
    done: set[str] = set()
    for first in uses:
        path: list[tuple[str, Iterator[str]]] = [] if first in done else [(first, iter(sorted(uses[first])))]
        while path:
            name, rest = path[-1]
            following = next((other for other in rest if other in uses and other not in done), None)
            if following is None:
                done.add(name)
                path.pop()
                continue
            names = [each for each, _ in path]
            if following in names:
                return tuple(names[names.index(following) :])
            path.append((following, iter(sorted(uses[following]))))
    return ()


class Lets:
    """A step that writes out the lets of a file. `used` are the names of those that something uses."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def written_out(
        self, declarations: tuple[syntax.Decl, ...], places: Places
    ) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
        """The declarations, with the lets in them replaced by what they stand for. The lets themselves stay.

        Raises:
            ExpansionError: lets stand for themselves, or for too much.
        """
        lets: dict[str, syntax.LetDecl] = {}
        taken: set[str] = set()
        for item in declarations:
            if isinstance(item, syntax.LetDecl):
                lets.setdefault(item.name.text, item)
            else:
                taken |= {symbol.name.text for symbol in declared(item) if symbol.namespace == "value"}
        lets = {name: let for name, let in lets.items() if name not in taken}
        if not lets:
            return declarations, ()
        writing = _Writing(lets, self.used, places)
        writing.check_circles()
        return tuple(map(writing.declaration, declarations)), ()


class _Writing:
    """Writes out the lets of a file."""

    def __init__(self, lets: Mapping[str, syntax.LetDecl], used: set[str], places: Places) -> None:
        self._lets = lets
        self._used = used
        self._places = places
        self._parts = 0
        self._own: frozenset[str] = frozenset()
        """The meters of the affordance in whose braces lets are written out: what stands there means them."""

    def declaration(self, declaration: syntax.Decl) -> syntax.Decl:
        """A declaration in which no let is used."""
        if isinstance(declaration, syntax.LetDecl):
            return declaration
        self._own = own_meters(declaration) if isinstance(declaration, syntax.AffordanceDecl) else frozenset()
        made: syntax.Decl = self._tree(declaration, 1, None)
        return made

    def check_circles(self) -> None:
        uses = {
            name: frozenset(each.text for each in names_in(let.value) if self._let(each) is not None)
            for name, let in self._lets.items()
        }
        names = circle(uses)
        if not names:
            return
        first, *others = (self._lets[name].name.span for name in names)
        raise ExpansionError(self._places.told(messages.templates.LetsInCircle(first, tuple(names), tuple(others))))

    def _let(self, node: object) -> syntax.LetDecl | None:
        """What a name stands for in an expression, if it is that of a let."""
        return self._lets.get(node.text) if type(node) is syntax.Name else None

    def _tree(self, node: Any, level: int, copies: _Copies | None) -> Any:
        """The node with everything below it, written out."""
        if copies is not None:
            self._parts += 1
            if self._parts > MOST_PARTS:
                raise self._refused(messages.templates.LetsTooLarge(_place(node, copies), MOST_PARTS))
        moved = None if copies is None else copies.moved
        return rebuilt(node, lambda item, field: self._item(item, field, level, copies), moved)

    def _item(self, item: Any, field: Field, level: int, copies: _Copies | None) -> Any:
        is_expression = field.role == "expression"
        if level > DEEPEST_TREE:
            raise self._refused(messages.templates.LetsTooDeep(_place(item, copies), DEEPEST_TREE))
        let = self._let(item) if is_expression else None
        if let is None:
            made = self._tree(item, level + 1, copies)
            is_own = is_expression and type(made) is syntax.Name and made.text in self._own
            return syntax.Bound(made.text, made.span, made.quoted, "own") if is_own else made
        self._used.add(let.name.text)
        user = item.span if copies is None else copies.moved(item.span)
        return self._item(let.value, field, level + 1, _Copies(let.name.text, user, self._places))

    def _refused(self, finding: Finding) -> ExpansionError:
        return ExpansionError(self._places.told(finding))


def _place(node: Any, copies: _Copies | None) -> Span:
    """Where a node stands, which may be in a copy."""
    span: Span = node.span
    return span if copies is None else copies.moved(span)


class _Copies:
    """The copies that one use of a let makes: one for each file that its expression comes from."""

    def __init__(self, name: str, user: Span, places: Places) -> None:
        self._label = f"in `let {name}`"
        self._user = user
        self._places = places
        self._numbers: dict[int, int] = {}

    def moved(self, span: Span) -> Span:
        """A place in the copy."""
        if span.file not in self._numbers:
            self._numbers[span.file] = self._places.add(Copy(span.file, self._user, "user", self._label))
        return Span(span.line, span.column, span.end_line, span.end_column, self._numbers[span.file])
