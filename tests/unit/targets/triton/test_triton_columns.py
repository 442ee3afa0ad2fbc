"""Tables in a warp and cells in words: what is chosen, what is said of it, and what columns hold."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pytest

from hamlet.package.module import execute
from hamlet.universe import Universe
from hamletc.compilation import Compilation
from hamletc.compile import Options, lower, optimise, specialise
from hamletc.ir.evaluate import DTYPES, evaluate
from hamletc.ir.function import Program
from hamletc.ir.ops import Lookup, Type
from hamletc.kernel.body import table_name
from hamletc.passes.tabulation import is_made
from hamletc.targets.triton import columns
from hamletc.targets.triton.columns import LANES, Columns, looked_up
from hamletc.targets.triton.emit import emit
from hamletc.targets.triton.places import words
from samples import sample, universe_of
from samples.written import many_affordances


def for_gpus(universe: Universe, without: Iterable[str] = ()) -> Compilation:
    return specialise(optimise(lower(universe, Options(disabled_passes=tuple(without)))), "triton")


def lookups(program: Program) -> int:
    tables = {table.name for table in program.tables if is_made(table)}
    nodes = (node.op for function in program.functions for node in function.nodes)
    return sum(isinstance(op, Lookup) and op.table in tables for op in nodes)


def tables_of(text: str) -> dict[str, np.ndarray]:
    """The tables of kernels, without Triton."""
    begin = text.index("TABLES = ")
    module = execute("tables.py", text[begin : text.index("@triton.jit")].encode())
    return {name: np.array(values, DTYPES[Type(dtype)]) for name, dtype, values in module.TABLES}


def test_columns_hold_the_rows_of_tables() -> None:
    """Bit by bit: most rows are -0.0."""
    chosen = for_gpus(sample("town"))
    arrays = tables_of(emit(chosen.program, chosen.universe, chosen.notes))
    found = Columns(chosen.program)
    assert len(found.all) >= 18
    assert sum(len(array) for array in arrays.values()) == LANES * len(found.all)
    negative_zeros = 0
    for table in found.tables:
        (column,) = found.of[table.name]
        rows = arrays[column.array][column.rows]
        values = np.array(table.values, rows.dtype)
        assert rows[: len(values)].tobytes() == values.tobytes()
        negative_zeros += int((np.signbit(values) & (values == 0)).sum())
    assert negative_zeros > 100


def test_a_table_of_more_rows_than_a_warp_has_lanes_takes_two_columns() -> None:
    chosen = for_gpus(universe_of(many_affordances(40, 9)))
    found = Columns(chosen.program)
    wide = [table for table in found.tables if len(table.values) > LANES]
    assert wide
    text = emit(chosen.program, chosen.universe, chosen.notes)
    arrays = tables_of(text)
    for table in wide:
        first, second = found.of[table.name]
        rows = np.concatenate([arrays[first.array][column.rows] for column in (first, second)])
        assert rows[: len(table.values)].tobytes() == np.array(table.values, rows.dtype).tobytes()
        assert re.search(
            rf"tl.where\((.+) < 32, _take\({first.name}, \1 & 31\), _take\({second.name}, \1 & 31\)\)", text
        )


def test_what_is_chosen_is_said() -> None:
    chosen = for_gpus(sample("town"))
    cells, looked = chosen.notes
    assert re.fullmatch(r"cells: 4 words of a lane; about \d+ operations instead of \d+ find what is on a cell", cells)
    assert re.fullmatch(r"columns: \d+ operations in a tick instead of \d+, for \d+ registers", looked)
    head = emit(chosen.program, chosen.universe, chosen.notes).split('"""')[1]
    assert cells in head
    assert looked in head


def test_passes_that_are_left_out_are_not_chosen() -> None:
    chosen = for_gpus(sample("town"), ["tabulation", "cell_cache"])
    assert chosen.notes == ()
    assert not lookups(chosen.program)
    assert words(chosen.program, 14) is None
    text = emit(chosen.program, chosen.universe, chosen.notes)
    assert "columns" not in text
    assert "_find" not in text


def test_tables_that_observations_read_are_in_warps() -> None:
    """Unless tabulation is left out: then all tables are in memory."""
    chosen = for_gpus(sample("shifts"))
    held = {table.name for table in chosen.program.tables if table.in_warp}
    shown = {name for name in held if not name.startswith("case.")}
    assert shown == {"time.sin", "time.cos", "affordance.duration"}
    (note,) = (note for note in chosen.notes if note.startswith("columns: "))
    assert note.endswith("; what observations look up: time.sin, time.cos, affordance.duration")
    text = emit(chosen.program, chosen.universe, chosen.notes)
    assert all(f"_take({table_name(name)}, " in text for name in shown)
    plain = for_gpus(sample("shifts"), ["tabulation"])
    assert not Columns(plain.program).all
    assert "_take(" not in emit(plain.program, plain.universe, plain.notes)


