"""Cures of declarations and properties that have other names elsewhere: what follows them is read as that of ours."""

from __future__ import annotations

from hamletc.diagnostics.edit import before, behind
from hamletc.language.braces import begins_line
from hamletc.language.situation import Cure, Situation

_AFFORDANCES = frozenset(("place", "building", "station", "shop", "object", "facility", "resource", "thing"))
"""Words for what agents use."""
_SPACES = {
    **{kind: kind for kind in ("grid", "hexagons", "continuous", "graph")},
    **dict.fromkeys(("hex", "hexagonal"), "hexagons"),
}
"""Kinds of spaces, by the words for them."""
_RISES = frozenset(("grows", "gains", "increases", "rises", "recovers", "regenerates", "regen", "gain", "growth"))
"""Words for a meter that rises by itself."""
_TAKES = frozenset(("takes", "costs", "cost", "pays", "consumes", "uses", "requires"))
_GIVES = frozenset(("gives", "restores", "adds", "produces", "yields", "pay"))
"""Words for what a use takes, and what it gives."""
_EPISODES = frozenset(("game", "episode", "run", "life", "round", "level", "agent", "player", "everything"))
_OVER = frozenset(
    ("over", "ends", "end", "finishes", "finished", "stops", "done", "dies", "lost", "won", "loses", "wins")
)
"""Words for what is over, and for that it is."""
_BEHIND_NAMES = ("at", "open", "lasts", "(", "{")
_LOWEST, _HIGHEST = ("min", "minimum", "low", "lowest", "from"), ("max", "maximum", "high", "highest", "to")


def renamed(s: Situation) -> Cure | None:
    """A declaration or a property by another name."""
    if (found := _spent(s) or _started(s)) is not None:
        return found
    if {"affordance", "space"} <= s.texts and begins_line(s.tokens, s.index):
        return _declared(s)
    if "decay" in s.texts and "edges" not in s.texts and s.token.text in _RISES:
        hint = "What rises by itself has a decay below 0: `decay -0.01`."
        rate = s.after().kind == "number"
        return Cure(hint, 1, ("decay", "-"), edits=(s.instead(2, f"decay -{s.after().text}"),) if rate else ())
    if "x" in s.texts and s.token.text in ("by", "*", ",") and s.before.kind == s.after().kind == "number":
        return Cure(f"Write `{s.before.text} x {s.after().text}`.", 1, ("x",), edits=(s.instead(1, "x"),))
    if s.declaration in ("meter", "param", "input") and "in" in s.texts and s.token.text in (*_LOWEST, *_HIGHEST):
        return _bounded(s)
    if s.declaration == "state" and s.token.text == "{" and s.before.text == "=":
        return _listed(s)
    return _carried(s) if "needs" in s.texts and s.token.text in (*_TAKES, *_GIVES) else None


def _spent(s: Situation) -> Cure | None:
    """`cost 2` among statements, where the name of a meter is expected to be written to."""
    lowers = s.before.text in _TAKES
    if "+=" not in s.texts or s.token.kind != "number" or not (lowers or s.before.text in _GIVES):
        return None
    named = s.after().kind in ("word", "quoted") and s.after().line == s.token.line
    statement = f"{s.after().text if named else 'money'} {'-' if lowers else '+'}= {s.token.text}"
    edits = (s.instead(3, statement, first=-1),) if named else ()
    return Cure(f"A statement names what it changes: `{statement}`.", edits=edits)


def _started(s: Situation) -> Cure | None:
    """`starts at (0, 3)` in the braces of a space, `start at (0, 3)` by itself."""
    tokens = s.tokens
    first = next((n for n in range(s.index, max(s.index - 3, 0), -1) if tokens[n].text in ("start", "starts")), None)
    if first is None:
        return None
    last = first + 1 + (tokens[first + 1].text in ("at", "in", "on", "position"))
    if tokens[last].text != "(" or last < s.index - 1:
        return None
    place, number = list[str](), ""
    while tokens[last].text != ")":
        number, count = s.number(last + 1 - s.index)
        last = s.index + count
        if not number or tokens[last].text not in (",", ")"):
            return None
        place.append(number)
    axes = "xyz" if len(place) <= len("xyz") else tuple(f"x{axis}" for axis in range(len(place)))
    written = "starts when " + " and ".join(f"position {axis} == {at}" for axis, at in zip(axes, place, strict=False))
    hint = f"Where agents begin is a condition, in the braces of the space: `{written}`."
    if s.declaration == "space" and s.opener is not None:
        return Cure(hint, edits=(s.instead(last - first + 1, written, first=first - s.index),))
    space = next((n for n, token in enumerate(tokens) if token.text == "space" and tokens[n + 1].text == "grid"), None)
    if space is None or s.opener is not None:
        return Cure(hint)
    line = [n for n in range(space, len(tokens)) if tokens[n].line == tokens[space].line]
    edits = s.cut(first, last), behind(tokens[line[-1]].span, f" {{ {written} }}")
    if tokens[line[-1]].text == "}":
        edits = s.cut(first, last), before(tokens[line[-1]].span, f" {written} ")
    return Cure(hint, edits=edits if tokens[line[-1]].text != "{" else ())


