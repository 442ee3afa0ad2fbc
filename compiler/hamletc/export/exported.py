"""Files that an export writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exported:
    """An export: the contents of its files, by their names."""

    files: Mapping[str, bytes]
