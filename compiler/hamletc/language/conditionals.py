"""Cures of conditions: `if` and other words for `when`, arrows, comparisons and `needs`."""

from __future__ import annotations

from itertools import pairwise

from hamlet.universe import Span
from hamletc.diagnostics import Edit
from hamletc.diagnostics.edit import before, behind
from hamletc.language.braces import DECLARATIONS, assigns, begins_line
from hamletc.language.situation import ASSIGNMENTS, COMPARISONS, LONGEST_REST, Cure, Situation, source

_JOINTS = (*COMPARISONS, "and", "or", "+", "-", "*", "/", "(")
_CONDITIONALS = ("if", "for", "while", "where", "unless", "until", "given", "only")
_CALCULATES = ("+", "-", "*", "/", "(")


def when(s: Situation) -> Cure | None:
    """`allow UP if c`, `reward 1 for c`, `1 if c else 0`."""
    word = s.token.text
    if word not in _CONDITIONALS or "when" not in s.texts or (word == "if" and _length_of_if(s) > 0):
        return None
    if word != "if" and begins_line(s.tokens, s.index):
        return None
    code = "H019" if word == "if" else "H009"
    message = "`if` stands before both of its values" if word == "if" and "*" in s.texts else None
    if word == "unless":
        rest = s.whole_rest(1)
        edits = (s.instead(1 + len(rest), f"when not ({source(rest)})"),) if rest else ()
        return Cure("Write `when not (CONDITION)`.", 1, ("when", "not"), code, message, edits=edits)
    if any(token.text == "else" for token in s.rest(1)):
        return Cure("Write `if CONDITION then A else B`.", 0, (), code, message, edits=_if_first(s))
    if "*" not in s.texts:
        message = f"`{word}` cannot stand here" if word == "if" else None
        return Cure("Write `when`.", 1, ("when",), code, message, edits=(s.instead(1, "when"),))
    hint = "Write `A when CONDITION`, or `if CONDITION then A else B`."
    return Cure(hint, 1, ("when",), code, message, edits=(s.instead(1, "when"),))


_WITHOUT_CONDITION = ("begin", "end", "move", "teleport", "spawn", "wear")
"""Words of statements behind which no condition stands."""


def guarded_statement(s: Situation) -> Cure | None:
    """`rule ill { begin cold when mood < 0.2 }`: only what is added to a meter has a `when` of its own."""
    before = range(s.index - 1, max(s.start, s.index - LONGEST_REST), -1)
    first = next(
        (n for n in before if s.tokens[n].text in (*_WITHOUT_CONDITION, *ASSIGNMENTS, "{", "}", "->")), s.start
    )
    word = s.tokens[first].text
    if s.token.text not in ("when", "if") or word not in _WITHOUT_CONDITION or "when" in s.texts:
        return None
    statement, rule = source(s.tokens[first : s.index]), s.declaration == "rule"
    hint = f"Write `if CONDITION {{ {statement} }}`."
    message = f"`{word}` has no condition of its own"
    last = None if s.opener is None else s.closer.get(s.opener)
    if not rule or last is None or first != s.start + 3 or s.opener != s.start + 2:
        return Cure(hint, message=message)
    condition = s.tokens[s.index + 1 : last]
    if not condition or any(token.text in ASSIGNMENTS or token.line != s.token.line for token in condition):
        return Cure(hint, message=message)
    name, begin = s.tokens[s.start + 1], s.tokens[s.start + 1].span
    whole = Span(begin.line, begin.end_column, s.tokens[last].span.end_line, s.tokens[last].span.end_column)
    written = f": {source(condition)} -> {statement}"
    hint = f"A rule has the condition: `rule {name.text}{written}`."
    return Cure(hint, message=message, edits=(Edit(whole, written),))


def _if_first(s: Situation) -> tuple[Edit, ...]:
    """The edits of `1 if c else 0`, where its first value is one token."""
    rest = s.whole_rest(1)
    place = next((n for n, token in enumerate(rest) if token.text == "else"), 0)
    if not place or s.tokens[s.index - 2].text in _CALCULATES or s.before.kind not in ("word", "number", "quoted"):
        return ()
    otherwise = rest[place + 1 :]
    if not otherwise:
        return ()
    text = f"if {source(rest[:place])} then {s.before.text} else {source(otherwise)}"
    return (s.instead(2 + len(rest), text, first=-1),)


def if_statement(s: Situation) -> Cure | None:
    """`if (c) { ... }` and `if c then energy += 1` where a statement, an item or a declaration stands."""
    if s.token.text != "if" or "NUMBER" in s.expected or not s.texts & {"together", "needs", "rule"}:
        return None
    edits: tuple[Edit, ...] = ()
    if "instantly" in s.texts:
        hint = "Write `needs CONDITION` for what an affordance needs."
        edits = _needed(s)
    elif "rule" in s.texts:
        hint = "Write `rule NAME: CONDITION -> STATEMENT`."
        edits = _rule_when(s)
    else:
        return None
    length = _length_of_if(s)
    return Cure(hint, length, (), "H019", "`if` begins no statement", label="it chooses between values", edits=edits)


