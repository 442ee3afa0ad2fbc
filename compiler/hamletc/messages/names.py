"""Names: unknown ones, of another kind than needed, declared twice, that Python does not take."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import guessed
from hamletc.foreign import GROWTH, JOINED, LIKELY_ELSEWHERE, OWN_WORDS, SAME_ELSEWHERE, instead
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.messages.everywhere import quoted

MOST_SHOWN = 16
"""How many names a hint lists at most."""
MOST_AXES_SHOWN = 8
_WITHOUT_PARENTHESES = (
    *("let", "param", "input", "control", "terrain"),
    *("meter", "world meter", "cell meter", "pair meter"),
)
"""Kinds of names that have a value by themselves."""
NOT_WRITTEN = "Statements that move an agent are `move (1, 0)` and `teleport (0, 0)`; others write meters."


def article(kind: str) -> str:
    """`a meter`, `an affordance`."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


APART = "apart"
"""The word for how far the agent that asks is from another one."""


def meaning(name: syntax.Name, needed: str, axes: tuple[str, ...], candidates: tuple[str, ...]) -> str | None:
    """What to write instead of a name that nobody declares, where it is a word from elsewhere, or one of the language
    that is no name."""
    if name.quoted:
        return None
    if name.text == "distance" and APART in candidates:
        return (
            f"Write `{APART}`: how far the two agents are from each other. `distance to Bed` is that of an affordance."
        )
    if needed in ("a number", "a meter") and name.text in axes:
        return f"Write `position {name.text}`." if needed == "a number" else NOT_WRITTEN
    if needed == "a meter" and name.text == "velocity":
        return "Write `velocity x`, with the axis."
    if needed == "a meter" and name.text == "position":
        return NOT_WRITTEN
    if needed in ("a number", "a meter", "a function") and name.text in OWN_WORDS:
        return OWN_WORDS[name.text]
    return instead(name.text, candidates)


def written(name: syntax.Name, needed: str, axes: tuple[str, ...], candidates: tuple[str, ...]) -> str | None:
    """What stands in the place of such a name, where that is certain."""
    if name.text == "distance" and APART in candidates:
        return APART
    if needed == "a number" and name.text in axes:
        return f"position {name.text}"
    return SAME_ELSEWHERE.get(needed, {}).get(name.text)


def for_call(call: syntax.CallExpr, *, of_meter: bool) -> Edit | None:
    """What takes the place of a call of a function that there is not, where its arguments say what is meant;
    `of_meter`: its first one is a meter."""
    word, arguments = call.function.text, call.arguments
    first = spell_expression(arguments[0]) if arguments else ""
    if word == "distance" and len(arguments) == 1 and isinstance(arguments[0], syntax.Name):
        return Edit(call.span, f"distance to {first}")
    if word in GROWTH and len(arguments) == 1 and of_meter:
        return Edit(call.span, f"({first} {GROWTH[word]} previous({first}))")
    if word in JOINED and len(arguments) == 1:
        return Edit(call.function.span, JOINED[word])
    if word == "sum" and len(arguments) > 1:
        return Edit(call.span, f"({' + '.join(map(spell_expression, arguments))})")
    return None


def likely(name: syntax.Name, needed: str, axes: tuple[str, ...], affordances: tuple[str, ...]) -> str | None:
    """What may stand in the place of such a name, where its meaning leaves a choice."""
    if needed == "a number" and name.text in ("position", "velocity") and axes:
        return f"{name.text} {axes[0]}"
    if needed == "a number" and name.text == "distance" and affordances:
        return f"distance to {affordances[0]}"
    return LIKELY_ELSEWHERE.get(needed, {}).get(name.text)


def of_state(option: str, states: tuple[str, ...]) -> str:
    """What to do with an option of these states that stands where no state is compared with it."""
    which = " or ".join(f"`{state} == {option}`" for state in states[:MOST_SHOWN])
    return f"`{option}` is an option of {quoted(states[:MOST_SHOWN])}: write {which}."


