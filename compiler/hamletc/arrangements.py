"""Arrangements: where affordances at random stand together where some of them say where they may (docs/semantics.md,
"Arrangements")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import prod

from hamlet.numbers.permutation import GOLDEN, MIX_MULTIPLIERS, ROUND_MULTIPLIERS, ROUNDS, Domain, domain
from hamlet.universe import Affordance, Graph, Grid, Spread

MOST_ARRANGEMENTS = 1024
MOST_TRIED = 256
"""The most cells that an affordance tries in an arrangement."""
WORD = 0xFFFFFFFF


def free_cells(grid: Grid, affordances: Sequence[Affordance]) -> tuple[int, ...]:
    """The cells on which affordances at random may stand."""
    taken = {cell_of(grid, each.stands) for each in affordances if each.stands is not None}
    if grid.map is not None:
        taken |= set(grid.map.cells(grid.map.walls + (grid.map.starts or "")))
    return tuple(cell for cell in range(prod(grid.sizes)) if cell not in taken)


def cell_of(grid: Grid, place: tuple[float, ...]) -> int:
    """The index of the cell at a place."""
    return sum(int(x) * prod(grid.sizes[:axis]) for axis, x in enumerate(place))


def arrangements(grid: Grid, affordances: tuple[Affordance, ...]) -> Iterator[tuple[int, ...]]:
    """Arrangements in which each affordance at random has a cell: the cells of these in file order."""
    order = [number for number, each in enumerate(affordances) if each.place is None]
    free = free_cells(grid, affordances)
    numbers = {each.name: number for number, each in enumerate(affordances)}
    fixed = {number: cell_of(grid, each.stands) for number, each in enumerate(affordances) if each.stands is not None}
    candidates = {number: _candidates(grid, free, affordances[number].spread) for number in order}
    for key in range(MOST_ARRANGEMENTS):
        stands = dict(fixed)
        for number in order:
            cells = candidates[number]
            cell = _first(grid, affordances, numbers, stands, number, cells, key)
            if cell is None:
                break
            stands[number] = cell
        else:
            yield tuple(stands[number] for number in order)


@cache
def every_arrangement(grid: Grid, affordances: tuple[Affordance, ...]) -> tuple[tuple[int, ...], ...]:
    """All of them."""
    return tuple(arrangements(grid, affordances))


def _candidates(grid: Grid, free: tuple[int, ...], spread: Spread | None) -> tuple[int, ...]:
    if spread is None or spread.region is None or grid.map is None:
        return free
    there = frozenset(grid.map.cells(grid.map.region(spread.region)))
    return tuple(cell for cell in free if cell in there)


def _first(
    grid: Grid,
    affordances: Sequence[Affordance],
    numbers: dict[str, int],
    stands: dict[int, int],
    number: int,
    cells: tuple[int, ...],
    key: int,
) -> int | None:
    """The first cell of the permutation that fits."""
    if not cells:
        return None
    spread, taken, shape = affordances[number].spread, frozenset(stands.values()), domain(len(cells))
    layout = mix((key + (number + 1) * GOLDEN) & WORD)
    for index in range(min(len(cells), MOST_TRIED)):
        cell = cells[permute(shape, layout, index)]
        if cell in taken:
            continue
        if spread is None or _fits(grid, affordances, numbers, stands, spread, cell):
            return cell
    return None


def _fits(
    grid: Grid,
    affordances: Sequence[Affordance],
    numbers: dict[str, int],
    stands: dict[int, int],
    spread: Spread,
    cell: int,
) -> bool:
    if spread.near is not None and away(grid, cell, stands[numbers[spread.near]]) > measure(grid, spread.within or 0):
        return False
    for other, there in stands.items():
        theirs = affordances[other].spread
        if spread.apart is not None and theirs is not None and theirs.apart is not None:
            least = measure(grid, max(spread.apart, theirs.apart))
            if min(away(grid, cell, there), away(grid, there, cell)) < least:
                return False
    return True


def measure(grid: Grid, distance: int) -> int:
    """A distance as `away` gives it."""
    return distance * distance if grid.metric == "euclidean" else distance


def away(grid: Grid, one: int, other: int) -> int:
    """The distance from a cell to another; of the euclidean metric its square."""
    if grid.graph is not None:
        return _edges(grid.graph)[one][other]
    if grid.metric == "hexagonal":
        return _hexagons(grid, one, other)
    steps = []
    for size in grid.sizes:
        step = abs(one % size - other % size)
        steps.append(min(step, size - step) if grid.edges == "wrap" else step)
        one, other = one // size, other // size
    match grid.metric:
        case "manhattan":
            return sum(steps)
        case "chebyshev":
            return max(steps)
        case "euclidean":
            return sum(step * step for step in steps)


@cache
def _edges(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """The fewest edges from each node to each; as many as there are nodes where no way leads."""
    count = len(graph.nodes)
    leads = [[graph.number(name) for name in node.leads] for node in graph.nodes]
    distances = []
    for origin in range(count):
        far, pending = {origin: 0}, [origin]
        for node in pending:
            for other in leads[node]:
                if other not in far:
                    far[other] = far[node] + 1
                    pending.append(other)
        distances.append(tuple(far.get(node, count) for node in range(count)))
    return tuple(distances)


# --- the permutation of docs/semantics.md, "Layouts" -----------------------------------------------------------------


def mix(word: int) -> int:
    """The 32-bit finalizer."""
    for shift, multiplier in ((16, MIX_MULTIPLIERS[0]), (15, MIX_MULTIPLIERS[1])):
        word = (word ^ word >> shift) * multiplier & WORD
    return word ^ word >> 16


def permute(shape: Domain, layout: int, index: int) -> int:
    """P(index) with this layout as its key."""
    value = _network(shape, layout, index)
    while value >= shape.size:
        value = _network(shape, layout, value)
    return value


def _network(shape: Domain, layout: int, value: int) -> int:
    high, low = divmod(value, shape.low)
    for number in range(ROUNDS):
        key = (layout + number * GOLDEN) & WORD
        part = high if number % 2 == 0 else low
        mixed = ((part ^ key) * ROUND_MULTIPLIERS[0]) & WORD
        mixed = ((mixed ^ mixed >> 15) * ROUND_MULTIPLIERS[1]) & WORD
        if number % 2 == 0:
            low = (low + (mixed * shape.low >> 32)) % shape.low
        else:
            high = (high + (mixed * shape.high >> 32)) % shape.high
    return high * shape.low + low


def _hexagons(grid: Grid, one: int, other: int) -> int:
    """The fewest moves between two hexagons, whatever walls there are."""
    width, height = grid.sizes
    right, down = one % width - other % width, one // width - other // width
    several = (right - width, right, right + width), (down - height, down, down + height)
    across, along = several if grid.edges == "wrap" else ((right,), (down,))
    return min(max(abs(x), abs(y), abs(x + y)) for x in across for y in along)