def _needed(s: Situation) -> tuple[Edit, ...]:
    """The edits of `if c { instantly { ... } }` in the braces of an affordance."""
    opening = _opening(s, "{")
    closing = s.closer.get(opening)
    if closing is None:
        return ()
    braces = (s.without(opening, sure=False), s.without(closing, sure=False))
    return (s.instead(1, "needs", sure=False), *braces)


def _rule_when(s: Situation) -> tuple[Edit, ...]:
    """The edits of `if c { ... }` and `if c then energy += 1` where a declaration stands: a rule has a name."""
    opening = _opening(s, "{", "then")
    written = s.tokens[opening + 1 : opening + 3]
    if not opening or len(written) < 2 or written[1].text not in ASSIGNMENTS:
        return ()
    closing = s.closer.get(opening, opening)
    rest = s.tokens[closing + 1] if closing > opening else None
    line = [token.text for token in s.tokens[opening:] if token.line == s.tokens[opening].line]
    sure = "else" not in line if rest is None else rest.text not in ("else", "elif")
    head = s.instead(1, f"rule {s.called_for(written[0].text)}:", sure=sure)
    if s.tokens[opening].text == "then":
        return (head, s.instead(1, "->", first=opening - s.index, sure=sure))
    return (head, before(s.tokens[opening].span, "-> ", sure=sure))


def _opening(s: Situation, *texts: str) -> int:
    """The number of the token behind the condition of an `if`; 0 where there is none."""
    last = s.index + _length_of_if(s)
    return next((n for n in range(s.index + 1, last) if s.tokens[n].text in texts), 0)


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


def if_without_else(s: Situation) -> Cure | None:
    """`if c then a`."""
    if "else" not in s.texts:
        return None
    place = _open_if(s)
    if place is None:
        return None
    opening = s.tokens[place]
    begins_statement = begins_line(s.tokens, s.index) and s.after().text in ASSIGNMENTS
    if s.token.text in ("}", ")", ",", "unclamped") or s.ends_early or begins_statement:
        hint = "Write what it is otherwise, as in `else 0`; `A when CONDITION` is 0 where the condition does not hold."
        edits = (behind(s.before.span, " else 0"),)
        return Cure(hint, 0, ("else", "0"), "H019", "this `if` has no `else`", opening.span, "", edits)
    return None


def _open_if(s: Situation) -> int | None:
    """Where the innermost `if` before the token is that has no `else`."""
    depth = 0
    for place in range(s.index - 1, s.start - 1, -1):
        depth += s.tokens[place].text == "else"
        if s.tokens[place].text == "if":
            if depth == 0:
                return place
            depth -= 1
    return None


def then(s: Situation) -> Cure | None:
    """`if c: a else b`, `else if`, `rule r: c: statement`, `rule r: { statements }`."""
    if s.token.text in ("when", "if", "while") and ":" in s.texts and s.declaration in ("rule", "cascade"):
        edits = (Edit(_gap_and(s), ":"),)
        return Cure("Write `:` between the name and the condition.", 1, (":",), edits=edits)
    if s.token.text == "{" and s.before.text == ":" and s.declaration == "rule":
        hint = f"Statements in braces stand directly behind the name: `rule {s.tokens[s.start + 1].text} {{ ... }}`."
        return Cure(hint, 0, ("1", "==", "1", "->"), edits=(s.without(s.index - 1),))
    if s.token.text == ":" and "then" in s.texts:
        return _written(s, "Write `then`.", ("then",), " then" if s.after().column > s.token.column + 1 else " then ")
    if s.token.text in (":", "then", "do") and "->" in s.texts and "then" not in s.texts and s.declaration != "meter":
        return _written(s, "Write `->` before what a rule does.", ("->",), " -> " if s.token.text == ":" else "->")
    if s.token.text in ("elif", "elsif", "elseif") and "else" in s.texts:
        return _written(s, "Write `else if`.", ("else", "if"), "else if")
    if s.token.text in ("is", "equals") and "==" in s.texts:
        return _written(s, "Compare with `==`.", ("==",), "==")
    return None


def _written(s: Situation, hint: str, feed: tuple[str, ...], text: str) -> Cure:
    """The cure that puts something in the place of the token."""
    begins, ends = text.startswith(" "), text.endswith(" ")
    spaced = text.strip()
    apart = s.before.span.end_column < s.token.column or s.before.line != s.token.line
    following = s.after()
    near = following.line == s.token.line and following.column == s.token.span.end_column
    written = " " * (begins and not apart) + spaced + " " * (ends and near)
    return Cure(hint, 1, feed, edits=(s.instead(1, written),))


def _gap_and(s: Situation) -> Span:
    """The token with the space before it."""
    span = s.token.span
    column = s.before.span.end_column if s.before.line == s.token.line else span.column
    return Span(span.line, column, span.end_line, span.end_column)


