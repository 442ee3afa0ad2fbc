"""The compiler of pages, packed again and again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from hamletc.page import carried


@pytest.fixture(autouse=True, scope="session")
def _bare_once() -> Iterator[None]:
    """Modules lose their remarks once for all archives: for those of the compiler that takes more than a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carried, "bare", cache(carried.bare))
        yield
