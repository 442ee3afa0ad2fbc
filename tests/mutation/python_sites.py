"""What can be altered in a Python file of the compiler: operators, constants, operations of the IR, clamps, statements.

Documentation, annotations, messages of errors and the names of constructs in origins are no sites: readers see them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from keyword import iskeyword

import numpy as np
from emitted_sites import alterations
from mutant import COMPILER, Mutant

from hamletc.ir.ops import PLAIN, Op
from hamletc.ir.text import MNEMONICS


def _method(op: type[Op]) -> str:
    """The builder's name for an operation."""
    return f"{MNEMONICS[op]}_" if iskeyword(MNEMONICS[op]) else MNEMONICS[op]


COMPARISONS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "%"),
    ast.Mod: ("%", "//"), ast.Pow: ("**", "*"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"), ast.BitXor: ("^", "&"),
}  # fmt: skip
CLASSES = {op.__name__: traits.near.__name__ for op, traits in PLAIN.items() if traits.near is not None}
"""Operations of the IR where passes and formatters ask for them, and their neighbours."""

METHODS = {
    _method(op): _method(traits.near)
    for op, traits in PLAIN.items()
    if traits.near is not None and traits.results.keys() & PLAIN[traits.near].results.keys()
} | {"minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
"""Methods of the builder, and their neighbours that take the same types."""

SWAPPED = ("sub", "div", "rem", "less", "less_equal", "minimum", "maximum", "subtract", "divide")
"""Calls whose first two arguments are swapped."""

BUILT_IN = {"min": "max", "max": "min", "any": "all", "all": "any"}
DROPPED = ("round32", "to_binary32", "reversed", "sorted", "not_", "abs")
"""Calls of which the argument stays alone."""

WORDS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "//": "%", "%": "//", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "==": "!=", "!=": "==", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "and": "or", "or": "and",
    "min": "max", "max": "min", "sin": "cos", "cos": "sin", "lane": "world", "world": "lane",
}  # fmt: skip


def python_mutants(path: str) -> list[Mutant]:
    """All mutants of a file, in the order of its text."""
    found = list(_Finder(path).find())
    return sorted(dict.fromkeys(found), key=lambda mutant: (mutant.start, mutant.kind, mutant.new))