@finding("H020")
class Unknown(Finding):
    """A name that stands for nothing.

    Attributes:
        needed: what stands there: "a meter".
        candidates: the names that could stand there.
        meaning: what to do, where it is a word from elsewhere.
        guess: the candidate that may be meant.
        put: what to write in its place, where the meaning says precisely that.
        likely: what may be written there, where the meaning leaves a choice.
        call: what takes the place of the whole call, where it is a function.
    """

    name: str
    needed: str
    candidates: tuple[str, ...]
    meaning: str | None
    guess: str | None
    put: str | None = None
    likely: str | None = None
    call: Edit | None = None

    def told(self) -> Told:
        edits = guessed(self.span, self.name, self.guess) if self.put is None else (Edit(self.span, self.put),)
        if self.call is not None:
            edits = (self.call,)
        if not edits and self.likely is not None:
            edits = (Edit(self.span, self.likely, sure=False),)
        return Told(f"there is no `{self.name}`", self._hint(), "unknown name", edits=edits)

    def _hint(self) -> str:
        if self.meaning is not None:
            return self.meaning
        if self.guess is not None:
            return f"Did you mean `{self.guess}`?"
        if not self.candidates:
            return f"Declare {self.needed} of this name first."
        shown = self.candidates if len(self.candidates) <= MOST_SHOWN else self.candidates[: MOST_SHOWN - 1]
        return f"Known here: {quoted(shown)}{', ...' if len(self.candidates) > len(shown) else '.'}"


@finding("H021")
class WordInstead(Finding):
    """A word of the language where a name is needed; `meaning` is what it stands for: "the hour of the day"."""

    name: str
    meaning: str
    needed: str

    def told(self) -> Told:
        hint = "The word stands for nothing that the file declares; in backticks it would."
        return Told(f"`{self.name}` is {self.meaning}, not {self.needed}", hint, f"{self.needed} is needed here")


@finding("H021")
class OtherKind(Finding):
    """A name that is declared as something else than needed.

    Attributes:
        kind: what it is declared as; `called` is what its kind is called.
        declared: where.
        needed: what stands there.
        affordance: whether an affordance has the name.
        call: where it is called, as a function is.
    """

    name: str
    kind: str
    called: str
    declared: Span
    needed: str
    affordance: bool
    call: Span | None = None

    def told(self) -> Told:
        message = f"`{self.name}` is {article(self.called)}, not {self.needed}"
        secondary = (Label(self.declared, f"declared as {article(self.called)}"),)
        edits: tuple[Edit, ...] = ()
        if self.affordance and self.needed == "a number":
            edits = (Edit(self.span, f"here == {self.name}", sure=False),)
        if self.affordance and self.needed == "a condition":
            edits = (Edit(self.span, f"here == {self.name}"),)
        if self.call is not None and self.kind in _WITHOUT_PARENTHESES:
            edits = (Edit(self.call, self.name, sure=False),)
        return Told(message, self._hint(), f"{self.needed} is needed here", secondary, edits)

    def _hint(self) -> str:
        name, for_meter = self.name, self.needed == "a meter"
        if self.affordance and self.needed == "a number":
            return f"Write `here == {name}` or `distance to {name}`."
        if self.affordance and self.needed == "a condition":
            return f"Write `here == {name}`."
        match self.kind:
            case "param" if for_meter:
                return f"No tick writes a param: declare `meter {name}`, or let the program change it between ticks."
            case "input" if for_meter:
                return f"No tick writes an input, the program gives it: declare `meter {name}` for what a tick changes."
            case "control" if for_meter:
                return f"No tick writes a control, the policy gives it: declare `meter {name}` for what a tick changes."
            case "let" | "function" if for_meter:
                return f"A `let` stands for an expression: declare `meter {name}` for what a tick changes."
            case "terrain" if for_meter:
                return f"A terrain never changes: declare `meter {name}` for what a tick changes."
            case "effect" if for_meter:
                return f"Write `begin {name}` or `end {name}`."
            case "effect":
                return f"`{name}` is a condition, and `left of {name}` how many ticks are left of it."
            case "role" if self.needed == "an affordance":
                return f"`nearest({name})` is how far away the nearest {name} is."
            case "region" | "node":
                return f"`on {name}` says whether the agent is there."
            case _ if self.kind in _WITHOUT_PARENTHESES and self.needed == "a function":
                return f"Write `{name}` without parentheses."
            case "affordance":
                return f"`here == {name}` and `distance to {name}` say where the agent is."
            case "action":
                return f"`action == {name}` says whether the agent chose it."
            case "reward" | "report":
                return (
                    "What is rewarded or reported cannot be read; write its value out, or let a rule compute a meter."
                )
            case "rule" | "cascade":
                return "A rule has no value; it writes meters, which have."
            case _:
                return f"Write the name of {self.needed}, or declare one."


