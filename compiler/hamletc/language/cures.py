"""What is cured while parsing: habits of other languages, and what is often forgotten.

Each cure recognises one way in which a token cannot stand where it does, says what to write, and lets the parser go on
as if that had been written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from hamlet.universe import Span
from hamletc.foreign import instead
from hamletc.language.braces import DECLARATIONS, assigns, begins_declaration, begins_line
from hamletc.language.tokens import Token
from hamletc.language.words import FUNCTIONS, MEANINGS, SHAPES

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_JOINTS = (*_COMPARISONS, "and", "or", "+", "-", "*", "/", "(")
_ASSIGNMENTS = ("+=", "-=", "=")
_QUANTITIES = MEANINGS & {
    "age",
    "day_cos",
    "day_sin",
    "deficit",
    "here",
    "hour",
    "last",
    "progress",
    "shortfall",
    "speed",
}
_WITH_ARGUMENTS = (MEANINGS | set(FUNCTIONS)) - _QUANTITIES
_RANGES = ("-", ":", ",", "to", "until", "till", "through", "and")
UNITS = ("hour", "hours", "tick", "ticks", "day", "days", "step", "steps", "minutes", "h")
_CONDITIONALS = ("if", "for", "while", "where", "unless", "until", "given", "only")


@dataclass(frozen=True, slots=True)
class Situation:
    """A token that cannot stand where it does. `texts` are the words and symbols among the `expected` terminals,
    `start` is where the declaration began, `shifted` the last terminal before the token, `opener` the brace around it,
    `closer` has each brace's second one, and `accepts` says whether the token some places further on could stand
    here."""

    tokens: tuple[Token, ...]
    index: int
    start: int
    expected: frozenset[str]
    texts: frozenset[str]
    shifted: str | None
    opener: int | None
    closer: dict[int, int]
    accepts: Callable[[int], bool]

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def before(self) -> Token:
        return self.tokens[self.index - 1]

    def after(self, count: int = 1) -> Token:
        """The token `count` places further on; behind the last one the end."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    @property
    def declaration(self) -> str:
        """The word that began the declaration, empty before the first."""
        return self.tokens[self.start].text if self.start else ""

    @property
    def ends_early(self) -> bool:
        """Whether the file ends here, or the next declaration begins, before the one that is read is complete."""
        if self.texts >= DECLARATIONS:
            return False
        return self.token.kind == "end" or (self.opener is None and begins_declaration(self.tokens, self.index))


@dataclass(frozen=True, slots=True)
class Cure:
    """What to write, and how to go on: without the next `skip` tokens, as if those in `feed` were there. Where neither
    is given, the rest of the item is dropped. Without a `message` what is expected and found is said."""

    hint: str
    skip: int = 0
    feed: tuple[str, ...] = ()
    code: str = "H009"
    message: str | None = None
    span: Span | None = None
    label: str = "unexpected"


def cure(situation: Situation) -> Cure | None:
    """The first cure that recognises the situation."""
    found = (recognise(situation) for recognise in _CURES)
    return next((cure for cure in found if cure is not None), None)


def shape(tokens: tuple[Token, ...], start: int) -> str:
    """How the declaration that begins there is written, as a sentence."""
    word = tokens[start].text
    return f"Write it as in `{SHAPES.get(f'{word} {tokens[start + 1].text}') or SHAPES[word]}`."


# --- `=` and `:` -----------------------------------------------------------------------------------------------------


