"""Files of folders that somebody else made: a pipe among them would be waited for, and a device has no end."""

from __future__ import annotations

import errno
import os
import stat
from functools import reduce
from operator import or_
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 1 << 32
"""The most that is read of a file at once."""


def open_regular(path: Path) -> BinaryIO:
    """A file, opened for reading its bytes.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    # Windows has neither of the first two, and changes ends of lines unless it is told that bytes are wanted.
    flags = (getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    descriptor = os.open(path, reduce(or_, flags, os.O_RDONLY))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file.

    Raises:
        OSError: it cannot be read, is no regular file, or is larger than `most` bytes.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
        return file.read()