def comparison(s: Situation) -> Cure | None:
    """`1 when Bed`, `1 when energy`."""
    if s.shifted != "NAME" or "==" not in s.texts or "and" in s.texts or s.token.text in ("+", "-", "="):
        return None
    name = s.before.text
    if s.token.kind in ("word", "quoted", "number") and not s.ends_early:
        return None
    for word, declared in pairwise(s.tokens):
        if word.text == "affordance" and declared.text == name:
            return Cure(f"Write `here == {name}`.", 0, ("==", "0"), edits=(before(s.before.span, "here == "),))
    edits = (behind(s.before.span, " > 0", sure=False),)
    return Cure(f"Compare it, as in `{name} > 0`.", 0, ("==", "0"), edits=edits)


def needs(s: Situation) -> Cure | None:
    """`money >= 0.1` and `money -= 0.1` by themselves in the braces of an affordance, or of an action."""
    begins_operand = s.token.kind in ("word", "quoted", "number") or s.token.text in ("(", "not")
    if s.texts >= {"needs", "instantly"} and begins_operand:
        following = s.after()
        if following.text in ASSIGNMENTS:
            kind = "`instantly { }`, `each tick { }` or `on completion { }`"
            hint = f"Write it in a block: {kind}." if following.text != "=" else f"Write statements in a block: {kind}."
            message = "a statement stands in a block of the affordance"
            last = _last_statement(s)
            return Cure(hint, last - s.index + 1, (), "H009", message, edits=_in_block(s, last))
        if following.text in _JOINTS or s.token.text in ("(", "not"):
            hint = f"Write `needs {source((s.token, *s.rest(1)))}`."
            edits = (before(s.token.span, "needs "),)
            message = "a condition begins with `needs`"
            return Cure(hint, 0, ("needs",), "H009", message, label="`needs` is missing", edits=edits)
    if s.token.text in COMPARISONS and "+=" in s.texts and "==" not in s.texts:
        if s.declaration == "action":
            hint = f"Write `needs {source((s.before, s.token, *s.rest(1)))}` for what an action needs."
            return Cure(hint, edits=(before(s.before.span, "needs "),))
        return Cure("Statements are written `energy += 0.1`; a condition stands before an arrow or behind `when`.")
    return None


def _last_statement(s: Situation) -> int:
    """The last token of the statements that begin with this one, in its line and in those that follow."""
    last = s.index
    for index in range(s.index + 1, len(s.tokens)):
        new = begins_line(s.tokens, index) and not assigns(s.tokens, index)
        if new or s.tokens[index].text in ("{", "}") or s.tokens[index].kind in ("end", "bad"):
            break
        last = index
    return last


def _in_block(s: Situation, last: int) -> tuple[Edit, ...]:
    """The edits of statements in an affordance that does not last: only one kind of block can have them."""
    lasts = any(token.text == "lasts" for token in s.tokens[s.start : s.opener])
    ends = s.tokens[last + 1].text == "}" or begins_line(s.tokens, last + 1)
    if lasts or last < s.index + 2 or not ends:
        return ()
    return before(s.token.span, "instantly { "), behind(s.tokens[last].span, " }")


_BEFORE_VALUES = ("=", "+=", "-=", "->", ":", ",", "(", "reward")
"""What stands before a value."""
_IN_CONDITIONS = frozenset((*_JOINTS, ")", "not", "of", "to", "on", "straight", "walking", "distance", "position"))


def ternary(s: Situation) -> tuple[Edit, ...]:
    """The edits of `c ? a : b`, where `c` begins behind what stands before a value and compares something."""
    first = _first_of_condition(s)
    colon = next((n for n in range(s.index + 1, s.index + 12) if _text(s, n) in (":", "?", "}", "")), 0)
    condition = s.tokens[first : s.index]
    compares = any(token.text in (*COMPARISONS, "not", "and", "or", "on") for token in condition)
    if not first or not compares or _text(s, colon) != ":" or colon == s.index + 1 or _text(s, colon + 1) in ("", "}"):
        return ()
    put = (s.instead(1, "then"), s.instead(1, "else", first=colon - s.index))
    return (before(condition[0].span, "if "), *put)


def _text(s: Situation, index: int) -> str:
    """The text of a token in the same line; "" where it is in another one."""
    token = s.tokens[min(index, len(s.tokens) - 1)]
    return token.text if token.line == s.token.line and token.kind != "end" else ""


def _first_of_condition(s: Situation) -> int:
    """Where the condition before `?` begins; 0 where that is not certain."""
    depth = 0
    for place in range(s.index - 1, s.start, -1):
        text, last = _text(s, place), _text(s, place - 1)
        depth += (text == ")") - (text == "(")
        if depth == 0 and (last in _BEFORE_VALUES or not last) and text not in COMPARISONS:
            return place if last else 0
        operands = s.tokens[place].kind != "symbol" and s.tokens[place - 1].kind != "symbol"
        if not text or (operands and not {text, last} & _IN_CONDITIONS):
            return 0
    return 0
