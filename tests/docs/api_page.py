"""docs/api.md, written from the docstrings of what users call."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import hamlet
import hamletc
from hamlet.backend.buffers import LaneCounts, Statistics
from hamlet.backend.protocol import Decided
from hamlet.backend.storage import Storage
from hamlet.env.act.functional import Functional, Out, State
from hamlet.env.act.graph import Graphed
from hamlet.env.act.results import Rollout
from hamlet.env.act.trajectories import Trajectories
from hamlet.env.environment import Env
from hamlet.env.keep.episode import Episode
from hamlet.env.replay import Replay
from hamlet.env.write.distributions import Choice, LogUniform, Normal, Uniform
from hamlet.env.write.params import Numbers
from hamlet.errors import MissingAttributeError
from hamlet.package.module import Module
from hamlet.policies.learnt import Learnt, Outputs
from hamlet.policies.mlp import MLP
from hamlet.policies.roles import LearntByRole
from hamlet.telemetry import JsonLines, MLflow, Record, TensorBoard, WandB
from hamlet.telemetry.telemetry import Telemetry

HEAD = """# Python

This page documents every class and function that a program calls; [training.md](training.md) shows how to use them.
`pytest tests/docs/test_api_page.py --update-golden` generates it from docstrings. The examples run in this order, after

```python
import torch

import hamlet
```
"""
CLASSES: tuple[type, ...] = (
    Module,
    Env,
    Numbers,
    Uniform,
    LogUniform,
    Choice,
    Normal,
    MLP,
    Learnt,
    LearntByRole,
    Outputs,
    Decided,
    Storage,
    Rollout,
    Statistics,
    LaneCounts,
    Graphed,
    Functional,
    State,
    Out,
    Trajectories,
    Telemetry,
    Record,
    JsonLines,
    TensorBoard,
    WandB,
    MLflow,
    Episode,
    Replay,
)
ERRORS: tuple[type, ...] = (
    hamlet.HamletError,
    hamlet.EnvError,
    MissingAttributeError,
    hamlet.ModuleError,
    hamletc.CompileError,
    hamlet.HamletWarning,
)
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$", re.MULTILINE)
ITEM = re.compile(r"^(\S.*?): ", re.MULTILINE)


def page() -> str:
    """The whole page."""
    functions = [getattr(hamlet, name) for name in hamlet.__all__ if isinstance(getattr(hamlet, name), FunctionType)]
    parts = [HEAD, "## hamlet\n", *(entry(f"hamlet.{function.__name__}", function) for function in functions)]
    for owner in CLASSES:
        parts.append(f"## {owner.__name__}\n\n`{owner.__module__}.{owner.__name__}`\n\n{text(owner)}")
        parts += [entry(f"{owner.__name__}.{name}", value) for name, value in members(owner)]
    parts.append("## Errors and warnings\n")
    for error in ERRORS:
        bases = ", ".join(f"`{base.__name__}`" for base in error.__bases__)
        parts.append(
            f"### {error.__name__}\n\n`{error.__module__}.{error.__name__}`, a kind of {bases}.\n\n{text(error)}"
        )
    return "\n".join(parts)


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """What is public of a class, in the order of its definition; then what it has of classes of its package."""
    package = owner.__module__.rpartition(".")[0]
    seen: set[str] = set()
    for base in owner.__mro__:
        if base is not owner and base.__module__.rpartition(".")[0] != package:
            continue
        for name, value in vars(base).items():
            if not name.startswith("_") and name not in seen and isinstance(value, (FunctionType, property)):
                seen.add(name)
                yield name, value


def entry(name: str, value: Any) -> str:
    """A function, method or property."""
    if isinstance(value, property):
        assert value.fget is not None
        given = inspect.signature(value.fget).return_annotation
        return f"### {name}\n\n```text\n{name}: {spelled(given)}\n```\n\n{text(value)}"
    return f"### {name}\n\n```text\n{name}{signature(value)}\n```\n\n{text(value)}"


def signature(function: Callable[..., Any]) -> str:
    """The signature as it is written, in one line, or, where that is too long, with a line per parameter."""
    found = inspect.signature(function)
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = []
    for name, parameter in found.parameters.items():
        if name != "self":
            if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parameters:
                parameters.append("*")
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            parameters.append(f"{stars.get(parameter.kind, '')}{name}: {spelled(parameter.annotation)}{default}")
    result = f" -> {spelled(found.return_annotation)}"
    short = f"({', '.join(parameters)}){result}"
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return short if len(short) < 90 else f"(\n{lines}){result}"


def spelled(annotation: Any) -> str:
    """A type as it stands in the source."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def text(thing: Any) -> str:
    """A docstring as Markdown."""
    documentation = inspect.getdoc(thing)
    assert documentation, f"{thing} has no docstring"
    first, *sections = SECTION.split(documentation)
    result = [first.strip()]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        block, rest = indented(body.strip("\n"))
        match title:
            case "Example":
                result.append(f"```python\n{block}\n```")
            case "Returns":
                result.append(f"Returns: {block}")
            case _:
                names = {"Args": "Arguments", "Raises": "Raises", "Attributes": "Attributes"}
                result.append(f"{names[title]}:\n\n{items(block)}")
        if rest:
            result.append(rest)
    return "\n\n".join(result) + "\n"


def indented(body: str) -> tuple[str, str]:
    """The lines of a section, and what follows it."""
    lines = body.split("\n")
    end = next((number for number, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    return textwrap.dedent("\n".join(lines[:end])).strip("\n"), "\n".join(lines[end:]).strip("\n")


def items(block: str) -> str:
    """`name: what it is`, with lines that go on further in, as a list."""
    paragraphs = [re.sub(r"\s*\n\s+", " ", part) for part in re.split(r"\n(?=\S)", block)]
    return "\n".join("- " + ITEM.sub(lambda found: f"`{found[1]}`: ", part, count=1) for part in paragraphs)
