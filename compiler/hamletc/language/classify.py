"""The terminal that a token is where it stands: keywords are names wherever what follows shows them to be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile

from hamletc.language.braces import DECLARATIONS, assigns
from hamletc.language.tables import END, Automaton, terminals
from hamletc.language.tokens import DECLARED, Token
from hamletc.language.words import FIRST_KEYWORDS, RESERVED

_UNITS = ("day", "days", "hour", "hours", "tick", "ticks")
_AXIS = re.compile(r"[xyz]|x[0-9]+")
"""The names of axes."""
_TOWARD = ("ahead", "behind", "left", "right")
"""The words for directions from an agent with a heading."""


def _declares(word: str, behind: Token) -> bool:
    """Whether a declaration that this word begins can go on so behind its name."""
    match word:
        case "effect":
            return behind.text in ("lasts", "{", "(")
        case "table":
            return behind.kind in ("number", "string") or behind.text in ("{", "-")
        case _:
            return behind.text in ("=", ":", "in", "(")


class Classifier:
    """Says which terminals tokens are, for an automaton that has read those before them."""

    def __init__(self, tokens: Sequence[Token], automaton: Automaton) -> None:
        self._tokens = tokens
        self._automaton = automaton

    def beside(self, automaton: Automaton) -> Classifier:
        """One of the same tokens for another automaton; the names that they declare are looked for once."""
        other = Classifier(self._tokens, automaton)
        vars(other).update(_listed=self._listed, _pairs=self._pairs, _declared=self._declared)
        return other

    def terminal(self, index: int) -> str | None:
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
            # In a list of what is observed another item can stand behind `state`, and behind a meter called `meter`.
            if word.text in DECLARED and _declares(word.text, then)
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
            case "text":
                return self._tokens[index + 2].text == ":" or self._tokens[index + 2].kind == "string"
            case "group" | "image":
                return self._tokens[index + 2].text in ("{", "int", "discrete")
            case "wear":
                named = following.kind == "word" and following.text not in (*RESERVED, "of")
                return named or following.kind in ("quoted", "number")
            case "together":
                return following.text == "{"
            case "repeat":
                return following.text != "of"
            case "let" if self._automaton.accepts(terminals()["together"]):  # a meter may be called so
                return self._tokens[index + 2].text == "="
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
