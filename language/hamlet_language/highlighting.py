"""A lexer for Pygments: universes in colour in Sphinx, MkDocs, Jupyter and `pygmentize`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, default, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from hamlet_language.vocabulary import vocabulary
from hamletc.language.tokens import DECLARED

_WORDS = vocabulary()
_NAME = r"`[^`\n]+`|[A-Za-z_]\w*"
_NAMED = re.compile(rf"\b(?:{'|'.join(DECLARED)})[ \t\r\n]+([A-Za-z_]\w*)")
_WORDY = (Keyword, Name.Builtin)


class HamletLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """Universes of hamletc. A word that the text declares as a name is a name, as it is for the compiler."""

    name = "Hamlet"
    aliases: ClassVar = ["hamlet"]
    filenames: ClassVar = ["*.hamlet"]
    mimetypes: ClassVar = ["text/x-hamlet"]
    tokens: ClassVar = {
        "root": [
            (r"[ \t\r\n]+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?%?", Number),
            (words(_WORDS.naming, prefix=r"\b", suffix=r"\b"), Keyword.Declaration, "named"),
            (words(_WORDS.opening, prefix=r"\b", suffix=r"\b"), Keyword.Declaration),
            (words(_WORDS.control, prefix=r"\b", suffix=r"\b"), Keyword),
            (words(_WORDS.functions, prefix=r"\b", suffix=r"(?=\()"), Name.Function),
            (words(_WORDS.quantities, prefix=r"\b", suffix=r"\b"), Name.Builtin),
            (r"(?<=\d )x(?= [\d(])", Operator),
            (words(_WORDS.keywords, prefix=r"\b", suffix=r"\b"), Keyword.Pseudo),
            (_NAME, Name),
            (r"\+=|-=|->|\.\.|<=|>=|==|!=|[-+*/<>=%]", Operator),
            (r"[(){}\[\]:,]", Punctuation),
        ],
        "named": [
            (rf"([ \t\r\n]+)({_NAME})", bygroups(Whitespace, Name.Variable), "#pop"),
            default("#pop"),
        ],
    }

    def get_tokens_unprocessed(
        self, text: str, stack: tuple[str, ...] = ("root",)
    ) -> Iterator[tuple[int, object, str]]:
        """The tokens of a text, each with its place and its kind."""
        named = frozenset(_NAMED.findall(text))
        for place, kind, piece in super().get_tokens_unprocessed(text, stack):
            yield place, Name if piece in named and any(kind in each for each in _WORDY) else kind, piece
