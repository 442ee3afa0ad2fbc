"""`let`: each use of its name becomes the expression that it stands for; so does each call of one with parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.binding import own_meters
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, names_in, of_language, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import declared
from hamletc.language.heights import DEEPEST_TREE, levels_of
from hamletc.language.words import MEANINGS, YIELDING_CALLS

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
        """The declarations, with the lets in them replaced by what they stand for, and what is wrong with functions and
        their calls. The lets themselves stay.

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
        writing.check_functions()
        writing.check_circles()
        made = tuple(map(writing.declaration, declarations))
        return made, tuple(writing.problems)


class _Writing:
    """Writes out the lets of a file. `problems` is what is wrong with functions and their calls."""

    def __init__(self, lets: Mapping[str, syntax.LetDecl], used: set[str], places: Places) -> None:
        self._lets = lets
        self._used = used
        self._places = places
        self._parts = 0
        self._own: frozenset[str] = frozenset()
        """The meters of the affordance in whose braces lets are written out: what stands there means them."""
        self.problems: list[Diagnostic] = []

    def declaration(self, declaration: syntax.Decl) -> syntax.Decl:
        """A declaration in which no let is used."""
        if isinstance(declaration, syntax.LetDecl):
            return declaration
        self._own = own_meters(declaration) if isinstance(declaration, syntax.AffordanceDecl) else frozenset()
        made: syntax.Decl = self._tree(declaration, 1, None)
        return made

    def check_functions(self) -> None:
        """Functions have names of their own, and parameters that differ and are read."""
        for let in self._lets.values():
            name, known = let.name, dict[str, syntax.Name]()
            if let.parameters and of_language(name) and name.text not in YIELDING_CALLS:
                self._say(messages.templates.FunctionOfLanguage(name.span, name.text))
            read = {each.text for each in names_in(let.value) if _is(each, "parameter")}
            for each in let.parameters:
                if each.text in MEANINGS and not each.quoted:
                    self._say(messages.templates.ParameterOfWord(each.span, each.text))
                elif each.text in known:
                    self._say(messages.templates.ParameterTwice(each.span, each.text, known[each.text].span))
                elif each.text not in read:
                    self._say(messages.templates.UnusedParameter(each.span, name.text, each.text, "function"))
                known.setdefault(each.text, each)

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
        """What a name stands for in an expression, or a function that is called, if it is that of a let."""
        is_let = type(node) is syntax.Name or _is(node, "function")
        return self._lets.get(node.text) if isinstance(node, syntax.Name) and is_let else None

    def _tree(self, node: Any, level: int, copies: _Copies | None) -> Any:
        """The node with everything below it, written out."""
        if copies is not None:
            self._count(1, node, copies)
        moved = None if copies is None else copies.moved
        return rebuilt(node, lambda item, field: self._item(item, field, level, copies), moved)

    def _item(self, item: Any, field: Field, level: int, copies: _Copies | None) -> Any:
        is_expression = field.role == "expression"
        if level > DEEPEST_TREE:
            raise self._refused(messages.templates.LetsTooDeep(_place(item, copies), DEEPEST_TREE))
        if copies is not None and _is(item, "parameter") and item.text in copies.arguments:
            return self._argument(item, field, level, copies)
        is_call = isinstance(item, syntax.CallExpr) and _is(item.function, "function")
        if is_call and (let := self._let(item.function)) is not None:
            return self._called(item, let, field, level, copies)
        let = self._let(item) if is_expression else None
        if let is None:
            made = self._tree(item, level + 1, copies)
            is_own = is_expression and type(made) is syntax.Name and made.text in self._own
            return syntax.Bound(made.text, made.span, made.quoted, "own") if is_own else made
        self._used.add(let.name.text)
        user = _place(item, copies)
        if let.parameters:
            self._say(messages.templates.FunctionWithoutArguments(user, *_about(let)))
            return item
        return self._item(let.value, field, level + 1, _Copies(let, user, self._places))

    def _called(
        self, call: syntax.CallExpr, let: syntax.LetDecl, field: Field, level: int, copies: _Copies | None
    ) -> Any:
        """What a function stands for. What it is called with is written out first, and once: so what is drawn in an
        argument is one draw, wherever its parameter stands."""
        self._used.add(let.name.text)
        user = _place(call, copies)
        if call.over_cells:
            self._say(messages.agents.NotOverCells(_place(call.function, copies)))
            return call
        if len(call.arguments) != len(let.parameters):
            self._say(messages.templates.ArgumentsOfFunction(user, *_about(let), len(call.arguments)))
            return call
        each = Field("arguments", "expression")
        made = (_Argument.of(self._item(argument, each, level + 1, copies)) for argument in call.arguments)
        arguments = {name.text: argument for name, argument in zip(let.parameters, made, strict=True)}
        return self._item(let.value, field, level + 1, _Copies(let, user, self._places, arguments))

    def _argument(self, item: syntax.Name, field: Field, level: int, copies: _Copies) -> Any:
        """What stands for a parameter."""
        argument, place = copies.arguments[item.text], _place(item, copies)
        if field.role == "tree" and not isinstance(argument.tree, syntax.Name):
            about = copies.name, item.text, place
            self._say(messages.templates.NoNameForParameter(argument.tree.span, *about))
            return item
        if level + argument.levels > DEEPEST_TREE:
            raise self._refused(messages.templates.LetsTooDeep(place, DEEPEST_TREE))
        self._count(argument.parts, item, copies)
        return argument.tree

    def _count(self, parts: int, node: Any, copies: _Copies) -> None:
        self._parts += parts
        if self._parts > MOST_PARTS:
            raise self._refused(messages.templates.LetsTooLarge(_place(node, copies), MOST_PARTS))

    def _say(self, finding: Finding) -> None:
        self.problems.append(self._places.told(finding))

    def _refused(self, finding: Finding) -> ExpansionError:
        return ExpansionError(self._places.told(finding))


