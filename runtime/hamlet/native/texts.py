"""Texts of C that are written by hand, with the files beside them that they include."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from hamlet.native.compilers import HEADER

INCLUDED = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


def alone(name: str) -> str:
    """The text of a file of this package as it is."""
    return files(__package__).joinpath(name).read_text("utf-8")


@cache
def text(name: str, *packages: str) -> str:
    """The text of a file in which each file that it includes, but for `hamlet.h`, stands in the place of that line.

    Args:
        packages: the packages in which files are looked for, before this one.
    """
    folders = [*packages, __package__]

    def read(name: str) -> str:
        file = next(file for file in (files(folder).joinpath(name) for folder in folders) if file.is_file())
        return INCLUDED.sub(lambda match: match[0] if match[1] == HEADER else read(match[1]), file.read_text("utf-8"))

    return read(name)
