"""Kernels in C: `hamlet.h` is what they are made of."""

from __future__ import annotations

from importlib.resources import files


def header() -> str:
    """The text of `hamlet.h`, which every kernel in C includes."""
    return files(__name__).joinpath("hamlet.h").read_text(encoding="utf-8")