def _place(node: Any, copies: _Copies | None) -> Span:
    """Where a node stands, which may be in a copy."""
    span: Span = node.span
    return span if copies is None else copies.moved(span)


def _about(let: syntax.LetDecl) -> tuple[str, tuple[str, ...], Span]:
    """The name of a function, its parameters, and where it is declared."""
    return let.name.text, tuple(each.text for each in let.parameters), let.name.span


def _is(node: object, space: Literal["parameter", "function"]) -> bool:
    """Whether this is a parameter in the text of a function, or a function of the universe that is called."""
    return isinstance(node, syntax.Bound) and node.space == space


class _Argument(NamedTuple):
    """What a function is called with, written out: it has so many nodes, on so many levels."""

    tree: Any
    parts: int
    levels: int

    @classmethod
    def of(cls, tree: Any) -> _Argument:
        """The tree, measured."""
        below = [level for _, level in levels_of(tree)]
        return cls(tree, len(below), max(below))


class _Copies:
    """The copies that one use of a let makes: one for each file that its expression comes from. `arguments` are what a
    function is called with, by its parameters."""

    def __init__(
        self,
        let: syntax.LetDecl,
        user: Span,
        places: Places,
        arguments: Mapping[str, _Argument] = MappingProxyType({}),
    ) -> None:
        self.name = let.name.text
        self.arguments = arguments
        self._body = let.value.span if arguments else None
        self._user = user
        self._places = places
        self._numbers: dict[int, int] = {}

    def moved(self, span: Span) -> Span:
        """A place in the copy."""
        if span.file not in self._numbers:
            copy = Copy(span.file, self._user, "user", f"in `let {self.name}`", body=self._body)
            self._numbers[span.file] = self._places.add(copy)
        return Span(span.line, span.column, span.end_line, span.end_column, self._numbers[span.file])
