"""A translated pack as a text that somebody goes on with."""

from __future__ import annotations

import dataclasses
from typing import TypeVar, cast

from hamlet.universe import Span
from hamlet_townlet.pack import Pack
from hamletc.language.formatter import format_file
from hamletc.language.syntax import NOWHERE, File

T = TypeVar("T")


def text_of(file: File, pack: Pack) -> str:
    """The canonical text of a translated pack, with a comment that says where it comes from."""
    return f"# From the pack {pack.directory.resolve().name}, by hamletc import.\n{format_file(_placeless(file))}"


def _placeless(node: T) -> T:
    """The tree without places, which would lay the text out like the files of the pack."""
    match node:
        case Span():
            return cast(T, NOWHERE)
        case tuple():
            return cast(T, tuple(map(_placeless, node)))
        case _ if dataclasses.is_dataclass(node) and not isinstance(node, type):
            parts = {field.name: _placeless(getattr(node, field.name)) for field in dataclasses.fields(node)}
            return cast(T, dataclasses.replace(node, **parts))
        case _:
            return node
