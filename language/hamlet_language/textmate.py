"""A TextMate grammar: how editors colour universes before the language server answers, or without one."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hamlet_language.vocabulary import vocabulary

NAME = r"`[^`]+`|[A-Za-z_]\w*"
Rule = dict[str, object]


def grammar() -> str:
    """The grammar as JSON, as `editors/vscode` has it."""
    words = vocabulary()
    declared = {"1": {"name": "storage.type.hamlet"}, "2": {"name": "entity.name.hamlet"}}
    rules = [
        _rule("comment.line.number-sign", "#.*$"),
        _rule("string.quoted.double", '"[^"]*"'),
        _rule("variable.other.quoted", "`[^`]*`"),
        _rule("constant.numeric", r"\b[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?%?"),
        {"match": rf"{_any(words.naming)}(?:[ \t]+({NAME}))?", "captures": declared},
        _rule("storage.type", _any(words.opening)),
        _rule("keyword.control", _any(words.control)),
        _rule("support.function", rf"{_any(words.functions)}(?=\()"),
        _rule("support.constant", _any(words.quantities)),
        _rule("keyword.other", _any(words.keywords)),
        _rule("variable.other", r"\b[A-Za-z_]\w*"),
        _rule("keyword.operator", r"\+=|-=|->|\.\.|<=|>=|==|!=|[-+*/<>=%]"),
    ]
    whole = {"name": "Hamlet", "scopeName": "source.hamlet", "fileTypes": ["hamlet"], "patterns": rules}
    return json.dumps(whole, indent=2) + "\n"


def _rule(name: str, match: str) -> Rule:
    return {"name": f"{name}.hamlet", "match": match}


def _any(words: Iterable[str]) -> str:
    return rf"\b({'|'.join(sorted(words))})\b"
