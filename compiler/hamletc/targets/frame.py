"""The frames of generated files: docstring, imports and tables, around the functions that a printer writes."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


def frame(target: str) -> Template:
    """`kernels.py.j2` of a target."""
    environment = Environment(
        loader=PackageLoader(f"hamletc.targets.{target}", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("kernels.py.j2")
