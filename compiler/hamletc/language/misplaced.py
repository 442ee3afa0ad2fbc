"""Edits of what stands in other braces than its own, or in none: declarations in `world { }`, rules in effects, what
only the world keeps."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit
from hamletc.diagnostics.edit import around, before, behind
from hamletc.language.braces import DECLARATIONS, begins_line
from hamletc.language.situation import COMPARISONS, Situation
from hamletc.suggest import closest

_NEEDS = ("cost", "costs", "require", "requires", "condition", "precondition", "only_if")
_OUTSIDE = ("world", "cells")
"""Blocks from whose braces a declaration of agents can be moved."""


def moved_out(s: Situation, block: int) -> tuple[Edit, ...]:
    """The edits that close the braces of a block before its last declaration, which stands outside of them."""
    close = None if s.opener is None else s.closer.get(s.opener)
    if s.opener is None or close is None or s.tokens[block].text not in _OUTSIDE or not _is_last(s, close):
        return ()
    if s.token.text not in ("cascade", "affordance") or _reads_block(s, close):
        return ()
    rest = s.tokens[close - 1].line != s.tokens[close].line
    if s.before.text == "{":
        opening = s.tokens[s.opener].span
        head = s.tokens[block].span
        gap = Span(head.line, head.column, s.token.line, s.token.column)
        return (Edit(gap, ""), s.without(close)) if opening.line == head.line else ()
    if not rest:
        return behind(s.before.span, " }"), s.without(close)
    indent = Edit(Span(s.token.line, 1, s.token.line, s.token.column), "")
    closed = behind(s.before.span, "\n}")
    one_line = begins_line(s.tokens, s.index) and s.tokens[close - 1].line == s.token.line
    return (closed, *((indent,) if one_line else ()), s.without(close))


def _is_last(s: Situation, close: int) -> bool:
    """Whether the declaration seems to go on up to the closing brace of the block."""
    if s.token.text == "affordance":
        opening = next((n for n in range(s.index, close) if s.tokens[n].text == "{"), close)
        return s.closer.get(opening) == close - 1
    return s.tokens[close - 1].line == s.token.line and not _declares(s, s.index + 1, close)


def _declares(s: Situation, first: int, last: int) -> bool:
    """Whether another declaration, with a name, seems to begin in between."""
    words = range(first, last - 1)
    return any(s.tokens[n].text in DECLARATIONS and s.tokens[n + 1].kind in ("word", "quoted") for n in words)


def _reads_block(s: Situation, close: int) -> bool:
    """Whether the declaration names a meter of the block: then it may be meant for the block."""
    inside = range(s.opener or 0, s.index - 1)
    own = {s.tokens[n + 1].text for n in inside if s.tokens[n].text in ("meter", "state")}
    return any(token.text in own for token in s.tokens[s.index : close])


def every_tick(s: Situation, block: int) -> tuple[Edit, ...]:
    """The edits of `rule worse: energy -= 0.1` in the braces of an effect, which does it each tick."""
    name, sign = s.after(1), s.after(2)
    close = None if s.opener is None else s.closer.get(s.opener)
    if s.tokens[block].text != "effect" or s.token.text != "rule" or name.kind not in ("word", "quoted"):
        return ()
    if close is None or sign.text not in (":", "{"):
        return ()
    if sign.text == "{":
        return (s.instead(2, "each tick"),)
    body = s.tokens[s.index + 3 : close]
    if not body or body[-1].line != s.token.line or any(t.text in ("->", "{", "rule", "until") for t in body):
        return ()
    return s.instead(3, "each tick {"), behind(body[-1].span, " }")


def kept_by_world(s: Situation) -> tuple[Edit, ...]:
    """The edits of `kept meter wins = 0` and of `world stock = 20` outside of braces: the author may also want one of
    each agent."""
    rest = s.whole_rest(1)
    if not rest or s.opener is not None:
        return ()
    if s.token.text == "kept" and s.after().text in ("meter", "state") and "rule" in s.texts:
        last = (s.after(), *s.whole_rest(2))[-1].span
        whole = Span(s.token.line, s.token.column, last.end_line, last.end_column)
        return around(whole, "world { ", " }", sure=False)
    if s.before.text == "world" and s.token.kind in ("word", "quoted") and s.after().text == "=":
        return before(s.token.span, "{ meter ", sure=False), behind(rest[-1].span, " }", sure=False)
    return ()


def of_agents(s: Situation) -> tuple[Edit, ...]:
    """The edits of `per agent meter tries = 0` outside of braces: there every meter is one per agent."""
    if (s.token.text, s.after().text) != ("per", "agent") or s.after(2).text not in ("meter", "state"):
        return ()
    return (s.instead(3, s.after(2).text),) if s.opener is None and s.after(2).line == s.token.line else ()


def now_and_then(s: Situation) -> tuple[Edit, ...]:
    """The edits of `sometimes { money += wage }` in an affordance: how often, the author must say."""
    close = s.closer.get(s.index + 1)
    if s.after().text != "{" or close is None or close <= s.index + 2:
        return ()
    lasts = any(token.text == "lasts" for token in s.tokens[s.start : s.opener])
    chance = behind(s.tokens[close - 1].span, " when chance(0.1)", sure=False)
    return s.instead(1, "each tick" if lasts else "instantly", sure=False), chance


def brought_in(s: Situation) -> tuple[Edit, ...]:
    """The edits of `import other` and of `place Cafe = Shop(1)`."""
    if s.opener is not None:
        return ()
    if (
        s.token.text in ("import", "require")
        and s.after().kind in ("word", "quoted")
        and s.after().line == s.token.line
    ):
        return (s.instead(2, f'include "{s.after().text.strip("`")}.hamlet"', sure=False),)
    made, name = s.after(3), s.after(1)
    if s.after(2).text != "=" or made.kind != "word" or s.after(4).text != "(" or s.after(4).line != s.token.line:
        return ()
    comma = "" if s.after(5).text == ")" else ", "
    return (s.instead(5, f"use {made.text}({name.text}{comma}", sure=False),)


def needed(s: Situation) -> tuple[Edit, ...]:
    """The edits of `cost money >= 0.1` in the braces of an affordance or an action: what it needs."""
    compares = any(token.text in COMPARISONS for token in s.rest(1))
    return (s.instead(1, "needs"),) if "needs" in s.texts and compares and s.token.text in _NEEDS else ()


def guarded(s: Situation) -> tuple[str, tuple[Edit, ...]] | None:
    """What to say to `when energy < 0.5 { ... }` in the braces of an affordance."""
    if s.token.text not in ("when", "while", "where") or not {"needs", "instantly"} <= s.texts:
        return None
    return "Write `needs CONDITION` for what an affordance needs; its statements stand in `instantly { }`.", ()


def seen(s: Situation) -> tuple[str, tuple[Edit, ...]] | None:
    """What to say to a name among what is observed: meters and states are told apart there, and others are seen in a
    window."""
    if s.declaration != "observe" or not {"meters", "state", "window"} <= s.texts:
        return None
    if s.token.text in ("agents", "others", "players") and s.token.kind == "word":
        hint = (
            "`window 2 of agents` is how many others are on cells around, `x: nearest(true, energy)` what the nearest"
        )
        return f"{hint} has.", (s.instead(1, "window 2 of agents", sure=False),)
    if not (kind := _observed_by(s, s.token.text)):
        return None
    return f"Write `{kind} {s.token.text}`.", (before(s.token.span, f"{kind} "),)


def _observed_by(s: Situation, name: str) -> str:
    """The word by which a meter or a state of this name is observed; "" where there is none."""
    kinds = zip(s.tokens, s.tokens[1:], strict=False)
    kind = next((a.text for a, b in kinds if a.text in ("meter", "state") and b.text == name), "")
    return "meters" if kind == "meter" else kind


def listed(s: Situation) -> tuple[Edit, ...]:
    """The edits of `observe { grid, energy, food }`: all commas behind the first are left out at once."""
    close = None if s.opener is None else s.closer.get(s.opener)
    if s.declaration != "observe" or close is None or s.before.kind != "word" or s.after().kind != "word":
        return ()
    plain = next((n for n in range(s.index, close) if s.tokens[n].text in ("(", ":", "[")), close)
    commas = (s.without(n) for n in range(s.index, plain) if s.tokens[n].text == ",")
    kind = _observed_by(s, s.after().text)
    return (*commas, *((before(s.after().span, f"{kind} "),) if kind else ()))


def lain(s: Situation) -> tuple[str, tuple[Edit, ...]] | None:
    """What to say to `item key at "K"`."""
    if s.declaration != "item" or s.token.text != "at" or s.index != s.start + 2:
        return None
    name = s.before.text
    hint = (
        f"Where things lie at first is said in their braces: `item {name} {{ lying 1 when on vault  can pick }}`, with "
    )
    return f'{hint}`region vault "K"` in the map.', ()


def drawn(s: Situation) -> tuple[str, tuple[Edit, ...]] | None:
    """What to say to `door "D"` in the braces of a map."""
    letter = s.after()
    if not {"region", "terrain", "wall"} <= s.texts or letter.kind != "string" or letter.line != s.token.line:
        return None
    if closest(s.token.text, ("wall", "starts")) is not None:
        return None
    stands = zip(s.tokens, s.tokens[1:], strict=False)
    if any(a.text == "at" and b.text == letter.text for a, b in stands):
        return f"Leave it out: `at {letter.text}` says what stands there.", (s.cut(s.index, s.index + 1),)
    hint = (
        f"Write `region {s.token.text} {letter.text}`, and `on {s.token.text}` where it matters; `wall` lets nobody in."
    )
    return hint, (before(s.token.span, "region ", sure=False),)
