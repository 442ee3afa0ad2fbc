"""Cures of `if` among statements, whose branches stand in braces."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamletc.diagnostics import Edit
from hamletc.diagnostics.edit import before, behind
from hamletc.language.braces import DECLARATIONS, assigns, begins_line
from hamletc.language.situation import ASSIGNMENTS, Cure, Situation, source
from hamletc.language.tokens import Token

_BEFORE_BRANCHES = ("then", ":", "do", "->")
"""What other languages write between a condition and a statement."""
_ELSE_IF = ("elif", "elsif", "elseif")
_MISSING = "the branches of `if` stand in braces"
_SHORT = 12
"""The most tokens of a branch that a hint repeats."""
_STATEMENT = ("energy", "=", "1")
"""Some statement, for one that is not read."""
_BRANCH = ("{", *_STATEMENT, "}")


def branch(s: Situation) -> Cure | None:
    """`if c then energy += 1`, `if c: energy += 1`, `if (c) energy += 1 else energy -= 1`, `energy += 1 if c`."""
    place = _if_before(s) if "{" in s.texts and "+=" not in s.texts else None
    if place is None:
        return None
    if _is_behind_value(s, place):
        if s.accepts(0) or s.token.text in ("else", "unless"):
            return None
        hint, written = "Write `when` behind a value, as in `energy += 0.4 when CONDITION`.", s.tokens[place].span
        return Cure(hint, 0, _BRANCH, "H019", _MISSING, written, "", (Edit(written, "when"),))
    braced = _braced(s, place, s.index)
    if braced is None:
        return None
    return Cure(f"Write `{braced.text}`.", braced.end - s.index, _BRANCH, "H019", _MISSING, edits=braced.edits)


def branch_behind_name(s: Situation) -> Cure | None:
    """`rule r: if c then energy += 1 else energy -= 1`, which began as a guard that is a choice between values."""
    if "else" not in s.texts or s.token.text not in ASSIGNMENTS or s.shifted != "NAME":
        return None
    then = next((n for n in range(s.index, s.start, -1) if s.tokens[n].text == "then"), 0)
    place = next((n for n in range(then, s.start, -1) if s.tokens[n].text == "if"), 0)
    if not place or s.tokens[place - 1].text != ":" or s.opener is not None:
        return None
    braced = _braced(s, place, then)
    if braced is None:
        return None
    rule, word, edits = f"rule {s.tokens[s.start + 1].text}", s.tokens[then].span, braced.edits
    hint = f"Write `{rule}: {braced.text}`."
    if braced.otherwise is None:
        condition, statement = source(s.tokens[place + 1 : then]), source(s.tokens[then + 1 : braced.end])
        hint, edits = f"Write `{rule}: {condition} -> {statement}`.", (Edit(word, "->"), s.without(place))
    message, feed = "`then` stands between values, not before statements", ("else", "1", "->", *_STATEMENT)
    return Cure(hint, braced.end - s.index, feed, "H019", message, word, "", edits)


def other_word(s: Situation) -> Cure | None:
    """`when c { ... }`, `unless c { ... }`, `elif c { ... }` and `otherwise { ... }` where statements stand."""
    if not {"+=", "together"} & s.texts:
        return None
    if s.token.text == "when" and "together" in s.texts and _block(s, s.index) is not None:
        return Cure(
            "Write `if CONDITION { ... }`.",
            code="H019",
            message="`when` begins no statement",
            edits=(s.instead(1, "if"),),
            reads="if",
        )
    word, block = s.before.text, _block(s, s.index - 1)
    if block is None or s.shifted != "NAME":
        return None
    behind_if = s.tokens[s.index - 2].text == "}"
    skip = s.closer.get(block, block) + 1 - s.index
    feed, span = ("=", "1"), s.before.span
    if word in _ELSE_IF and behind_if:
        return Cure("Write `else if`.", skip, feed, edits=(Edit(span, "else if"),))
    if word == "otherwise" and behind_if and block == s.index:
        return Cure("Write `else`.", skip, feed, edits=(Edit(span, "else"),))
    if word == "unless" and block > s.index:
        condition = source(s.tokens[s.index : block])
        written = f"if not ({condition})"
        return Cure(
            f"Write `{written} {{ ... }}`.", skip, feed, edits=(s.instead(1 + block - s.index, written, first=-1),)
        )
    return None


def arrow(s: Situation) -> Cure | None:
    """`energy < 0.2 -> energy += 0.1` among statements: a rule alone has an arrow."""
    if "+=" not in s.texts or s.shifted != "NAME" or s.opener is None:
        return None
    line = [token.text for token in s.tokens[s.index : s.index + 40] if token.line == s.token.line]
    ends = min((line.index(text) for text in ("{", "}", *ASSIGNMENTS) if text in line), default=len(line))
    if "->" not in line[:ends]:
        return None
    place = s.index + line.index("->")
    condition = source(s.tokens[s.index - 1 : place])
    hint = f"Write `if {condition} {{ ... }}`: a rule has one arrow, behind its name."
    message = "a condition among statements begins with `if`"
    braced = _braced(s, s.index - 2, place)
    begin = before(s.before.span, "if ")
    if s.tokens[place + 1].text == "{":
        end = s.closer.get(place + 1, place + 1) + 1
        return Cure(hint, end - s.index, ("=", "1"), "H019", message, edits=(begin, s.without(place)))
    if braced is None:
        return None
    return Cure(hint, braced.end - s.index, ("=", "1"), "H019", message, edits=(begin, *braced.edits))


def else_of_rule(s: Situation) -> Cure | None:
    """`rule r: c -> { ... } else { ... }`."""
    if s.token.text != "else" or not s.texts >= DECLARATIONS:
        return None
    first = next((n for n in range(s.index - 1, 0, -1) if s.tokens[n].text == "rule" and begins_line(s.tokens, n)), 0)
    head = s.tokens[first : s.index]
    texts = [token.text for token in head]
    block = _block(s, s.index)
    if not first or texts[2:3] != [":"] or "->" not in texts:
        return None
    place = first + texts.index("->")
    hint = f"Write `rule {head[1].text}: if {source(s.tokens[first + 3 : place])} {{ ... }} else {{ ... }}`."
    begin, braced = before(s.tokens[first + 3].span, "if "), _braced(s, first + 2, place)
    if s.tokens[place + 1].text == "{" and block is not None:
        skip = s.closer.get(block, block) + 1 - s.index
        return Cure(hint, skip, (), "H019", "a rule has no `else`", edits=(begin, s.without(place)))
    if braced is None or braced.otherwise is None:
        return None
    return Cure(hint, braced.end - s.index, (), "H019", "a rule has no `else`", edits=(begin, *braced.edits))


@dataclass(frozen=True, slots=True)
class _Braced:
    """An `if` whose branches were written without braces: its text with them, the `edits` that write these, and the
    `end` behind the last branch. `otherwise` is where the second one begins."""

    text: str
    edits: tuple[Edit, ...]
    end: int
    otherwise: int | None


def _braced(s: Situation, place: int, index: int) -> _Braced | None:
    """The `if` at a place, whose condition ends before `index`, with braces."""
    word = s.tokens[index].text in _BEFORE_BRANCHES
    first = index + word
    end = _end_of_branch(s, place, first)
    if end <= first or s.tokens[first].text == "{":
        return None
    condition = source(s.tokens[place + 1 : index])
    many = end - first > _SHORT or s.tokens[end - 1].line > s.tokens[first].line
    text = f"if {condition} {{ {'...' if many else source(s.tokens[first:end])} }}"
    edits: tuple[Edit, ...] = (_opened(s, first - 1, word), behind(s.tokens[end - 1].span, " }"))
    following, otherwise = s.tokens[end], end + 1
    if following.text != "else" or s.tokens[otherwise].text in ("{", "if"):
        return _Braced(text, edits, end, None)
    otherwise += s.tokens[otherwise].text == ":"
    last = _end_of_branch(s, end, otherwise)
    if last <= otherwise:
        return None
    text += f" else {{ {source(s.tokens[otherwise:last])} }}"
    second = _opened(s, otherwise - 1, otherwise > end + 1)
    edits = (*edits, second, behind(s.tokens[last - 1].span, " }"))
    return _Braced(text, edits, last, otherwise)


def _opened(s: Situation, index: int, word: bool) -> Edit:
    """The edit that writes a brace in the place of a `word`, or behind the token that stands there."""
    token, following = s.tokens[index], s.tokens[index + 1]
    if not word:
        return before(following.span, "{ ")
    adjoins = s.tokens[index - 1].span.end_column == token.column and s.tokens[index - 1].line == token.line
    near = following.line == token.line and following.column == token.span.end_column
    return s.instead(1, f"{' ' * adjoins}{{{' ' * near}", first=index - s.index)


def _end_of_branch(s: Situation, place: int, first: int) -> int:
    """The end of the statements behind a condition: of the line, or of lines further right where there is none."""
    begin = next(n for n in range(place, -1, -1) if begins_line(s.tokens, n))
    indented = s.tokens[first].line > s.tokens[place].line
    for index in range(first, len(s.tokens)):
        token = s.tokens[index]
        if token.kind in ("end", "bad") or token.text in ("{", "}", "else", *_ELSE_IF):
            return index
        new = begins_line(s.tokens, index)
        if new and indented and token.column <= s.tokens[begin].column:
            return index
        if new and not indented and index > first:
            return index
    return len(s.tokens) - 1


def _if_before(s: Situation) -> int | None:
    """Where the `if` is whose condition may end before the token."""
    for place in range(s.index - 1, s.start, -1):
        text = s.tokens[place].text
        if text == "if":
            return place
        if text in ("{", "}", "then", "->", *ASSIGNMENTS):
            return None
    return None


def _is_behind_value(s: Situation, place: int) -> bool:
    """Whether an `if` stands behind a value, as in `energy += 1 if c`."""
    value = s.tokens[place - 1]
    return value.line == s.tokens[place].line and value.text not in ("{", "}", "->", ":", "else")


def _block(s: Situation, first: int) -> int | None:
    """The opening brace in the same line, before anything is assigned to."""
    for index in range(first, len(s.tokens)):
        token: Token = s.tokens[index]
        if token.text == "{":
            return index
        if token.line != s.tokens[first].line or token.text in ("}", "->", *ASSIGNMENTS) or assigns(s.tokens, index):
            return None
    return None
