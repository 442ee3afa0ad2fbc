"""Arrays in an archive of numpy (.npz), which may be damaged, or made to do harm."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamlet.regular import open_regular

MOST_BYTES = 1 << 32
"""The most that all arrays of an archive take."""
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, ValueError, EOFError, NotImplementedError),
    *(RuntimeError, OverflowError, KeyError, TypeError, MemoryError, SyntaxError),
)
"""Errors that the readers of zip and of numpy raise on a damaged file."""


class ArchiveError(ValueError):
    """A file is no archive of arrays. The message says why, as the end of a sentence."""


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an archive by name. Nothing in it is run.

    Raises:
        OSError: the file cannot be read.
        ArchiveError: it is no archive of arrays, or they would take too much memory.
    """
    with open_regular(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
            if size > MOST_BYTES:
                raise ArchiveError(f"it would take {size >> 20} MiB, and at most {MOST_BYTES >> 20} are read")
            file.seek(0)
            with np.load(file, allow_pickle=False) as opened:
                return {name: np.asarray(opened[name]) for name in opened.files}
        except ArchiveError:
            raise
        except (OSError, *DAMAGED) as error:
            raise ArchiveError(str(error) or type(error).__name__) from error
