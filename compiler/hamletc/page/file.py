"""Files of a page."""

from __future__ import annotations

import gzip
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class File:
    """A file of a page, by its path in the folder."""

    path: str
    contents: bytes


def packed(path: str, contents: bytes) -> File:
    """A file that a page unpacks. The same contents are the same bytes whenever they are packed."""
    return File(f"{path}.gz", gzip.compress(contents, 9, mtime=0))
