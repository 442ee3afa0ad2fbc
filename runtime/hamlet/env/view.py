"""Views of one world: what can be seen of it between two ticks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hamlet.env.board import Board
from hamlet.env.drawn import Colour, Drawn, Line, Mark
from hamlet.env.layers import Layer
from hamlet.universe import Affordance, AnyMeter, Universe

SPARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Bar:
    """A meter or a state: its name, value and bounds, and the names of its options."""

    name: str
    value: float
    low: float
    high: float
    options: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """How full it is, 0 .. 1."""
        return min(max((self.value - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 1.0

    @property
    def said(self) -> str:
        """The value, in few letters."""
        return self.options[int(self.value)] if self.options else f"{self.value:.3g}"


@dataclass(frozen=True, slots=True)
class Stand:
    """An affordance.

    Attributes:
        mark: a letter of its own among the first 26, of its name where that is possible; copies share theirs.
        at: where it is; `None` without a space, and where it has not appeared.
        open: whether it can be used: it is there, it is open at this hour, and its condition holds.
        there: whether it is there; of one that appears and disappears.
        hours: from when to when it is open, as the author wrote it; empty where it always is.
        users: the numbers of the agents that used it in the last tick.
        colour: `None`: the painter chooses, by the number of its kind.
        kind: its number among the affordances, of which copies are one.
    """

    name: str
    mark: str
    at: tuple[float, float] | None
    open: bool
    hours: str
    users: tuple[int, ...]
    there: bool = True
    colour: Colour | None = None
    kind: int = 0

    @property
    def state(self) -> str:
        """The word of its state: "open", "closed" or "away"."""
        return "open" if self.open else "closed" if self.there else "away"


@dataclass(frozen=True, slots=True)
class Player:
    """An agent.

    Attributes:
        name: `agent 0`, in a universe with roles `wolf 0`, counted within the role.
        mark: one letter.
        at: where it is; `None` without a space, where the drawing shows agents `aside`, and of one that is not born.
        doing: the affordance that it used in the last tick, or is engaged in; empty where there is none.
        age: the ticks that it has lived.
        reward, gained: of the last tick, and of its episode so far.
        colour: `None`: the painter chooses.
        action: the one that it chose in the last tick; empty where that is not known, and before its first tick.
        facing: which way it faces on a picture, x then y, of length 1; `None` where agents have no heading.
    """

    name: str
    mark: str
    at: tuple[float, float] | None
    alive: bool
    doing: str
    age: int
    reward: float
    gained: float
    meters: tuple[Bar, ...]
    colour: Colour | None = None
    action: str = ""
    facing: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A world as it is between two ticks.

    Attributes:
        name: the universe's.
        world: its number among all shards.
        hour, hours: of its day; `None` without a clock.
        board: the space; `None` without one.
        meters: of the world itself.
        layers: what its cells have.
        marks, lines: what `draw` puts on the board.
    """

    name: str
    world: int
    tick: int
    episode: int
    hour: int | None
    hours: int | None
    board: Board | None
    stands: tuple[Stand, ...]
    players: tuple[Player, ...]
    meters: tuple[Bar, ...]
    layers: tuple[Layer, ...] = ()
    marks: tuple[Mark, ...] = ()
    lines: tuple[Line, ...] = ()

    @property
    def title(self) -> str:
        """Which world it is, and when."""
        clock = "" if self.hour is None else f"  hour {self.hour}/{self.hours}"
        return f"{self.name}  world {self.world}  tick {self.tick}  episode {self.episode}{clock}"

    def some(self, most: int) -> list[Player]:
        """So many players, at most, in their order: the first of each role before any second one."""
        roles = {player.name.rpartition(" ")[0]: number for number, player in reversed([*enumerate(self.players)])}
        first = sorted(roles.values())
        others = (number for number in range(len(self.players)) if number not in first)
        return [self.players[number] for number in sorted([*first, *others][:most])]


def marks(names: Sequence[str], chosen: Sequence[str] = ()) -> list[str]:
    """A letter for each name: the one that is `chosen` for it, else a capital that no other has; a star where all are
    taken."""
    said = chosen or [""] * len(names)
    taken = set(said)
    result: list[str] = []
    for name, letter in zip(names, said, strict=True):
        capitals = [each.upper() for each in name if each.upper() in SPARE]
        # Capitals inside of a name begin words, as the M of HomeMeal.
        ordered = [*(each for each in name if each in SPARE), *capitals, *SPARE]
        mark = letter or next((each for each in ordered if each not in taken), "*")
        taken.add(mark)
        result.append(mark)
    return result


def marks_of(universe: Universe, drawn: Drawn) -> list[str]:
    """The letters of the affordances, in file order: copies share one, where `draw` says none of their own."""
    said: dict[str, str] = {}
    for each in universe.affordances:
        said.setdefault(each.copy_of or each.name, drawn.letter("affordance", each.name))
    shared = dict(zip(said, marks(tuple(said), tuple(said.values())), strict=True))
    return [drawn.letter("affordance", each.name) or shared[each.copy_of or each.name] for each in universe.affordances]


def kinds_of(universe: Universe) -> dict[str, int]:
    """The names of the affordances, of which copies are one, with their numbers."""
    names = dict.fromkeys(each.copy_of or each.name for each in universe.affordances)
    return {name: number for number, name in enumerate(names)}


def mark_of_agent(letter: str, number: int, agents: int) -> str:
    """The letter of an agent, of so many in its world: the one that `draw` says, where it says one."""
    return letter or ("@" if agents == 1 else str(number)[-1])


def said_hours(affordance: Affordance) -> str:
    """From when to when an affordance is open; empty where it always is."""
    hours = affordance.hours
    return "" if hours is None else f"{hours.opens}..{hours.closes}"


def is_shown(meter: AnyMeter) -> bool:
    """Whether it is an author's, and not what the compiler made for itself."""
    return meter.type is None or meter.type.past is None