class _Finder:
    def __init__(self, path: str) -> None:
        self.path = path
        self.text = (COMPILER / path).read_text(encoding="utf-8")
        self.emits = path.startswith(("targets/", "kernel/"))
        self.tree = ast.parse(self.text)
        self._lines = [0]
        for line in self.text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        strings = [n.value for n in ast.walk(self.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        self.words = list(dict.fromkeys(word for word in strings if re.fullmatch(r"[a-z][a-z0-9_.]*", word)))
        names = (
            alias.asname or alias.name
            for n in ast.walk(self.tree)
            if isinstance(n, ast.ImportFrom)
            for alias in n.names
        )
        self.imported = frozenset(names)

    def find(self) -> Iterator[Mutant]:
        yield from self._visit(self.tree)

    # --- places ---

    def _offset(self, line: int, column: int) -> int:
        """Where a place of the syntax tree is in the text: its columns count bytes of UTF-8."""
        begin = self._lines[line - 1]
        return begin + len(self.text[begin : self._lines[line]].encode()[:column].decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.pattern)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _of(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.text[start:end]

    def _replace(self, node: ast.AST, new: str, kind: str) -> Iterator[Mutant]:
        old = self._of(node)
        if new != old:
            yield Mutant(self.path, self._span(node)[0], old, new, kind)

    def _between(self, left: ast.AST, right: ast.AST, old: str, new: str, kind: str) -> Iterator[Mutant]:
        """Replace an operator between two nodes."""
        begin, end = self._span(left)[1], self._span(right)[0]
        match = re.search(rf"(?<![<>=*/!])\b{old}\b" if old[0].isalpha() else re.escape(old), self.text[begin:end])
        if match is not None:
            yield Mutant(self.path, begin + match.start(), match[0], new, kind)

    def _swap(self, first: ast.AST, second: ast.AST, kind: str) -> Iterator[Mutant]:
        (begin, middle), (after, end) = self._span(first), self._span(second)
        a, b = self._of(first), self._of(second)
        if a != b:
            yield Mutant(self.path, begin, self.text[begin:end], b + self.text[middle:after] + a, kind)

    # --- nodes ---

    def _visit(self, node: ast.AST) -> Iterator[Mutant]:
        yield from self._at(node)
        for child in _parts(node):
            yield from self._visit(child)

    def _at(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                for before, op, after in zip([left, *comparators], ops, comparators, strict=False):
                    old, new = COMPARISONS[type(op)]
                    yield from self._between(before, after, old, new, "comparison")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not _joins(node):
                old, new = ARITHMETIC[type(op)]
                yield from self._between(left, right, old, new, "arithmetic")
            case ast.BoolOp(op=op, values=values):
                old, new = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for before, after in pairwise(values):
                    yield from self._between(before, after, old, new, "logic")
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                kind = "logic" if isinstance(node.op, ast.Not) else "arithmetic"
                yield from self._replace(node, self._of(operand), kind)
            case ast.Subscript(slice=ast.Constant(value=0 | 1 as value)):
                yield from self._replace(node.slice, str(1 - value), "constant")
            case ast.Constant():
                yield from self._constant(node)
            case ast.JoinedStr() if self.emits:
                begin, text = self._span(node)[0], self._of(node)
                for start, old, new, kind in alterations(text, _literal_parts(text)):
                    yield Mutant(self.path, begin + start, old, new, kind)
            case ast.Call():
                yield from self._call(node)
            case ast.MatchClass(cls=named) if (near := self._near(named)) is not None:
                yield from self._replace(named, near, "operation")
            case ast.Dict(keys=keys, values=values):
                yield from self._rows([(key, value) for key, value in zip(keys, values, strict=True) if key])
            case ast.If() | ast.IfExp() | ast.While():
                yield from self._negate(node.test)
            case ast.comprehension(ifs=ifs):
                for test in ifs:
                    yield from self._negate(test)
            case ast.match_case(guard=ast.expr() as guard):
                yield from self._negate(guard)
            case ast.FunctionDef(body=body) | ast.For(body=body) | ast.With(body=body) | ast.match_case(body=body):
                yield from self._statements(body)
        if isinstance(node, ast.If):
            yield from self._statements(node.body)
            yield from self._statements(node.orelse)

    def _constant(self, node: ast.Constant) -> Iterator[Mutant]:
        match node.value:
            case bool(value):
                yield from self._replace(node, str(not value), "constant")
            case int(value):
                for other in dict.fromkeys((value + 1, value - 1)):
                    yield from self._replace(node, str(other) if value else {1: "1", -1: "-1"}[other], "constant")
            case float(value):
                near = float(np.nextafter(np.float32(value), np.float32(1.0 if value > 1.0 else 3.0)))
                yield from self._replace(node, repr(near) if value else "1.0", "constant")
                yield from self._replace(node, f"-{self._of(node)}", "constant")
            case str(value) if value in WORDS:
                yield from self._replace(node, self._quoted(node, WORDS[value]), "string")
            case str(value) if value in self.words and len(self.words) > 1:
                other = self.words[(self.words.index(value) + 1) % len(self.words)]
                yield from self._replace(node, self._quoted(node, other), "string")
            case str(value) if self.emits and self._of(node)[0] == '"' and value:
                begin, text = self._span(node)[0], self._of(node)
                if text.startswith('"""'):
                    return
                for start, old, new, kind in alterations(text, [(1, len(text) - 1)]):
                    yield Mutant(self.path, begin + start, old, new, kind)

    def _quoted(self, node: ast.Constant, word: str) -> str:
        """A word in the quotes of a string: inside of an f-string they are others."""
        quote = self._of(node)[-1]
        return f"{quote}{word}{quote}"

    def _call(self, node: ast.Call) -> Iterator[Mutant]:
        plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        arguments = plain if len(plain) == len(node.args) else []
        match node.func:
            case ast.Attribute(value=owner, attr=attr) if attr in METHODS and not isinstance(owner, ast.Constant):
                if "builder" in self._of(owner):
                    begin, end = self._span(owner)[1] + 1, self._span(node.func)[1]
                    yield Mutant(self.path, begin, self.text[begin:end], METHODS[attr], "operation")
            case named if (near := self._near(named)) is not None:
                yield from self._replace(named, near, "operation")
            case ast.Name(id=name) if name in BUILT_IN:
                yield from self._replace(node.func, BUILT_IN[name], "operation")
            case ast.Name(id="enumerate") if len(arguments) == 1 and not node.keywords:
                yield from self._replace(arguments[0], f"{self._of(arguments[0])}, 1", "range")
            case ast.Name(id="range") if len(arguments) == 1:
                yield from self._replace(arguments[0], f"1, {self._of(arguments[0])}", "range")
                yield from self._replace(arguments[0], f"{self._of(arguments[0])} - 1", "range")
            case ast.Name(id="range") if len(arguments) > 1:
                yield from self._replace(arguments[1], f"{self._of(arguments[1])} - 1", "range")
            case ast.Name(id="when") if len(arguments) > 1 and self.emits:
                yield from self._replace(arguments[0], "True", "guard")
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        match called, arguments:
            case "clamp", [operand, low, high]:
                yield from self._replace(node, self._of(operand), "clamp")
                yield from self._swap(low, high, "clamp")
            case "select", [_, then, otherwise]:
                yield from self._swap(then, otherwise, "operands")
            case "fma", [_, right, addend]:
                yield from self._swap(right, addend, "operands")
            case name, [first, second] if name in SWAPPED:
                yield from self._swap(first, second, "operands")
            case name, [only] if name in DROPPED and not node.keywords:
                yield from self._replace(node, self._of(only), "call dropped")

    def _rows(self, rows: list[tuple[ast.expr, ast.expr]]) -> Iterator[Mutant]:
        """In a table of operations the row of one has what that of its neighbour has."""
        texts = {self._of(key): self._of(value) for key, value in rows}
        for key, value in rows:
            for name in (each.attr for each in ast.walk(key) if isinstance(each, ast.Attribute)):
                other = self._of(key).replace(f"ops.{name}", f"ops.{CLASSES.get(name)}")
                if other in texts:
                    yield from self._replace(value, texts[other], "operation")

    def _near(self, named: ast.expr) -> str | None:
        """The neighbour of an operation of the IR, `Less` or `ops.Less`, if it has one that the file can name."""
        match named:
            case ast.Name(id=name) if CLASSES.get(name) in self.imported:
                return CLASSES[name]
            case ast.Attribute(value=ast.Name(id="ops"), attr=name) if name in CLASSES:
                return f"ops.{CLASSES[name]}"
            case _:
                return None

    def _negate(self, test: ast.expr) -> Iterator[Mutant]:
        if isinstance(test, ast.Compare | ast.UnaryOp) and len(getattr(test, "ops", [0])) == 1:
            # The operator itself is altered.
            op = getattr(test, "ops", [None])[0]
            if not isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                return
        if "TYPE_CHECKING" not in self._of(test):
            yield from self._replace(test, f"not ({self._of(test)})", "condition")

    def _statements(self, body: list[ast.stmt]) -> Iterator[Mutant]:
        """A statement that is left out; not the first assignment to a name, without which nothing runs."""
        if self.emits:
            for first, second in pairwise(body):
                if _yields(first) and _yields(second):
                    yield from self._swap(first, second, "order")
        for statement in body:
            match statement:
                case ast.Expr(value=ast.Yield() | ast.YieldFrom()) if self.emits:
                    yield from self._replace(statement, "yield from ()", "statement")
                case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
                    yield from self._replace(statement, "pass", "statement")
                case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
                    yield from self._replace(statement, "pass", "statement")
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _names(value):
                    yield from self._replace(statement, "pass", "statement")
                case ast.Return(value=ast.expr()) if statement is not body[-1]:
                    yield from self._replace(statement, "pass", "statement")


def _yields(statement: ast.stmt) -> bool:
    """Whether it is a statement of code that a builder makes; a remark may stand anywhere."""
    match statement:
        case ast.Expr(value=ast.Yield(value=ast.Call(func=ast.Name(id="Remark")))):
            return False
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            return True
        case _:
            return False


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that mean something when the compiler runs."""
    match node:
        case ast.Raise() | ast.Import() | ast.ImportFrom() | ast.Assert():
            return
        case ast.AnnAssign(value=value):
            annotated = ast.unparse(node.annotation)
            if value is not None and "TypeAlias" not in annotated and ast.unparse(node.target) != "name":
                yield value
        case ast.FunctionDef():
            if node.name != "__repr__":
                yield from (default for default in node.args.defaults)
                yield from node.body
        case ast.ClassDef():
            yield from node.body
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return
        case ast.Call(func=ast.Name(id="_there_is"), args=args):
            # What it says where there is nothing.
            yield args[0]
        case ast.Call(func=ast.Attribute(attr="_fail")):
            # A message.
            return
        case ast.Call(func=ast.Attribute(attr="at"), args=args):
            # Origins: what comments and reports name.
            yield from args[1:]
        case ast.Call(func=ast.Name(id="isinstance" | "TypeVar" | "cast"), args=args):
            yield args[0]
        case ast.Subscript(slice=ast.Constant(value=0 | 1), value=value):
            yield value
        case ast.keyword(arg="strict"):
            # That two lists are as long is an assertion.
            return
        case ast.JoinedStr(values=values):
            yield from (value.value for value in values if isinstance(value, ast.FormattedValue))
        case ast.Dict(values=values):
            yield from values
        case _:
            yield from ast.iter_child_nodes(node)


def _joins(node: ast.BinOp) -> bool:
    """Whether texts or lists are put together: anything else than + only makes that fail."""
    kinds = (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr, ast.Dict, ast.GeneratorExp)
    return any(
        isinstance(part, kinds)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        or (isinstance(part, ast.BinOp) and _joins(part))
        for part in (node.left, node.right)
    )


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _literal_parts(text: str) -> list[tuple[int, int]]:
    """What stands outside of the braces of an f-string, from its quote on: begins and ends."""
    parts, depth, begin = [], 0, text.index('"') + 1 if '"' in text else 2
    for position in range(begin, len(text)):
        if text[position] == "{":
            if depth == 0:
                parts.append((begin, position))
            depth += 1
        elif text[position] == "}":
            depth -= 1
            begin = position + 1 if depth == 0 else begin
    return [*parts, (begin, len(text) - 1)]
