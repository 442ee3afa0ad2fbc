"""Values of code as instructions that leave them on the stack, and how one becomes another.

Types are those of the tree of kernels for CPUs (`hamletc.targets.c.types`). An index has 64 bits, a pointer 32; an
array is a pointer, its rows and its columns; a truth value is an i32 of 0 or 1, and one of a vector has all bits of its
lane set, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from hamlet.frozen import dataclass
from hamletc.ir.ops import Type
from hamletc.targets.c.types import INDEX, CType, UntypedError
from hamletc.targets.wasm.encoding import F32, I32, I64, V128, binary32
from hamletc.targets.wasm.instructions import access, f32, get, i32, i64, op, put, shuffle, v128

SIZES = {"f32": 4, "i32": 4, "u32": 4, "i64": 8, "u16": 2, "i8": 1, "u8": 1, "bool": 1}
"""Bytes of an element in memory."""
WIDE = 4
"""Lanes of a vector."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What a name stands for: local variables of a function, or a number that is known while that is printed."""

    type: CType
    places: tuple[int, ...]
    number: int | float | None = None


@dataclass(frozen=True, slots=True)
class Coded:
    """A value.

    Attributes:
        code: the instructions that leave it on the stack.
        number: what it is, where that is known while it is printed; of a vector that of all lanes.
        low: instructions that leave the lower 32 bits of an index.
        parts: the instructions for the pointer, the rows and the columns of an array.
        variable: the variable of which this is the value.
    """

    code: bytes
    type: CType
    number: int | float | None = None
    low: bytes | None = None
    parts: tuple[bytes, bytes, bytes] | None = None
    variable: Variable | None = None

    @property
    def element(self) -> str:
        return self.type.element

    @property
    def narrow(self) -> bytes:
        """The lower 32 bits of an index."""
        if isinstance(self.number, int):
            return i32(self.number % (1 << 32))
        return self.code + op("i32.wrap_i64") if self.low is None else self.low

    @property
    def data(self) -> bytes:
        """The pointer to what memory, a table or an array has."""
        return self.code if self.parts is None else self.parts[0]


@dataclass(slots=True)
class Frame:
    """The local variables of a function that is printed.

    Attributes:
        first: the number of the first one, behind the parameters.
        depth: the blocks around the next instruction.
        pinned: the expressions around it, whose operands run before or behind it: none of their variables is free.
    """

    variables: list[bytes]
    first: int
    depth: int = 0
    pinned: int = 0
    _free: dict[bytes, list[int]] = field(default_factory=dict)
    _left: list[int] = field(default_factory=list)

    def local(self, kind: bytes) -> int:
        """A variable that nobody uses."""
        if free := self._free.get(kind):
            return free.pop()
        self.variables.append(kind)
        return self.first + len(self.variables) - 1

    def variable(self, type_: CType) -> Variable:
        """Variables for a value of a type."""
        return Variable(type_, tuple(map(self.local, kinds(type_))))

    def give_back(self, places: Sequence[int]) -> None:
        """Nobody needs these behind the statement that is printed."""
        self._left += places

    def end_statement(self) -> None:
        """What was left in a statement is free behind it."""
        if self.pinned:
            return
        for place in self._left:
            self._free.setdefault(self.variables[place - self.first], []).append(place)
        self._left.clear()


def kinds(type_: CType) -> tuple[bytes, ...]:
    """The types of WebAssembly of a value."""
    match type_.shape:
        case "literal" | "index" | "lanes":
            return (I64,)
        case "number":
            return (F32,) if type_.element == "f32" else (I32,)
        case "vector":
            return (V128,)
        case "pointer" | "table":
            return (I32,)
        case "array":
            return (I32, I64, I64)
        case "nothing":
            return ()


def constant(type_: CType, number: float) -> Coded:
    """A number that is known."""
    match type_.shape:
        case "number" if type_.element == "f32":
            return Coded(f32(float(number)), type_, float(number))
        case "number":
            return Coded(i32(int(number)), type_, int(number))
        case "vector":
            return Coded(v128(_lane(type_.element, number) * WIDE), type_, number)
        case "pointer" | "table":
            return Coded(i32(int(number)), type_, int(number))
        case _:
            return Coded(i64(int(number)), type_, int(number))


