"""The compiler in a page: what a worker asks of it, as JSON. Nothing here reads or writes a file of the author's.

A request is an object with `ask`, one of `check`, `compile`, `format`, with `text`, and with `files`: texts of files
that it reads, by the names that it has for them; with `compile` also `policy`, what the page knows of that of the text
before it was edited. An answer has `diagnostics`; with `compile` also `about`, with
`format` also `text`, each where there are no errors. Whatever else can be asked other packages answer, which are found
by entry points of the group `hamletc.pages`: those of the language service are `complete`, `hover` and `mend`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from hamlet.garbage import without_collections
from hamlet.schema import observation_rows
from hamletc.compile import Checked, check
from hamletc.diagnostics import Diagnostic, Edit, FileDiagnostics, is_sure
from hamletc.errors import CompileError, SourceError
from hamletc.language.formatter import format_source
from hamletc.language.source import LARGEST_SOURCE, Source
from hamletc.page.made import AT_ONCE, made
from hamletc.page.told import Learnt, Named, interface
from hamletc.read import parsed

ID = "text"
"""The place that what a reader writes has among the universes of a page."""
NAME = f"{ID}.hamlet"
MOST_OBSERVED = 1 << 14
"""Numbers that an agent observes, at most: a tab compiles so many in some seconds."""
SMALLEST = """\
universe warm
space grid 2 x 2
meter energy = 1 { decay 0.1 }
affordance Bed at random { instantly { energy += 0.1 } }
dies when energy <= 0
reward energy
observe { meters }
"""
"""A universe with one of each that most universes have."""
OTHERS = "hamletc.pages"
"""The group of entry points whose functions answer what else is asked."""
Json = dict[str, Any]
Answers: TypeAlias = Callable[[Json, Path], Json]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, as a worker passes it on: JSON, and the bytes of a module where one was asked for."""

    said: str
    module: bytes | None = None


def answered(request: str) -> Answer:
    """The answer to a request."""
    asked = json.loads(request)
    text: str = asked["text"]
    try:
        with without_collections(), TemporaryDirectory() as folder:
            match asked["ask"]:
                case "check":
                    return _answer(_checked(text, _written(asked.get("files", {}), Path(folder))).warnings)
                case "compile":
                    return _compiled(text, _written(asked.get("files", {}), Path(folder)), asked.get("policy"))
                case "format":
                    return _formatted(text)
                case other if (point := next(iter(entry_points(group=OTHERS, name=other)), None)) is not None:
                    answers: Answers = point.load()
                    path = _written(asked.get("files", {}), Path(folder)) / NAME
                    return Answer(json.dumps({"diagnostics": [], **answers(asked, path)}))
                case unknown:
                    raise CompileError(f"this page does not know how to {unknown}")
    except SourceError as error:
        return _answer(error.found)
    except CompileError as error:
        return _refused(str(error))
    except RecursionError:
        return _refused("the text nests deeper than a browser can follow")


def _written(files: Mapping[str, str], folder: Path) -> Path:
    """The folder, once files are in it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def _checked(text: str, folder: Path) -> Checked:
    """A text, which reads files of a folder.

    Raises:
        CompileError: it has errors.
    """
    if len(text.encode()) > LARGEST_SOURCE:
        raise CompileError(f"the text is larger than {LARGEST_SOURCE >> 20} MiB")
    return check(parsed(Source(folder / NAME, text)))


def _compiled(text: str, folder: Path, policy: Json | None) -> Answer:
    """The answer for a text, which a policy may have played before it was edited: it plays where it still can."""
    checked = _checked(text, folder)
    universe = checked.universe
    if (size := observation_rows(universe)) > MOST_OBSERVED:
        raise CompileError(
            f"an agent of {universe.name} observes {size:,} numbers; a page has room for {MOST_OBSERVED:,}"
        )
    player = None
    if policy is not None and policy["fits"] == interface(universe):
        player = Learnt(policy["name"], tuple(role["name"] for role in policy["roles"] or ()) or (None,))
    result = made(Named(ID, "", Path(NAME), text), universe, lambda: None, AT_ONCE, player)
    return _answer(checked.warnings, {"about": result.about}, result.module)


def _formatted(text: str) -> Answer:
    formatted, diagnostics = format_source(text)
    if formatted is None:
        return _answer([FileDiagnostics(Path(NAME), text, diagnostics)])
    return _answer([], {"text": formatted})


def _answer(files: Sequence[FileDiagnostics], more: Json | None = None, module: bytes | None = None) -> Answer:
    diagnostics = [_said(each, file) for file in files for each in file.diagnostics]
    return Answer(json.dumps({"diagnostics": diagnostics, **(more or {})}, allow_nan=False), module)


def _said(diagnostic: Diagnostic, file: FileDiagnostics) -> Json:
    own = file.path.name == NAME
    span = diagnostic.primary.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message if own else f"{file.path.name}: {diagnostic.message}",
        "hint": diagnostic.hint,
        "label": diagnostic.primary.text,
        "begin": [span.line, span.column] if own else [1, 1],
        "end": [span.end_line, span.end_column] if own else [1, 1],
        "edits": [_edited(edit) for edit in diagnostic.edits] if own else [],
        "sure": is_sure(diagnostic.edits),
    }


def _edited(edit: Edit) -> Json:
    span = edit.span
    return {"begin": [span.line, span.column], "end": [span.end_line, span.end_column], "text": edit.text}


def _refused(message: str) -> Answer:
    """The answer where there is no place in the text to point at."""
    said = {"code": "", "severity": "error", "message": message, "hint": "", "label": "", "edits": [], "sure": False}
    return Answer(json.dumps({"diagnostics": [{**said, "begin": [1, 1], "end": [1, 1]}]}))


def warm_up() -> None:
    """Import what a compilation needs, so that the first one is as fast as others."""
    answered(json.dumps({"ask": "compile", "text": SMALLEST}))
