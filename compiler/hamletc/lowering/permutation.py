"""The keyed permutation that places affordances and agents, as IR (docs/semantics.md, "Layouts")."""

from __future__ import annotations

from collections.abc import Callable

from hamlet.numbers.permutation import GOLDEN, MIX_MULTIPLIERS, ROUND_MULTIPLIERS, ROUNDS, Domain
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value


def mix32(builder: Builder, value: Value) -> Value:
    """The 32-bit finalizer `mix`."""
    for shift, multiplier in ((16, MIX_MULTIPLIERS[0]), (15, MIX_MULTIPLIERS[1])):
        value = builder.xor(value, builder.shift_right(value, shift))
        value = builder.mul(value, builder.u32(multiplier))
    return builder.xor(value, builder.shift_right(value, 16))


def permute(builder: Builder, domain: Domain, layout: Value, index: Value) -> Value:
    """P(index): the place below `domain.size` where the layout puts this index (U32, below `domain.size`)."""
    low = builder.u32(domain.low)

    def network(value: Value) -> Value:
        high_part, low_part = builder.div(value, low), builder.rem(value, low)
        for number in range(ROUNDS):
            if number % 2 == 0:
                by = _round(builder, layout, number, high_part, domain.low)
                low_part = _ring_add(builder, low_part, by, domain.low)
            else:
                by = _round(builder, layout, number, low_part, domain.high)
                high_part = _ring_add(builder, high_part, by, domain.high)
        return builder.add(builder.mul(high_part, low), low_part)

    return _walk(builder, domain, network, index)


def unpermute(builder: Builder, domain: Domain, layout: Value, place: Value) -> Value:
    """The index that `permute` puts at this place (U32, below `domain.size`)."""
    low = builder.u32(domain.low)

    def network(value: Value) -> Value:
        high_part, low_part = builder.div(value, low), builder.rem(value, low)
        for number in reversed(range(ROUNDS)):
            if number % 2 == 0:
                by = _round(builder, layout, number, high_part, domain.low)
                low_part = _ring_sub(builder, low_part, by, domain.low)
            else:
                by = _round(builder, layout, number, low_part, domain.high)
                high_part = _ring_sub(builder, high_part, by, domain.high)
        return builder.add(builder.mul(high_part, low), low_part)

    return _walk(builder, domain, network, place)


def _walk(builder: Builder, domain: Domain, network: Callable[[Value], Value], value: Value) -> Value:
    """Through the network until the result is a cell; as many times as there are ghosts is enough."""
    value = network(value)
    for _ in range(domain.ghosts):
        value = builder.select(builder.less(value, builder.u32(domain.size)), value, network(value))
    return value


def _round(builder: Builder, layout: Value, number: int, part: Value, size: int) -> Value:
    """mulhigh(F(part, number), size)."""
    key = builder.add(layout, builder.u32(number * GOLDEN))
    value = builder.mul(builder.xor(part, key), builder.u32(ROUND_MULTIPLIERS[0]))
    value = builder.xor(value, builder.shift_right(value, 15))
    return builder.mul_high(builder.mul(value, builder.u32(ROUND_MULTIPLIERS[1])), builder.u32(size))


def _ring_add(builder: Builder, part: Value, by: Value, size: int) -> Value:
    """(part + by) mod size, both below `size`."""
    total = builder.add(part, by)
    if _is_power_of_two(size):
        return builder.and_(total, builder.u32(size - 1))
    ring = builder.u32(size)
    return builder.select(builder.less(total, ring), total, builder.sub(total, ring))


def _ring_sub(builder: Builder, part: Value, by: Value, size: int) -> Value:
    """(part - by) mod size, both below `size`."""
    difference = builder.sub(part, by)
    if _is_power_of_two(size):
        return builder.and_(difference, builder.u32(size - 1))
    return builder.select(builder.less(part, by), builder.add(difference, builder.u32(size)), difference)


def _is_power_of_two(size: int) -> bool:
    return size & (size - 1) == 0
