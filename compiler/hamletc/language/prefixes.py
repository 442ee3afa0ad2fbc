"""The beginning of a text, up to where somebody writes, and what may come next there."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.language.braces import DECLARATIONS, match_braces
from hamletc.language.classify import Classifier
from hamletc.language.parser import Parse, is_fragment
from hamletc.language.tables import Automaton, terminals
from hamletc.language.tokens import Scan, Token, TokenKind

FARTHEST = 3
"""The most tokens behind a word that say whether it is a keyword: `straight distance to Bed`."""
_END = Token("end", "", 1, 1)
_SOME = Token("quoted", "`a`", 1, 1)


class Prefix:
    """The tokens before a place, and an automaton that has read them.

    Attributes:
        tokens: they, without the end.
        around: the first token of what each open brace belongs to, from the outermost one on.
    """

    def __init__(self, scanned: Scan) -> None:
        self.tokens = scanned.tokens[:-1]
        self.around = _around(self.tokens)
        braced = match_braces(scanned.tokens)
        end = len(braced.tokens) - 1
        while braced.tokens[end - 1].inserted:
            end -= 1
        fragment = is_fragment(scanned)
        begin = 0 if fragment else 2
        settled = max(end - FARTHEST, begin)
        recent = braced.tokens[settled:end]
        if not any(token.text in terminals() and token.kind == "word" for token in recent):
            settled = max(end, begin)
        self._asked = [*braced.tokens[:end], *[_END] * (1 + FARTHEST)]
        self._end, self._settled = end, settled
        self._place = (scanned.tokens[-1].line, scanned.tokens[-1].column)
        self._automaton: Automaton | None = None
        if fragment or (end >= begin and self.tokens[0].text == "universe"):
            self._automaton = Parse(braced, scanned.problems, fragment=fragment).upto(settled)
        self._classifier = None if self._automaton is None else Classifier(self._asked, self._automaton)
        self._some = self._before(_SOME)

    def is_inside(self, span: Span) -> bool:
        """Whether the end of the prefix is behind this place in the braces that are around it."""
        depth, (line, column) = 0, (span.end_line, span.end_column)
        if span.file or (line, column) > self._place:
            return False
        for token in self._asked[: self._end]:
            if (token.line, token.column) >= (line, column) and token.text in ("{", "}"):
                depth += 1 if token.text == "{" else -1
                if depth < 0:
                    return False
        return True

    def accepts(self, text: str, kind: TokenKind = "word") -> bool:
        """Whether this can stand next, as the keyword or the name that it would be there."""
        if not self.tokens:
            return text == "universe" or text in DECLARATIONS
        automaton = self._before(Token(kind, text, 1, 1))
        return automaton is not None and self._reads(automaton, self._end) is not None

    def goes_on(self, terminal: str) -> bool:
        """Whether the grammar has this terminal next, where no word before it changes its meaning with it."""
        return self._some is not None and self._some.accepts(terminal)

    def words(self) -> tuple[str, ...]:
        """The keywords that can stand next."""
        return tuple(word for word in sorted(terminals()) if word[0].isalpha() and self._is_next(word))

    def _is_next(self, word: str) -> bool:
        if not self.tokens:
            return self.accepts(word)
        automaton = self._before(Token("word", word, 1, 1))
        return (
            automaton is not None
            and automaton.accepts(terminals()[word])
            and self._reads(automaton, self._end) is not None
        )

    def _before(self, token: Token) -> Automaton | None:
        """The automaton that has read the prefix where this token follows; `None` where that is a mistake."""
        self._asked[self._end] = token
        if self._automaton is None or self._settled == self._end:
            return self._automaton
        automaton = self._automaton.copy()
        for index in range(self._settled, self._end):
            terminal = self._reads(automaton, index)
            if terminal is None:
                return None
            automaton.feed(terminal, self._asked[index])
        return automaton

    def _reads(self, automaton: Automaton, index: int) -> str | None:
        """The terminal that a token is for an automaton that has read those before it, if it can stand there."""
        if self._classifier is None:
            return None
        terminal = self._classifier.beside(automaton).terminal(index)
        return terminal if terminal is not None and automaton.accepts(terminal) else None


def _around(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The first token of the item before each brace that the end of the tokens is in."""
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.text == "{":
            opened.append(index)
        elif token.text == "}" and opened:
            opened.pop()
    return tuple(_first(tokens, index) for index in opened)


def _first(tokens: tuple[Token, ...], brace: int) -> Token:
    """The first token of the line in which a brace opens, or of what follows another brace in it."""
    index = brace
    while index > 0 and tokens[index - 1].text not in ("{", "}") and tokens[index - 1].line == tokens[brace].line:
        index -= 1
    return tokens[index]
