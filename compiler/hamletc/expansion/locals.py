"""`let hurt = damage * (1 - armour)` among statements: which of them read it is found where an author wrote them, so
that nothing which is written out later can capture the name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.binding import declared_inside
from hamletc.expansion.places import Places
from hamletc.expansion.trees import Field, free, outside_expressions, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import declared
from hamletc.language.words import QUANTITIES, YIELDING

Known: TypeAlias = dict[str, syntax.LocalName]
"""The locals that can be read at a place, by name."""
_HIDING = ("value", "affordance", "action", "move")
"""The namespaces of names that can stand in an expression."""
_WITHOUT = frozenset((syntax.MeterDecl, syntax.LetDecl, syntax.RewardDecl, syntax.ParamDecl, syntax.ObserveDecl))
"""Declarations without statements, of which there may be many."""
_ASSIGNING = frozenset((syntax.AssignStmt,))
_STATEMENTS = get_args(syntax.Stmt)
_EXPRESSIONS = get_args(syntax.Expr)


@dataclass(frozen=True, slots=True)
class Local:
    """A local where it is declared, and its name with its key."""

    let: syntax.LetStmt
    name: syntax.LocalName


def locals_in(declarations: tuple[syntax.Decl, ...]) -> tuple[tuple[syntax.Decl, ...], tuple[Local, ...]]:
    """Declarations as an author wrote them, in which each local is known by its key, and the locals; whatever is wrong
    with them."""
    lets = [node for node in outside_expressions(declarations) if isinstance(node, syntax.LetStmt)]
    if not lets:
        return declarations, ()
    binding = _Binding(dict(_taken(declarations)), lets)
    return tuple(map(binding.declaration, declarations)), tuple(binding.locals)


class Locals:
    """A step that binds the names of locals. `unused` are those that nothing reads."""

    def __init__(self) -> None:
        self.unused: tuple[syntax.LetStmt, ...] = ()

    def bound(
        self, declarations: tuple[syntax.Decl, ...], places: Places
    ) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
        """The declarations, in which each local is known by its key, and what is wrong with locals."""
        # There may be many rules that assign alone.
        bodied = [
            item
            for item in declarations
            if type(item) not in _WITHOUT
            and not (isinstance(item, syntax.RuleDecl) and _ASSIGNING.issuperset(map(type, item.body)))
        ]
        lets = [node for node in outside_expressions(tuple(bodied)) if isinstance(node, syntax.LetStmt)]
        if not lets:
            return declarations, ()
        binding = _Binding(dict(_taken(declarations)), lets)
        made = tuple(map(binding.declaration, declarations))
        self.unused = tuple(each.let for each in binding.locals if each.name.key not in binding.read)
        return made, tuple(map(places.told, binding.problems))


def _taken(declarations: tuple[syntax.Decl, ...]) -> Iterator[tuple[str, Span]]:
    """The names that expressions know, of whatever part of the universe, and where they are declared."""
    for _, item in declared_inside(declarations):
        yield from ((each.name.text, each.span) for each in declared(item) if each.namespace in _HIDING)
        for part in outside_expressions(item):
            if isinstance(part, syntax.MeterDecl):
                options = () if part.state is None else part.state.options
                yield from ((name.text, name.span) for name in (part.name, *options))


class _Binding:
    """Binds the locals of one declaration after the other, of which `locals` are those that are bound, `read` the keys
    of those that something reads, and `problems` what is wrong with them."""

    def __init__(self, taken: dict[str, Span], lets: list[syntax.LetStmt]) -> None:
        self.locals: list[Local] = []
        self.read: set[str] = set()
        self.problems: list[Finding] = []
        self._taken = taken
        self._refused: set[str] = set()
        self._keys = set(taken)
        self._all = {let.name.text: let for let in reversed(lets)}
        self._here: dict[str, syntax.LetStmt] = {}

    def declaration(self, declaration: syntax.Decl) -> syntax.Decl:
        """A declaration in which locals are bound."""
        inside = [node for node in outside_expressions(declaration) if isinstance(node, syntax.LetStmt)]
        self._here = {let.name.text: let for let in reversed(inside)}
        made: syntax.Decl = self._tree(declaration, {})
        return made

    def _tree(self, node: Any, around: Known) -> Any:
        """The node with everything below it; its own statements can read what is known `around` it."""
        known, part = dict(around), ""
        inner = isinstance(node, (*_STATEMENTS, *_EXPRESSIONS))
        branches = isinstance(node, syntax.IfStmt)

        def each(item: Any, field: Field) -> Any:
            nonlocal known, part
            if branches and field.name != part:
                known, part = dict(around), field.name
            match item:
                case syntax.Name():
                    return self._name(item, known) if type(item) is syntax.Name and field.role == "expression" else item
                case syntax.LetStmt(name=name):
                    value = self._tree(item, known).value
                    known[name.text] = self._declared(item, known)
                    return replace(item, name=known[name.text], value=value)
                case syntax.AssignStmt(meter=meter, owner=None) if (local := known.get(meter.text)) is not None:
                    if local.key not in self._refused:
                        self.problems.append(messages.locals.LocalWritten(meter.span, meter.text, local.span))
                case _:
                    pass
            reads = inner or field.role == "expression" or isinstance(item, _STATEMENTS)
            return self._tree(item, known if reads else {})

        return rebuilt(node, each)

    def _declared(self, let: syntax.LetStmt, known: Known) -> syntax.LocalName:
        """The name of a local, with its key."""
        name, told = let.name, len(self.problems)
        if name.text in known:
            self.problems.append(messages.locals.LocalTwice(name.span, name.text, known[name.text].span))
        elif name.text in self._taken:
            self.problems.append(messages.locals.LocalLikeDeclaration(name.span, name.text, self._taken[name.text]))
        elif not name.quoted and name.text in QUANTITIES:
            self.problems.append(messages.locals.LocalOfWord(name.span, name.text, QUANTITIES[name.text]))
        key = free(f"let {name.text}", self._keys)
        self._keys.add(key)
        if len(self.problems) > told:
            self._refused.add(key)
        made = syntax.LocalName(name.text, name.span, name.quoted, "local", key)
        self.locals.append(Local(let, made))
        return made

    def _name(self, name: syntax.Name, known: Known) -> syntax.Name:
        """A name in an expression: that of a local, where it is one."""
        local = known.get(name.text)
        if local is not None:
            self.read.add(local.key)
            return syntax.LocalName(name.text, name.span, name.quoted, "local", local.key)
        is_word = not name.quoted and (name.text in QUANTITIES or name.text in YIELDING)
        let = self._here.get(name.text) or self._all.get(name.text)
        if let is not None and name.text not in self._taken and not is_word:
            where: Literal["above", "outside"] = "outside"
            if name.text in self._here and _is_above(name.span, let.span):
                where = "above"
            self.problems.append(messages.locals.LocalNotThere(name.span, name.text, let.name.span, where))
        return name


def _is_above(span: Span, other: Span) -> bool:
    """Whether a place is before the end of another one."""
    return span.file == other.file and (span.line, span.column) < (other.end_line, other.end_column)
