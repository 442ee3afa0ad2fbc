"""A kernel in PTX over terms: one thread of a launch, any of its block.

A branch that is not decided in the context stops the execution: whoever runs it makes a context for each side. What
the threads of a warp find together is a function of the warp: of a table by the thread's number, the row of another
thread; of a vote that somebody voted, which is so at least where the own vote is. That nobody does must hold for all
threads, not for those alone that the context is about.
"""

from __future__ import annotations

from typing import TypeAlias

from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.outside import Outside, Stored
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamlet_lab.ptx.syntax import Address, Binary32, Guard, Instruction, Integer, Kernel, Name, Operand, Vector

MOST_INSTRUCTIONS = 100_000
VOTES = 6
"""Votes in which others take part, in one thread's run."""
COMPARISONS = {"lt": ("lt", False), "le": ("le", False), "gt": ("lt", True), "ge": ("le", True),
               "lo": ("lt", False), "ls": ("le", False), "hi": ("lt", True), "hs": ("le", True)}  # fmt: skip
UNORDERED = {"ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt"}
PLAIN = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "div": "udiv", "rem": "urem"}
FLOATS = {"add.rn.f32": "fadd", "mul.rn.f32": "fmul", "div.rn.f32": "fdiv", "fma.rn.f32": "fma", "sqrt.rn.f32": "fsqrt",
          "min.f32": "fmin", "max.f32": "fmax"}  # fmt: skip


class UndecidedError(Exception):
    """A branch on a condition of the context that may hold or not."""

    def __init__(self, condition: Term) -> None:
        super().__init__("a branch is not decided")
        self.condition = condition


Pair: TypeAlias = "tuple[Term | None, Term | None]"


