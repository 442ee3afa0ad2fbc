"""Text to syntax tree, with every independent error of a run.

The parser goes through the tokens once. Where one cannot stand it complains, drops the unfinished item and goes on: in
a block behind the block's brace, elsewhere at the next declaration that begins a line. So one mistake gives one error.
"""

from __future__ import annotations

from typing import Any

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Edit, diagnose
from hamletc.language.braces import (
    DECLARATIONS,
    Braced,
    assigns,
    begins_declaration,
    begins_line,
    match_braces,
    too_deep,
)
from hamletc.language.classify import Classifier
from hamletc.language.heights import complaint, too_high_as_read
from hamletc.language.syntax import Decl, File
from hamletc.language.tables import END, Automaton, terminals
from hamletc.language.tokens import Scan, Token, scan
from hamletc.language.words import RESERVED
from hamletc.suggest import closest

MOST_ERRORS = 20
"""The errors after which a parse gives up."""

HIGHEST_STACK = 1000
"""The most that may be begun and not ended, as in `- - - x`. The levels allowed need less."""


def parse(text: str) -> tuple[File | None, tuple[Diagnostic, ...]]:
    """The syntax tree of a text and what is wrong with it, in the order of the text.

    With errors, the tree holds the declarations and items that could be read, or is `None` where none can be trusted.
    It is complete only where there are no diagnostics.
    """
    return parse_scan(scan(text))


def parse_scan(scanned: Scan) -> tuple[File | None, tuple[Diagnostic, ...]]:
    """As `parse`, of a text that has been scanned."""
    tokens = scanned.tokens
    if tokens[0].kind == "end":
        hint = "A file begins with `universe NAME`."
        empty = diagnose("H008", "the file declares nothing", tokens[0].span, hint=hint)
        return None, (*scanned.problems, empty)
    if (limit := tokens[-1].problem or too_deep(tokens)) is not None:
        return None, (limit,)
    file, errors = Parse(match_braces(tokens), scanned.problems).file()
    if file is not None and (high := too_high_as_read(file)) is not None:
        return None, (*errors, complaint(high.span))
    return file, tuple(sorted(errors, key=lambda error: (error.primary.span.line, error.primary.span.column)))


def is_fragment(scanned: Scan) -> bool:
    """Whether a text begins with a declaration, as one that others include, and not with `universe NAME`."""
    return scanned.tokens[0].text in DECLARATIONS


