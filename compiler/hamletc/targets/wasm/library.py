"""Calls of the library: what code calls that is no function of its module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hamletc.ir.ops import Type
from hamletc.targets.c.types import BOOL, INDEX, LANES, LITERAL, NOTHING, CType, UntypedError
from hamletc.targets.wasm import operations
from hamletc.targets.wasm.arithmetic import Arithmetic
from hamletc.targets.wasm.instructions import access, get, i32, lane, op, put, put_global, shuffle, tee, v128, when
from hamletc.targets.wasm.values import (
    SIZES,
    WIDE,
    Coded,
    as_index,
    constant,
    converted,
    fetched,
    kinds,
    place,
    read,
    stored,
    typed,
    written,
)

ROOMS = 0
"""The global variable with the address of the next room."""


@dataclass(slots=True)
class Library(Arithmetic):
    """The functions that code calls without defining them."""

    def helped(self, name: str, values: Sequence[Coded]) -> Coded:
        """A call of the library."""
        match name:
            case "wide":
                return as_index(values[0], LANES)
            case "min" | "max":
                return self.extreme(name, *map(as_index, values))
            case "ramp":
                start = converted(values[0], CType("number", "u32")).code + op("i32x4.splat")
                return Coded(start + v128(_numbers()) + op("i32x4.add"), CType("vector", "u32"))
            case "alike":
                wide = values[1].type.shape == "vector"
                return converted(values[0], CType("vector", values[0].element)) if wide else values[0]
            case "where":
                return self.where(*values)
            case "part":
                return self._part(*values)
            case "take":
                return self.take(*values)
            case "fetch":
                return self.element(values[0], self.infix("+", as_index(values[1]), values[2]))
            case "write":
                return self._write(*values)
            case "put":
                return self._put(*values)
            case "encode":
                return self._encoded(values[0].element, converted(values[1], CType("number", "f32")), *values[2:])
            case "room_like":
                return self.room(values[0].element, values[1], zeros=False)
            case "give_back":
                return Coded(values[0].code + put_global(ROOMS), NOTHING)
            case "drain":
                return Coded(b"", NOTHING)
            case "store_lanes":
                return self._store_lanes(*values)
            case "any_set":
                return Coded(values[0].code + op("v128.any_true"), BOOL)
            case _:
                return self._low_level(name, values)

    def _low_level(self, name: str, values: Sequence[Coded]) -> Coded:
        """A function that only the library of this target calls, see `hamletc.targets.wasm.library`."""
        match name:
            case "copy":
                target, source, count = values
                size = self._bytes(target, count)
                return Coded(target.data + source.data + size + op("memory.copy"), NOTHING)
            case "clear":
                return Coded(values[0].data + i32(0) + self._bytes(*values) + op("memory.fill"), NOTHING)
            case "is_real":
                return constant(BOOL, values[0].element == "f32")
            case "flag_bits":
                address, offset = place(values[0], as_index(values[1]))
                zero = access("v128.load", offset) + v128(bytes(16)) + op("i8x16.eq", "v128.not", "i8x16.bitmask")
                return as_index(Coded(address + zero, CType("number", "u32")))
            case "sign_bits":
                return as_index(Coded(self._sign_bits(*values), CType("number", "u32")))
            case "lowest":
                return Coded(values[0].code + op("i64.ctz"), INDEX)
            case "count_bits":
                return Coded(values[0].code + op("i64.popcnt"), INDEX)
            case "pick":
                assert isinstance(values[1].number, int), "lanes have numbers that are known"
                # A constant is a number, which all lanes have.
                vector = converted(values[0], CType("vector", values[0].element))
                spelt = "f32x4.extract_lane" if vector.element == "f32" else "i32x4.extract_lane"
                return Coded(vector.code + lane(spelt, values[1].number), CType("number", vector.element))
            case "every_other":
                left, right, first = values
                lanes = operations.ODD if first.number else operations.EVEN
                return Coded(left.code + right.code + shuffle(lanes), left.type)
            case "add_scaled":
                scaled = self.infix("*", values[0], values[1]).code + op("i64.trunc_sat_f32_s")
                return Coded(scaled, INDEX)
            case "bytes":
                address, offset = place(values[0], as_index(values[1]))
                return Coded(address + access("v128.load", offset), CType("vector", "bytes"))
            case "byte":
                return Coded(values[0].narrow + op("i8x16.splat"), CType("vector", "bytes"))
            case "same_bytes":
                return Coded(values[0].code + values[1].code + op("i8x16.eq"), values[0].type)
            case "choose_bytes":
                condition, then, otherwise = (each.code for each in values)
                return Coded(then + otherwise + condition + op("v128.bitselect"), values[0].type)
            case "address":
                return as_index(Coded(values[0].data, CType("number", "u32")))
            case _ if name.startswith("pointer_"):
                return Coded(as_index(values[0]).narrow, CType("pointer", name.removeprefix("pointer_")))
            case _ if name.startswith("array_"):
                data, rows, columns = (as_index(each) for each in values)
                parts = (data.narrow, rows.code, columns.code)
                return Coded(b"".join(parts), CType("array", name.removeprefix("array_")), parts=parts)
            case "put_bytes":
                address, offset = place(values[0], as_index(values[1]))
                return Coded(address + values[2].code + access("v128.store", offset), NOTHING)
            case _:
                return self.computed(name, values)

    def _store_lanes(self, chunk: Coded, array: Coded, count: Coded) -> Coded:
        if SIZES[chunk.element] == SIZES[array.element]:
            return self._low_level("copy", [array, chunk, count])
        return Coded(self.printer.called("store_wider_lanes", [chunk, array, count], self.frame)[0], NOTHING)

    def _bytes(self, target: Coded, count: Coded) -> bytes:
        """The bytes of so many elements."""
        return self.of_indices("*", count, constant(LITERAL, SIZES[target.element]), INDEX).narrow

    def _sign_bits(self, numbers: Coded, index: Coded) -> bytes:
        """Which of 16 numbers from an index on are negative."""
        address, offset = place(numbers, as_index(index))
        if SIZES[numbers.element] == 1:
            return address + access("v128.load", offset) + op("i8x16.bitmask")
        at = self.frame.local(kinds(CType("pointer"))[0])
        code = address + put(at) + i32(0)
        for part in range(4):
            shifted = i32(4 * part) + op("i32.shl", "i32.or")
            code += get(at) + access("v128.load", offset + 16 * part) + op("i32x4.bitmask") + shifted
        self.frame.give_back([at])
        return code

    def room(self, element: str, count: Coded, zeros: bool) -> Coded:
        """Memory that is given back; rooms lie one behind the other."""
        at = self.frame.local(kinds(CType("pointer"))[0])
        size = self.of_indices("*", count, constant(LITERAL, SIZES[element]), INDEX).narrow
        code = size + self.printer.by_hand("room") + tee(at)
        if zeros:
            code += i32(0) + size + op("memory.fill") + get(at)
        self.frame.give_back([at])
        return Coded(code, CType("pointer", element))

    def element(self, array: Coded, index: Coded) -> Coded:
        return fetched(array, index) if index.type is LANES else read(array, as_index(index))

    def _part(self, array: Coded, row: Coded, begin: Coded) -> Coded:
        type_ = CType("pointer", array.element)
        at = as_index(begin)
        if array.parts is not None:
            rows = self.of_indices("*", row, Coded(array.parts[2], INDEX), INDEX)
            at = self.of_indices("+", rows, at, INDEX)
        size = SIZES[array.element]
        if isinstance(array.number, int) and isinstance(at.number, int):
            return constant(type_, array.number + size * at.number)
        if at.number == 0:
            return Coded(array.data, type_)
        scaled = at.narrow if size == 1 else at.narrow + i32(size.bit_length() - 1) + op("i32.shl")
        return Coded(array.data + scaled + op("i32.add"), type_)

    def take(self, table: Coded, index: Coded) -> Coded:
        """An element of a table, for each lane of a vector of indices."""
        if index.type.shape != "vector":
            return self.element(table, index)
        kind = kinds(index.type)[0]
        at = self.frame.local(kind)
        offset = table.number if isinstance(table.number, int) else 0
        code = index.code + i32(2) + op("i32x4.shl")
        if not isinstance(table.number, int):
            code += table.data + op("i32x4.splat", "i32x4.add")
        code += (
            tee(at)
            + lane("i32x4.extract_lane", 0)
            + access("v128.load32_zero", offset)
            + put(at2 := self.frame.local(kind))
        )
        for each in range(1, WIDE):
            code += get(at) + lane("i32x4.extract_lane", each) + get(at2)
            code += access("v128.load32_lane", offset, each) + put(at2)
        self.frame.give_back([at, at2])
        return Coded(code + get(at2), CType("vector", table.element))

    def _write(self, array: Coded, offset: Coded, index: Coded, value: Coded) -> Coded:
        at = self.infix("+", as_index(offset), index)
        return Coded(stored(array, at, value) if index.type is LANES else written(array, at, value), NOTHING)

    def _put(
        self, row: Coded, at: Coded, value: Coded, flags: Coded, whole: Coded, _past: Coded, *scale: Coded
    ) -> Coded:
        """A vector written to a row: all of it, or the lanes that are flagged."""
        kept = self._encoded(row.element, converted(value, CType("vector", "f32")), *scale)
        places = [self.frame.local(kinds(each)[0]) for each in (kept.type, flags.type)]
        held, chosen = (Coded(get(each), type_) for each, type_ in zip(places, (kept.type, flags.type), strict=True))
        some = b""
        for each in range(WIDE):
            spelt = "f32x4.extract_lane" if kept.element == "f32" else "i32x4.extract_lane"
            number_ = Coded(held.code + lane(spelt, each), CType("number", kept.element))
            of_lane = written(row, self.infix("+", as_index(at), constant(LITERAL, each)), number_)
            some += chosen.code + lane("i32x4.extract_lane", each) + when(of_lane)
        code = kept.code + put(places[0]) + flags.code + put(places[1])
        code += self.truth(whole) + when(stored(row, at, held), some)
        self.frame.give_back(places)
        return Coded(code, NOTHING)

    def _encoded(self, element: str, value: Coded, low: Coded, scale: Coded) -> Coded:
        """What is observed, in memory of f32, u8 or u16: the bits of bf16."""
        match element:
            case "f32":
                return value
            case "u8":
                scaled = self.infix("*", self.infix("-", value, low), scale)
                return self._as_byte(scaled)
            case "u16":
                return self._as_half(value)
            case _:
                raise UntypedError(f"no observations of {element}")

    def _as_byte(self, value: Coded) -> Coded:
        places = [self.frame.local(kinds(value.type)[0])]
        held = Coded(get(places[0]), value.type)

        def limited(bound: str, limit: float) -> bytes:
            other = converted(typed(Type.F32, limit), value.type)
            pair = (held, other) if bound == "low" else (other, held)
            return self.where(self.alike("less", pair), other, held).code + put(places[0])

        code = value.code + put(places[0]) + limited("low", 0.0) + limited("high", 255.0)
        self.frame.give_back(places)
        rounded = converted(typed(Type.F32, 12582912.0), value.type)
        bits = self.computed("to_bits", [self.alike("add", [held, rounded])])
        byte = self.alike("bit_and", [bits, converted(constant(LITERAL, 255), bits.type)])
        return Coded(code + byte.code, byte.type)

    def _as_half(self, value: Coded) -> Coded:
        """The bits of bf16, rounded to nearest even."""
        at = self.frame.local(kinds(value.type)[0])
        held = Coded(get(at), value.type)
        bits = self.computed("to_bits", [held])

        def shifted(of: Coded) -> Coded:
            return self.alike("shift_right", [of, converted(typed(Type.U32, 16), of.type)])

        def add(left: Coded, right: int) -> Coded:
            return self.alike("add", [left, converted(typed(Type.U32, right), left.type)])

        even = self.alike("bit_and", [shifted(bits), converted(typed(Type.U32, 1), bits.type)])
        rounded = shifted(self.alike("add", [add(bits, 0x7FFF), even]))
        itself = self.alike("equal", [held, held])
        half = self.where(itself, rounded, converted(typed(Type.U32, 0x7FC0), bits.type))
        self.frame.give_back([at])
        return Coded(value.code + put(at) + half.code, half.type)


def _numbers() -> bytes:
    return b"".join(each.to_bytes(4, "little") for each in range(WIDE))
