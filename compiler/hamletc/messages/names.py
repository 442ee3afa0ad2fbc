"""Names: unknown ones, of another kind than needed, declared twice; what a universe must have for something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import behind, guessed
from hamletc.foreign import OWN_WORDS, SAME_ELSEWHERE, instead
from hamletc.language import syntax
from hamletc.messages.everywhere import quoted

MOST_SHOWN = 16
"""How many names a hint lists at most."""
MOST_AXES_SHOWN = 8
NOT_WRITTEN = "Statements that move an agent are `move (1, 0)` and `teleport (0, 0)`; others write meters."


def article(kind: str) -> str:
    """`a meter`, `an affordance`."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def meaning(name: syntax.Name, needed: str, axes: tuple[str, ...], candidates: tuple[str, ...]) -> str | None:
    """What to write instead of a name that nobody declares, where it is a word from elsewhere, or one of the language
    that is no name."""
    if name.quoted:
        return None
    if needed in ("a number", "a meter") and name.text in axes:
        return f"Write `position {name.text}`." if needed == "a number" else NOT_WRITTEN
    if needed == "a meter" and name.text == "velocity":
        return "Write `velocity x`, with the axis."
    if needed == "a meter" and name.text == "position":
        return NOT_WRITTEN
    if needed in ("a number", "a meter", "a function") and name.text in OWN_WORDS:
        return OWN_WORDS[name.text]
    return instead(name.text, candidates)


def written(name: syntax.Name, needed: str, axes: tuple[str, ...]) -> str | None:
    """What stands in the place of such a name, where that is certain."""
    if needed == "a number" and name.text in axes:
        return f"position {name.text}"
    return SAME_ELSEWHERE.get(needed, {}).get(name.text)