def typed(type_: Type, number: float) -> Coded:
    """A number of a type of the tick IR."""
    return constant(CType("number", type_.value), number)


def _lane(element: str, number: float) -> bytes:
    if element == "f32":
        return binary32(float(number))
    return ((-int(number) if element == "bool" else int(number)) % (1 << 32)).to_bytes(4, "little")


def value_of(variable: Variable) -> Coded:
    """The value of a variable."""
    type_ = variable.type
    if variable.number is not None:
        made = constant(type_, variable.number)
        return Coded(made.code, type_, made.number, variable=variable)
    each = [get(place) for place in variable.places]
    parts = (each[0], each[1], each[2]) if type_.shape == "array" else None
    return Coded(b"".join(each), type_, parts=parts, variable=variable)


def put_in(value: Coded, variable: Variable) -> bytes:
    """The value in the places of a variable."""
    return value.code + b"".join(map(put, reversed(variable.places)))


def converted(value: Coded, type_: CType) -> Coded:
    """A value as one of another type, as C converts it."""
    if value.type == type_ or type_.shape in ("pointer", "table", "array", "nothing"):
        return value
    match type_.shape:
        case "vector":
            return _everywhere(value, type_)
        case "number":
            return _number(value, type_)
        case _:
            return as_index(value, type_)


def as_index(value: Coded, type_: CType = INDEX) -> Coded:
    """A number as an index."""
    if value.type.shape in ("literal", "index", "lanes"):
        return Coded(value.code, type_, value.number, value.low)
    if value.type.shape != "number" or value.element == "f32":
        raise UntypedError(f"no index: {value.type}")
    if isinstance(value.number, int):
        return constant(type_, value.number % (1 << 32) if value.element == "u32" else value.number)
    extended = op("i64.extend_i32_s" if value.element == "i32" else "i64.extend_i32_u")
    return Coded(value.code + extended, type_, low=value.code)


def _number(value: Coded, type_: CType) -> Coded:
    if value.type.shape not in ("literal", "index", "lanes", "number"):
        raise UntypedError(f"{value.type} is no {type_}")
    if value.number is not None and (type_.element != "f32" or value.element != "f32"):
        known = value.number % (1 << 32) if value.element == "u32" else value.number
        if type_.element == "bool":
            return constant(type_, int(known != 0))
        if type_.element == "f32" or isinstance(known, int):
            return constant(type_, known)
    wide = value.type.shape != "number"
    match type_.element:
        case "f32":
            signed = "f32.convert_i64_s" if wide else "f32.convert_i32_s"
            return Coded(value.code + op("f32.convert_i32_u" if value.element == "u32" else signed), type_)
        case "bool" if wide:
            return Coded(value.code + i64(0) + op("i64.ne"), type_)
        case "bool":
            return Coded(value.code + i32(0) + op("i32.ne"), type_)
        case _ if wide:
            return Coded(value.narrow, type_)
        case _ if value.element == "f32":
            truncated = "i32.trunc_sat_f32_u" if type_.element == "u32" else "i32.trunc_sat_f32_s"
            return Coded(value.code + op(truncated), type_)
        case _:
            return Coded(value.code, type_)


def _everywhere(value: Coded, type_: CType) -> Coded:
    """A number in all lanes of a vector."""
    if value.type.shape == "vector":
        raise UntypedError(f"{value.type} is no {type_}")
    number = _number(value, CType("number", type_.element)) if value.type.shape != "number" else value
    if number.number is not None:
        return constant(type_, number.number)
    match type_.element:
        case "f32":
            return Coded(number.code + op("f32x4.splat"), type_)
        case "bool":
            return Coded(i32(0) + number.code + op("i32.sub", "i32x4.splat"), type_)
        case _:
            return Coded(number.code + op("i32x4.splat"), type_)


# --- memory -----------------------------------------------------------------------------------------------------------


