"""FrozenLake8x8-v1 beside Gymnasium's."""

from __future__ import annotations

from collections.abc import Callable

from lakes import same_lake

from hamlet.package.module import Module


def test_frozen_lake_8x8_is_gymnasiums(port: Callable[[str], Module]) -> None:
    same_lake(port("frozen_lake_8x8"), "FrozenLake8x8-v1")