@finding("H023")
class NameOfWord(Finding):
    """A declaration of a word of the language; `meaning` is what it stands for."""

    name: str
    kind: str
    meaning: str

    def told(self) -> Told:
        hint = f"Choose another name, or write it in backticks, also where it is used: `` `{self.name}` ``."
        message = f"{article(self.kind)} cannot be called `{self.name}`"
        edits = (Edit(self.span, f"`{self.name}`", sure=False),)
        return Told(message, hint, f"`{self.name}` is {self.meaning}", edits=edits)


@finding("H022")
class DeclaredTwice(Finding):
    """`shared` are the kinds of declarations that have their names together; `same` is the second declaration, where
    it says what the first one says."""

    name: str
    kind: str
    first: Span
    first_kind: str
    shared: tuple[str, ...]
    same: Span | None = None

    def told(self) -> Told:
        alike = ("world meter", "cell meter", "pair meter", "item")  # they are called meters, too
        *most, last = [f"{kind}s" for kind in self.shared if kind not in alike]
        kinds = (f"{', '.join(most)} and {last}" if most else last).capitalize()
        hint = f"{kinds} {'share' if len(self.shared) > 1 else 'have'} their names: rename one of them."
        secondary = (Label(self.first, f"first declared here, {article(self.first_kind)}"),)
        message = f"the name `{self.name}` is declared twice"
        edits: tuple[Edit, ...] = ()
        if self.same is not None:
            hint, edits = "Both say the same: delete one of them.", (Edit(self.same, ""),)
        return Told(message, hint, f"second declaration, {article(self.kind)}", secondary, edits)


@finding("H022")
class MoveTwice(Finding):
    name: str
    first: Span

    def told(self) -> Told:
        secondary = (Label(self.first, "first declared here, a move"),)
        message = f"the name `{self.name}` is declared twice"
        return Told(message, "Rename one of them.", "second declaration, a move", secondary)


@finding("H076")
class TwoMeanings(Finding):
    """A name that declarations of two kinds have."""

    name: str
    kind: str
    other: Span
    other_kind: str

    def told(self) -> Told:
        other, kind = article(self.other_kind), article(self.kind)
        hint = "Rename one of them, so that readers know which is meant."
        if (self.kind, self.other_kind) == ("reward", "role"):
            hint = f"The name of a reward does not say who is paid: `1 when {self.name}`, or a reward in the braces of "
            hint += f"the role, `role {self.name}: ... {{ reward 1 }}`, pays only them."
        secondary = (Label(self.other, f"{other} of the same name"),)
        return Told(f"`{self.name}` is {other} and {kind}", hint, kind, secondary)


@finding("H065")
class NoAxis(Finding):
    name: str
    axes: tuple[str, ...]
    space: Span | None

    def told(self) -> Told:
        hint = f"Its axes are {quoted(self.axes[:MOST_AXES_SHOWN])}"
        hint += "." if len(self.axes) <= MOST_AXES_SHOWN else f", ... `{self.axes[-1]}`."
        space = () if self.space is None else (Label(self.space, "the space"),)
        return Told(f"the space has no axis `{self.name}`", hint, "", space)


@finding("H053")
class NameNotImported(Finding):
    """The name of a universe that Python does not take; `keyword`: it is a word of Python."""

    name: str
    keyword: bool

    def told(self) -> Told:
        could = f"`{self.name}_` could." if self.keyword else "use letters, digits and underscores."
        label = "a word of Python" if self.keyword else "no name in Python"
        hint = f"Its package could not be imported; {could}"
        return Told(f"a universe cannot be called `{self.name}`", hint, label)