@finding("H020")
class Unknown(Finding):
    """A name that stands for nothing.

    Attributes:
        needed: what stands there: "a meter".
        candidates: the names that could stand there.
        meaning: what to do, where it is a word from elsewhere.
        guess: the candidate that may be meant.
        put: what to write in its place, where the meaning says precisely that.
    """

    name: str
    needed: str
    candidates: tuple[str, ...]
    meaning: str | None
    guess: str | None
    put: str | None = None

    def told(self) -> Told:
        edits = guessed(self.span, self.name, self.guess) if self.put is None else (Edit(self.span, self.put),)
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
    """

    name: str
    kind: str
    called: str
    declared: Span
    needed: str
    affordance: bool

    def told(self) -> Told:
        message = f"`{self.name}` is {article(self.called)}, not {self.needed}"
        secondary = (Label(self.declared, f"declared as {article(self.called)}"),)
        edits: tuple[Edit, ...] = ()
        if self.affordance and self.needed == "a number":
            edits = (Edit(self.span, f"here == {self.name}", sure=False),)
        return Told(message, self._hint(), f"{self.needed} is needed here", secondary, edits)

    def _hint(self) -> str:
        name, for_meter = self.name, self.needed == "a meter"
        if self.affordance and self.needed == "a number":
            return f"Write `here == {name}` or `distance to {name}`."
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
            case "region" | "node":
                return f"`on {name}` says whether the agent is there."
            case "let" | "param" | "input" | "control" | "terrain" if self.needed == "a function":
                return f"Write `{name}` without parentheses."
            case "meter" | "world meter" | "cell meter" | "pair meter" if self.needed == "a function":
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
    """`shared` are the kinds of declarations that have their names together."""

    name: str
    kind: str
    first: Span
    first_kind: str
    shared: tuple[str, ...]

    def told(self) -> Told:
        alike = ("world meter", "cell meter", "pair meter", "item")  # they are called meters, too
        *most, last = [f"{kind}s" for kind in self.shared if kind not in alike]
        kinds = (f"{', '.join(most)} and {last}" if most else last).capitalize()
        hint = f"{kinds} {'share' if len(self.shared) > 1 else 'have'} their names: rename one of them."
        secondary = (Label(self.first, f"first declared here, {article(self.first_kind)}"),)
        message = f"the name `{self.name}` is declared twice"
        return Told(message, hint, f"second declaration, {article(self.kind)}", secondary)


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


# --- what a universe must have ---------------------------------------------------------------------------------------


@finding("H055")
class SpaceNeeded(Finding):
    """`thing` needs a space."""

    thing: str
    universe: Span

    def told(self) -> Told:
        hint = "Declare a space, as in `space grid 8 x 8`."
        return Told(f"{self.thing} needs a space", hint, "this universe has none")


@finding("H036")
class ClockNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        edits = (behind(self.universe, "\nclock 24 hours", sure=False),)
        return Told(f"{self.thing} needs a clock", "Add `clock 24 hours`.", "this universe has none", edits=edits)


@finding("H037")
class LifespanNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        edits = (behind(self.universe, "\nlifespan 500 ticks", sure=False),)
        message = f"{self.thing} needs a lifespan"
        return Told(message, "Add `lifespan 500 ticks`.", "this universe has none", edits=edits)


@finding("H056")
class TrackingNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        message = f"{self.thing} needs uses that are tracked"
        edits = (behind(self.universe, "\ntrack uses"),)
        return Told(message, "Add `track uses`.", "this universe does not track them", edits=edits)


@finding("H057")
class LastingNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        hint = "Let an affordance last, as in `affordance Bed at random lasts 4 ticks { ... }`."
        return Told(f"{self.thing} needs an affordance that lasts", hint, "this universe has none")


NEEDED: dict[str, Callable[[Span, str, Span], Finding]] = {
    "space": SpaceNeeded,
    "clock": ClockNeeded,
    "lifespan": LifespanNeeded,
    "tracking": TrackingNeeded,
    "lasting affordance": LastingNeeded,
}
"""What a universe may lack."""


@finding("H046")
class HourOutsideClock(Finding):
    """`closing`: whether it is an hour that ends opening hours."""

    most: int
    closing: bool
    clock: Span | None

    def told(self) -> Told:
        past = "; hours that end before they begin go on past midnight" if self.closing else ""
        clock = () if self.clock is None else (Label(self.clock, "the clock"),)
        hint = f"Write 0 .. {self.most}{past}."
        return Told("this hour is outside the clock", hint, f"not in 0 .. {self.most}", clock)


Part: TypeAlias = Literal["space", "meter", "reward"]
PARTS: dict[Part, str] = {
    "space": "Add `space grid 8 x 8`, or `space none`.",
    "meter": "Add `meter energy = 1.0 { decay 0.005 }`.",
    "reward": "Add what is paid, as in `reward energy`, or `reward nothing`.",
}
"""What every universe has, and how that is added."""
FIRST: dict[Part, str] = {
    "space": "space none",
    "meter": "meter energy = 1.0 { decay 0.005 }",
    "reward": "reward nothing",
}
"""The shortest way to add it."""


@finding("H025")
class PartMissing(Finding):
    universe: str
    part: Part

    def told(self) -> Told:
        edits = (behind(self.span, f"\n{FIRST[self.part]}", sure=False),)
        return Told(f"the universe `{self.universe}` has no {self.part}", PARTS[self.part], edits=edits)


@finding("H141")
class MapMissing(Finding):
    def told(self) -> Told:
        hint = 'Draw it, as in `map { "####" "#..#" "####"  wall "#" }`, or write a size, as in `space grid 8 x 8`.'
        return Told("the universe has no map", hint)


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


@finding("H015")
class TooManyLevels(Finding):
    most: int

    def told(self) -> Told:
        return Told(f"an expression of more than {self.most} levels", "A rule can compute a meter in steps.")


# --- what a statement may write --------------------------------------------------------------------------------------


@finding("H090")
class WrittenByAgent(Finding):
    """A meter of the world that an agent writes; `affordance` is the one that has it, and `own` its name there."""

    meter: str
    declared: Span
    own: str
    affordance: str | None

    def told(self) -> Told:
        rule = f"`rule NAME: {self.meter} -= count(used == Shop)`"
        hint = f"A rule of the world can, by what its agents did: {rule} in `world {{ }}`."
        if self.affordance is not None:
            rule = f"`rule NAME: {self.own} -= count(used == {self.affordance})`"
            hint = f"A rule in the braces of the affordance can, by what agents did: {rule}."
        secondary = (Label(self.declared, "a meter of the world"),)
        label = "agents of a world would write it at once"
        return Told(f"an agent cannot change `{self.meter}`, which is the world's", hint, label, secondary)


@finding("H091")
class WrittenByWorld(Finding):
    meter: str
    declared: Span

    def told(self) -> Told:
        hint = f"Write a meter of the world here; a rule of the agents can read that and change `{self.meter}`."
        message = f"a rule of the world cannot change `{self.meter}`, which each agent has"
        return Told(message, hint, "", (Label(self.declared, "a meter of agents"),))


@finding("H186")
class WrittenByCells(Finding):
    meter: str
    whose: Literal["agents", "the world"]
    declared: Span

    def told(self) -> Told:
        hint = f"A rule of {self.whose} can, and reads what cells have: an agent by the name, of its own cell."
        message = f"a rule of cells cannot change `{self.meter}`, which is no meter of cells"
        return Told(message, hint, "", (Label(self.declared, f"a meter of {self.whose}"),))


@finding("H185")
class WrittenOfCells(Finding):
    """A meter of cells that the world writes."""

    meter: str
    declared: Span

    def told(self) -> Told:
        hint = f"Let cells ask for what the world has: `rule NAME: raining -> {self.meter} += 0.1` in `cells {{ }}`."
        secondary = (Label(self.declared, "a meter of cells"),)
        return Told(f"the world cannot change `{self.meter}`, which each cell has for itself", hint, "", secondary)


@finding("H272")
class WrittenOnce(Finding):
    let: str
    declared: Span

    def told(self) -> Told:
        hint = f"Declare a state, which statements can write: `state {self.let}: ... = ...`."
        secondary = (Label(self.declared, "drawn once, when an episode begins"),)
        return Told(f"`{self.let}` is a let, and nothing writes it", hint, "", secondary)
