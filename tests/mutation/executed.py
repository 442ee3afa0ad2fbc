"""Which functions of the compiler run when: a check that does not run a mutant's function cannot find it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper, cache
from types import FrameType
from typing import Any, TypeAlias

from mutant import COMPILER, FOLDERS, ROOT, TABLE, Mutant

KEEPING = ("hamletc.", "hamlet.launch", "hamlet.native", "hamlet_train.exact", "hamlet_lab.divergence")
"""Modules whose functions may keep results that mutated ones compute."""
Functions: TypeAlias = frozenset[tuple[str, int]]
"""Files below `compiler/hamletc`, and the first lines of functions, their decorators included."""


@contextmanager
def tracing() -> Iterator[set[tuple[str, int]]]:
    """Collects the functions of the mutated folders that are called inside, wherever the compiler lies."""
    found: set[tuple[str, int]] = set()
    marks = (*(f"/hamletc/{folder}/" for folder in FOLDERS), f"/hamletc/{TABLE}")
    paths: dict[str, str | None] = {}

    def trace(frame: FrameType, _event: str, _argument: Any) -> None:
        code = frame.f_code
        name = code.co_filename
        if name not in paths:
            mutated = any(mark in name for mark in marks)
            paths[name] = name.rpartition("/hamletc/")[2] if mutated else None
        path = paths[name]
        if path is not None:
            found.add((path, code.co_firstlineno))

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield found
    finally:
        sys.settrace(before)


def forget_results() -> None:
    """Empty what functions keep of their results, those of the mutated folders and of tests: who needs what was
    computed for somebody before calls the functions that compute it, too."""
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None) or ""
        if name.startswith(KEEPING) or (f"{ROOT}/tests/" in path and not name.startswith("samples")):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()


def function_of(mutant: Mutant) -> Functions | None:
    """The function that a mutant alters. `None`: what is outside of functions runs in any case, and templates do."""
    if not mutant.path.endswith(".py"):
        return None
    around = [first for first, begin, end in _functions(mutant.path) if begin <= mutant.line <= end]
    return frozenset({(mutant.path, max(around))}) if around else None


@cache
def _functions(path: str) -> tuple[tuple[int, int, int], ...]:
    """The functions of a file: their first lines, decorators included, and the first and last lines of their bodies."""
    tree = ast.parse((COMPILER / path).read_text(encoding="utf-8"))
    return tuple(
        (min(part.lineno for part in (node, *node.decorator_list)), node.body[0].lineno, node.end_lineno or 0)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    )
