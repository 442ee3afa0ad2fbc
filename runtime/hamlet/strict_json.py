"""JSON of files that somebody else may have made: each key once, finite numbers, and no nesting without end."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class JsonError(ValueError):
    """A text is no such JSON. The message says where or why, as the end of a sentence."""


def parsed(text: str | bytes) -> Any:
    """The value of a text in JSON.

    Raises:
        JsonError: it is no JSON, has a key twice in one object, or nests too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_not_finite)
    except json.JSONDecodeError as error:
        raise JsonError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except JsonError:
        raise
    except ValueError as error:
        raise JsonError(str(error)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise JsonError(f"the key {next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return members


def _not_finite(spelling: str) -> NoReturn:
    raise JsonError(f"{spelling} is no number")
