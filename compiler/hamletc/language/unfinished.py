"""Cures of what is left out: bounds and values, units, `at`, and what stands in another order."""

from __future__ import annotations

from hamletc.diagnostics.edit import before, behind
from hamletc.language.situation import ASSIGNMENTS, COMPARISONS, Cure, Situation, source
from hamletc.suggest import closest

UNITS = ("hour", "hours", "tick", "ticks", "day", "days", "step", "steps", "minutes", "h")
_BOUNDS = ("in", "0", "..", "1")


def unfinished(s: Situation) -> Cure | None:
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
        return _without_bounds(s, word)
    if word == "control" and "in" in s.texts and s.index == s.start + 2:
        return _control(s)
    if word in ("meter", "param", "input") and "=" in s.texts and s.index == s.start + 2:
        return _without_value(s, word)
    if s.texts & {"hours", "ticks"} and "*" not in s.texts and "hour" not in s.before.text:
        return _without_unit(s)
    if "at" in s.texts and s.declaration == "affordance" and s.token.text in ("random", "(", "in", "on"):
        skip = int(s.token.text in ("in", "on"))
        edit = s.instead(1, "at") if skip else s.insert("at")
        return Cure("Write `at` before the place: `at random`, `at (1, 2)`.", skip, ("at",), edits=(edit,))
    if s.declaration == "affordance" and (s.token.text == "lasts" or s.before.text == "open"):
        return _in_braces(s)
    if "when" in s.texts and s.declaration == "dies" and s.index == s.start + 1:
        if closest(s.token.text, ("when",)) and s.after().text not in (*COMPARISONS, *ASSIGNMENTS):
            return Cure("Did you mean `when`?", 1, ("when",), edits=(s.instead(1, "when"),))
        return Cure("Write `dies when CONDITION`.", 0, ("when",), edits=(s.insert("when"),))
    return None


def _in_braces(s: Situation) -> Cure | None:
    """`affordance Bed at random { lasts 4 ticks ... }`, `{ open 8 .. 18 ... }`."""
    lasts = s.token.text == "lasts"
    first, (_, count) = s.index - (not lasts), s.number(int(lasts))
    if lasts:
        count += s.after(count).text in UNITS or s.after(count).text == "forever"
        count += s.after(count).text == "together"
    elif s.after(count).text == "..":
        _, count = s.number(count + 1)
    moved = s.tokens[first : s.index + count]
    head = [token.text for token in s.tokens[s.start : s.opener]]
    if s.opener is None or "{" in head or len(moved) < (2 if lasts else 4) or moved[0].line != moved[-1].line:
        return None
    item, cut = source(moved), s.cut(first, s.index + count - 1)
    feed = () if lasts else ("when", "1")
    if moved[0].text in head:
        said = s.start + head.index(moved[0].text)
        if [token.text for token in s.tokens[said : said + len(moved)]] == [token.text for token in moved]:
            return Cure(f"Leave it out: `{item}` stands before the brace.", count, feed, edits=(cut,))
        other = source(s.tokens[said : s.opener])
        return Cure(f"`{other}` stands before the brace: keep one of them.", count, feed)
    target = s.start + head.index("lasts") if "lasts" in head and not lasts else s.opener
    edits = (before(s.tokens[target].span, f"{item} "), cut)
    return Cure(f"Write `{item}` before the brace.", count, feed, edits=edits)


def _without_bounds(s: Situation, word: str) -> Cure:
    what = source(s.tokens[s.start + 1 : s.start + 2])
    hint = f"Write them behind its default, as in `{source(s.tokens[s.start : s.index])} in 0 .. 1`."
    if s.index - s.start > 12:
        hint = "Write them behind its default, as in `in 0 .. 1`."
    message = f"the {word} `{what.strip('`')}` has no bounds"
    edits = (s.insert("in 0 .. 1", sure=False),)
    return Cure(hint, 0, _BOUNDS, "H009", message, label="expected here", edits=edits)


def _control(s: Situation) -> Cure:
    name = s.before.text
    hint = f"Write `control {name} in -1 .. 1`."
    if s.token.text == "=":
        skip = 2 + (s.after().text == "-")
        message = f"the control `{name.strip('`')}` has no default: it is given in every tick"
        if s.tokens[s.index + skip].text == "in":
            return Cure(hint, skip, (), "H009", message, edits=(s.instead(skip + 1, "in"),))
        edits = (s.instead(skip, "in -1 .. 1", sure=False),)
        return Cure(hint, skip, _BOUNDS, "H009", message, edits=edits)
    if s.ends_early:
        message = f"the control `{name.strip('`')}` has no bounds"
        edits = (s.insert("in -1 .. 1", sure=False),)
        return Cure(hint, 0, _BOUNDS, "H009", message, label="expected here", edits=edits)
    return Cure(hint)


