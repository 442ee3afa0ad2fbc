"""Text to syntax tree, with every independent error of a run.

The parser goes through the tokens once. Where one cannot stand it complains, drops the unfinished item and goes on: in
a block behind the block's brace, elsewhere at the next declaration that begins a line. So one mistake gives one error.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import takewhile
from typing import Any

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, diagnose
from hamletc.language.braces import (
    DECLARATIONS,
    Braced,
    assigns,
    begins_declaration,
    begins_line,
    match_braces,
    too_deep,
)
from hamletc.language.heights import complaint, too_high_as_read
from hamletc.language.syntax import Decl, File
from hamletc.language.tables import END, Automaton, terminals
from hamletc.language.tokens import DECLARED, Scan, Token, scan
from hamletc.language.words import FIRST_KEYWORDS, RESERVED
from hamletc.suggest import closest

MOST_ERRORS = 20
"""The errors after which a parse gives up."""

HIGHEST_STACK = 1000
"""The most that may be begun and not ended, as in `- - - x`. The levels allowed need less."""


_UNITS = ("day", "days", "hour", "hours", "tick", "ticks")
_AXIS = re.compile(r"[xyz]|x[0-9]+")
"""The names of axes."""
_TOWARD = ("ahead", "behind", "left", "right")
"""The words for directions from an agent with a heading."""


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
    file, errors = _Parse(match_braces(tokens), scanned.problems).file()
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
    file, errors = _Parse(match_braces(tokens), scanned.problems, fragment=True).file()
    if file is not None and (high := too_high_as_read(file)) is not None:
        return (), (*errors, complaint(high.span))
    ordered = sorted(errors, key=lambda error: (error.primary.span.line, error.primary.span.column))
    return () if file is None else file.declarations, tuple(ordered)


class _Parse:
    """One parse: an automaton, a place in the tokens, and the errors so far."""

    def __init__(self, braced: Braced, problems: tuple[Diagnostic, ...], *, fragment: bool = False) -> None:
        self._fragment = fragment
        self._braced = braced
        self._tokens = braced.tokens
        self._automaton = Automaton()
        self._errors = [*braced.diagnostics, *problems]
        self._start = 0  # where the declaration being read begins
        self._shifted: str | None = None  # the last terminal
        self._cured = -1  # the token behind the last cure: of one mistake nothing more is said there

    def file(self) -> tuple[File | None, list[Diagnostic]]:
        index = self._header()
        while len(self._errors) < MOST_ERRORS:
            token = self._tokens[index]
            terminal = self._classify(index)
            if index in self._braced.strays:
                hint = "Leave it out, or open a brace before it."
                self._errors.append(
                    diagnose("H011", "no brace is open that this one could close", token.span, hint=hint)
                )
            elif terminal is None or not self._automaton.accepts(terminal):
                behind = self._complain(index)
                index = self._recover(index) if behind is None else behind
                continue
            else:
                if self._declares(index, terminal):
                    self._start = index
                if token.text == "}" and not token.inserted and self._lacks(index):
                    hint = "Write something between them, or leave them out."
                    message = "there is nothing between these braces"
                    self._errors.append(diagnose("H014", message, self._gap(index), hint=hint))
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
        from hamletc.language.cures import Situation

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
            accepts=lambda count: self._accepts(index + count),
        )
        if token.problem is not None and token.kind != "bad":
            self._errors.append(token.problem)
            return None
        problem, found = complain(situation)
        self._errors.append(problem)
        if found is None or not (found.skip or found.feed):
            return None
        for text in found.feed:
            fed = "NUMBER" if text.isdigit() else terminals()[text]
            if not self._automaton.accepts(fed):
                return None
            self._feed(fed, Token("word", text, token.line, token.column))
        self._cured = index + found.skip
        return self._cured

    def _accepts(self, index: int) -> bool:
        """Whether the token at an index could stand where the parser is."""
        terminal = self._classify(index) if index < len(self._tokens) else None
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
            problem = second.problem or diagnose(
                "H008", "expected a name for the universe", second.span, "unexpected", hint=hint
            )
            index = 1
        else:
            meant = closest(first.text, ["universe"]) if first.kind == "word" else None
            hint = f"Did you mean `{meant}`?" if meant else "Its first line says `universe NAME`."
            problem = diagnose("H008", "a file begins with `universe NAME`", first.span, hint=hint)
            index = 0
        self._errors.append(problem)
        self._automaton.feed("UNIVERSE", Token("word", "universe", 1, 1))
        self._automaton.feed("NAME", Token("word", "unnamed", 1, 1))
        return self._next_declaration(index)

    def _classify(self, index: int) -> str | None:
        """The terminal that a token is here. A word is a keyword where one can stand, unless it is assigned to or what
        follows shows it to be a name."""
        token = self._tokens[index]
        if token.kind in ("word", "quoted") and self._is_label(index):
            return "LABEL"
        match token.kind:
            case "end":
                return END
            case "bad":
                return None
            case "number":
                return "NUMBER"
            case "symbol":
                return terminals()[token.text]
            case "quoted":
                return "NAME"
            case "string":
                return "STRING"
            case "word":
                keyword = terminals().get(token.text)
                if keyword is None or not self._automaton.accepts(keyword) or self._is_written(index):
                    return None if token.text in RESERVED or self._lacks_number(index) else "NAME"
                if not self._automaton.accepts("NAME"):
                    return keyword
                declared = token.text in self._declared or token.text in self._listed
                hidden = token.text not in FIRST_KEYWORDS and declared
                return "NAME" if hidden or not self._goes_on(index) else keyword

    def _is_label(self, index: int) -> bool:
        """Whether a word is the name of what is observed: a colon follows it."""
        follows = self._tokens[index + 1].text == ":" and self._tokens[index].text not in RESERVED
        return follows and self._automaton.accepts("LABEL")

    def _lacks_number(self, index: int) -> bool:
        """Whether a word is a unit behind which no unit stands, where a number does: `clock hours`."""
        if self._tokens[index].text not in _UNITS or self._tokens[index + 1].text in _UNITS:
            return False
        return self._automaton.accepts("NUMBER") and not self._automaton.accepts(terminals()["("])

    def _is_written(self, index: int) -> bool:
        """Whether a word that could be a keyword is a meter that is assigned to. `decay = 0.02` is not: there no
        statement can begin, or no meter is called so. Neither is the type in `state x: bool = true`."""
        if not assigns(self._tokens, index) or self._ends_a_place(index):
            return False
        if self._tokens[index + 1].text != "=":
            return True
        # No property is called `unclamped`, so an author cannot mean one.
        word = self._tokens[index].text
        begins = self._automaton.accepts(terminals()["together"])
        return begins and (word in self._declared or word == "unclamped")

    def _ends_a_place(self, index: int) -> bool:
        """Whether a word says where the cell is that is assigned to: `stone at ahead = true`."""
        return self._tokens[index].text in _TOWARD and self._tokens[index - 1].text == "at"

    @cached_property
    def _listed(self) -> frozenset[str]:
        """The names of affordances and kinds of things, which stand in lists of what is observed, and of own actions,
        which stand in the list of actions."""
        pairs = zip(self._tokens, self._tokens[1:], strict=False)
        return frozenset(name.text for word, name in pairs if word.text in ("affordance", "item", "action"))

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        """The meters, params, inputs, controls and lets that the text seems to declare, each behind its word."""
        declared = (
            (word.text, name.text)
            for word, name, then in zip(self._tokens, self._tokens[1:], self._tokens[2:], strict=False)
            # In a list of what is observed another item can stand behind `state`.
            if word.text in DECLARED and (word.text != "state" or then.text in (":", "="))
        )
        return frozenset(declared)

    @cached_property
    def _declared(self) -> frozenset[str]:
        """Their names, and those of parameters of functions."""
        names = {name for _, name in self._pairs}
        for index, (word, _, parenthesis) in enumerate(
            zip(self._tokens, self._tokens[1:], self._tokens[2:], strict=False)
        ):
            if word.text == "let" and parenthesis.text == "(":
                following = takewhile(
                    lambda token: token.text not in (")", "=") and token.kind != "end", self._tokens[index + 3 :]
                )
                names.update(token.text for token in following if token.kind == "word")
        return frozenset(names)

    def _goes_on(self, index: int) -> bool:
        """Whether what follows a word that could be a keyword or a name makes it a keyword."""
        following = self._tokens[index + 1]
        match self._tokens[index].text:
            case "distance":
                return following.text == "to" and self._tokens[index + 2].kind in ("word", "quoted")
            case "straight" | "walking":
                return following.text == "distance" and self._goes_on(index + 1)
            case "position" | "velocity" if self._automaton.accepts(
                terminals()["together"]
            ):  # a statement may begin here
                return _AXIS.fullmatch(following.text) is not None
            case "position" | "velocity" if self._automaton.accepts(terminals()["("]):  # an expression may stand here
                return _AXIS.fullmatch(following.text) is not None and not assigns(self._tokens, index + 1)
            case "ahead":
                return _AXIS.fullmatch(following.text) is not None and not assigns(self._tokens, index + 1)
            case "streak":
                return following.text == "of" and self._tokens[index + 2].kind in ("word", "quoted")
            case "every" | "after":
                return following.kind == "number"
            case "begins":
                return following.text == "with"
            case "respawns":
                return following.text == "after"
            case "begin" | "end" | "spawn":
                return following.kind == "quoted" or (following.kind == "word" and following.text not in RESERVED)
            case "hot" | "discrete":
                return following.kind in ("word", "quoted")
            case "group" | "image":
                return self._tokens[index + 2].text in ("{", "int", "discrete")
            case "wear":
                named = following.kind == "word" and following.text not in (*RESERVED, "of")
                return named or following.kind in ("quoted", "number")
            case "together":
                return following.text == "{"
            case "repeat":
                return following.text != "of"
            case "move":
                return following.text in ("(", "=", *_TOWARD)
            case "teleport":
                named = following.kind == "word" and following.text not in RESERVED
                return named or following.kind in ("quoted", "string") or following.text in ("(", "=")
            case "once":
                begins = following.text in ("(", "if", "not") or following.kind in ("number", "quoted")
                named = following.kind == "word" and following.text not in (*RESERVED, *DECLARATIONS)
                return begins or named
            case "on" if self._automaton.accepts(terminals()["("]):
                names = following.kind in ("word", "quoted") and "on" not in self._declared
                return names and self._tokens[index - 1].text not in ("==", "!=")
            case "at" if self._automaton.accepts("NUMBER"):  # an expression may stand here
                return following.text == "hour"
            case "within" if self._automaton.accepts("NUMBER"):  # an argument may be called so
                return following.kind in ("number", "word", "quoted") and following.text not in RESERVED
            case "at":  # behind an expression, coordinates follow
                return following.text in ("(", *_TOWARD)
            case "starts":  # a node may be called so
                return following.text not in ("-", "->")
            case "map":  # a size may be called so
                return following.text != "x" and ("let", "map") not in self._pairs
            case _:
                return True

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
        return self._next_declaration(index) if opener is None else self._braced.closer[opener]

    def _next_declaration(self, index: int) -> int:
        """The next token outside braces that begins a declaration, or seems to be meant to, or the end."""
        first = index
        while self._tokens[index].kind != "end" and not begins_declaration(self._tokens, index):
            if index > first and self._misspells_declaration(index):
                return index
            index = self._braced.closer.get(index, index) + 1
        return index

    def _misspells_declaration(self, index: int) -> bool:
        token = self._tokens[index]
        begins = token.kind == "word" and begins_line(self._tokens, index) and not assigns(self._tokens, index)
        return begins and closest(token.text, DECLARATIONS) is not None

    def _gap(self, index: int) -> Span:
        """From the opening brace before a closing one to that one."""
        opening, closing = self._tokens[index - 1].span, self._tokens[index].span
        return Span(opening.line, opening.column, closing.end_line, closing.end_column)