def _declared(s: Situation) -> Cure | None:
    """`place Desk at (2, 3) { }`, `grid 8 x 8`, `agent student { }`."""
    word, name, third = s.token.text, s.after(), s.after(2)
    if word in _EPISODES and name.text in _OVER and third.text in ("when", "if"):
        hint = (
            "An agent's life ends by `dies when energy <= 0`, at a goal by `ends when money >= 10 { reward 1 }`; for "
        )
        hint += "all agents of a world it is `world ends when ...`."
        return Cure(hint, 3, ("dies", "when"), edits=(s.instead(3, "dies when", sure=False),))
    if name.line != s.token.line:
        return None
    if word in _AFFORDANCES and name.kind in ("word", "quoted") and third.text in _BEHIND_NAMES:
        hint = f"What agents use is an affordance: `affordance {name.text}`."
        return Cure(hint, edits=(s.instead(1, "affordance"),), reads="affordance")
    if (kind := _SPACES.get(word)) is not None and (name.kind == "number" or name.text in ("(", "{")):
        return Cure(f"Write `space {kind}`.", 1, ("space", kind), edits=(s.instead(1, f"space {kind}"),))
    if word in ("agent", "player", "species", "team") and name.kind in ("word", "quoted") and third.text == "{":
        role = f"role {name.text}: others"
        hint = f"A kind of agents is a role: `{role} {{ ... }}`; where all are alike, their meters stand in no braces."
        return Cure(hint, 2, ("role", name.text, ":", "others"), edits=(s.instead(2, role, sure=False),))
    return None


def _bounded(s: Situation) -> Cure | None:
    """`meter money = 10 min 0 max 100`, `meter money = 10 max 100`."""
    lowest = s.token.text in _LOWEST
    first, count = s.number(1)
    if not first:
        return None
    second = ""
    if s.tokens[s.index + count].text in (_HIGHEST if lowest else _LOWEST):
        second, count = s.number(count + 1)
    low, high = (first, second or "1") if lowest else (second or "0", first)
    feed = tuple(part for bound in (f"in {low}", f".. {high}") for part in bound.replace("-", "- ").split())
    whole = all(part.isdigit() or not part[0].isdigit() for part in feed)
    feed = feed if whole else ("in", "0", "..", "1")
    edits = (s.instead(count, f"in {low} .. {high}", sure=second != "" or not lowest),)
    return Cure(f"Bounds are written `in {low} .. {high}`.", count, feed, edits=edits)


def _listed(s: Situation) -> Cure | None:
    """`state status = {healthy, sick}`."""
    last = s.closer.get(s.index)
    if last is None or s.index != s.start + 3:
        return None
    options = [token.text for token in s.tokens[s.index + 1 : last] if token.text not in (",", "|")]
    if len(options) < 2:
        return None
    written = f"{s.tokens[s.start + 1].text}: {' '.join(options)} = {options[0]}"
    hint = f"Options stand side by side: `state {written}`."
    skip = last - s.index + 1
    return Cure(hint, skip, ("0",), edits=(s.instead(skip + 2, written, first=-2),))


def _carried(s: Situation) -> Cure | None:
    """`takes 3 tomato`, `costs 2 money`, `gives 1 soup` in the braces of an affordance."""
    count, name = s.after().text, s.after(2)
    if s.after().kind != "number" or name.kind not in ("word", "quoted") or name.line != s.token.line:
        return None
    if s.token.text in _GIVES:
        return Cure(f"Write `instantly {{ {name.text} += {count} }}`.")
    return Cure(f"Write `needs {name.text} >= {count}`, and `{name.text} -= {count}` in `instantly {{ }}`.")
