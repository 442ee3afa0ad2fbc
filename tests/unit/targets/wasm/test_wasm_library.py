"""Functions that kernels in WebAssembly may call."""

from __future__ import annotations

from hamletc.targets.c.types import HELPERS
from hamletc.targets.wasm.emit import library
from hamletc.targets.wasm.native import NATIVE

INLINE = {"any_set", "drain", "give_back"}
"""Helpers of C that modules have as instructions, where they are called."""


def test_what_kernels_in_c_call_is_there_too() -> None:
    written = {each.name for each in library()} | NATIVE.keys()
    assert HELPERS.keys() - written == INLINE
