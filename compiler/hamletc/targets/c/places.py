"""The cell cache: the cells of the affordances at random of each lane, and what is on the cell where a lane stands."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.kernel.code import Code, Function, assign, do, function, give, loop, when
from hamletc.kernel.expressions import call, names, no
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.lanes import LANES, lane, start, vectors
from hamletc.targets.c.memory import part

cells, layout, cells_array, layouts_array, count = names("cells layout cells_array layouts_array count")
found, standing, caching, observing, unchanged = names("found standing caching observing unchanged")


def places(bindings: Bindings) -> list[Function]:
    """The functions of the cell cache, where kernels have one."""
    if not bindings.cached:
        return []
    return [_fill_cells(bindings), _load_cells(), _store_cells(), _find(bindings), _find_again(bindings)]


def cached_cells(bindings: Bindings) -> int:
    """The cells of each lane in the cache but the one where it began."""
    return sum(slot.name.startswith("cell.") for slot in bindings.cached)


def finding(bindings: Bindings) -> Iterator[Code]:
    """What is on the cells on which the lanes stand, found."""
    yield vectors([assign(standing[lane], call("_stand", *bindings.passing("stand", {})))])
    yield find()


def find() -> Code:
    """What is on the cells of `standing`, found."""
    return do("_find")


def _fill_cells(bindings: Bindings) -> Function:
    (index,) = names("index")

    def body() -> Iterator[Code]:
        place = call("_place", *bindings.passing("place", {"index": call("u32", index)}))
        of_lanes = vectors([assign(cells[index * LANES + lane], place)])
        yield loop(index, cached_cells(bindings), body=[of_lanes])

    summary = "Compute the cells of the affordances at random of every lane."
    return function("_fill_cells", (), summary, body(), "apart")


def _load_cells() -> Function:
    stored_layout, flags = names("stored_layout flags")

    def compared() -> Iterator[Code]:
        yield do("load_lanes", stored_layout, part(layouts_array, 0, start), count)
        yield vectors([assign(flags[lane], call("equal", stored_layout[lane], layout[lane]))])
        yield assign(unchanged, call("all_set", flags))

    body = (
        assign(unchanged, "known"),
        when(unchanged, compared()),
        when(unchanged, [_each_cell("load_lanes")], [do("_fill_cells")]),
        give(unchanged),
    )
    summary = (
        "The cells that an earlier launch has stored, where they are `known` and layouts are the same; else compute "
        "them. Whether they are as they are stored."
    )
    return function("_load_cells", (), summary, body, "apart")


def _store_cells() -> Function:
    body = (do("store_lanes", layout, part(layouts_array, 0, start), count), _each_cell("store_lanes"))
    summary = "Store the cells for later launches, with the layouts that they follow from."
    return function("_store_cells", (), summary, body, "apart")


def _each_cell(copy: str) -> Code:
    """All cells of the chunk copied, from or to memory."""
    (row,) = names("row")
    copied = do(copy, part(cells, 0, row * LANES), part(cells_array, row, start), count)
    return loop(row, "CELLS", body=[copied])


def _find(bindings: Bindings) -> Function:
    by_layout = vectors([assign(found[lane], call("_search", *bindings.passing("search", {})))])
    body = when(caching, [do("find", found, standing, cells, cached_cells(bindings))], [by_layout])
    summary = "Find what is on the cells on which the lanes stand: among those of the cache, or by the layout."
    return function("_find", (), summary, [body], "apart")


def _find_again(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield when(observing.both(no(caching)), [do("_fill_cells")])
        yield from finding(bindings)

    summary = (
        "Find what is on the cells of the lanes as they are now; for who observes, compute cells that are not cached."
    )
    return function("_find_again", (), summary, body(), "apart")