def _equals(s: Situation) -> Cure | None:
    """`decay = 0.02`, `decay: 0.02`, `meter energy: 1`, `energy == 1`, `rule r = ...`."""
    found = s.token.text
    if found not in ("=", ":", "==") or s.token.kind != "symbol":
        return None
    if s.declaration == "state" and s.before.text in ("int", "real") and "in" in s.texts:
        return Cure(f"Write its bounds: `{s.before.text} in 0 .. 10 = ...`.")
    if found == "=" and "==" in s.texts:
        return Cure("Compare with `==`.", 1, ("==",))
    wanted = next((text for text in ("=", ":") if text in s.texts), None)
    if wanted == "=" and found == "==" and "+=" in s.texts:
        return Cure("Write `=`, `+=` or `-=`; `==` compares.", 1, ("=",))
    if wanted is not None:
        return Cure(f"Write `{wanted}`.", 1, (wanted,))
    if found == ":" and ("then" in s.texts or "->" in s.texts or ".." in s.texts):
        return None
    if s.shifted not in ("NAME", "NUMBER") or s.accepts(1):
        first = s.start if s.opener is None and s.index - s.start <= 3 else s.index - 1
        rest = _rest(s, 1)
        hint = f"Write `{_source((*s.tokens[first : s.index], *rest))}`."
        if not rest:
            hint = f"The braces stand directly behind `{s.before.text}`."
        return Cure(hint, 1, (), "H018", f"there is no `{found}` here", label="leave it out")
    return None


def _rest(s: Situation, count: int) -> tuple[Token, ...]:
    """The tokens from `count` places further on to the end of what seems to be an item in one line."""
    rest: list[Token] = []
    first = s.index + count
    for index, token in enumerate(s.tokens[first : first + 8], first):
        ends = token.line != s.token.line or token.kind in ("end", "bad") or token.text in ("{", "}", "lasts", "open")
        if ends or (rest and (_is_apart(rest[-1], token) or assigns(s.tokens, index))):
            break
        rest.append(token)
    return tuple(rest)


def _number(s: Situation, count: int) -> tuple[str, int]:
    """A number, maybe with a sign, so many places further on, and the places behind it; "" where there is none."""
    signed = s.tokens[s.index + count].text == "-"
    token = s.tokens[s.index + count + signed]
    number = token.kind == "number" and token.line == s.token.line
    return (f"{'-' * signed}{token.text}", count + signed + 1) if number else ("", count)


def _bounds_first(s: Situation, item: str) -> Cure | None:
    """The cure of bounds where a value belongs, as in `meter energy 0 .. 1 = 0.5`."""
    low, count = _number(s, 0)
    if not low or s.tokens[s.index + count].text != "..":
        return None
    high, count = _number(s, count + 1)
    value = ""
    if s.tokens[s.index + count].text == "=":
        value, count = _number(s, count + 1)
    hint = f"Write `{item} = {value or low} in {low} .. {high or 'HIGH'}`: bounds stand behind the value."
    return Cure(hint, count, ("=", "0", "in", "0", "..", "1"))


def _is_apart(first: Token, second: Token) -> bool:
    """Whether there is more than a space between two tokens of a line."""
    return second.column - first.span.end_column > 1


def _source(tokens: tuple[Token, ...]) -> str:
    """Tokens side by side as in the source, but for longer gaps, which are one space."""
    text = tokens[0].text
    for first, second in pairwise(tokens):
        text += ("" if first.span.end_column == second.column else " ") + second.text
    return text


# --- conditions ------------------------------------------------------------------------------------------------------


def _when(s: Situation) -> Cure | None:
    """`allow UP if c`, `reward 1 for c`, `1 if c else 0`."""
    word = s.token.text
    if word not in _CONDITIONALS or "when" not in s.texts or (word == "if" and _length_of_if(s) > 0):
        return None
    if word != "if" and begins_line(s.tokens, s.index):
        return None
    code = "H019" if word == "if" else "H009"
    message = "`if` stands before both of its values" if word == "if" and "*" in s.texts else None
    if word == "unless":
        return Cure("Write `when not (CONDITION)`.", 1, ("when", "not"), code, message)
    if any(token.text == "else" for token in _rest(s, 1)):
        return Cure("Write `if CONDITION then A else B`.", 0, (), code, message)
    if "*" not in s.texts:
        message = f"`{word}` cannot stand here" if word == "if" else None
        return Cure("Write `when`.", 1, ("when",), code, message)
    return Cure("Write `A when CONDITION`, or `if CONDITION then A else B`.", 1, ("when",), code, message)


