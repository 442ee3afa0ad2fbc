"""`let`: each use of its name becomes the expression that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from hamlet.universe import Span, nodes
from hamletc.diagnostics import Diagnostic, Label, diagnose
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Role, outside_expressions, roles
from hamletc.language import syntax
from hamletc.language.heights import DEEPEST_TREE
from hamletc.language.words import MEANINGS, PLACES

T = TypeVar("T")
_BLOCKS = syntax.WorldDecl | syntax.CellsDecl

MOST_PARTS = 20_000
"""The most nodes of a syntax tree that lets may stand for in a universe."""
WORDED = frozenset(("edges", "distance", "places", "starts", "moves", "only"))
"""The properties whose values are words, and no expressions."""


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
    """Writes out the lets of a file. `used` are the names of those that something uses."""

    def __init__(self, declarations: tuple[syntax.Decl, ...], places: Places) -> None:
        self._places = places
        self._parts = 0
        self._lets: dict[str, syntax.LetDecl] = {}
        self.used: set[str] = set()
        others = syntax.MeterDecl | syntax.ParamDecl | syntax.InputDecl | syntax.ControlDecl | syntax.EffectDecl
        others |= syntax.ItemDecl
        taken = {declaration.name.text for declaration in declarations if isinstance(declaration, others)}
        blocks = (declaration for declaration in declarations if isinstance(declaration, _BLOCKS))
        taken |= {item.name.text for block in blocks for item in block.items if isinstance(item, others)}
        for declaration in declarations:
            if isinstance(declaration, syntax.LetDecl) and declaration.name.text not in taken:
                self._lets.setdefault(declaration.name.text, declaration)
        self._options = _options(declarations) if self._lets else frozenset[int]()

    def written_out(self, declarations: tuple[syntax.Decl, ...]) -> tuple[syntax.Decl, ...]:
        """The declarations, with the lets in them replaced by what they stand for. The lets themselves stay.

        Raises:
            ExpansionError: lets stand for themselves, or for too much.
        """
        if not self._lets:
            return declarations
        self._check_circles()
        return tuple(
            declaration if isinstance(declaration, syntax.LetDecl) else self._tree(declaration, 1, None)
            for declaration in declarations
        )

    def _check_circles(self) -> None:
        uses = {name: frozenset(self._names(let.value)) for name, let in self._lets.items()}
        names = circle(uses)
        if not names:
            return
        way = " -> ".join(f"`{name}`" for name in (*names, names[0]))
        first, *others = (self._places.shown(self._lets[name].name.span) for name in names)
        labels = tuple(Label(span, "on the way") for span in others)
        hint = "Let one of them stand for something else; what has a value from tick to tick is a meter."
        message = f"`{names[0]}` stands for itself: {way}"
        raise ExpansionError(diagnose("H085", message, first, secondary=labels[:MOST_LABELS], hint=hint))

    def _names(self, expression: syntax.Expr) -> Iterator[str]:
        """The names of lets in an expression."""
        pending: list[Any] = [expression]
        while pending:
            node = pending.pop()
            if isinstance(node, tuple):
                pending.extend(node)
            elif self._let(node) is not None:
                yield node.text
            elif isinstance(node, syntax.CallExpr):
                pending.append(node.arguments)
            elif not isinstance(node, str | bool | Span | None):
                pending.extend(getattr(node, name) for name, _ in roles(node))

    def _let(self, node: object) -> syntax.LetDecl | None:
        """What a name stands for in an expression, if it is that of a let."""
        if not isinstance(node, syntax.Name) or (node.text in MEANINGS and not node.quoted):
            return None
        if id(node) in self._options:
            return None
        return self._lets.get(node.text)

    def _tree(self, node: T, level: int, copies: _Copies | None) -> T:
        """The node with everything below it, written out."""
        if copies is not None:
            self._parts += 1
            if self._parts > MOST_PARTS:
                hint = "Let a rule compute a meter that others read: a `let` is written out wherever it is used."
                message = f"lets stand for more than {MOST_PARTS:,} names, numbers and operations"
                raise self._refused("H086", message, node, copies, hint)
        changes: dict[str, Any] = {}
        words = kept(node)
        for name, role in roles(node):
            old = getattr(node, name)
            new: Any = old
            if old is None or name in words:
                pass
            elif role == "span":
                new = old if copies is None else copies.moved(old)
            elif isinstance(old, tuple):
                new = tuple(self._item(item, role, level, copies) for item in old)
                new = old if all(a is b for a, b in zip(new, old, strict=True)) else new
            else:
                new = self._item(old, role, level, copies)
            if new is not old:
                changes[name] = new
        # A node is a dataclass, and the type variable cannot say so.
        return replace(node, **changes) if changes else node  # type: ignore[type-var]

    def _item(self, item: Any, role: Role, level: int, copies: _Copies | None) -> Any:
        if isinstance(item, tuple):
            return tuple(self._item(each, role, level, copies) for each in item)
        if isinstance(item, str | bool | Span | None):
            return item
        if level > DEEPEST_TREE:
            hint = "Split it: a rule can compute a meter in steps."
            raise self._refused("H015", f"an expression of more than {DEEPEST_TREE} levels", item, copies, hint)
        let = self._let(item) if role == "expression" else None
        if let is None:
            return self._tree(item, level + 1, copies)
        self.used.add(let.name.text)
        user = item.span if copies is None else copies.moved(item.span)
        return self._item(let.value, role, level + 1, _Copies(let.name.text, user, self._places))

    def _refused(self, code: str, message: str, node: Any, copies: _Copies | None, hint: str) -> ExpansionError:
        span = node.span if copies is None else copies.moved(node.span)
        return ExpansionError(self._places.diagnose(code, message, span, hint=hint))


MOST_LABELS = 8
"""How many of the names of a circle are shown where they are declared."""


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


def _options(declarations: tuple[syntax.Decl, ...]) -> frozenset[int]:
    """The names, by their identity, that are options of the states that they are compared with or written into."""
    specs: dict[str, tuple[str, ...]] = {}
    found: set[int] = set()
    for node in outside_expressions(declarations):
        if isinstance(node, syntax.MeterDecl) and node.state is not None and node.state.options:
            specs[node.name.text] = tuple(option.text for option in node.state.options)

    def add(value: syntax.Expr, options: tuple[str, ...]) -> None:
        match value:
            case syntax.Name(text=text) if text in options:
                found.add(id(value))
            case syntax.IfExpr(then=then, otherwise=otherwise):
                add(then, options)
                add(otherwise, options)
            case syntax.CallExpr(function=syntax.Name(text="choice"), arguments=arguments):
                for each in arguments:
                    add(each.value if isinstance(each, syntax.WeightedExpr) else each, options)
            case _:
                pass

    for node in nodes(declarations) if specs else ():
        match node:
            case syntax.BinaryExpr(op="==" | "!=", left=left, right=right):
                for side, other in ((left, right), (right, left)):
                    add(other, specs.get(_looked_at(side), ()))
            case syntax.AssignStmt(meter=meter, value=value):
                add(value, specs.get(meter.text, ()))
            case syntax.MeterDecl(name=name, start=start):
                add(start, specs.get(name.text, ()))
            case _:
                pass
    return frozenset(found)


def _looked_at(side: syntax.Expr) -> str:
    """The name of a state, or of one whose past is read; else nothing."""
    if isinstance(side, syntax.CallExpr) and side.function.text in ("previous", "lag"):
        side = side.arguments[0]
    return side.text if isinstance(side, syntax.Name) else ""


def kept(node: object) -> tuple[str, ...]:
    """The fields of a node that hold words or names of declarations where an expression could stand."""
    match node:
        case syntax.Property(key=key) if key.text in WORDED:
            return ("value",)
        case syntax.BinaryExpr(op="==" | "!=", left=left, right=right):
            return ("left", "right") if _is_place(left) or _is_place(right) else ()
        case _:
            return ()


def _is_place(expression: syntax.Expr) -> bool:
    """Whether it is a word that is compared with names of declarations."""
    return isinstance(expression, syntax.Name) and not expression.quoted and expression.text in PLACES
