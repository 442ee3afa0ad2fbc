"""The prices of exactness and of statistics: what is compared with what."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hamlet.native.cpu import listed

ROOT = Path(__file__).resolve().parents[3]
FUSED = {"fma", "asimd"}
"""Features of CPUs, one of which says that a product and a sum can be one operation."""
CALCULATIONS = """
#include "hamlet.h"
HAMLET_EXPORT f32 contracted(f32 x, f32 y) { return add_f32(multiply_f32(x, x), y); }
HAMLET_EXPORT f32 third(f32 x) { return divide_f32(x, 3.0f); }
"""


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """benchmarks/ is no package: its files run as scripts."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield
    for name in ("rounds", "exactness_price", "facts"):
        sys.modules.pop(name, None)


def test_rates_and_percents_are_of_the_same_round(monkeypatch: pytest.MonkeyPatch) -> None:
    from rounds import as_json, more_time, rates

    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(time, "process_time", lambda: 2 * now[0])
    slow = iter([9.0, 2.0, 3.0, 4.0])

    def take(seconds: float) -> None:
        now[0] += seconds

    exact, other = rates(
        [("exact", lambda: take(next(slow))), ("other", lambda: take(2.0))], 100, 3, lambda: None
    )  # fmt: skip
    assert exact.by_clock == (50.0, pytest.approx(100 / 3), 25.0)
    assert exact.cpu_seconds == (4.0, 6.0, 8.0)
    for on_gpu in (False, True):
        percent = more_time(exact, other, on_gpu)
        assert (percent.median, percent.least, percent.most) == pytest.approx((50.0, 0.0, 100.0))
    assert "percent" not in as_json(exact, None)
    assert as_json(other, percent)["percent"]["most"] == pytest.approx(100.0)


def test_variants_differ_in_divisions_only(tmp_path: Path) -> None:
    from exactness_price import build, variants

    source = ROOT / "universes" / "town.hamlet"
    texts = {}
    for variant in variants("triton"):
        module = build(source, "triton", variant, tmp_path)
        texts[variant.name] = module.sources["triton_kernels.py"].decode()
    shipped, divided, contracted, approximate = texts.values()
    assert shipped == contracted == (ROOT / "generated" / "town" / "triton_kernels.py").read_text()
    on_cpu = build(source, "c", variants("c")[0], tmp_path / "cpu").sources["c_kernels.c"].decode()
    assert on_cpu == (ROOT / "generated" / "town" / "c_kernels.c").read_text()
    assert "tl.div_rn(" not in shipped
    assert "tl.fma(" not in divided
    assert divided.count("tl.div_rn(") == approximate.count("_quotient(") - 1 > 3
    assert "tl.div_rn(" not in approximate
    assert "    return left / right" in approximate


def test_kernels_are_loosened_while_asked_for_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from exactness_price import Variant, loosened

    from hamlet.launch.cpu import kernels

    # GCC contracts nothing at the low level that tests are compiled at.
    monkeypatch.delenv("HAMLET_CC", raising=False)

    def calculated() -> tuple[float, float]:
        """(1 + 2**-12)**2 - (1 + 2**-11), and a third of 5."""
        loaded = kernels.library(CALCULATIONS)
        number = ctypes.c_float
        contracted = ctypes.CFUNCTYPE(number, number, number)(("contracted", loaded))
        third = ctypes.CFUNCTYPE(number, number)(("third", loaded))
        return contracted(1 + 2**-12, -1 - 2**-11), third(5.0)

    exact = calculated()
    third = ctypes.c_float(5 / 3).value
    assert exact == (0.0, third)
    fused = 2.0**-24 if FUSED & listed() else 0.0
    with loosened("c", Variant("v", "approximate", True)):
        approximate = calculated()
    assert approximate[0] == fused
    assert 0 < abs(approximate[1] - third) < 1e-6
    with loosened("c", Variant("v", "divided", True)):
        assert calculated() == (fused, third)
    with loosened("c", Variant("v", "divided", False)):
        assert calculated() == exact
    assert calculated() == exact