def parse_fragment(text: str) -> tuple[tuple[Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations of a text without `universe NAME`, which others include, and what is wrong with it."""
    return parse_fragment_scan(scan(text))


def parse_fragment_scan(scanned: Scan) -> tuple[tuple[Decl, ...], tuple[Diagnostic, ...]]:
    """As `parse_fragment`, of a text that has been scanned."""
    tokens = scanned.tokens
    if (limit := tokens[-1].problem or too_deep(tokens)) is not None:
        return (), (limit,)
    if tokens[0].text == "universe":
        hint = "Leave its first line out: what is included has declarations only. `extends` takes a whole universe."
        return (), (diagnose("H088", "a whole universe cannot be included", tokens[0].span, hint=hint),)
    file, errors = Parse(match_braces(tokens), scanned.problems, fragment=True).file()
    if file is not None and (high := too_high_as_read(file)) is not None:
        return (), (*errors, complaint(high.span))
    ordered = sorted(errors, key=lambda error: (error.primary.span.line, error.primary.span.column))
    return () if file is None else file.declarations, tuple(ordered)


class Parse:
    """One parse: an automaton, a place in the tokens, and the errors so far."""

    def __init__(self, braced: Braced, problems: tuple[Diagnostic, ...], *, fragment: bool = False) -> None:
        self._fragment = fragment
        self._braced = braced
        self._tokens = braced.tokens
        self._automaton = Automaton()
        self._classifier = Classifier(braced.tokens, self._automaton)
        self._errors = [*braced.diagnostics, *problems]
        self._start = 0  # where the declaration being read begins
        self._shifted: str | None = None  # the last terminal
        self._resumed = -1  # the token with which the parse went on after the last mistake
        self._ended = False  # whether it came to the token at which it was to end
        self._cured = -1  # the token behind the last cure: of one mistake nothing more is said there

    def upto(self, end: int) -> Automaton | None:
        """The automaton behind the tokens before an index; `None` where what is wrong with them reaches up to it."""
        self.file(end)
        return self._automaton if self._ended else None

    def file(self, end: int | None = None) -> tuple[File | None, list[Diagnostic]]:
        """The file and what is wrong with it; nothing behind the token with the index `end` is read."""
        index = self._header()
        while len(self._errors) < MOST_ERRORS:
            if end is not None and index >= end:
                self._ended = index == end != self._resumed
                return None, self._errors
            token = self._tokens[index]
            terminal = self._classifier.terminal(index)
            if index in self._braced.strays:
                hint = "Leave it out, or open a brace before it."
                edits = (Edit(token.span, "", sure=not self._errors),)
                message = "no brace is open that this one could close"
                self._errors.append(diagnose("H011", message, token.span, hint=hint, edits=edits))
            elif terminal is None or not self._automaton.accepts(terminal):
                behind = self._complain(index)
                self._resumed = index = self._recover(index) if behind is None else behind
                continue
            else:
                if self._declares(index, terminal):
                    self._start = index
                if token.text == "}" and not token.inserted and self._lacks(index):
                    hint = "Write something between them, or leave them out."
                    message = "there is nothing between these braces"
                    gap = self._gap(index)
                    self._errors.append(diagnose("H014", message, gap, hint=hint, edits=(Edit(gap, "", sure=False),)))
                if token.problem is not None and token.kind != "end":
                    self._errors.append(token.problem)
                file: File | None = self._feed(terminal, token)
                if terminal == END:
                    return file, self._errors
                if self._automaton.height > HIGHEST_STACK:
                    hint = "Split it: a rule can compute a meter in steps."
                    problem = diagnose("H015", "an expression that nests too deeply", token.span, hint=hint)
                    return None, [*self._errors, problem]
            index += 1
        span = self._tokens[index].span
        hint = "Mend these first; what follows has not been looked at."
        return None, [*self._errors, diagnose("H016", f"gave up after {MOST_ERRORS} errors", span, hint=hint)]

    def _complain(self, index: int) -> int | None:
        """Say what is wrong with a token that cannot stand where it does. Returns the index at which to go on, unless
        the rest of the item is to be dropped."""
        token = self._tokens[index]
        if token.inserted or index == self._cured:
            return None
        from hamletc.language.complaints import complain
        from hamletc.language.situation import Situation

        expected = self._automaton.expected()
        situation = Situation(
            tokens=self._tokens,
            index=index,
            start=self._start,
            expected=expected,
            texts=frozenset(text for text, terminal in terminals().items() if terminal in expected),
            shifted=self._shifted,
            opener=self._braced.opener[index],
            closer=self._braced.closer,
            begins=self._items(index),
            accepts=lambda count: self._accepts(index + count),
        )
        if token.problem is not None and token.kind != "bad":
            self._errors.append(token.problem)
            return None
        problem, found = complain(situation)
        self._errors.append(problem)
        if found is not None and found.reads:
            length = token.span.end_column - token.column
            read = token._replace(text=found.reads, length=length)
            self._tokens = (*self._tokens[:index], read, *self._tokens[index + 1 :])
            self._classifier = Classifier(self._tokens, self._automaton)
            return index if self._accepts(index) else None
        if found is None or not (found.skip or found.feed):
            return None
        for text in found.feed:
            fed = "NUMBER" if text.isdigit() else terminals().get(text, "NAME")
            if not self._automaton.accepts(fed):
                return None
            self._feed(fed, Token("word", text, token.line, token.column))
        self._cured = index + found.skip
        return self._cured

    def _items(self, index: int) -> frozenset[str]:
        """The words that begin an item in the braces around a token."""
        if self._braced.opener[index] is None:
            return frozenset()
        automaton, brace = self._automaton.copy(), self._tokens[index]
        if automaton.accepts("RBRACE"):
            automaton.settle("RBRACE", brace)
        else:
            automaton.unwind("RBRACE")
        expected = automaton.expected()
        return frozenset(text for text, terminal in terminals().items() if text.isalpha() and terminal in expected)

    def _accepts(self, index: int) -> bool:
        """Whether the token at an index could stand where the parser is."""
        terminal = self._classifier.terminal(index) if index < len(self._tokens) else None
        return terminal is not None and self._automaton.accepts(terminal)

    def _feed(self, terminal: str, token: Token) -> Any:
        self._shifted = terminal
        return self._automaton.feed(terminal, token)

    def _header(self) -> int:
        """Read `universe NAME`, or make up for it. Returns the index behind it."""
        if self._fragment:
            self._automaton.feed("UNIVERSE", Token("word", "universe", 1, 1))
            self._automaton.feed("NAME", Token("word", "unnamed", 1, 1))
            return 0
        first, second = self._tokens[0], self._tokens[min(1, len(self._tokens) - 1)]
        if first.text == "universe" and second.kind in ("word", "quoted") and second.text not in RESERVED:
            self._automaton.feed("UNIVERSE", first)
            self._automaton.feed("NAME", second)
            return 2
        if first.text == "universe":
            hint = "Write `universe NAME`."
            named = second.text in ("=", ":") and self._tokens[2].kind in ("word", "quoted")
            edits = (Edit(second.span, ""),) if named else ()
            message = "expected a name for the universe"
            problem = second.problem or diagnose("H008", message, second.span, "unexpected", hint=hint, edits=edits)
            index = 1
        else:
            meant = closest(first.text, ["universe"]) if first.kind == "word" else None
            hint = f"Did you mean `{meant}`?" if meant else "Its first line says `universe NAME`."
            edits = (Edit(first.span, meant),) if meant else ()
            problem = diagnose("H008", "a file begins with `universe NAME`", first.span, hint=hint, edits=edits)
            index = 0
        self._errors.append(problem)
        self._automaton.feed("UNIVERSE", Token("word", "universe", 1, 1))
        self._automaton.feed("NAME", Token("word", "unnamed", 1, 1))
        return self._next_declaration(index)

    def _declares(self, index: int, terminal: str) -> bool:
        """Whether the token that is shifted as this terminal begins a declaration."""
        token = self._tokens[index]
        return terminal != "NAME" and token.text in DECLARATIONS and self._automaton.accepts(terminals()["meter"])

    def _lacks(self, index: int) -> bool:
        """Whether this closing brace closes empty ones that must not be: those of affordances, of their blocks and of
        actions may be."""
        opener = index - 1
        if self._tokens[opener].text != "{":
            return False
        around = self._braced.opener[opener]
        # Behind `lasts 4 ticks together` an affordance opens its own brace, also within that of a template.
        statement = self._tokens[opener - 1].text == "together" and around is not None and around > self._start
        return statement or self._tokens[self._start].text not in ("affordance", "action")

    def _recover(self, index: int) -> int:
        """Drop the unfinished item and find the token with which to go on."""
        token = self._tokens[index]
        opener = self._braced.opener[index]
        # Any other declaration can also stand behind `override`, where nothing would be dropped, again and again.
        resume, terminal = ("}", "RBRACE") if opener is not None else ("include", "INCLUDE")
        if token.kind == "word" and self._automaton.accepts(terminal):  # the item before this word is complete
            self._automaton.settle(terminal, Token("word", resume, token.line, token.column))
        else:
            self._automaton.unwind(terminal)
        if opener is None:
            return self._next_declaration(index)
        return self._next_item(index, self._braced.closer[opener])

    def _next_item(self, index: int, closer: int) -> int:
        """The next token that begins a line, and an item of the same braces, or the one that closes them."""
        while index < closer:
            if begins_line(self._tokens, index) and self._begins_item(index):
                return index
            index = self._braced.closer.get(index, index) + 1
        return closer

    def _begins_item(self, index: int) -> bool:
        """Whether a token can stand here, and is no name unless it is written to: any word may be one."""
        terminal = self._classifier.terminal(index)
        if terminal is None or (terminal == "NAME" and not assigns(self._tokens, index)):
            return False
        return self._automaton.accepts(terminal)

    def _next_declaration(self, index: int) -> int:
        """The next token outside braces that begins a declaration, or seems to be meant to, or the end."""
        first = index
        while self._tokens[index].kind != "end" and not begins_declaration(self._tokens, index):
            if index > first and self._seems_declaration(index):
                return index
            index = self._braced.closer.get(index, index) + 1
        return index

    def _seems_declaration(self, index: int) -> bool:
        """Whether a token begins what is meant to be a declaration: by its place, or as a word like those that do."""
        token = self._tokens[index]
        if token.kind != "word" or not begins_line(self._tokens, index):
            return False
        return token.column == 1 or (not assigns(self._tokens, index) and closest(token.text, DECLARATIONS) is not None)

    def _gap(self, index: int) -> Span:
        """From the opening brace before a closing one to that one."""
        opening, closing = self._tokens[index - 1].span, self._tokens[index].span
        return Span(opening.line, opening.column, closing.end_line, closing.end_column)
