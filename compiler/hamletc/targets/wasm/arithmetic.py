"""Operations on values: each has a type, which decides what it becomes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hamletc.kernel.code import Function
from hamletc.targets.c.types import BOOL, CONVERSIONS, INDEX, LANES, LITERAL, CType, UntypedError
from hamletc.targets.wasm import operations
from hamletc.targets.wasm.instructions import get, i32, op, put, tee
from hamletc.targets.wasm.values import Coded, Frame, as_index, constant, converted, kinds

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
"""What operators on vectors and on f32 are called."""
ON_INDICES = {"+": "add", "-": "sub", "*": "mul", "//": "div_s", "/": "div_s", "%": "rem_s", "&": "and", "|": "or",
              "^": "xor", "<<": "shl", ">>": "shr_s"}  # fmt: skip
SHORTER = ("+", "-", "*", "&", "|", "^")
"""Operators of which the lower bits follow from those of their operands."""
RELATIONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
Operation: TypeAlias = Callable[[bytes, bytes], bytes]
"""Instructions made of those for two operands."""


class Functions(Protocol):
    """The functions that expressions call, and what they read: see `hamletc.targets.wasm.printer.WasmPrinter`."""

    functions: Mapping[str, Function]
    tables: Mapping[str, Coded]
    constants: Mapping[str, int]

    def called(self, name: str, given: Sequence[Coded], frame: Frame) -> tuple[bytes, tuple[CType, ...]]:
        """The instructions of a call, which leave what it gives on the stack, and the types of that."""

    def by_hand(self, name: str) -> bytes:
        """A call of a function that is written as instructions."""


@dataclass(slots=True)
class Arithmetic:
    """What operators and operations make of the values of a function."""

    printer: Functions
    function: Function
    frame: Frame

    def truth(self, value: Coded) -> bytes:
        """Whether a value is not zero."""
        return converted(value, BOOL).code

    def infix(self, sign: str, left: Coded, right: Coded) -> Coded:
        shapes = {left.type.shape, right.type.shape}
        if "lanes" in shapes:
            return self.of_indices(sign, left, right, LANES)
        if "vector" in shapes:
            type_ = left.type if left.type.shape == "vector" else right.type
            return self.alike(OF_VECTORS[sign], [converted(each, type_) for each in (left, right)])
        if sign in ("and", "or"):
            joined = op("i32.and" if sign == "and" else "i32.or")
            return Coded(self.truth(left) + self.truth(right) + joined, BOOL)
        if sign in RELATIONS:
            return self._related(sign, left, right)
        if left.type == right.type and left.element in ("f32", "bool"):
            return self.alike(OF_VECTORS[sign], [left, right])
        literal = left.type is LITERAL and right.type is LITERAL
        return self.of_indices(sign, left, right, LITERAL if literal else INDEX)

    def of_indices(self, sign: str, left: Coded, right: Coded, type_: CType) -> Coded:
        """Integers outside of lanes have 64 bits."""
        first, second = as_index(left), as_index(right)
        if isinstance(first.number, int) and isinstance(second.number, int):
            return constant(type_, _folded(sign, first.number, second.number))
        code = first.code + second.code + op(f"i64.{ON_INDICES[sign]}")
        low = first.narrow + second.narrow + op(f"i32.{ON_INDICES[sign]}") if sign in SHORTER else None
        return Coded(code, type_, low=low)

    def _related(self, sign: str, left: Coded, right: Coded) -> Coded:
        relation = RELATIONS[sign]
        if "f32" in (left.element, right.element):
            both = [converted(each, CType("number", "f32")).code for each in (left, right)]
            return Coded(both[0] + both[1] + op(f"f32.{relation}"), BOOL)
        ordered = relation not in ("eq", "ne")
        if left.type.shape == right.type.shape == "number":
            suffix = ("_u" if "u32" in (left.element, right.element) else "_s") if ordered else ""
            return Coded(left.code + right.code + op(f"i32.{relation}{suffix}"), BOOL)
        first, second = as_index(left), as_index(right)
        if isinstance(first.number, int) and isinstance(second.number, int):
            return constant(BOOL, int(_folded(sign, first.number, second.number)))
        return Coded(first.code + second.code + op(f"i64.{relation}{'_s' if ordered else ''}"), BOOL)

    def prefix(self, sign: str, operand: Coded) -> Coded:
        if operand.type == CType("vector", "bool"):
            return Coded(operand.code + op("v128.not"), operand.type)
        if sign == "-" and operand.type.shape in ("number", "vector"):
            if operand.element == "f32" and operand.number is not None:
                return constant(operand.type, -operand.number)
            if operand.element != "f32" and operand.type.shape == "number":
                return self.computed("subtract", [constant(operand.type, 0), operand])
            return self.alike("negate", [operand])
        if sign == "-":
            return self.of_indices("-", constant(LITERAL, 0), operand, operand.type)
        return Coded(self.truth(operand) + op("i32.eqz"), BOOL)

    def computed(self, name: str, values: Sequence[Coded]) -> Coded:
        """An operation on numbers or vectors."""
        if name in CONVERSIONS:
            type_ = CType(values[0].type.shape, CONVERSIONS[name])
            behind = operations.CONVERTED[type_.shape, name, values[0].element]
            same = values[0].number if name in ("to_i32", "to_u32") else None
            return constant(type_, _wrapped(type_, same)) if same is not None else Coded(values[0].code + behind, type_)
        return self.alike(name, values)

    def alike(self, name: str, values: Sequence[Coded]) -> Coded:
        """An operation on values of one type, which it gives, or a truth value."""
        type_ = self.common(values)
        on = [converted(each, type_) for each in values]
        gives = CType(type_.shape, "bool") if name in ("less", "less_equal", "equal") else type_
        key = (type_.shape, name, type_.element)
        if key in operations.PLAIN:
            return Coded(b"".join(each.code for each in on) + operations.PLAIN[key], gives)
        return Coded(self._composed(name, type_, on), gives)

    def _composed(self, name: str, type_: CType, on: Sequence[Coded]) -> bytes:
        """An operation that takes several instructions."""
        match type_.shape, name:
            case "vector", "shift_left" | "shift_right" as shift if on[1].number is not None:
                by = i32(int(on[1].number))
                return on[0].code + by + op("i32x4.shl" if shift == "shift_left" else "i32x4.shr_u")
            case "vector", "shift_left" | "shift_right" | "divide" | "remainder":
                number = {"shift_left": "i32.shl", "shift_right": "i32.shr_u", "divide": "i32.div_u"}
                return self.on_variables(
                    on, lambda left, right: operations.each_lane(number.get(name, "i32.rem_u"), left, right)
                )
            case "vector", "mulhigh":
                return self.on_variables(on, lambda left, right: operations.mulhigh("vector", left, right))
            case "number", "mulhigh":
                return operations.mulhigh("number", on[0].code, on[1].code)
            case shape, "fma":
                return b"".join(each.code for each in on) + self.printer.by_hand(f"fma_{shape}")
            case "number", "absolute":
                sign = i32(31) + op("i32.shr_s")
                return self.on_variables(
                    [on[0], on[0]],
                    lambda left, _: left + left + sign + op("i32.xor") + left + sign + op("i32.sub"),
                )
            case _:
                raise UntypedError(f"{self.function.name}: no operation is called {name}, of {type_}")

    def on_variables(self, on: Sequence[Coded], made: Operation) -> bytes:
        """What is made of two values that are read several times."""
        places = [self.frame.local(kinds(each.type)[0]) for each in on]
        code = b"".join(each.code + put(at) for each, at in zip(on, places, strict=True))
        code += made(*map(get, places))
        self.frame.give_back(places)
        return code

    def where(self, condition: Coded, then: Coded, otherwise: Coded) -> Coded:
        type_ = self.common((then, otherwise))
        if condition.type.shape == "vector":
            type_ = CType("vector", type_.element)
        chosen = b"".join(converted(each, type_).code for each in (then, otherwise))
        if condition.type.shape == "vector":
            return Coded(chosen + condition.code + op("v128.bitselect"), type_)
        return Coded(chosen + self.truth(condition) + op("select"), type_)

    def bounded(self, bound: str, chosen: Sequence[Coded]) -> Coded:
        """`a < b ? a : b`, or `b < a ? a : b`: what instructions do with their operands in the other order."""
        first, second = (converted(each, CType("vector", "f32")) for each in chosen)
        spelt = "f32x4.pmin" if bound == "lesser" else "f32x4.pmax"
        return Coded(second.code + first.code + op(spelt), first.type)

    def extreme(self, name: str, left: Coded, right: Coded) -> Coded:
        if isinstance(left.number, int) and isinstance(right.number, int):
            return constant(INDEX, min(left.number, right.number) if name == "min" else max(left.number, right.number))
        first, second = (self.frame.local(kinds(INDEX)[0]) for _ in range(2))
        code = left.code + tee(first) + right.code + tee(second) + get(first) + get(second)
        code += op("i64.lt_s" if name == "min" else "i64.gt_s", "select")
        self.frame.give_back([first, second])
        return Coded(code, INDEX)

    def common(self, values: Sequence[Coded]) -> CType:
        """The type of operands, of which integers take that of the others."""
        elements = {each.element for each in values if each.type.shape in ("number", "vector")}
        if len(elements) != 1:
            raise UntypedError(f"{self.function.name}: operands of {sorted(elements) or 'no type'}")
        return CType("vector" if any(each.type.shape == "vector" for each in values) else "number", *elements)


def _folded(sign: str, left: int, right: int) -> int:
    """What an operator makes of two integers, as C divides them."""
    match sign:
        case "//" | "/":
            quotient = abs(left) // abs(right)
            return quotient if (left < 0) == (right < 0) else -quotient
        case "%":
            return left - _folded("//", left, right) * right
        case _:
            return int(_MEANING[sign](left, right))


_MEANING: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _wrapped(type_: CType, number_: float) -> int:
    """An integer as one of a type of 32 bits."""
    low = int(number_) % (1 << 32)
    return low - (1 << 32) if type_.element == "i32" and low >= 1 << 31 else low