def place(data: Coded, index: Coded) -> tuple[bytes, int]:
    """Instructions for the address of an element, and the bytes from there on that an instruction adds."""
    size, address = SIZES[data.element], data.data
    if isinstance(index.number, int) and 0 <= index.number * size < 1 << 20:
        return address, index.number * size
    scaled = index.narrow if size == 1 else index.narrow + i32(size.bit_length() - 1) + op("i32.shl")
    if isinstance(data.number, int) and data.parts is None:
        # What is at a known address has an index that is not negative.
        return scaled, data.number
    return address + scaled + op("i32.add"), 0


def read(data: Coded, index: Coded) -> Coded:
    """An element."""
    address, offset = place(data, index)
    match data.element:
        case "f32":
            return Coded(address + access("f32.load", offset), CType("number", "f32"))
        case "i64":
            return Coded(address + access("i64.load", offset), INDEX)
        case "i8":
            return Coded(address + access("i32.load8_s", offset), CType("number", "i32"))
        case "u8":
            return Coded(address + access("i32.load8_u", offset), CType("number", "u32"))
        case "u16":
            return Coded(address + access("i32.load16_u", offset), CType("number", "u32"))
        case "bool":
            return Coded(address + access("i32.load8_u", offset), CType("number", "bool"))
        case element:
            return Coded(address + access("i32.load", offset), CType("number", element))


def written(data: Coded, index: Coded, value: Coded) -> bytes:
    """Instructions that set an element."""
    address, offset = place(data, index)
    match data.element:
        case "f32":
            return address + converted(value, CType("number", "f32")).code + access("f32.store", offset)
        case "i64":
            return address + as_index(value).code + access("i64.store", offset)
        case "bool":
            return address + converted(value, CType("number", "bool")).code + access("i32.store8", offset)
        case "i8" | "u8":
            return address + converted(value, CType("number", "i32")).code + access("i32.store8", offset)
        case "u16":
            return address + converted(value, CType("number", "u32")).code + access("i32.store16", offset)
        case element:
            return address + converted(value, CType("number", element)).code + access("i32.store", offset)


def fetched(data: Coded, index: Coded) -> Coded:
    """The elements from an index on, as a vector."""
    address, offset = place(data, index)
    match data.element:
        case "i8":
            widened = op("i16x8.extend_low_i8x16_s", "i32x4.extend_low_i16x8_s")
            return Coded(address + access("v128.load32_zero", offset) + widened, CType("vector", "i32"))
        case "u8" | "bool" as element:
            widened = op("i16x8.extend_low_i8x16_u", "i32x4.extend_low_i16x8_u")
            code = address + access("v128.load32_zero", offset) + widened
            if element == "bool":
                return Coded(code + v128(bytes(16)) + op("i32x4.ne"), CType("vector", "bool"))
            return Coded(code, CType("vector", "u32"))
        case "u16":
            code = address + access("v128.load64_zero", offset) + op("i32x4.extend_low_i16x8_u")
            return Coded(code, CType("vector", "u32"))
        case "i64":
            raise UntypedError("no vector of i64")
        case element:
            return Coded(address + access("v128.load", offset), CType("vector", element))


BYTES = bytes(4 * lane for lane in range(WIDE)) + bytes(12)
HALVES = bytes(4 * lane + byte for lane in range(WIDE) for byte in range(2)) + bytes(8)
"""The lower byte, and the lower two bytes, of each lane side by side."""


def stored(data: Coded, index: Coded, value: Coded) -> bytes:
    """Instructions that set the elements from an index on to those of a vector."""
    address, offset = place(data, index)
    value = converted(value, CType("vector", {"i8": "i32", "u8": "u32", "u16": "u32"}.get(data.element, data.element)))
    match data.element:
        case "i8" | "u8" | "bool" as element:
            code = value.code + (v128(b"\1\0\0\0" * 4) + op("v128.and") if element == "bool" else b"")
            return address + code + v128(bytes(16)) + shuffle(BYTES) + access("v128.store32_lane", offset, 0)
        case "u16":
            return address + value.code + v128(bytes(16)) + shuffle(HALVES) + access("v128.store64_lane", offset, 0)
        case _:
            return address + value.code + access("v128.store", offset)
