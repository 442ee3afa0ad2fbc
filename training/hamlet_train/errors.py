"""Why a training was refused."""

from __future__ import annotations

from hamlet.errors import HamletError


class TrainError(HamletError):
    """A training cannot begin or go on, or a file of one cannot be read. The message is one line."""
