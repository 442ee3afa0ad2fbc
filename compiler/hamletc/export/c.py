"""A universe as one file of C and its header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from hamlet import schema
from hamlet.package.manifest import plain
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.compilation import Compilation
from hamletc.export.arrays import Array, Constant, arrays, defaults
from hamletc.export.exported import Exported
from hamletc.export.library import library
from hamletc.export.names import identifier
from hamletc.export.tested import TEST_SEED, TEST_TICKS, TEST_WORLDS, agents_of, agents_tested
from hamletc.targets.c.emit import Kernel, array_of, kernel_of, observed_names

FOLDER = "hamletc.export"
FILES = {"h": "header.h", "c": "source.c"}
"""Templates by the ends of names of files."""
WORLDS = "worlds.c.j2"
"""The template with what stands around a kernel."""
REMARKS = re.compile(r"/\*.*?\*/|{[{%#].*?[}%#]}", re.DOTALL)
"""Remarks of C, and what a template has in their place."""
GLOBAL = re.compile(r"(\w+) ?\(|} ?(\w+);|typedef [^;{]*?(\w+);|^static .*?(\w+)(?: =|\[|;)", re.MULTILINE)
"""A function, a type, or a table of C; calls of functions are as good as their definitions."""
SPARE = 4096
"""Bytes for the self-test, beyond those of arrays: of the record that has their addresses, and of shares."""


def export_c(compilation: Compilation, digest: int) -> Exported:
    """The texts of a universe in C.

    Args:
        compilation: what `specialise` made for the target `c`.
        digest: of a run of `TEST_WORLDS` worlds of `agents_tested` agents, see `hamlet.interpreter.digest`.
    """
    values = values_of(compilation, digest)
    texts = {f"{values['name']}.{end}": rendered(f"{template}.j2", values) for end, template in FILES.items()}
    return Exported({name: text.encode() for name, text in texts.items()})


def values_of(compilation: Compilation, digest: int) -> dict[str, Any]:
    """The values of templates for a universe; arguments as of `export_c`."""
    universe = compilation.universe
    kernel = kernel_of(compilation.program, universe)
    template = files(FOLDER).joinpath(WORLDS).read_text(encoding="utf-8")
    helpers = library(kernel.text, template, *observed_names(kernel.text, "f32"))
    name = _named(universe.name, helpers, kernel.text)
    least, most = agents_of(universe)
    held = arrays(universe, name)
    return {
        "universe": plain(universe.name),
        "source": ", ".join(map(plain, universe.sources)),
        "version": __version__,
        "name": name,
        "upper": name.upper(),
        "agents": agents_tested(universe),
        "least": least,
        "most": most,
        "observations": schema.observation_rows(universe),
        "actions": Constant.each(f"{name}_action", schema.action_names(universe)),
        "controls": len(universe.controls),
        "arrays": held,
        "ticks": TEST_TICKS,
        "test_worlds": TEST_WORLDS,
        "test_seed": TEST_SEED,
        "test_bytes": _bytes(kernel, held, agents_tested(universe)),
        "digest": hex(digest).upper().replace("X", "x"),
        "kernel": kernel,
        "library": helpers,
        "constructed": list(_constructed(kernel, universe, {each.name: each for each in held})),
        "passed": ", ".join(name for name, _ in kernel.arguments),
        "defaults": list(defaults(universe)),
    }


@cache
def _around() -> frozenset[str]:
    """The functions and types of all templates of C: in one project they may stand side by side."""
    texts = (each.read_text(encoding="utf-8") for each in files(FOLDER).iterdir() if each.name.endswith(".j2"))
    return frozenset(name for text in texts for name in _global(REMARKS.sub("", text)))


def _global(text: str) -> Iterator[str]:
    return (name for names in GLOBAL.findall(text) for name in names if name)


def _named(universe: str, *texts: str) -> str:
    """The name of the type of a universe, none of the names that these texts and the templates have outside of
    functions: parameters and variables of such a name hide it, which `struct` allows for."""
    name = identifier(universe)
    return f"u_{name}" if name in _around().union(*map(_global, texts)) else name


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A template of this folder with its values."""
    environment = Environment(
        loader=PackageLoader(FOLDER, ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(values)


def _constructed(kernel: Kernel, universe: Universe, by_name: dict[str, Array]) -> Iterator[str]:
    """The declarations of the arrays that the kernel takes."""
    own = {
        "actions": "{(i32 *)(uintptr_t)actions, actions == NULL ? 0 : 1, actions == NULL ? 0 : self->lanes}",
        "shares": "{self->shares, 1, 8}",
        "begins": "{self->begins, begins ? worlds : 0, 1}",
        "cells": f"{{self->cells_of_cache, {kernel.cells}, self->lanes}}",
        "layouts": "{self->layouts_of_cache, self->lanes, 1}",
    }
    for argument, type_ in kernel.arguments:
        name = argument.removesuffix("_array")
        if argument in kernel.tables or type_.shape != "array":
            # A cell cache and its layouts have the names of fields that universes without one can have.
            continue
        is_cache = kernel.cells and name in ("cells", "layouts")
        if name in own and (is_cache or name not in by_name):
            yield f"{type_.declared(argument)} = {own[name]};"
        elif name in by_name:
            yield f"{type_.declared(argument)} = {_filled(by_name[name])};"
        else:
            columns = 0 if array_of(name, universe)[1] > 1 else 1
            yield f"{type_.declared(argument)} = {{NULL, 0, {columns}}};"


def _filled(array: Array) -> str:
    if array.pitch:
        return f"{{self->{array.name}, self->{array.columns}, {array.pitch}}}"
    if array.rows is None:
        return f"{{self->{array.name}, self->{array.columns}, 1}}"
    return f"{{self->{array.name}, {len(array.rows)}, self->{array.columns}}}"


def _bytes(kernel: Kernel, held: Sequence[Array], agents: int) -> int:
    """A number that is not below the bytes of the worlds of the self-test."""
    worlds, lanes = TEST_WORLDS, TEST_WORLDS * agents
    total = SPARE
    for array in held:
        columns = lanes if array.columns == "lanes" else worlds
        each = array.pitch or (1 if array.rows is None else len(array.rows))
        total += 4 * each * columns + 64
    total += (kernel.cells + 4) * lanes + 64 * 4 + worlds
    return total
