"""The skeletons of generated files."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


@cache
def skeleton(target: str) -> Template:
    """`kernels.py.j2` of a target. Jinja2 takes 50 ms to compile it, once in a process."""
    environment = Environment(
        loader=PackageLoader(f"hamletc.targets.{target}", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("kernels.py.j2")
