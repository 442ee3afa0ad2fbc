"""A small training, run once."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import SMALL, trained

from hamlet_train.run import Run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Five updates of `SMALL` in one process with one thread."""
    folder: Path = tmp_path_factory.mktemp("training") / "one"
    return trained(folder, SMALL)
