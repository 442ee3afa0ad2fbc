"""Machine code of numba kernels that all tests of a run share, also in other processes.

Numba keeps machine code by the path of its source. Many tests compile the same universe into folders of their own: here
it is kept by what the source says.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from numba.core.caching import UserProvidedCacheLocator


class ByContents(UserProvidedCacheLocator):  # type: ignore[misc]  # Numba has no types.
    """Where the machine code of a function is: in a folder, under NUMBA_CACHE_DIR, that is named after its source."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return sha256(Path(py_file).read_bytes()).hexdigest()

    def get_source_stamp(self) -> None:
        """The folder says it all."""
