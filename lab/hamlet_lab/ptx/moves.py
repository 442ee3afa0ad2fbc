"""Instructions that move data: mov, ld, st, red, atom, cvta."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet_lab.ptx.memory import AccessError, Memory
from hamlet_lab.ptx.sources import Register, Site, Source
from hamlet_lab.ptx.syntax import Address, Name, Operand, Vector
from hamlet_lab.ptx.threads import Effect, Mask, Threads, chosen, poison
from hamlet_lab.ptx.types import B64, SCALARS, SIGNED, U32, U64, Array, Scalar

COUNTS = {"v2": 2, "v4": 4}
SPACES = {"global": "global", "local": "local", "shared": "shared", "shared::cta": "shared"}
"""Where loads and stores go. Shared memory is that of the thread's block, also where it is written `::cta`. Variables
of threads have addresses that nothing else has, so that these are the same whether a space is named or not."""
ADDED = ("u32", "s32", "u64")
SPECIAL = frozenset([f"%{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"] + ["%laneid"])


def move(site: Site) -> Effect | None:
    """The effect of a mov, ld, st, red, atom or cvta; `None` if the instruction is none that is known.

    Raises:
        PtxError: operands do not fit.
    """
    kind_of_move, *modifiers = site.instruction.opcode.split(".")
    match kind_of_move, modifiers, site.instruction.operands:
        case "mov", [kind], [Name(name=target), Name(name=source)] if source in SPECIAL and kind in ("u32", "b32"):
            return _special(site.register(Name(target), 32), source)
        case "mov", [kind], [Vector(elements=parts), source] if kind in ("b32", "b64"):
            return _unpack(site, parts, SCALARS[kind], source)
        case "mov", [kind], [target, Vector(elements=parts)] if kind in ("b32", "b64"):
            return _pack(site, target, SCALARS[kind], parts)
        case "mov", [kind], [target, source] if (scalar := SCALARS.get(kind)) is not None and scalar.bits != 8:
            register = site.register(target, scalar.bits)
            return _copy(register, site.source(source, _raw(scalar)))
        case "cvta", ["to", "global" | "local", "u64"] | ["global" | "local", "u64"], [target, source]:
            return _copy(site.register(target, 64), site.source(source, B64))
        case "ld", ["param", kind], [target, Address(base=base, offset=0)] if kind in SCALARS:
            if site.scope.parameters.get(base.name) != SCALARS[kind].bits:
                raise site.error(f"{base.name} is no parameter of {SCALARS[kind].bits} bits")
            return _parameter(site, target, SCALARS[kind], base.name)
        case "ld", ["global", "nc", *count, kind], [target, Address() as address] if kind in SCALARS:
            return _load(site, "global", _elements(site, target, count), SCALARS[kind], address)
        case "ld", [*count, kind], [target, Address() as address] if _names_no_space(count) and kind in SCALARS:
            return _load(site, "global", _elements(site, target, count), SCALARS[kind], address)
        case "st", [*count, kind], [Address() as address, source] if _names_no_space(count) and kind in SCALARS:
            return _store(site, "global", address, SCALARS[kind], _elements(site, source, count))
        case "ld", [space, *count, kind], [target, Address() as address] if space in SPACES and kind in SCALARS:
            return _load(site, SPACES[space], _elements(site, target, count), SCALARS[kind], address)
        case "st", [space, *count, kind], [Address() as address, source] if space in SPACES and kind in SCALARS:
            return _store(site, SPACES[space], address, SCALARS[kind], _elements(site, source, count))
        case "red", ["global", "gpu", "relaxed", "add", kind], [Address() as address, source] if kind in ADDED:
            return _add(site, address, SCALARS[kind], source)
        case "atom", ["global", "gpu", "relaxed", "add", kind], [target, Address() as address, source] if kind in ADDED:
            register = site.register(target, SCALARS[kind].bits)
            return _add(site, address, SCALARS[kind], source, register)
        case _:
            return None


def _names_no_space(modifiers: list[str]) -> bool:
    """Whether a load or store goes wherever its address says."""
    return not modifiers or (len(modifiers) == 1 and modifiers[0] in COUNTS)


def _raw(scalar: Scalar) -> Scalar:
    """The type of untyped bits of this width."""
    return scalar if scalar.bits == 1 else SCALARS[f"b{scalar.bits}"]


def _copy(target: Register, source: Source) -> Effect:
    return lambda threads, mask: threads.write(target.index, source(threads), mask)


def _special(target: Register, name: str) -> Effect:
    return lambda threads, mask: threads.write(target.index, threads.special[name], mask)


def _parameter(site: Site, target: Operand, kind: Scalar, name: str) -> Effect:
    """A parameter with a sign fills a wider register, with its sign."""
    if kind not in SIGNED:
        index = site.register(target, kind.bits).index
        return lambda threads, mask: threads.write(index, threads.parameters[name], mask)
    register = site.at_least(target, kind.bits)

    def effect(threads: Threads, mask: Mask | None) -> None:
        values = threads.parameters[name].view(kind.dtype).astype(f"i{register.type.bits // 8}")
        threads.write(register.index, values.view(register.type.raw), mask)

    return effect


def _unpack(site: Site, parts: tuple[Operand, ...], whole: Scalar, operand: Operand) -> Effect:
    """The parts of a word, the lowest first; `_` stands for one that is not wanted."""
    bits = whole.bits // len(parts)
    registers = [(number, site.register(part, bits)) for number, part in enumerate(parts) if part != Name("_")]
    source = site.source(operand, whole)

    def effect(threads: Threads, mask: Mask | None) -> None:
        values = source(threads)
        for number, register in registers:
            shifted = values >> values.dtype.type(number * bits)
            threads.write(register.index, shifted.astype(register.type.raw), mask)

    return effect


def _pack(site: Site, target: Operand, whole: Scalar, parts: tuple[Operand, ...]) -> Effect:
    """A word of parts, the lowest first."""
    bits = whole.bits // len(parts)
    if f"b{bits}" not in SCALARS or bits == 8:
        raise site.error(f"{len(parts)} parts of a {whole.name} are not known")
    sources = [site.source(part, SCALARS[f"b{bits}"]) for part in parts]
    register = site.register(target, whole.bits)

    def effect(threads: Threads, mask: Mask | None) -> None:
        word: Array = np.zeros(1, whole.raw)
        for number, source in enumerate(sources):
            word = word | (source(threads).astype(whole.raw) << whole.raw.type(number * bits))
        threads.write(register.index, word, mask)

    return effect


def _elements(site: Site, operand: Operand, count: list[str]) -> tuple[Operand, ...]:
    """The operands that a load or store moves, one after the other."""
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    expected = 1 if not count else COUNTS.get(count[0], 0) if len(count) == 1 else 0
    if len(elements) != expected:
        raise site.error(f"{site.instruction.opcode} is not known with {len(elements)} element(s)")
    return elements


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a load or store goes: `count` elements of `width` bytes from an address on."""

    space: str
    base: Source
    offset: np.uint64
    width: int
    count: int

    def addresses(self, threads: Threads, executing: Mask | None) -> Array:
        """Addresses in global memory, or in the shared memory of all blocks.

        Raises:
            AccessError: the vector is not aligned as a whole, or beyond the shared memory of its block or the variables
                of its thread.
        """
        size = self.width * self.count
        result = chosen(self.base(threads), executing).astype(np.uint64) + self.offset
        if (result & np.uint64(size - 1)).any():
            raise AccessError(f"an address is no multiple of {size}")
        if self.space == "local" and not threads.owns(result, size, executing):
            raise AccessError("an address is outside the variables of its thread")
        if self.space != "shared" or not result.size:
            return np.asarray(result)
        if int(result.max()) + size > threads.shared_bytes:
            raise AccessError(
                f"address {int(result.max()):#x} is outside {threads.shared_bytes} bytes of shared memory"
            )
        blocks = np.arange(threads.count, dtype=np.uint64) // np.uint64(threads.block)
        return np.asarray(result + chosen(blocks, executing) * np.uint64(threads.shared_bytes))

    def memory(self, threads: Threads) -> Memory:
        """The memory that these are addresses of."""
        return threads.shared if self.space == "shared" else threads.memory


