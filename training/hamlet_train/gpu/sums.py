"""Sums over groups in the tree of `hamlet_train.exact.tree`, and what is computed of them alone: the scale of rewards,
by what advantages are normalised, and how far a gradient is scaled down. Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet_train.exact.kernels import CHAINS, DISCOUNTED, DISCOUNTED_SQUARES, LOSSES, SAMPLES, SURVEYED

OF_SAMPLES, OF_DISCOUNTED, OF_DISCOUNTED_SQUARES, OF_LOSSES, OF_SURVEYED, WIDTH = (
    tl.constexpr(each) for each in (SAMPLES, DISCOUNTED, DISCOUNTED_SQUARES, LOSSES, SURVEYED, CHAINS)
)
TINY = tl.constexpr(1e-8)


@triton.jit
def _two(values_ptr, node, count, size, there):
    """Node 2 node plus node 2 node + 1 of the level below, or the first one alone where there is no other."""
    first = tl.load(values_ptr + (2 * node) * size, mask=there & (2 * node < count), other=0.0)
    second = tl.load(values_ptr + (2 * node + 1) * size, mask=there & (2 * node + 1 < count), other=0.0)
    return tl.where(2 * node + 1 < count, first + second, first)


@triton.jit
def _four(values_ptr, node, count, size, there):
    """The same two levels up."""
    first = _two(values_ptr, 2 * node, count, size, there)
    second = _two(values_ptr, 2 * node + 1, count, size, there)
    return tl.where(4 * node + 2 < count, first + second, first)


@triton.jit
def _eight(values_ptr, node, count, size, there):
    """The same three levels up."""
    first = _four(values_ptr, 2 * node, count, size, there)
    second = _four(values_ptr, 2 * node + 1, count, size, there)
    return tl.where(8 * node + 4 < count, first + second, first)


@triton.jit
def add_nodes(values_ptr, sums_ptr, count, size, BLOCK: tl.constexpr):
    """Four levels of the tree: node n of the sums [nodes, size] has up to 16 of `count` values from 16 n on. Each
    node has a program for BLOCK numbers."""
    blocks = tl.cdiv(size, BLOCK)
    node = tl.zeros([BLOCK], tl.int64) + tl.program_id(0) // blocks
    place = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    there = place < size
    first = _eight(values_ptr + place, 2 * node, count, size, there)
    second = _eight(values_ptr + place, 2 * node + 1, count, size, there)
    tl.store(sums_ptr + node * size + place, tl.where(16 * node + 8 < count, first + second, first), mask=there)


@triton.jit
def _deviation(total, squares, count):
    """The standard deviation of so many numbers with this sum and this sum of squares."""
    mean = total / count
    rest = squares / count - mean * mean
    return tl.sqrt(tl.where(rest > 0.0, rest, 0.0))


@triton.jit
def scale(happened_ptr, seen_ptr, numbers_ptr):
    """Count what happened to what was seen, [3] f64: samples, discounted returns, their squares; and write the factor
    of rewards, one over the standard deviation of discounted returns."""
    samples = tl.load(seen_ptr) + tl.load(happened_ptr + OF_SAMPLES)
    total = tl.load(seen_ptr + 1) + tl.load(happened_ptr + OF_DISCOUNTED)
    squares = tl.load(seen_ptr + 2) + tl.load(happened_ptr + OF_DISCOUNTED_SQUARES)
    tl.store(seen_ptr, samples)
    tl.store(seen_ptr + 1, total)
    tl.store(seen_ptr + 2, squares)
    count = tl.where(samples > 1.0, samples, 1.0)
    tl.store(numbers_ptr, (1.0 / (_deviation(total, squares, count) + TINY)).to(tl.float32))


@triton.jit
def normalise(sums_ptr, numbers_ptr):
    """Write the mean of advantages, and one over their standard deviation."""
    total = tl.load(sums_ptr)
    squares = tl.load(sums_ptr + 1)
    samples = tl.load(sums_ptr + 2)
    count = tl.where(samples > 1.0, samples, 1.0)
    tl.store(numbers_ptr + 1, (total / count).to(tl.float32))
    tl.store(numbers_ptr + 2, (1.0 / (_deviation(total, squares, count) + TINY)).to(tl.float32))


@triton.jit
def _halved(chains, COUNT: tl.constexpr):
    """Chain c plus chain c + COUNT / 2."""
    first, second = tl.split(tl.permute(tl.reshape(chains, [2, COUNT // 2]), [1, 0]))
    return first + second


@triton.jit(do_not_specialize=["index"])
def limit(gradient_ptr, sums_ptr, most_ptr, norms_ptr, losses_ptr, factor_ptr, count, index):
    """The norm of a gradient, noted as norm `index`, and the factor by which it is multiplied: one over its samples, or
    what brings it to the norm at `most_ptr`, f64. Its losses are counted to those of its epoch.

    Squares are added in WIDTH chains: chain c has the numbers c, c + WIDTH, ... in ascending order, and chains are
    halved until one is left."""
    samples = tl.load(sums_ptr + OF_LOSSES)
    share = 1.0 / tl.where(samples > 1.0, samples, 1.0)
    chain = tl.arange(0, WIDTH)
    chains = tl.zeros([WIDTH], tl.float64)
    for begin in range(0, count, WIDTH):
        number = tl.load(gradient_ptr + begin + chain, mask=begin + chain < count, other=0.0).to(tl.float64) * share
        chains = chains + number * number
    chains = _halved(chains, 256)
    chains = _halved(chains, 128)
    chains = _halved(chains, 64)
    chains = _halved(chains, 32)
    chains = _halved(chains, 16)
    chains = _halved(chains, 8)
    chains = _halved(chains, 4)
    # One number is left of two chains.
    norm = tl.sqrt(tl.sum(chains))
    most = tl.load(most_ptr)
    tl.store(norms_ptr + index, norm)
    tl.store(factor_ptr, tl.where(norm <= most, share, share * (most / norm)).to(tl.float32))
    loss = tl.arange(0, 8)
    losses = tl.load(losses_ptr + loss, mask=loss < OF_LOSSES, other=0.0)
    added = losses + tl.load(sums_ptr + loss, mask=loss < OF_LOSSES, other=0.0)
    tl.store(losses_ptr + loss, added, mask=loss < OF_LOSSES)
