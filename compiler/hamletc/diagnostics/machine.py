"""Diagnostics as JSON, for editors and scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from hamlet.universe import Span
from hamletc.diagnostics.diagnostic import Diagnostic, Label
from hamletc.diagnostics.files import FileDiagnostics

Json: TypeAlias = dict[str, object]


def to_json(diagnostics: Sequence[Diagnostic], file: str) -> str:
    """One JSON object: `file`, `errors` and `warnings` (counts), and `diagnostics` in the order given.

    Lines and columns count from 1 in characters; an end column is exclusive. The `edits` of a diagnostic are done
    together, and write what its hint says; where one is not `sure` it is a suggestion.
    """
    return _object(diagnostics, file, [_diagnostic(d) for d in diagnostics])


def files_to_json(files: Sequence[FileDiagnostics], path: str) -> str:
    """The same of several files in the folder `path`: each of the `diagnostics` also has the name of its `file`."""
    diagnostics = [diagnostic for file in files for diagnostic in file.diagnostics]
    shown = [{"file": str(file.path), **_diagnostic(d)} for file in files for d in file.diagnostics]
    return _object(diagnostics, path, shown)


def _object(diagnostics: Sequence[Diagnostic], file: str, shown: Sequence[Json]) -> str:
    result: Json = {
        "file": file,
        "errors": sum(d.severity == "error" for d in diagnostics),
        "warnings": sum(d.severity == "warning" for d in diagnostics),
        "diagnostics": shown,
    }
    return json.dumps(result, indent=2) + "\n"


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "primary": _label(diagnostic.primary),
        "secondary": [_label(label) for label in diagnostic.secondary],
        "hint": diagnostic.hint,
        "edits": [{**_place(edit.span), "text": edit.text, "sure": edit.sure} for edit in diagnostic.edits],
    }


def _label(label: Label) -> Json:
    return {**_place(label.span), "text": label.text}


def _place(span: Span) -> Json:
    return {"line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}
