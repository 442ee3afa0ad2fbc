"""Expressions of code in C: each has a type, which decides what it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from hamlet.frozen import dataclass
from hamletc.ir.operands import operands
from hamletc.ir.ops import PLAIN, Const, Element, Fetch, Fold, Input, Less, Lookup, Neg, Select, Type, Value
from hamletc.kernel.body import Body, table_name
from hamletc.kernel.code import Function
from hamletc.kernel.expressions import Call, Constant, Either, Expression, Index, Infix, Member, Name, Prefix, Typed
from hamletc.targets.c.types import (
    ARITHMETIC,
    BOOL,
    COMPARISONS,
    CONSTANTS,
    CONVERSIONS,
    FLOATS,
    HELPERS,
    INDEX,
    LANES,
    LITERAL,
    MAKERS,
    NOTHING,
    CType,
    UntypedError,
    read,
    settled,
    vector,
)
from hamletc.targets.c.values import Spelt, as_index, constant

SIGNS = {"and": "&&", "or": "||", "//": "/"}
"""Operators that C spells in another way."""
WHOLE = {"and": "&", "or": "|"}
"""Truth values of which both are computed: a loop over lanes without branches becomes one over vectors."""
COMPARING = {"<": "less", "<=": "less_equal", "==": "equal"}
OF_VECTORS = COMPARING | {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "&": "bit_and",
    "|": "bit_or",
    "^": "bit_xor",
}
"""What operators on vectors are called: a compiler without vectors has none."""

SPELT = frozenset(
    (
        *("f32", "i32", "u32", "wide", "min", "max", "ramp", "alike", "where", "part", "take", "fetch", "write"),
        *("store_lanes", "put", "encode", "room_like", "scatter"),
    )
)
"""Functions that `Expressions` spells one by one."""
ROWS = ("bool", "f32", "i32", "u32", "i8", "u8", "u16")
MADE = frozenset(f"{maker}_{element}" for maker in MAKERS for element in ROWS)
LIBRARY = frozenset(
    (*SPELT, *MADE, *HELPERS, *CONVERSIONS, *COMPARISONS, *ARITHMETIC, *FLOATS, *CONSTANTS, "INFINITY", "range")
)
"""Names that code has without setting them."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A function of C for arguments of certain types."""

    name: str
    gives: tuple[CType, ...]


class Functions(Protocol):
    """The functions that expressions call, and what they read: see `hamletc.targets.c.printer.CPrinter`."""

    functions: Mapping[str, Function]
    tables: Mapping[str, tuple[str, int | None]]

    def called(self, name: str, given: tuple[CType, ...]) -> Printed:
        """The function of C for arguments of these types."""


