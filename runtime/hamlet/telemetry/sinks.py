"""Where records go: a file of JSON lines, TensorBoard, or any function of the caller's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from hamlet.errors import EnvError, shown
from hamlet.telemetry.window import Record

Sink: TypeAlias = Callable[[Record], object]
"""Takes records in their order. It is called in a thread of its own, one call at a time."""


@runtime_checkable
class Closing(Protocol):
    """A sink that has something to close."""

    def close(self) -> None: ...


class JsonLines:
    """A file with a JSON object in a line for each record, see `Record.as_json`. What was there before is overwritten,
    unless `append` is true. A line is in the file as soon as its record arrives.

    Raises:
        EnvError: the file cannot be written.

    Example:
        with env.telemetry(every=1000, to=hamlet.telemetry.JsonLines("run.jsonl")):
            env.rollout(2000)
    """

    def __init__(self, path: str | Path, append: bool = False) -> None:
        if not isinstance(path, (str, Path)) or "\0" in str(path):
            raise EnvError(f"JsonLines takes the path of a file, not {shown(path)}")
        try:
            # Line by line, so that a reader never finds half a record.
            self._file = Path(path).open("a" if append else "w", buffering=1, encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise EnvError(f"cannot write {path}: {error.strerror}") from error

    def __call__(self, record: Record) -> None:
        """Write a record."""
        self._file.write(json.dumps(record.as_json(), ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class TensorBoard:
    """Curves of TensorBoard in a folder, see `Record.scalars`, over the number of agent-ticks.

    Raises:
        EnvError: the package tensorboard is missing, or the folder cannot be written.
    """

    def __init__(self, folder: str | Path) -> None:
        if not isinstance(folder, (str, Path)) or "\0" in str(folder):
            raise EnvError(f"TensorBoard takes the path of a folder, not {shown(folder)}")
        try:
            library: Any = import_module("torch.utils.tensorboard")
        except ImportError as error:
            raise EnvError("curves of TensorBoard need its package: pip install 'hamletc[tensorboard]'") from error
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._writer = library.SummaryWriter(str(folder))
        except OSError as error:
            raise EnvError(f"cannot write {folder}: {error.strerror}") from error
        self._passed = 0

    def __call__(self, record: Record) -> None:
        """Write a point of each curve."""
        self._passed += record.ticks * record.lanes
        for name, value in record.scalars().items():
            self._writer.add_scalar(name, value, self._passed)

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()


def sinks_of(to: Any) -> tuple[Sink, ...]:
    """The sinks of `Env.telemetry`: one, or several.

    Raises:
        EnvError: something among them cannot be called with a record.
    """
    several = tuple(to) if isinstance(to, Sequence) and not isinstance(to, str) else (to,)
    for each in several:
        if isinstance(each, type) or not callable(each):
            raise EnvError(
                'telemetry goes to JsonLines("run.jsonl"), TensorBoard("runs/name"), a function of a record, or '
                f"several of these, not {shown(each)}"
            )
    return several