def _without_value(s: Situation, word: str) -> Cure:
    name = s.before.text
    if (bounded := _bounds_first(s, f"{word} {name}")) is not None:
        return bounded
    if s.token.kind == "number" or s.token.text == "-":
        hint = f"Write `{word} {name} = {source((s.token, *s.rest(1)))}`."
        return Cure(hint, 0, ("=",), edits=(s.insert("="),))
    what, bounds = ("start value", "") if word == "meter" else ("default", " in 0 .. 1")
    hint = f"Write `{word} {name} = 0.5{bounds}`."
    if s.ends_early or s.token.text in ("{", "in"):
        message = f"the {word} `{name.strip('`')}` has no {what}"
        label = "expected here" if s.ends_early else "unexpected"
        edits = (s.insert(f"= 0.5{bounds}" if s.token.text != "in" else "= 0.5", sure=False),)
        return Cure(hint, 0, ("=", "0"), "H009", message, label=label, edits=edits)
    return Cure(hint)


def _bounds_first(s: Situation, item: str) -> Cure | None:
    """The cure of bounds where a value belongs, as in `meter energy 0 .. 1 = 0.5`."""
    low, count = s.number(0)
    if not low or s.tokens[s.index + count].text != "..":
        return None
    high, count = s.number(count + 1)
    value = ""
    if s.tokens[s.index + count].text == "=":
        value, count = s.number(count + 1)
    written = f"= {value or low} in {low} .. {high or 'HIGH'}"
    hint = f"Write `{item} {written}`: bounds stand behind the value."
    edits = (s.instead(count, written, sure=value != ""),) if high else ()
    if not high and float(low) < 1:
        edits = (s.instead(count, f"= {value or low} in {low} .. 1", sure=False),)
    return Cure(hint, count, ("=", "0", "in", "0", "..", "1"), edits=edits)


def _without_unit(s: Situation) -> Cure:
    unit = "ticks" if "ticks" in s.texts else "hours"
    word = s.tokens[s.index - 2 if s.tokens[s.index - 2].kind == "word" else s.index - 3].text
    hint = f"Write `{word} {s.before.text} {unit}`."
    if s.token.text in UNITS:
        return Cure(f"{hint} A tick is one hour of the clock.", 1, (unit,), edits=(s.instead(1, unit),))
    return Cure(hint, 0, (unit,), edits=(s.insert(unit),))


def without_braces(s: Situation) -> Cure | None:
    """`affordance Nest at (8, 8)`, which does nothing for who uses it, or whose braces are not written yet."""
    if s.declaration not in ("affordance", "action") or not s.ends_early or "{" not in s.texts:
        return None
    hint = "Write `{ }` behind it where rules alone ask for it, else in braces what it does."
    edits = (behind(s.before.span, " { }", sure=False),)
    return Cure(hint, 0, ("{", "}"), "H009", f"the {s.declaration} has no braces", label="expected here", edits=edits)


def copies(s: Situation) -> Cure | None:
    """`affordance Bush at random: 5 copies`, `affordance Bush (5 copies) at random`."""
    number = s.index + (s.token.text in (":", "("))
    if s.declaration != "affordance" or s.opener is not None or s.tokens[number].kind != "number":
        return None
    if s.tokens[number + 1].text not in ("copies", "copy"):
        return None
    count = s.tokens[number].text
    hint = f"Write `affordance {s.tokens[s.start + 1].text}: {count} copies at random`."
    skip = number + 2 + (s.token.text == "(") - s.index
    between = s.tokens[s.start + 2 : s.index]
    moved = f"{source((s.tokens[s.start + 1],))}: {count} copies"
    if between:
        moved = f"{moved} {source(between)}"
    edits = (s.instead(skip + len(between) + 1, moved, first=-len(between) - 1),)
    return Cure(hint, skip, (), "H009", "the number of copies stands behind the name", edits=edits)


def _options(s: Situation) -> Cure:
    """`state sky: { clear, dull } = dull`."""
    last = s.closer.get(s.index, s.index)
    options = [token.text for token in s.tokens[s.index + 1 : last] if token.text != ","] or ["clear", "dull"]
    begins = s.tokens[last + 1].text == "="
    first = s.tokens[last + 2].text if begins else options[0]
    written = " ".join(options)
    hint = f"Options stand side by side: `state {s.tokens[s.start + 1].text}: {written} = {first}`."
    edits = (s.instead(last + 1 - s.index, written if begins else f"{written} = {first}", sure=begins),)
    return Cure(hint, edits=edits if last > s.index + 1 else ())