@dataclass(slots=True)
class Expressions:
    """The expressions of a function.

    Attributes:
        types: of its names, so far.
        variables: the variables of names that have had values of several types, one after the other.
    """

    printer: Functions
    function: Function
    types: dict[str, CType]
    variables: dict[str, str] = field(default_factory=dict)

    def node(self, printed: Body, value: Value) -> Spelt:
        """A value of the tick IR: its variable, or what is written out in its place."""
        name = printed.names.get(value)
        return self.operation(printed, value) if name is None else self.named(name)

    def operation(self, printed: Body, value: Value) -> Spelt:
        """The operation of a value of the tick IR."""
        op = printed.op(value)
        match op:
            case Const(type=type_, value=plain):
                return constant(Typed(type_, plain))
            case Lookup(table=table, index=index, along=True) | Fetch(array=table, index=index, along=True):
                return self._along(self.named(table_name(table)), self.node(printed, index))
            case Lookup(table=table, index=index) | Fetch(array=table, index=index):
                return self._take(self.named(table_name(table)), self.node(printed, index))
            case Select(condition=condition, then=then, otherwise=otherwise):
                bound = _bound(printed, op)
                if bound is not None:
                    first, second = (self.node(printed, each) for each in (then, otherwise))
                    if "vector" in (first.type.shape, second.type.shape):
                        return self._alike(bound, (first, second))
                return self._where(*(self.node(printed, each) for each in (condition, then, otherwise)))
            case Input() | Element() | Fold():
                raise UntypedError(f"{self.function.name}: no expression for {op}")
            case Neg(operand=operand) if printed.type(operand) is Type.I32:
                zero = Spelt("0", CType("number", "i32"))
                return self._computed("subtract", [zero, self.node(printed, operand)])
            case _:
                traits, on = PLAIN[type(op)], [self.node(printed, each) for each in operands(op)]
                floats = printed.type(operands(op)[0]) in (Type.F32, Type.BOOL)
                if not traits.sign or not floats:
                    return self._computed(traits.call, on)
                return self._prefix(traits.sign, *on) if len(on) == 1 else self._infix(traits.sign, *on)

    def value(self, value: Expression) -> Spelt:
        """An expression."""
        match value:
            case Name(name=name):
                return self.named(name)
            case Constant(value=bool(truth)):
                return Spelt("true" if truth else "false", BOOL)
            case Constant(value=int(plain)):
                return Spelt(str(plain) if -(1 << 31) <= plain < 1 << 31 else f"{plain}u", LITERAL)
            case Constant(value=float(plain)):
                return constant(Typed(Type.F32, plain))
            case Typed():
                return constant(value)
            case Infix(sign="*", left=left, right=Name(name="LANES")):
                return Spelt(f"({self.value(left).text} * ROW)", INDEX)
            case Infix(sign=sign, left=left, right=right):
                return self._infix(sign, self.value(left), self.value(right))
            case Prefix(sign=sign, operand=operand):
                return self._prefix(sign, self.value(operand))
            case Index(value=Member(value=array, name="shape"), index=Constant(value=axis)):
                return Spelt(f"{self.value(array).text}.{'columns' if axis == 1 else 'rows'}", INDEX)
            case Index(value=array, index=index):
                return self._element(self.value(array), self.value(index))
            case Call(function=Name(name=name), arguments=arguments):
                return self._call(name, arguments)
            case Either(condition=condition, then=then, otherwise=otherwise):
                first, second = self.value(then), self.value(otherwise)
                type_ = second.type if first.type is LITERAL else first.type
                return Spelt(f"({self.value(condition).text} ? {first.text} : {second.text})", type_)
            case _:
                raise UntypedError(f"{self.function.name}: {value}")

    def condition(self, value: Expression) -> str:
        """A condition, of which nothing is computed that does not decide it."""
        match value:
            case Infix(sign="and" | "or" as sign, left=left, right=right):
                return f"({self.condition(left)} {SIGNS[sign]} {self.condition(right)})"
            case _:
                return self.value(value).text

    def named(self, name: str) -> Spelt:
        if name in self.types:
            return Spelt(self.variables.get(name, name), self.types[name])
        if name in self.printer.tables:
            return Spelt(name, CType("table", self.printer.tables[name][0]))
        if name in CONSTANTS:
            return Spelt(name, LITERAL)
        if name == "INFINITY":
            return Spelt("INFINITY_f32", CType("number", "f32"))
        raise UntypedError(f"{self.function.name}: {name} has no type")

    def _element(self, array: Spelt, index: Spelt) -> Spelt:
        element = array.type.element
        data = array.text if array.type.shape != "array" else f"{array.text}.data"
        if index.type is LANES:
            return Spelt(f"fetch_v{element}({data}, {index.text})", vector(element))
        type_ = read(element)
        text = f"{data}[{index.text}]"
        if element == "bool":
            return Spelt(f"({text} != 0)", BOOL)
        return Spelt(text if element == type_.element else f"(({type_.text}){text})", type_)

    def _infix(self, sign: str, left: Spelt, right: Spelt) -> Spelt:
        shapes = {left.type.shape, right.type.shape}
        if "lanes" in shapes:
            return Spelt(f"({left.text} {sign} {right.text})", LANES)
        if "vector" in shapes:
            type_ = left.type if left.type.shape == "vector" else right.type
            first, second = self.taken_as(left, type_).text, self.taken_as(right, type_).text
            result = CType("vector", "bool") if sign in COMPARING else type_
            return Spelt(f"{OF_VECTORS[sign]}_{type_.kind}({first}, {second})", result)
        if sign in WHOLE and left.type == right.type == BOOL:
            return Spelt(f"({left.text} {WHOLE[sign]} {right.text})", BOOL)
        plain = SIGNS.get(sign, sign)
        if sign in ("and", "or", "==", "!=", "<", "<=", ">", ">="):
            return Spelt(f"({left.text} {plain} {right.text})", BOOL)
        if left.type == right.type and left.type.element in ("f32", "bool"):
            return Spelt(f"({left.text} {plain} {right.text})", left.type)
        if left.type is LITERAL and right.type is LITERAL:
            return Spelt(f"({left.text} {plain} {right.text})", LITERAL)
        # Integers outside of lanes are i64.
        return Spelt(f"({as_index(left)} {plain} {as_index(right)})", INDEX)

    def _prefix(self, sign: str, operand: Spelt) -> Spelt:
        if operand.type == CType("vector", "bool"):
            return Spelt(f"not_vbool({operand.text})", operand.type)
        if sign == "-" and operand.type.shape in ("number", "vector"):
            return Spelt(f"negate_{operand.type.kind}({operand.text})", operand.type)
        if sign == "-":
            return Spelt(f"(-{operand.text})", operand.type)
        return Spelt(f"(!{operand.text})", BOOL)

    def _call(self, name: str, arguments: Sequence[Expression]) -> Spelt:
        if name in ("f32", "i32", "u32"):
            (value,) = map(self.value, arguments)
            return Spelt(f"(({name}){value.text})", CType("number", name))
        values = [self.value(each) for each in arguments]
        if name in self.printer.functions:
            printed = self.printer.called(name, tuple(settled(each.type) for each in values))
            type_ = printed.gives[0] if printed.gives else NOTHING
            return Spelt(f"{printed.name}({', '.join(each.text for each in values)})", type_)
        return self._helped(name, values)

    def _helped(self, name: str, values: Sequence[Spelt]) -> Spelt:
        """A call of the header."""
        texts = [each.text for each in values]
        match name:
            case "wide":
                return Spelt(texts[0], LANES)
            case "min" | "max":
                return Spelt(f"{name}_ix({', '.join(map(as_index, values))})", INDEX)
            case "ramp":
                return Spelt(f"ramp_vu32({texts[0]})", CType("vector", "u32"))
            case "alike":
                other = values[1].type
                return (
                    self.taken_as(values[0], CType("vector", values[0].type.element))
                    if other.shape == "vector"
                    else values[0]
                )
            case "where":
                return self._where(*values)
            case "part":
                return self._part(*values)
            case "take":
                return self._take(*values)
            case "fetch":
                return self._element(values[0], Spelt(f"({texts[1]} + {texts[2]})", values[2].type))
            case "write":
                return self._write(*values)
            case "store_lanes":
                source, target = values[0].type.kind, values[1].type.kind
                kinds = source if source == target else f"{source}_{target}"
                return Spelt(f"store_lanes_{kinds}({', '.join(texts)})", NOTHING)
            case "put":
                texts[2] = self.taken_as(values[2], CType("vector", "f32")).text
                return Spelt(f"put_{values[0].type.kind}({', '.join(texts)})", NOTHING)
            case "encode":
                return Spelt(f"encode_{values[0].type.kind}({', '.join(texts[1:])})", read(values[0].type.element))
            case "room_like":
                return Spelt(f"room_{values[0].type.kind}({texts[1]})", CType("pointer", values[0].type.element))
            case "scatter":
                texts[0] = self.taken_as(values[0], CType("vector", "u32")).text
                return Spelt(f"scatter_vu32({', '.join(texts)})", NOTHING)
            case _ if name in HELPERS:
                helper = HELPERS[name]
                texts = [f"{text}.data" if place in helper.data else text for place, text in enumerate(texts)]
                if name in ("load_worlds", "store_worlds") and values[0].type != values[1].type:
                    # A layout is an i32 in memory.
                    texts[1] = f"({values[0].type.text})({texts[1]})"
                kinds = "".join(f"_{values[place].type.kind}" for place in helper.by)
                return Spelt(f"{name}{kinds}({', '.join(texts)})", helper.gives)
            case _:
                return self._computed(name, values)

    def _computed(self, name: str, values: Sequence[Spelt]) -> Spelt:
        """An operation on numbers or vectors."""
        if name in CONVERSIONS:
            type_ = CType(values[0].type.shape, CONVERSIONS[name])
            return Spelt(f"{name}_{values[0].type.kind}({values[0].text})", type_)
        type_ = self._common(values)
        texts = [self.taken_as(each, type_).text for each in values]
        if name in COMPARISONS:
            if type_.shape == "number":
                return Spelt(f"({f' {COMPARISONS[name]} '.join(texts)})", BOOL)
            return Spelt(f"{name}_{type_.kind}({', '.join(texts)})", CType("vector", "bool"))
        if name in ARITHMETIC or name in FLOATS:
            return self._alike(name, values)
        raise UntypedError(f"{self.function.name}: no helper is called {name}")

    def _alike(self, name: str, values: Sequence[Spelt]) -> Spelt:
        """A function of values of one type, which it gives."""
        type_ = self._common(values)
        return Spelt(f"{name}_{type_.kind}({', '.join(self.taken_as(each, type_).text for each in values)})", type_)

    def _where(self, condition: Spelt, then: Spelt, otherwise: Spelt) -> Spelt:
        type_ = self._common((then, otherwise))
        if condition.type.shape == "vector":
            type_ = CType("vector", type_.element)
        texts = [self.taken_as(each, type_).text for each in (then, otherwise)]
        if condition.type.shape == "vector":
            return Spelt(f"where_{type_.kind}({condition.text}, {', '.join(texts)})", type_)
        return Spelt(f"({condition.text} ? {texts[0]} : {texts[1]})", type_)

    def _part(self, array: Spelt, row: Spelt, begin: Spelt) -> Spelt:
        type_ = CType("pointer", array.type.element)
        if array.type.shape == "pointer":
            return Spelt(f"({array.text} + {begin.text})", type_)
        return Spelt(f"({array.text}.data + {row.text} * {array.text}.columns + {begin.text})", type_)

    def _take(self, table: Spelt, index: Spelt) -> Spelt:
        element = table.type.element
        if index.type.shape != "vector":
            return self._element(table, index)
        entries = self.printer.tables.get(table.text, (element, None))[1]
        if entries is None:
            data = table.text if table.type.shape != "array" else f"{table.text}.data"
            return Spelt(f"take_v{element}({data}, {index.text})", vector(element))
        return Spelt(f"take_short_v{element}({table.text}, {entries}, {index.text})", vector(element))

    def _along(self, table: Spelt, index: Spelt) -> Spelt:
        """Numbers of a table that are side by side."""
        element = table.type.element
        if index.type.shape != "vector":
            return self._element(table, index)
        return Spelt(f"take_along_v{element}({table.text}, {index.text})", vector(element))

    def _write(self, array: Spelt, offset: Spelt, index: Spelt, value: Spelt) -> Spelt:
        place = f"{offset.text} + {index.text}"
        if index.type is not LANES:
            return Spelt(f"{array.text}[{place}] = {value.text}", NOTHING)
        written = self.taken_as(value, vector(array.type.element)).text
        return Spelt(f"store_v{array.type.element}({array.text}, {place}, {written})", NOTHING)

    def _common(self, values: Sequence[Spelt]) -> CType:
        """The type of operands, of which integers take that of the others."""
        elements = {each.type.element for each in values if each.type.shape in ("number", "vector")}
        if len(elements) != 1:
            raise UntypedError(f"{self.function.name}: operands of {sorted(elements) or 'no type'}")
        shape: CType = CType("vector" if any(each.type.shape == "vector" for each in values) else "number", *elements)
        return shape

    def taken_as(self, value: Spelt, type_: CType) -> Spelt:
        """A value as one of a type: a vector of a number, or a number of an integer."""
        if value.type == type_ or type_.shape not in ("vector", "number"):
            return value
        plain = value.text
        if value.type.shape in ("literal", "index") and type_.element != "bool":
            plain = f"(({type_.element}){plain})"
        if type_.shape == "number":
            return Spelt(plain, type_)
        return Spelt(f"alike_v{type_.element}({plain})", type_)


def _bound(printed: Body, op: Select) -> str | None:
    """Which function chooses one of two f32 by comparing them: the former where it is `lesser`, or `greater`."""
    compared = printed.op(op.condition)
    if not isinstance(compared, Less) or printed.type(op.then) is not Type.F32:
        return None
    if (compared.left, compared.right) == (op.then, op.otherwise):
        return "lesser"
    return "greater" if (compared.right, compared.left) == (op.then, op.otherwise) else None
