"""Why a universe was not compiled."""

from __future__ import annotations

from hamlet.errors import HamletError


class CompileError(HamletError):
    """The message is one clear line, or the rendered diagnostics of a source."""