def _if_statement(s: Situation) -> Cure | None:
    """`if (c) { ... }` and `if c then energy += 1` where a statement, an item or a declaration stands."""
    if s.token.text != "if" or "NUMBER" in s.expected or not s.texts & {"together", "needs", "rule"}:
        return None
    if "instantly" in s.texts:
        hint = "Write `needs CONDITION` for what an affordance needs."
    elif "rule" in s.texts:
        hint = "Write `rule NAME: CONDITION -> STATEMENT`."
    elif s.declaration in ("rule", "cascade"):
        hint = "Write `rule NAME: CONDITION -> { ... }` around statements, or `energy += 0.4 when CONDITION`."
    else:
        hint = "Write `energy += if CONDITION then 0.4 else 0`, or `energy += 0.4 when CONDITION`."
    return Cure(hint, _length_of_if(s), (), "H019", "`if` begins no statement", label="it chooses between values")


def _length_of_if(s: Situation) -> int:
    """How many tokens `if c { } else { }` or `if c then` takes: up to its last brace, or to `then`."""
    last, index = 0, s.index + 1
    while index < len(s.tokens) - 1:
        text = s.tokens[index].text
        if text == "then":
            return index + 1 - s.index
        if text == "{":
            index = last = s.closer.get(index, index)
            if s.tokens[index + 1].text not in ("else", "elif"):
                break
        elif text == "}" or text in DECLARATIONS:
            break
        index += 1
    return last + 1 - s.index if last else 0


def _if_without_else(s: Situation) -> Cure | None:
    """`if c then a`, and `if c then energy -= 1`."""
    if "else" not in s.texts:
        return None
    opening = _open_if(s)
    if opening is None:
        return None
    if s.token.text in _ASSIGNMENTS and s.shifted == "NAME":
        then = next((n for n in range(s.index, 0, -1) if s.tokens[n].text == "then"), s.index)
        condition = s.tokens[s.tokens.index(opening) + 1 : then]
        named = s.declaration == "rule" and s.opener is None and then + 2 == s.index
        hint = "Write the condition before an arrow: `rule NAME: CONDITION -> STATEMENT`."
        if named and 0 < len(condition) <= 12:
            statement = _source((s.before, s.token, *_rest(s, 1)))
            hint = f"Write `rule {s.tokens[s.start + 1].text}: {_source(condition)} -> {statement}`."
        message = "`if` chooses between values, not between statements"
        return Cure(hint, 0, (), "H019", message, opening.span, "")
    begins_statement = begins_line(s.tokens, s.index) and s.after().text in _ASSIGNMENTS
    if s.token.text in ("}", ")", ",", "unclamped") or s.ends_early or begins_statement:
        hint = "Write what it is otherwise, as in `else 0`; `A when CONDITION` is 0 where the condition does not hold."
        return Cure(hint, 0, ("else", "0"), "H019", "this `if` has no `else`", opening.span, "")
    return None


def _open_if(s: Situation) -> Token | None:
    """The innermost `if` before the token that has no `else`."""
    depth = 0
    for token in reversed(s.tokens[s.start : s.index]):
        depth += token.text == "else"
        if token.text == "if":
            if depth == 0:
                return token
            depth -= 1
    return None


def _then(s: Situation) -> Cure | None:
    """`if c: a else b`, `else if`, `rule r: c: statement`, `rule r: { statements }`."""
    if s.token.text in ("when", "if", "while") and ":" in s.texts and s.declaration in ("rule", "cascade"):
        return Cure("Write `:` between the name and the condition.", 1, (":",))
    if s.token.text == "{" and s.before.text == ":" and s.declaration == "rule":
        hint = f"Statements in braces stand directly behind the name: `rule {s.tokens[s.start + 1].text} {{ ... }}`."
        return Cure(hint, 0, ("1", "==", "1", "->"))
    if s.token.text == ":" and "then" in s.texts:
        return Cure("Write `then`.", 1, ("then",))
    if s.token.text in (":", "then", "do") and "->" in s.texts and "then" not in s.texts and s.declaration != "meter":
        return Cure("Write `->` before what a rule does.", 1, ("->",))
    if s.token.text in ("elif", "elsif", "elseif") and "else" in s.texts:
        return Cure("Write `else if`.", 1, ("else", "if"))
    if s.token.text in ("is", "equals") and "==" in s.texts:
        return Cure("Compare with `==`.", 1, ("==",))
    return None


