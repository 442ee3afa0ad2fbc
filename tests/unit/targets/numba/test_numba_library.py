"""What kernels for CPUs import."""

from __future__ import annotations

from hamletc.kernel.code import assign, call, do, function, loop, names, when
from hamletc.targets.numba.library import LIBRARY, SELDOM, imports

(first,) = names("first")


def test_modules_import_what_they_use() -> None:
    body = (
        assign("held", call("room_f32", 4)),
        loop(
            first, 4, body=[when(first > 0, [do("total_worlds", "held")], [assign("held", call("total_over_cells"))])]
        ),
    )
    imported = imports([function("_used", ["TILED"], "A function.", body)])
    always = [name.name for name in LIBRARY if name not in SELDOM]
    assert [name for name in imported if name not in always] == ["room_f32", "total_worlds", "total_over_cells"]
    assert [name for name in imported if name in always] == always


def test_modules_that_use_nothing_import_what_lines_of_the_tick_ir_call() -> None:
    assert imports([]) == [name.name for name in LIBRARY if name not in SELDOM]