def _place(site: Site, space: str, address: Address, kind: Scalar, count: int) -> _Place:
    if kind.bits == 1:
        raise site.error(f"{site.instruction.opcode} is not known")
    register = site.scope.registers.get(address.base.name)
    wide = space != "shared" or (register is not None and register.type.bits == 64)
    base = site.source(address.base, U64 if wide else U32)
    return _Place(space, base, np.int64(address.offset).astype(np.uint64), kind.bits // 8, count)


def _load(site: Site, space: str, targets: tuple[Operand, ...], kind: Scalar, address: Address) -> Effect:
    """Integers fill a wider register: with zeros, or with their sign where they have one."""
    place = _place(site, space, address, kind, len(targets))
    registers = [site.register(target, *_widths(kind)) for target in targets]

    def effect(threads: Threads, mask: Mask | None) -> None:
        executing = threads.executing(mask)
        try:
            addresses = place.addresses(threads, executing)
            if not addresses.size:
                return
            memory = place.memory(threads)
            loaded = [memory.load(addresses + np.uint64(n * place.width), place.width) for n in range(place.count)]
        except AccessError as fault:
            raise site.error(f"{site.instruction.opcode}: {fault}") from fault
        for register, raw in zip(registers, loaded, strict=True):
            extended = np.dtype(f"{kind.dtype.kind}{register.type.bits // 8}")
            values = raw.view(kind.dtype).astype(extended).view(register.type.raw)
            threads.write(register.index, _spread(values, executing), mask)

    return effect


def _widths(kind: Scalar) -> tuple[int, ...]:
    """The widths of registers that take a value of this type. There are none of 8 bits. PTX ISA, "Operand Size
    Exceeding Instruction-Type Size"."""
    if not np.issubdtype(kind.dtype, np.integer):
        return (kind.bits,)
    return tuple(bits for bits in (16, 32, 64) if bits >= kind.bits)


def _spread(values: Array, threads: Mask | None) -> Array:
    """Values of some threads at their places among all threads."""
    if threads is None:
        return values
    result = np.zeros(threads.shape, values.dtype)
    result[threads] = values
    return result


def _store(site: Site, space: str, address: Address, kind: Scalar, operands: tuple[Operand, ...]) -> Effect:
    place = _place(site, space, address, kind, len(operands))
    sources = [site.source(operand, _raw(kind)) for operand in operands]

    def effect(threads: Threads, mask: Mask | None) -> None:
        executing = threads.executing(mask)
        try:
            addresses = place.addresses(threads, executing)
            if not addresses.size:
                return
            for number, source in enumerate(sources):
                values = chosen(source(threads), executing)
                at, values = np.broadcast_arrays(addresses + np.uint64(number * place.width), values)
                place.memory(threads).store(at, values)
        except AccessError as fault:
            raise site.error(f"{site.instruction.opcode}: {fault}") from fault

    return effect


def _add(site: Site, address: Address, kind: Scalar, operand: Operand, register: Register | None = None) -> Effect:
    """Add to memory. What a thread found there depends on the order of threads, so that it is poison."""
    place = _place(site, "global", address, kind, 1)
    source = site.source(operand, _raw(kind))

    def effect(threads: Threads, mask: Mask | None) -> None:
        # Every thread adds: none stands for others.
        executing = threads.active if mask is None else threads.active & mask
        try:
            addresses = place.addresses(threads, executing)
            if addresses.size:
                threads.memory.add(addresses, chosen(source(threads), executing))
        except AccessError as fault:
            raise site.error(f"{site.instruction.opcode}: {fault}") from fault
        if register is not None:
            threads.write(register.index, poison(register.type.raw), mask)

    return effect