def _comparison(s: Situation) -> Cure | None:
    """`1 when Bed`, `1 when energy`."""
    if s.shifted != "NAME" or "==" not in s.texts or "and" in s.texts or s.token.text in ("+", "-", "="):
        return None
    name = s.before.text
    if s.token.kind in ("word", "quoted", "number") and not s.ends_early:
        return None
    for word, declared in pairwise(s.tokens):
        if word.text == "affordance" and declared.text == name:
            return Cure(f"Write `here == {name}`.", 0, ("==", "0"))
    return Cure(f"Compare it, as in `{name} > 0`.", 0, ("==", "0"))


def _needs(s: Situation) -> Cure | None:
    """`money >= 0.1` and `money -= 0.1` by themselves in the braces of an affordance, or of an action."""
    begins_operand = s.token.kind in ("word", "quoted", "number") or s.token.text in ("(", "not")
    if s.texts >= {"needs", "instantly"} and begins_operand:
        following = s.after()
        if following.text in _ASSIGNMENTS:
            kind = "`instantly { }`, `each tick { }` or `on completion { }`"
            hint = f"Write it in a block: {kind}." if following.text != "=" else f"Write statements in a block: {kind}."
            return Cure(hint, 0, (), "H009", "a statement stands in a block of the affordance")
        if following.text in _JOINTS or s.token.text in ("(", "not"):
            hint = f"Write `needs {_source((s.token, *_rest(s, 1)))}`."
            return Cure(hint, 0, ("needs",), "H009", "a condition begins with `needs`", label="`needs` is missing")
    if s.token.text in _COMPARISONS and "+=" in s.texts and "==" not in s.texts:
        if s.declaration == "action":
            hint = f"Write `needs {_source((s.before, s.token, *_rest(s, 1)))}` for what an action needs."
        else:
            hint = "Statements are written `energy += 0.1`; a condition stands before an arrow or behind `when`."
        return Cure(hint)
    return None


# --- what is missing -------------------------------------------------------------------------------------------------


def _unfinished(s: Situation) -> Cure | None:
    """A param without bounds, a meter without a value, a unit left out."""
    word = s.declaration
    if word == "state" and s.token.text == "in":
        name = s.tokens[s.start + 1].text
        return Cure(f"What it holds stands before its value: `state {name}: int in 0 .. 50 = 0`.")
    if word == "state" and s.token.text == "{" and s.before.text == ":":
        return _options(s)
    if word == "state" and s.token.text == "{" and "=" not in s.texts:
        return Cure("A state has no drains and no claims: a rule changes it, as in `rule NAME: cooldown -= 1`.")
    if word in ("param", "input") and "in" in s.texts and (s.ends_early or s.token.text == "{"):
        what = _source(s.tokens[s.start + 1 : s.start + 2])
        hint = f"Write them behind its default, as in `{_source(s.tokens[s.start : s.index])} in 0 .. 1`."
        if s.index - s.start > 12:
            hint = "Write them behind its default, as in `in 0 .. 1`."
        return Cure(
            hint,
            0,
            ("in", "0", "..", "1"),
            "H009",
            f"the {word} `{what.strip('`')}` has no bounds",
            label="expected here",
        )
    if word == "control" and "in" in s.texts and s.index == s.start + 2:
        name = s.before.text
        hint = f"Write `control {name} in -1 .. 1`."
        if s.token.text == "=":
            skip = 2 + (s.after().text == "-")
            message = f"the control `{name.strip('`')}` has no default: it is given in every tick"
            return Cure(
                hint, skip, () if s.tokens[s.index + skip].text == "in" else ("in", "0", "..", "1"), "H009", message
            )
        if s.ends_early:
            message = f"the control `{name.strip('`')}` has no bounds"
            return Cure(hint, 0, ("in", "0", "..", "1"), "H009", message, label="expected here")
        return Cure(hint)
    if word in ("meter", "param", "input") and "=" in s.texts and s.index == s.start + 2:
        name = s.before.text
        if (bounded := _bounds_first(s, f"{word} {name}")) is not None:
            return bounded
        if s.token.kind == "number" or s.token.text == "-":
            return Cure(f"Write `{word} {name} = {_source((s.token, *_rest(s, 1)))}`.", 0, ("=",))
        what, bounds = ("start value", "") if word == "meter" else ("default", " in 0 .. 1")
        hint = f"Write `{word} {name} = 0.5{bounds}`."
        if s.ends_early or s.token.text in ("{", "in"):
            message = f"the {word} `{name.strip('`')}` has no {what}"
            return Cure(hint, 0, ("=", "0"), "H009", message, label="expected here" if s.ends_early else "unexpected")
        return Cure(hint)
    if s.texts & {"hours", "ticks"} and "*" not in s.texts and "hour" not in s.before.text:
        unit = "ticks" if "ticks" in s.texts else "hours"
        word = s.tokens[s.index - 2 if s.tokens[s.index - 2].kind == "word" else s.index - 3].text
        hint = f"Write `{word} {s.before.text} {unit}`."
        if s.token.text in UNITS:
            return Cure(f"{hint} A tick is one hour of the clock.", 1, (unit,))
        return Cure(hint, 0, (unit,))
    if "at" in s.texts and s.declaration == "affordance" and s.token.text in ("random", "(", "in", "on"):
        skip = int(s.token.text in ("in", "on"))
        return Cure("Write `at` before the place: `at random`, `at (1, 2)`.", skip, ("at",))
    if "when" in s.texts and s.declaration == "dies" and s.index == s.start + 1:
        return Cure("Write `dies when CONDITION`.", 0, ("when",))
    return None


