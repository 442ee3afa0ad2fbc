"""What can be wrong with a PTX text or with what it does."""

from __future__ import annotations

from hamlet.errors import HamletError


class PtxError(HamletError):
    """An instruction that is not known, or that does what it must not do. Names the line of the PTX text."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"PTX line {line}: {text}")