@pytest.mark.parametrize(("limit", "less"), [("MOST", 24), ("MOST_SHOWN", 3)])
def test_more_tables_of_observations_than_registers_stay_in_memory(
    limit: str, less: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, and none of those that make a tick shorter."""
    compilation = Compilation.begin(sample("shifts")).run()
    monkeypatch.setattr(columns, limit, less)
    assert "observations" in looked_up(compilation).notes[0]
    monkeypatch.setattr(columns, limit, less - 1)
    chosen = looked_up(compilation)
    assert "observations" not in chosen.notes[0]
    held = [table for table in chosen.program.tables if table.in_warp]
    assert held == [table for table in chosen.program.tables if is_made(table)] != []


def test_tables_of_observations_need_no_others() -> None:
    """A clock is looked up; nothing else of the universe is worth a lookup."""
    clocked = "universe u\nspace none\nclock 24 hours\nmeter a = 1 { decay 0.1 }\ndies when a <= 0\nreward a\n"
    chosen = looked_up(Compilation.begin(universe_of(clocked + "observe { meters time }\n")).run())
    assert chosen.notes == (
        "columns: none, as nothing is worth a lookup; what observations look up: time.sin, time.cos",
    )


@pytest.mark.parametrize("without", [(), ("tabulation",), ("cell_cache",)])
def test_the_other_one_stays(without: tuple[str, ...]) -> None:
    chosen = for_gpus(sample("town"), without)
    assert bool(lookups(chosen.program)) == ("tabulation" not in without)
    assert (words(chosen.program, 14) is not None) == ("cell_cache" not in without)


def test_too_many_columns_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    compilation = Compilation.begin(sample("town")).run()
    count = len(Columns(looked_up(compilation).program).all)
    monkeypatch.setattr(columns, "MOST", count)
    assert lookups(looked_up(compilation).program)
    monkeypatch.setattr(columns, "MOST", count - 1)
    chosen = looked_up(compilation)
    assert chosen.program == compilation.program
    assert chosen.notes == (f"columns: none, as {count} would take more than {count - 1} registers",)


def test_columns_that_are_loaded_for_nothing_are_none() -> None:
    """Two meters and one affordance: there is nothing to look up. With few amounts, loads cost what lookups save."""
    plain = "universe u\nspace none\nmeter a = 1 { decay 0.1 }\ndies when a <= 0\nreward a\nobserve { meters }\n"
    chosen = looked_up(Compilation.begin(universe_of(plain)).run())
    assert chosen.notes == ("columns: none, as nothing is worth a lookup",)


def random_layouts(count: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 2**32, count, dtype=np.uint32)


def test_words_find_what_the_search_finds() -> None:
    """What `_find` and `_pack` of kernels do, in numpy, on every cell of many layouts, against `search`."""
    chosen = for_gpus(sample("town"))
    program, layouts = chosen.program, random_layouts(200)
    held = words(program, 14)
    assert held is not None
    packed = np.zeros((held.count, len(layouts)), np.uint32)
    for number in range(4 * held.count):
        given = {"layout": layouts, "index": np.full(len(layouts), min(number, 13), np.uint32)}
        cell = evaluate(program.function("cell"), given, program.tables)["cell"]
        byte, word = divmod(number, held.count)
        packed[word] |= (cell if number < held.cells else np.uint32(127)) << np.uint32(8 * byte)
    for cell in range(64):
        same, hits = np.uint32(cell * 0x01010101), np.zeros(len(layouts), np.uint32)
        for word, value in enumerate(packed):
            equal = np.uint32(0x80808080) - (value ^ same)
            hits |= (equal >> np.uint32(7 - word)) & np.uint32(0x01010101 << word)
        bit = (hits.astype(np.float32).view(np.int32) >> 23) - 127
        found = np.where(hits == 0, -1, bit - (bit >> 3) * (8 - held.count))
        given = {"layout": layouts, "cell": np.full(len(layouts), cell, np.uint32)}
        assert np.array_equal(found, evaluate(program.function("search"), given, program.tables)["found"])


@pytest.mark.parametrize(("meters", "said"), [(62, "for 64 registers"), (63, "none, as 65 would take more than 64")])
def test_columns_take_64_registers_at_the_most(meters: int, said: str) -> None:
    effects = ["  ".join(f"m{number} += 0.{place}{number + 10}" for number in range(meters)) for place in range(1, 7)]
    lines = ["universe wide", "space grid 8 x 8 { edges wrap }", "inert allowed"]
    lines += [f"meter m{number} = 0.5 {{ decay 0.01 }}" for number in range(meters)]
    lines += [f"affordance A{place} at random {{ instantly {{ {each} }} }}" for place, each in enumerate(effects)]
    lines += [f"reward {' + '.join(f'm{number}' for number in range(meters))}", "observe { meters }"]
    compilation = looked_up(Compilation.begin(universe_of("\n".join(lines) + "\n")).run())
    assert any(note.startswith("columns: ") and said in note for note in compilation.notes)