def _copies(s: Situation) -> Cure | None:
    """`affordance Bush at random: 5 copies`, `affordance Bush (5 copies) at random`."""
    number = s.index + (s.token.text in (":", "("))
    if s.declaration != "affordance" or s.opener is not None or s.tokens[number].kind != "number":
        return None
    if s.tokens[number + 1].text not in ("copies", "copy"):
        return None
    hint = f"Write `affordance {s.tokens[s.start + 1].text}: {s.tokens[number].text} copies at random`."
    skip = number + 2 + (s.token.text == "(") - s.index
    return Cure(hint, skip, (), "H009", "the number of copies stands behind the name")


def _options(s: Situation) -> Cure:
    """`state sky: { clear, dull } = dull`."""
    last = s.closer.get(s.index, s.index)
    options = [token.text for token in s.tokens[s.index + 1 : last] if token.text != ","] or ["clear", "dull"]
    first = s.tokens[last + 2].text if s.tokens[last + 1].text == "=" else options[0]
    hint = f"Options stand side by side: `state {s.tokens[s.start + 1].text}: {' '.join(options)} = {first}`."
    return Cure(hint)


# --- ranges, commas, parentheses -------------------------------------------------------------------------------------


def _range(s: Situation) -> Cure | None:
    """`open 8 - 18`, `in 0 to 1`, `in (0, 1)`."""
    if ".." in s.texts and s.declaration == "affordance" and s.token.text in ("{", "lasts"):
        return Cure(f"Write `open {s.before.text} .. 18`: the hours from the first up to the second.", 0, ("..", "1"))
    if ".." in s.texts and s.token.text in _RANGES:
        return Cure(f"Write `{s.before.text} .. {s.after().text}`.", 1, ("..",))
    if (
        ".." in s.texts
        and s.before.kind == "number"
        and "-" in (token.text for token in s.tokens[s.index - 3 : s.index])
    ):
        return Cure("Write `..` between the bounds, as in `in 0 .. 1`.")
    opening = next((n for n in range(s.index - 1, s.start, -1) if s.tokens[n].text == "("), s.start)
    if s.token.text in (",", "..") and s.tokens[opening - 1].text == "in":
        return Cure("Write `in LOW .. HIGH`, without parentheses.")
    return None


