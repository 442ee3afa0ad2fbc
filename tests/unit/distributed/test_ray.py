"""The recipe for Ray in docs/scale.md, where Ray is installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import hamlet
from hamlet.package.module import Module
from samples import SHIPPED

PAGE = Path(__file__).parents[3] / "docs" / "scale.md"


@pytest.mark.long
def test_actors_of_ray_find_what_one_process_finds(compiled: Callable[[str], Module]) -> None:
    pytest.importorskip("ray")
    module = compiled((SHIPPED / "first_meal.hamlet").read_text())
    (recipe,) = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {"package": str(module.path), "__name__": "__main__"}
    exec(compile(recipe, str(PAGE), "exec"), names)
    alone = hamlet.make(module, worlds=100, seed=1, quiet=True).rollout(300)
    assert names["episodes"] == alone.episodes() > 100
    assert names["mean_return"] == alone.mean_return()