class Thread:
    """Executes a kernel as one thread."""

    def __init__(
        self,
        arena: Arena,
        bounds: Bounds,
        kernel: Kernel,
        arguments: list[Term],
        outside: Outside,
        thread: Term | None = None,
    ) -> None:
        self._own = arena.variable("tid") if thread is None else thread
        self._arena, self._bounds, self._kernel, self._outside = arena, bounds, kernel, outside
        self._parameters = {each.name: term for each, term in zip(kernel.parameters, arguments, strict=True)}
        self._labels = {label: number for number, each in enumerate(kernel.instructions) for label in each.targets}
        self._widths: dict[str, int] = {}
        for group in kernel.registers:
            bits = 1 if group.type == "pred" else int(group.type[1:])
            self._widths |= dict.fromkeys(group.names(), bits)
        self._registers: dict[str, Term] = {}
        self._pairs: dict[str, Pair] = {}
        self._votes = 0
        self._ignores = False
        self.executed = 0

    def run(self) -> None:
        """Run to the end.

        Raises:
            UndecidedError: a branch is not decided.
            UnprovenError: an instruction is not known.
        """
        number: int | None = 0
        while number is not None and number < len(self._kernel.instructions):
            number = self.next(number)

    def next(self, number: int) -> int | None:
        """Execute an instruction, and find the next one; there is none behind the end."""
        instruction = self._kernel.instructions[number]
        self.executed += 1
        if self.executed > MOST_INSTRUCTIONS:
            raise UnprovenError(f"a thread executes more than {MOST_INSTRUCTIONS} instructions")
        if instruction.opcode not in ("bra", "bra.uni", "ret"):
            self._instruction(instruction)
            return number + 1
        condition = self._condition(instruction.guard)
        if condition.value is None:
            raise UndecidedError(condition)
        if not condition.value:
            return number + 1
        target = None if instruction.opcode == "ret" else self._target(instruction)
        if self._ignores and target is not None and target <= number:
            raise UnprovenError("a thread of which nothing is known runs no loop behind a store")
        return target

    def _target(self, instruction: Instruction) -> int:
        """The number of the instruction to which one jumps."""
        (target,) = instruction.operands
        assert isinstance(target, Name)
        return self._labels[target.name]

    def _condition(self, guard: Guard | None) -> Term:
        if guard is None:
            return self._arena.constant(1, 1)
        value = self._registers[guard.register]
        return self._arena.no(value) if guard.negated else value

    # --- instructions -------------------------------------------------------------------------------------------------

    def _instruction(self, instruction: Instruction) -> None:
        where = self._condition(instruction.guard)
        name, *modifiers = instruction.opcode.split(".")
        if name == "bar":
            if instruction.guard is not None or instruction.opcode != "bar.sync" or operands_of(instruction) != [0]:
                raise self._unknown(instruction)
            self._outside.met.count += 1
            return
        if where.value == 0:
            return
        operands = instruction.operands
        if name == "st" and modifiers[0] == "global":
            self._store(instruction, where)
            return
        if name == "ld" and modifiers[0] == "global":
            self._load(instruction, where)
            return
        if isinstance(operands[0], Vector):
            self._halves(instruction, operands[0], where)
            return
        target = operands[0]
        assert isinstance(target, Name)
        if modifiers[-1] == "f32x2" or (instruction.opcode == "mov.b64" and isinstance(operands[1], Vector)):
            if where.value != 1 or self._widths.get(target.name) != 64:
                raise self._unknown(instruction)
            self._pairs[target.name] = self._paired(instruction)
            self._registers.pop(target.name, None)
            return
        self.write(target.name, self._result(instruction, name, modifiers), where)

    def _halves(self, instruction: Instruction, targets: Vector, where: Term) -> None:
        """Both halves of a word of 64 bits, or one of them."""
        if instruction.opcode != "mov.b64" or len(targets.elements) != 2 or isinstance(instruction.operands[1], Vector):
            raise self._unknown(instruction)
        for half, target in zip(self._pair(instruction.operands[1]), targets.elements, strict=True):
            assert isinstance(target, Name)
            if target.name != "_":
                if half is None:
                    raise self._unknown(instruction)
                self.write(target.name, half, where)

    def _pair(self, operand: Operand) -> Pair:
        """Both halves of a word of 64 bits, the lower one first. A word that was made of two stays two words."""
        if isinstance(operand, Vector) and len(operand.elements) == 2:
            low, high = (self._half(each) for each in operand.elements)
            return low, high
        if isinstance(operand, Name) and operand.name in self._pairs:
            return self._pairs[operand.name]
        word = self.source(operand, 64)
        upper = self._arena.op("lshr", word, self._arena.constant(32, 64))
        return self._arena.wide(word, 32), self._arena.wide(upper, 32)

    def _half(self, operand: Operand) -> Term | None:
        """A word; `None` for a register that was not written: a half that nobody reads may be anything."""
        unwritten = isinstance(operand, Name) and operand.name in self._widths and operand.name not in self._registers
        return None if unwritten else self.source(operand, 32)

    def _paired(self, instruction: Instruction) -> Pair:
        """The result of an operation on both halves of words."""
        opcode, pairs = instruction.opcode.replace("f32x2", "f32"), list(map(self._pair, instruction.operands[1:]))
        results: list[Term | None] = []
        for halves in zip(*pairs, strict=True):
            of = [each for each in halves if each is not None]
            if len(of) < len(halves):
                results.append(None)
            elif opcode == "mov.b64":
                results += of
            elif opcode == "sub.rn.f32":
                results.append(self._arena.op("fadd", of[0], self._arena.negative(of[1])))
            elif opcode in FLOATS:
                results.append(self._arena.op(FLOATS[opcode], *of))
            else:
                raise self._unknown(instruction)
        low, high = results
        return low, high

    def _unknown(self, instruction: Instruction) -> UnprovenError:
        return UnprovenError(f"PTX line {instruction.line}: {instruction.opcode} is not known to the proof")

    def write(self, register: str, value: Term, where: Term) -> None:
        if register not in self._widths or self._widths[register] != value.bits:
            raise UnprovenError(f"register {register} does not take {value.bits} bits")
        self._registers[register] = (
            value if where.value == 1 else self._arena.select(where, value, self._registers[register])
        )
        self._pairs.pop(register, None)

    def source(self, operand: Operand, bits: int) -> Term:
        arena = self._arena
        match operand:
            case Integer(value=value):
                return arena.constant(value != 0 if bits == 1 else value, bits)
            case Binary32(bits=word):
                return arena.constant(word, 32)
            case Name("%laneid") if self._kernel.threads != 32:
                raise UnprovenError("the number of a thread in one of several warps is not known to the proof")
            case Name("%tid.x" | "%laneid"):
                return self._own
            case Name("%ctaid.x"):
                return arena.variable("ctaid")
            case Name(name) if name in self._registers:
                term = self._registers[name]
                if term.bits < bits:
                    raise UnprovenError(f"register {name} has {term.bits} bits, not {bits}")
                return term if term.bits == bits else arena.wide(term, bits)
            case _:
                raise UnprovenError(f"{operand} is not known to the proof, or was not written")

    def _result(self, instruction: Instruction, name: str, modifiers: list[str]) -> Term:
        arena, operands, opcode = self._arena, instruction.operands, instruction.opcode
        kind = modifiers[-1] if modifiers else ""
        bits = 1 if kind == "pred" else int(kind[1:]) if kind[1:].isdigit() else 32
        if name == "ld" and modifiers[0] == "param":
            (source,) = operands[1:]
            assert isinstance(source, Address)
            return self._parameters[source.base.name]
        if name in ("redux", "shfl"):
            return self._together(instruction, modifiers)
        if opcode in FLOATS:
            return arena.op(FLOATS[opcode], *[self.source(each, 32) for each in operands[1:]])
        if kind == "f32" or "f32" in modifiers:
            return self._floating(instruction, name, modifiers)
        signed = kind.startswith("s")
        match name, modifiers[:-1]:
            case (("add" | "sub" | "and" | "or" | "xor"), []):
                return arena.op(PLAIN[name], *[self.source(each, bits) for each in operands[1:]])
            case "div", [] if signed:
                a, b = (self.source(each, bits) for each in operands[1:])
                # Of lanes by worlds: the agents of a world, who are one.
                if a is b and self._bounds.words(a)[0] > 0:
                    return arena.constant(1, bits)
                ends = [self._bounds.words(each) for each in (a, b)]
                if ends[1][0] == 0 or max(ends[0][1], ends[1][1]) >= 1 << (bits - 1):
                    raise self._unknown(instruction)
                times = arena.constant(ends[0][1] // ends[1][1], bits)
                exact = b.value is None and arena.op("eq", a, arena.op("mul", b, times)).value == 1
                return times if exact else arena.op("udiv", a, b)
            case (("div" | "rem"), []) if not signed:
                return arena.op(PLAIN[name], *[self.source(each, bits) for each in operands[1:]])
            case (("mov" | "cvta"), _):
                return self.source(operands[1], bits)
            case "not", []:
                return arena.no(self.source(operands[1], bits))
            case "neg", []:
                return arena.op("sub", arena.constant(0, bits), self.source(operands[1], bits))
            case "abs", []:
                value, zero = self.source(operands[1], bits), arena.constant(0, bits)
                return arena.select(arena.op("slt", value, zero), arena.op("sub", zero, value), value)
            case (("mul" | "mad"), ["lo"]):
                a, b, *rest = [self.source(each, bits) for each in operands[1:]]
                return arena.op("add", arena.op("mul", a, b), *rest) if rest else arena.op("mul", a, b)
            case (("mul" | "mad"), ["wide"]):
                a, b = (arena.wide(self.source(each, bits), 2 * bits, signed) for each in operands[1:3])
                product = arena.op("mul", a, b)
                return product if name == "mul" else arena.op("add", product, self.source(operands[3], 2 * bits))
            case "mul", ["hi"] if kind == "u16":
                a, b = (arena.wide(self.source(each, 16), 32) for each in operands[1:])
                return arena.wide(arena.op("lshr", arena.op("mul", a, b), arena.constant(16, 32)), 16)
            case "mul", ["hi"] if kind in ("u32", "s32"):
                factors = [self.source(each, 32) for each in operands[1:]]
                result, zero = arena.op("mulhi", *factors), arena.constant(0, 32)
                # Of numbers that are not below 0 both are the same.
                for each, other in (factors, factors[::-1]) if signed else ():
                    if self._bounds.words(each)[1] >> 31:
                        less = arena.select(arena.op("slt", each, zero), other, zero)
                        result = arena.op("sub", result, less)
                return result
            case "shf", ["l", "wrap"]:
                low, high, amount = (self.source(each, 32) for each in operands[1:])
                if not amount.value or amount.value >= 32:
                    raise self._unknown(instruction)
                upper, lower = arena.op("shl", high, amount), arena.constant(32 - amount.value, 32)
                return arena.op("or", upper, arena.op("lshr", low, lower))
            case (("min" | "max"), []):
                a, b = (self.source(each, bits) for each in operands[1:])
                less = arena.op("slt" if signed else "ult", *((a, b) if name == "min" else (b, a)))
                return arena.select(less, a, b)
            case (("shl" | "shr"), []):
                amount = self.source(operands[2], 32)
                value = self.source(operands[1], bits)
                if bits != 32:
                    if amount.value is None:
                        raise self._unknown(instruction)
                    amount = arena.constant(min(amount.value, bits), bits)
                return arena.op("shl" if name == "shl" else "ashr" if signed else "lshr", value, amount)
            case "selp", []:
                a, b = (self.source(each, bits) for each in operands[1:3])
                return arena.select(self.source(operands[3], 1), a, b)
            case "setp", [comparison]:
                return self._compared(comparison, signed, *[self.source(each, bits) for each in operands[1:]])
            case "cvt", [to]:
                value = self.source(operands[1], bits)
                return arena.wide(value, int(to[1:]), signed)
            case "bfe", []:
                return self._field(instruction, signed)
            case _:
                raise self._unknown(instruction)

    def _field(self, instruction: Instruction, signed: bool) -> Term:
        value = self.source(instruction.operands[1], 32)
        first, count = (self.source(each, 32).value for each in instruction.operands[2:])
        if first is None or count is None or not 0 < count <= 32 - first:
            raise self._unknown(instruction)
        left = self._arena.op("shl", value, self._arena.constant(32 - first - count, 32))
        return self._arena.op("ashr" if signed else "lshr", left, self._arena.constant(32 - count, 32))

    def _compared(self, comparison: str, signed: bool, a: Term, b: Term) -> Term:
        arena = self._arena
        if comparison in ("eq", "ne"):
            equal = arena.op("eq", a, b)
            return equal if comparison == "eq" else arena.no(equal)
        if comparison not in COMPARISONS:
            raise UnprovenError(f"the comparison {comparison} is not known to the proof")
        kind, swapped = COMPARISONS[comparison]
        return arena.op(("s" if signed else "u") + kind, *((b, a) if swapped else (a, b)))

    def _floating(self, instruction: Instruction, name: str, modifiers: list[str]) -> Term:
        arena, operands = self._arena, instruction.operands
        match name, modifiers:
            case "sub", ["rn", "f32"]:
                a, b = (self.source(each, 32) for each in operands[1:])
                return arena.op("fadd", a, arena.negative(b))
            case "neg", ["f32"]:
                return arena.negative(self.source(operands[1], 32))
            case "abs", ["f32"]:
                return arena.op("and", self.source(operands[1], 32), arena.constant(0x7FFFFFFF, 32))
            case "mov", ["f32"]:
                return self.source(operands[1], 32)
            case "selp", ["f32"]:
                return arena.select(self.source(operands[3], 1), *[self.source(each, 32) for each in operands[1:3]])
            case "setp", [comparison, "f32"]:
                a, b = (self.source(each, 32) for each in operands[1:])
                if comparison in UNORDERED:
                    return arena.no(self._ordered(UNORDERED[comparison], a, b))
                if comparison == "neu":
                    return arena.no(arena.op("feq", a, b))
                if comparison == "ne":
                    return arena.op("or", arena.op("flt", a, b), arena.op("flt", b, a))
                return self._ordered(comparison, a, b)
            case "cvt", ["rn", "f32", ("s32" | "u32") as kind]:
                return arena.op("tofloat" if kind == "s32" else "unsignedtofloat", self.source(operands[1], 32))
            case "cvt", ["rn", "f32", ("s64" | "u64")] if (
                word := self.source(operands[1], 64)
            ).op == "zext" and word.operands[0].bits == 32:
                return arena.make("unsignedtofloat", 32, word.operands)
            case _:
                raise self._unknown(instruction)

    def _ordered(self, comparison: str, a: Term, b: Term) -> Term:
        if comparison == "eq":
            return self._arena.op("feq", a, b)
        if comparison not in ("lt", "le", "gt", "ge"):
            raise UnprovenError(f"the comparison {comparison} is not known to the proof")
        kind, swapped = COMPARISONS[comparison]
        return self._arena.op("f" + kind, *((b, a) if swapped else (a, b)))

    # --- memory -------------------------------------------------------------------------------------------------------

    def _address(self, operand: Operand) -> Term:
        assert isinstance(operand, Address)
        return self._arena.op("add", self.source(operand.base, 64), self._arena.constant(operand.offset, 64))

    def _load(self, instruction: Instruction, where: Term) -> None:
        bits = int(instruction.opcode.split(".")[-1][1:])
        target, source = instruction.operands
        targets = target.elements if isinstance(target, Vector) else (target,)
        if len(targets) != 1 or instruction.opcode.split(".")[2:] != [f"b{bits}"]:
            raise self._unknown(instruction)
        (name,) = targets
        assert isinstance(name, Name)
        address = self._address(source)
        if self._outside.anything is not None:
            self.write(name.name, self._row_of_thread(address, bits) or self._outside.anything(max(bits, 16)), where)
            return
        word = self._outside.places.get(address.number)
        if word is not None:
            self._outside.loaded.append(instruction.line)
            if word[0] in self._outside.shared:
                self._outside.met.loads_of(word)
            if word[0] in self._outside.shared and any(each.address is address for each in self._outside.stored):
                raise UnprovenError(f"PTX line {instruction.line}: another thread may have stored what is loaded")
        value = self._row(instruction, address) if word is None else self._outside.words[word]
        if value.bits != bits:
            raise UnprovenError(f"PTX line {instruction.line}: a load of {bits} bits of a word of {value.bits}")
        self.write(name.name, self._arena.wide(value, max(bits, 16)), where)

    def _table(self, address: Term) -> tuple[tuple[int, ...], Term]:
        """The rows of the table in which an address is, and how far from where that begins; no rows of another."""
        parts, rest = [address], self._arena.constant(0, 64)
        rows: tuple[int, ...] = ()
        while parts:
            part = parts.pop()
            if part.op == "add":
                parts += part.operands
            elif part.number in self._outside.tables and not rows:
                rows = self._outside.tables[part.number]
            else:
                rest = self._arena.op("add", rest, part)
        return rows, rest

    def _row_of_thread(self, address: Term, bits: int) -> Term | None:
        """A row of a table, where each thread of a warp has one of its own."""
        rows, rest = self._table(address)
        offsets = self._of_threads(rest) if rows and bits == 32 else None
        if offsets is None or any(each % 4 or each >= 4 * len(rows) for each in offsets):
            return None
        return self._arena.make("table", 32, (self._own,), tuple(rows[each // 4] for each in offsets))

    def _row(self, instruction: Instruction, address: Term) -> Term:
        """A row of a table, by where its address begins."""
        rows, rest = self._table(address)
        if not rows:
            raise UnprovenError(f"PTX line {instruction.line}: a load from where no word of the lane is known to be")
        inside = self._arena.op("ult", rest, self._arena.constant(4 * len(rows), 64))
        aligned = self._arena.op(
            "eq", self._arena.op("and", rest, self._arena.constant(3, 64)), self._arena.constant(0, 64)
        )
        if inside.value != 1 or aligned.value != 1:
            raise UnprovenError(f"PTX line {instruction.line}: a load that may be beyond a table")
        index = self._arena.wide(self._arena.op("lshr", rest, self._arena.constant(2, 64)), 32)
        return self._arena.make("table", 32, (index,), rows)

    def _store(self, instruction: Instruction, where: Term) -> None:
        if self._outside.anything is not None:
            self._ignores = True
            return
        bits = int(instruction.opcode.split(".")[-1][1:])
        place, source = instruction.operands
        sources = source.elements if isinstance(source, Vector) else (source,)
        if len(sources) != 1 or instruction.opcode.split(".")[2:] != [f"b{bits}"]:
            raise self._unknown(instruction)
        address, value = self._address(place), self.source(sources[0], max(bits, 16))
        stored = Stored(instruction.line, address, self._arena.wide(value, bits), where)
        self._outside.stored.append(stored)
        word = self._outside.places.get(address.number)
        if word is None:
            raise UnprovenError(f"PTX line {instruction.line}: a store to where no word of the lane is known to be")
        if word[0] in self._outside.shared:
            self._outside.met.stores_of(word)
        before = self._outside.words[word]
        if before.bits != bits:
            raise UnprovenError(f"PTX line {instruction.line}: a store of {bits} bits to a word of {before.bits}")
        self._outside.words[word] = self._arena.select(where, stored.value, before)

    # --- what a warp finds together -----------------------------------------------------------------------------------

    def _together(self, instruction: Instruction, modifiers: list[str]) -> Term:
        arena = self._arena
        operands = [self.source(each, 32) for each in instruction.operands[1:]]
        if instruction.guard is not None or operands[-1].value != 0xFFFFFFFF:
            raise self._unknown(instruction)
        if modifiers[:2] == ["sync", "idx"]:
            value, other, limits, _ = operands
            if limits.value != 31:
                raise self._unknown(instruction)
            own = self._own
            if _is_own(other, own):
                return value
            rows = self._of_threads(value)
            if rows is not None and self._outside.anything is not None:
                self._outside.rows[self.executed] = rows
            # Of other threads nothing is known that holds in this case alone.
            if rows is None or self._outside.rows.get(self.executed) != rows:
                raise UnprovenError(f"PTX line {instruction.line}: what another thread has is not known")
            instead = {own.number: arena.op("and", other, arena.constant(31, 32))}
            return arena.copy(value, instead=instead)
        if modifiers in (["sync", "max", "s32"], ["sync", "max", "u32"], ["sync", "or", "b32"]):
            value = operands[0]
            if value.value == 0 and self._outside.anything is not None:
                self._outside.abstained.add(self.executed)
            if value.value == 1 or (value.value == 0 and self.executed in self._outside.abstained):
                return value
            if self._bounds.words(value)[1] > 1:
                raise UnprovenError(f"PTX line {instruction.line}: a vote on more than 0 and 1")
            if self._outside.own_votes_first and value.value is None:
                raise UndecidedError(arena.op("eq", value, arena.constant(1, 32)))
            self._votes += 1
            if self._votes > VOTES:
                raise UnprovenError(f"more than {VOTES} votes")
            return arena.op("or", value, arena.variable(f"vote{self._votes}"))
        raise self._unknown(instruction)

    def _of_threads(self, term: Term) -> tuple[int, ...] | None:
        """The values of a term in the 32 threads of a warp, if it is a function of the thread's number."""
        arena, own = self._arena, self._own
        values = [arena.copy(term, instead={own.number: arena.constant(each, 32)}).value for each in range(32)]
        return None if None in values else tuple(each or 0 for each in values)


def operands_of(instruction: Instruction) -> list[int | None]:
    """The operands of an instruction that are whole numbers."""
    return [each.value if isinstance(each, Integer) else None for each in instruction.operands]


def _is_own(number: Term, own: Term) -> bool:
    """Whether the thread that a shuffle asks is the one that asks."""
    lowest = number.operands[0] if number.op == "and" and number.operands[1].value == 31 else number
    return lowest is own