def _comma(s: Situation) -> Cure | None:
    """`0,02`, and commas between items."""
    if s.token.text != ",":
        return None
    first, second = s.before, s.after()
    adjoin = first.span.end_column == s.token.column and s.token.span.end_column == second.column
    if first.kind == second.kind == "number" and adjoin and first.text.isdigit() and second.text[0].isdigit():
        fraction = f"{first.text}.{second.text}"
        if len(second.text) == 3 and first.text != "0":
            hint = f"Write `{first.text}{second.text}`, or `{fraction}` for a fraction."
        else:
            hint = f"Write `{fraction}`."
        return Cure(hint, 2, (), "H009", "a number has no comma")
    return Cure("Items stand side by side, without commas.", 1 if s.accepts(1) else 0)


def _call(s: Situation) -> Cure | None:
    """`random()`, `hour()`, `distance Bed`, `at Bed`, `abs energy`."""
    before = s.before.text
    if s.token.text == ")" and before == "(" and s.tokens[s.index - 2].kind == "word":
        name = s.tokens[s.index - 2].text
        hint = instead(name)
        if hint is None and name in _QUANTITIES:
            hint = f"Write `{name}` without parentheses."
        elif hint is None:
            hint = "Functions have arguments, as in `uniform(0, 1)`; meters and params stand without parentheses."
        return Cure(
            hint, 0, ("1",), "H009", f"`{name}` is called without arguments" if name in _WITH_ARGUMENTS else None
        )
    if s.before.kind != "word" or s.shifted != "NAME" or s.token.kind not in ("word", "quoted", "number"):
        return None
    if before in ("position", "velocity") and s.after().text in _ASSIGNMENTS and ("+=" in s.texts or "->" in s.texts):
        first, last = s.before.span, s.token.span
        span = Span(first.line, first.column, last.end_line, last.end_column)
        hint = "Statements that move an agent are `move (1, 0)` and `teleport (0, 0)`."
        return Cure(hint, 0, (), "H009", f"`{before} {s.token.text}` cannot be written", span, "no meter")
    phrases = {"distance": "distance to", "streak": "streak of", "at": "here ==", "on": "here ==", "here": "here =="}
    if (before, s.token.text) == ("at", "hour") and "*" in s.texts:
        return Cure("Write `hour == 8`.")
    if before in phrases and "*" in s.texts:
        return Cure(f"Write `{phrases[before]} {s.token.text}`.")
    if before in ("position", "velocity") and re.fullmatch(r"\w+", s.token.text) and "*" in s.texts:
        return Cure("Axes are called `x`, `y` and `z`; where there are more than three, `x0`, `x1`, ...")
    if before in _WITH_ARGUMENTS and before not in ("true", "false", "nothing", "visited") and "*" in s.texts:
        return Cure(f"Write `{before}(...)`, its arguments in parentheses.")
    return None


def _encoding(s: Situation) -> Cure | None:
    """`position  grid of moss`, `position  window 2`: the item behind `position` is read as its encoding."""
    position, item = s.tokens[s.index - 2], s.before.text
    if position.text != "position" or item not in ("grid", "window") or s.token.text == "}":
        return None
    hint = "Write one of `position relative`, `position absolute`, `position scaled`."
    return Cure(hint, 0, (item,), "H026", "`position` needs an encoding", position.span, "")


def _statement_outside(s: Situation) -> Cure | None:
    """`energy += 1` where a declaration stands."""
    if "rule" in s.texts and s.token.kind == "word" and s.after().text in ("+=", "-=", "=") and s.opener is None:
        statement = _source((s.token, *_rest(s, 1)))
        if s.after().text == "=":
            return Cure(
                f"Write `meter {statement}` for a meter, or `rule NAME: {statement}` for what happens every tick."
            )
        return Cure(f"Write `rule NAME: {statement}`.")
    return None


_CURES = (
    *(_copies, _then, _range, _equals, _when, _unfinished, _if_without_else, _if_statement, _comparison),
    *(_needs, _comma, _call, _encoding, _statement_outside),
)
