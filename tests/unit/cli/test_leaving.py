"""The end of the console script."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import pytest

from hamletc.cli import main


@pytest.mark.parametrize("loaded", [False, True])
def test_cycles_are_looked_for_only_where_triton_would_tell_of_them(
    monkeypatch: pytest.MonkeyPatch, loaded: bool
) -> None:
    frozen: list[None] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(None))
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    if loaded:
        monkeypatch.setitem(sys.modules, "triton", ModuleType("triton"))
    main._leave()
    assert bool(frozen) is not loaded
