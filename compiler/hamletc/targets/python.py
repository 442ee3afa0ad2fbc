"""Code as Python text, for targets that are compiled from it: lines of up to 120 columns, fewest parentheses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import fill, wrap
from typing import Protocol

from hamlet.frozen import dataclass
from hamletc.ir.ops import Value
from hamletc.kernel.body import remarks
from hamletc.kernel.code import (
    Assign,
    Code,
    Compute,
    Do,
    Fix,
    For,
    Function,
    If,
    Parameter,
    Remark,
    Return,
    Update,
    While,
)
from hamletc.kernel.expressions import (
    Call,
    Constant,
    Either,
    Expression,
    Index,
    Infix,
    Member,
    Name,
    Prefix,
    Several,
    Shape,
    Typed,
)
from hamletc.targets.printing import WIDTH, listing, opened

ATOM = 13
"""How tightly names, calls and numbers bind; an operator binds as PRECEDENCE says."""
PRECEDENCE = {
    **dict.fromkeys(("or",), 1),
    **dict.fromkeys(("and",), 2),
    **dict.fromkeys(("not",), 3),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "is", "is not"), 4),
    **dict.fromkeys(("|",), 5),
    **dict.fromkeys(("^",), 6),
    **dict.fromkeys(("&",), 7),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "//", "%"), 10),
    **dict.fromkeys(("~",), 11),
}
COMPARING = PRECEDENCE["=="]
NEGATIVE = 11
BITS, BESIDE_BITS = ("<<", ">>", "&", "|", "^"), PRECEDENCE["*"]
"""Operators on bits, beside which readers want parentheses where Python needs none."""
MIXED = {
    "or": ("and",),
    "not": BITS,
    **dict.fromkeys((sign for sign, binds in PRECEDENCE.items() if binds == COMPARING), BITS),
}
"""Operators that readers want in parentheses beside others where Python needs none."""


class Formatter(Protocol):
    """What prints the lines of a function of the tick IR."""

    def line(self, value: Value) -> str:
        """The right side of the line that defines a value."""


@dataclass(frozen=True, slots=True)
class PythonPrinter:
    """Prints functions.

    Attributes:
        formatters: of the functions of the tick IR, by their names.
        sources: the names of the universe's source files.
        constant: prints a constant.
        declared: prints a parameter.
        decorator: prints the decorator of a function.
        fixed: prints the type of a name that is known when a function is compiled.
    """

    formatters: Mapping[str, Formatter]
    sources: Sequence[str]
    constant: Callable[[Typed], str]
    declared: Callable[[Parameter], str]
    decorator: Callable[[Function], str]
    fixed: str = ""

    def module(self, functions: Iterable[Function]) -> str:
        """Functions, two empty lines before each."""
        return "".join(f"\n\n\n{self.function(each)}" for each in functions).lstrip("\n")

    def function(self, function: Function) -> str:
        """A function."""
        head = listing(f"def {function.name}(", map(self.declared, function.parameters), "):", 0)
        return "\n".join([self.decorator(function), head, _documented(function.summary), *self.block(function.body, 4)])

    def block(self, body: Iterable[Code], indent: int) -> Iterator[str]:
        """The lines of statements."""
        for each in body:
            yield from self._statement(each, indent)

    def _statement(self, code: Code, indent: int) -> Iterator[str]:
        space = " " * indent
        match code:
            case Assign(targets=targets, value=value):
                yield space + self._assigned(targets, value, indent)
            case Fix(name=name, value=value):
                yield f"{space}{name}{self.fixed} = {self.text(value)}"
            case Update(target=target, sign=sign, value=value):
                yield space + self._broken(f"{self.text(target)} {sign}= ", value, indent)
            case Do(call=call):
                yield space + self._broken("", call, indent)
            case For(variable=variable, range=numbers, body=body):
                yield f"{space}for {self.text(variable)} in {self.text(numbers)}:"
                yield from self.block(body, indent + 4)
            case While(condition=condition, body=body):
                yield f"{space}while {self.text(condition)}:"
                yield from self.block(body, indent + 4)
            case If():
                yield from self._guarded(code, "if", indent)
            case Return(values=()):
                yield f"{space}return"
            case Return(values=(value,)):
                yield space + self._broken("return ", value, indent)
            case Return(values=values):
                yield space + self._broken("return ", Several(values), indent)
            case Remark(text=text):
                head = f"{space}# "
                yield from wrap(text, WIDTH, initial_indent=head, subsequent_indent=head, break_long_words=False)
            case Compute(function=function, lines=lines):
                for line in lines:
                    yield from (space + remark for remark in remarks(line.origin, self.sources))
                    yield f"{space}{line.name} = {self.formatters[function].line(line.value)}"

    def _guarded(self, code: If, word: str, indent: int) -> Iterator[str]:
        space = " " * indent
        yield f"{space}{word} {self.text(code.condition)}:"
        yield from self.block(code.body, indent + 4)
        match code.otherwise:
            case ():
                pass
            case (If() as other,):
                yield from self._guarded(other, "elif", indent)
            case otherwise:
                yield f"{space}else:"
                yield from self.block(otherwise, indent + 4)

    def _assigned(self, targets: Sequence[Expression], value: Expression, indent: int) -> str:
        left = [self.text(target) for target in targets]
        line = f"{', '.join(left)} = {self.text(value) if len(left) == 1 else self._bare(value)}"
        if indent + len(line) <= WIDTH:
            return line
        head = f"{', '.join(left)} = "
        if len(left) > 1:
            match value:
                case Call(function=function) if indent + len(f"{head}{self.text(function)}(") <= WIDTH:
                    pass
                case Call():
                    last = ") = "
                    return opened("(", left, last, indent) + self._broken("", value, indent, len(last))
                case Several():
                    head = listing("(", left, ") = ", indent)
                case _:
                    return listing("(", left, f") = {self.text(value)}", indent)
        return head + self._broken("", value, indent, 0 if "\n" in head else len(head))

    def _broken(self, head: str, value: Expression, indent: int, before: int = 0) -> str:
        """`head value`, over several lines where one would be too long; `before` are the columns in front of it."""
        line = head + self._bare(value)
        if indent + before + len(line) <= WIDTH:
            return line
        match value:
            case Call(function=function):
                return opened(f"{head}{self.text(function)}(", self._arguments(value), ")", indent)
            case Several(items=items):
                return opened(f"{head}(", map(self.text, items), ")", indent)
            case _:
                return line

    # --- expressions --------------------------------------------------------------------------------------------------

    def text(self, value: Expression) -> str:
        """An expression."""
        match value:
            case Name(name=name):
                return name
            case Constant(value=bool() | None | float() as plain):
                return repr(plain)
            case Constant(value=int(number), hexadecimal=True):
                return f"0x{number:08X}"
            case Constant(value=str(words)):
                return f'"{words}"'
            case Constant(value=number):
                return str(number)
            case Typed():
                return self.constant(value)
            case Infix(sign=sign, left=left, right=right):
                binds = PRECEDENCE[sign]
                first, second = binds + (binds == COMPARING), binds + 1
                if sign in BITS:
                    first, second = max(first, BESIDE_BITS), max(second, BESIDE_BITS)
                    first = binds if isinstance(left, Infix) and left.sign == sign else first
                return f"{self._beside(sign, left, first)} {sign} {self._beside(sign, right, second)}"
            case Prefix(sign="not", operand=operand):
                return f"not {self._beside('not', operand, PRECEDENCE['not'])}"
            case Prefix(sign=sign, operand=operand):
                return f"{sign}{self._within(operand, NEGATIVE)}"
            case Index(value=array, index=index):
                return f"{self._within(array, ATOM)}[{self._bare(index)}]"
            case Member(value=of, name=name):
                # A dot behind digits would belong to the number.
                return f"({self.text(of)}).{name}" if isinstance(of, Constant) else f"{self._within(of, ATOM)}.{name}"
            case Call(function=function):
                return f"{self._within(function, ATOM)}({', '.join(self._arguments(value))})"
            case Either(condition=condition, then=then, otherwise=otherwise):
                return f"{self._within(then, 1)} if {self._within(condition, 1)} else {self.text(otherwise)}"
            case Several(items=(item,)):
                return f"({self.text(item)},)"
            case Several(items=items):
                return f"({', '.join(map(self.text, items))})"
            case Shape(sizes=sizes):
                return f"[{', '.join(map(self.text, sizes))}]"

    def _bare(self, value: Expression) -> str:
        """An expression where a tuple needs no parentheses."""
        return self.text(value)[1:-1] if isinstance(value, Several) and len(value.items) > 1 else self.text(value)

    def _arguments(self, call: Call) -> list[str]:
        return [
            *map(self.text, call.arguments),
            *(f"{name}={self.text(argument)}" for name, argument in call.keywords),
        ]

    def _beside(self, sign: str, value: Expression, binds: int) -> str:
        """An operand of an operator that binds so tightly."""
        mixed = isinstance(value, Infix) and value.sign in MIXED.get(sign, ())
        return self._within(value, ATOM if mixed else binds)

    def _within(self, value: Expression, binds: int) -> str:
        """An expression beside something that binds so tightly."""
        text = self.text(value)
        return text if self._tightness(value, text) >= binds else f"({text})"

    def _tightness(self, value: Expression, text: str) -> int:
        match value:
            case Infix(sign=sign):
                return PRECEDENCE[sign]
            case Prefix(sign="not"):
                return PRECEDENCE["not"]
            case Prefix():
                return NEGATIVE
            case Either():
                return 0
            case Constant() | Typed() if text.startswith("-"):
                return NEGATIVE
            case _:
                return ATOM


def _documented(summary: str) -> str:
    """A docstring, in lines of up to 120 columns."""
    paragraphs = [
        fill(each, WIDTH - 3, initial_indent="    ", subsequent_indent="    ").removeprefix("    ")
        for each in summary.split("\n\n")
    ]
    end = '"""' if len(paragraphs) == 1 else '\n    """'
    return '    """' + "\n\n    ".join(paragraphs) + end
