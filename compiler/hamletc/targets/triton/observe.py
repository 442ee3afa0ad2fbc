"""What lanes observe, and which of their actions have an effect, in kernels for GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.numbers import elementary
from hamlet.universe.actions import WAIT
from hamletc.ir.function import Output
from hamletc.ir.ops import Type, Value
from hamletc.kernel.body import Loop, comment, remarks
from hamletc.kernel.code import (
    Code,
    Compute,
    Fix,
    Function,
    Parameter,
    Remark,
    assign,
    do,
    function,
    give,
    update,
    when,
)
from hamletc.kernel.expressions import Expression, Name, Typed, call, expression, names
from hamletc.targets.known_rows import WORD, KnownRows
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import cast, counted, same_bits, where
from hamletc.targets.triton.memory import address, lane, lanes, valid

CHUNK = 4
"""Known rows that a turn of a loop writes: their bits are at the same places in each turn, and each row has an address
of its own. Twice as many where a lane has little to hold."""

rows, row, pitch, wanted, own, bits, chunk, plain, marked = names("rows row pitch wanted own bits chunk plain marked")
alive, index = names("alive index")


def observe(bindings: Bindings) -> list[Function]:
    """The functions that write observations and masks."""
    return [_encode(), _observe(bindings), _mask(bindings)]


def _encode() -> Function:
    value, low, scale, steps, dtype = names("value low scale steps dtype")

    def as_byte() -> Iterator[Code]:
        yield Remark("Adding 1.5 * 2**23 leaves the nearest integer in the last bits.")
        least = call("tl.maximum", (value - low) * scale, 0.0)
        yield assign(steps, call("tl.minimum", least, 255.0) + elementary.ROUND)
        yield give(cast(same_bits(steps, "uint32"), "uint8"))

    body = when(dtype.equals("tl.uint8"), as_byte(), (give(value.method("to", dtype)),))
    parameters = (*map(Parameter, ("value", "low", "scale")), Parameter("dtype", constant=True))
    return function("_encode", parameters, "A value in the type of the observations: rounded, or as a byte.", (body,))


def _observe(bindings: Bindings) -> Function:
    printed = bindings.bodies["observe"]
    first_rows = {segment.name: segment.offset for segment in schema.observation_segments(bindings.universe)}

    def body() -> Iterator[Code]:
        yield Fix("dtype", Name("rows.dtype.element_ty"))
        yield Compute("observe", printed.lines)
        single = [each for each in printed.outputs if each.name in first_rows]
        yield from _single(bindings, [(each, first_rows[each.name]) for each in single])
        for known in bindings.known:
            yield from _Known(bindings, known, first_rows[known.output]).written()
        for repeated in printed.loops:
            yield Remark(comment(repeated.output))
            yield _repeated(bindings, repeated, first_rows[repeated.output])

    summary = (
        "Write what the wanted lanes observe, from `rows` on, the address of each lane's first row; the next one "
        "follows `pitch` numbers later."
    )
    parameters = ["rows", "pitch", "wanted", *bindings.parameters("observe")]
    return function("_observe", parameters, summary, body())


def _single(bindings: Bindings, outputs: list[tuple[Output, int]]) -> Iterator[Code]:
    """The outputs of one row each."""
    before: int | None = None
    for output, number in outputs:
        yield Remark(comment(output.name))
        yield _next_row(before, number)
        yield do("tl.store", row, _encoded(bindings, bindings.result("observe", output.value), number), mask=wanted)
        before = number


def _next_row(before: int | None, number: int) -> Code:
    """The address of a row, by that of the one before: products of all rows would take registers."""
    if before == number - 1:
        return update(row, "+", pitch)
    return assign(row, rows + number * pitch if number else rows)


def _row_of(element: Expression, first: int) -> Code:
    """The address of the row of an element of a repeated output."""
    return assign(row, rows + (element + first if first else element) * pitch)


def _encoded(bindings: Bindings, value: Expression, number: int) -> Expression:
    """A value of an observation in its type; `number` is the first row of its segment."""
    scale = bindings.scales[number]
    beside = (Typed(Type.F32, each, alone=False) for each in (scale.low, scale.scale))
    return call("_encode", value, *beside, "dtype")


def _repeated(bindings: Bindings, repeated: Loop, first: int) -> Code:
    value = _encoded(bindings, bindings.result("observe", repeated.value), first)
    body = (
        Compute("observe", repeated.lines),
        _row_of(Name(repeated.element), first),
        do("tl.store", row, value, mask=wanted),
    )
    return counted(repeated.element, repeated.count, pitch, body)


class _Known:
    """Rows that are known but for a bit, from a row on."""

    def __init__(self, bindings: Bindings, known: KnownRows, first: int) -> None:
        self._bindings, self._known, self._first = bindings, known, first
        most = 2 * CHUNK if bindings.has_little(bindings.held) else CHUNK
        fitting = [size for size in range(most, most // 2, -1) if known.count % size == 0]
        self._chunk = min(most, known.count) if known.words or not fitting else fitting[0]

    def written(self) -> Iterator[Code]:
        """The statements that write them."""
        known, first = self._known, self._first
        yield Remark(comment(known.output))
        for each in remarks(known.origin, self._bindings.universe.sources):
            yield Remark(each.removeprefix("# "))
        yield from self._constants(known.values)
        chunks = known.count // self._chunk
        yield counted(chunk, chunks, pitch, self._chunked())
        for number in range(chunks * self._chunk, known.count):
            before = None if number == chunks * self._chunk else first + number - 1
            yield _next_row(before, first + number)
            value = self._value(self._output(known.words[number // WORD]), number % WORD) if known.words else plain
            yield do("tl.store", row, value, mask=wanted)
        if known.own is not None:
            yield from self._own(known.own)

    def _chunked(self) -> Iterator[Code]:
        size = self._chunk
        yield _row_of(chunk * size, self._first)
        if self._known.words:
            per_word = WORD // size
            yield assign(bits, self._word(chunk, per_word) >> (chunk & (per_word - 1)) * size)
        for bit in range(size):
            yield do("tl.store", row, self._value(bits, bit), mask=wanted)
            if bit < size - 1:
                yield update(row, "+", pitch)

    def _own(self, number: str) -> Iterator[Code]:
        known = self._known
        yield Remark("Written a second time, by the same thread.")
        yield assign(own, self._output(number))
        yield from self._constants(known.own_values)
        if known.words:
            yield assign(bits, self._word(own, WORD) >> (own & (WORD - 1)))
        yield assign("within", wanted & (same_bits(own, "uint32") < known.count))
        yield _row_of(own, self._first)
        yield do("tl.store", row, self._value(bits, 0), mask="within")

    def _constants(self, values: tuple[float, float]) -> Iterator[Code]:
        """`plain` and `marked`, in the type of the observation; `plain` alone where they are the same."""
        without, with_bit = (_encoded(self._bindings, Typed(Type.F32, each), self._first) for each in values)
        yield assign(plain, without)
        if repr(without) != repr(with_bit):
            yield assign(marked, with_bit)

    def _value(self, word: Expression, bit: int) -> Expression:
        """`plain` or `marked`, by the bit at a position."""
        return where((word & (1 << bit)).equals(0), plain, marked) if self._known.words else plain

    def _word(self, number: Expression, per_word: int) -> Expression:
        """The word with the bit of a row of this number, or of a chunk of which it has bits for so many."""
        first, *others = (self._output(name) for name in self._known.words)
        result = first
        for position, word in enumerate(others, 1):
            result = where(number < position * per_word, result, word)
        return result

    def _output(self, name: str) -> Expression:
        return self._bindings.result("observe", self._bindings.bodies["observe"].function.output(name).value)


def _mask(bindings: Bindings) -> Function:
    by_hand = bindings.universe.by_hand
    idle, actions = schema.idle_action(bindings.universe), schema.action_names(bindings.universe)

    def body() -> Iterator[Code]:
        yield Compute("mask", bindings.bodies["mask"].lines)
        for first, label, value, repeated in _masked(bindings):
            yield Remark(comment(label))
            allowed = bindings.result("mask", value)
            if repeated is not None:
                yield counted(repeated.element, repeated.count, lanes, allow(first, allowed, repeated))
                continue
            if not by_hand:
                allowed = allowed | ~alive if first == idle else allowed & alive
            yield do("tl.store", address("mask_ptr", first), allowed, mask=valid)

    def allow(first: int, value: Expression, repeated: Loop) -> Iterator[Code]:
        allowed, element = names(f"allowed {repeated.element}")
        yield Compute("mask", repeated.lines)
        yield assign(allowed, value if by_hand else value & alive)
        if not by_hand and first <= idle < first + repeated.count:
            yield assign(allowed, allowed | (~alive & index.equals(idle - first)))
        yield assign(row, expression("mask_ptr") + (element + first if first else element) * lanes)
        yield do("tl.store", row + lane, allowed, mask=valid)

    waiting = "" if by_hand else f" Who is not alive may only {'wait' if WAIT in actions else f'take action {idle}'}."
    living = [] if by_hand else ["alive"]
    parameters = ["mask_ptr", "lanes", "lane", "valid", *living, *bindings.parameters("mask")]
    return function("_mask", parameters, f"Write which actions have an effect.{waiting}", body())


def _masked(bindings: Bindings) -> Iterator[tuple[int, str, Value, Loop | None]]:
    """The outputs of `mask`: the first action, the names of actions, the condition, and the loop over them."""
    actions = schema.action_names(bindings.universe)
    printed = bindings.bodies["mask"]
    loops = {each.output: each for each in printed.loops}
    first = 0
    for output in printed.function.outputs:
        last = first + (output.count or 1) - 1
        label = actions[first] if first == last else f"{actions[first]} .. {actions[last]}"
        yield first, label, output.value, loops.get(output.name)
        first = last + 1
