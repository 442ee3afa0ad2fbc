"""The memory of samples, forward and backward: memory.h for Triton.

Samples of a block that are ticks of the same lane follow each other, so a number that is remembered is one chain over
ascending samples, which a thread has. Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl


@triton.jit
def _there(counts_ptr, part, parts, blocks, TOGETHER: tl.constexpr):
    """Whether a block of a group has any lanes."""
    count = tl.load(counts_ptr + tl.program_id(0) // blocks)
    return count * part // parts + tl.program_id(0) % blocks * TOGETHER < count * (part + 1) // parts


@triton.jit
def _began(rows_ptr, begins_ptr, first_ptr, position, ticks, lanes, number, SIZE: tl.constexpr):
    """Whether a sample remembers what the one before it does, and what it remembers where it does not: nothing in the
    first tick of an episode, else, in the first one of a store, what its lane remembered then."""
    seen = tl.load(rows_ptr + position)
    lane = seen // ticks
    tick = seen % ticks
    begins = tl.load(begins_ptr + tick * lanes + lane).to(tl.int32) != 0
    noted = (tick == 0) & (begins == 0)
    first = tl.load(first_ptr + lane.to(tl.int64) * SIZE + number, mask=noted & (number < SIZE), other=0.0)
    return (tick != 0) & (begins == 0), first


@triton.jit(do_not_specialize=["part"])
def recall(
    room_ptr,
    rows_ptr,
    begins_ptr,
    first_ptr,
    counts_ptr,
    part,
    parts,
    blocks,
    ticks,
    lanes,
    NOW: tl.constexpr,
    GATES: tl.constexpr,
    SIZE: tl.constexpr,
    PITCH: tl.constexpr,
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write the memory of the samples of a block, SIZE numbers at NOW of each row of the room, by the gates at GATES
    and what is new behind them.

    Args:
        begins_ptr: [ticks, lanes], where episodes begin. first_ptr: [lanes, SIZE], what lanes remembered before the
            first tick.
    """
    if _there(counts_ptr, part, parts, blocks, TOGETHER):
        number = tl.arange(0, SIZE)
        first = tl.program_id(0) * BLOCK
        row_ptr = room_ptr + first.to(tl.int64) * PITCH + number
        before = tl.zeros([SIZE], tl.float32)
        for index in range(BLOCK):
            goes_on, begun = _began(rows_ptr, begins_ptr, first_ptr, first + index, ticks, lanes, number, SIZE)
            before = tl.where(goes_on, before, begun)
            gate = tl.load(row_ptr + GATES)
            news = tl.load(row_ptr + GATES + SIZE)
            before = tl.fma(gate, news - before, before)
            tl.store(row_ptr + NOW, before)
            row_ptr += PITCH


@triton.jit(do_not_specialize=["part"])
def recall_back(
    room_ptr,
    rows_ptr,
    begins_ptr,
    first_ptr,
    counts_ptr,
    part,
    parts,
    blocks,
    ticks,
    lanes,
    NOW: tl.constexpr,
    GATES: tl.constexpr,
    SLOPES: tl.constexpr,
    SIZE: tl.constexpr,
    PITCH: tl.constexpr,
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The derivatives by gates and by what is new, last sample first, of those by what is remembered: SLOPES numbers
    behind the numbers that they are of. Arguments are those of `recall`."""
    if _there(counts_ptr, part, parts, blocks, TOGETHER):
        number = tl.arange(0, SIZE)
        first = tl.program_id(0) * BLOCK
        row_ptr = room_ptr + (first + BLOCK - 1).to(tl.int64) * PITCH + number
        carries = first < 0
        carried = tl.zeros([SIZE], tl.float32)
        stays = tl.zeros([SIZE], tl.float32)
        for back in range(BLOCK):
            position = first + (BLOCK - 1 - back)
            goes_on, begun = _began(rows_ptr, begins_ptr, first_ptr, position, ticks, lanes, number, SIZE)
            before = tl.load(row_ptr + NOW - PITCH, mask=goes_on & (number < SIZE), other=0.0)
            before = tl.where(goes_on, before, begun)
            gate = tl.load(row_ptr + GATES)
            news = tl.load(row_ptr + GATES + SIZE)
            by = tl.load(row_ptr + NOW + SLOPES)
            by = tl.where(carries, tl.fma(carried, stays, by), by)
            weighed = by * (news - before)
            tl.store(row_ptr + GATES + SLOPES, weighed * tl.fma(gate * -1.0, gate, gate))
            tl.store(row_ptr + GATES + SIZE + SLOPES, (by * gate) * tl.fma(news * -1.0, news, 1.0))
            carries = goes_on
            carried = by
            stays = 1.0 - gate
            row_ptr -= PITCH
