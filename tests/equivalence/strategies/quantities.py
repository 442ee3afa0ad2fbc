"""Quantities of what is planned, and where they lie: by the checker's own intervals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hamlet.numbers.binary32 import round32
from hamlet.schema.room import MOST_COUNTED
from hamlet.universe import Grid
from hamlet.universe.space import cells, is_hexagonal
from hamletc import intervals
from hamletc.checking.standpoint import Scope
from hamletc.checking.surroundings import LONGEST_AGE, Extent
from hamletc.checking.terrain import MOST_WALKED
from hamletc.intervals import Interval
from strategies.choices import Choices
from strategies.pieces import (
    ATOM,
    AffordancePlan,
    EffectPlan,
    LinksPlan,
    MeterPlan,
    Piece,
    SpacePlan,
    TablePlan,
)
from strategies.sources import Source

TICKING: tuple[Scope, ...] = ("tick", "ending", "acting")
"""In a tick, where things happen."""
DRAWING: tuple[Scope, ...] = (*TICKING, "claim", "among", "early among")
"""Where there are draws, and actions are known."""


class Quantities(Choices):
    """Writes the numbers of expressions that are made of no others."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.meters: list[MeterPlan] = []
        self.of_world: list[MeterPlan] = []
        self.of_cells: list[MeterPlan] = []
        self.walled = False
        self.solid = False
        self.leveled = False
        self.meet = False
        self.links: LinksPlan | None = None
        self.params: list[tuple[str, Interval]] = []
        self.inputs: list[tuple[str, Interval]] = []
        self.controls: list[tuple[str, Interval]] = []
        self.once: list[tuple[str, Interval]] = []
        self.locals: list[tuple[str, Interval, Scope]] = []
        self.tables: list[TablePlan] = []
        self.tables_read: set[str] = set()
        self.affordances: list[AffordancePlan] = []
        self.effects: list[EffectPlan] = []
        self.hours: int | None = None
        self.lifespan: int | None = None
        self.by_hand = self.tracked = self.begins = self.inert = False
        self.space: SpacePlan
        self.extent: Extent
        self.scope: Scope = "tick"
        self.actions: list[str] = []
        self.closing: list[str] = []
        self.there: list[str] = []
        self.lists = False
        self.cascade: Interval | None = None
        self.threshold = 0.0
        self.tight = self.starting = False

    @contextmanager
    def within(self, source: Interval | None, threshold: float) -> Iterator[None]:
        """In a cascade with a source that lies there, if it is known."""
        self.cascade, self.threshold = source, threshold
        yield
        self.cascade = None

    @contextmanager
    def at(self, scope: Scope) -> Iterator[None]:
        """Where only some quantities have a meaning."""
        outer = self.scope
        self.scope = scope
        yield
        self.scope = outer

    @contextmanager
    def at_start(self) -> Iterator[None]:
        """In the start value of a meter, where little is known."""
        self.starting = True
        yield
        self.starting = False

    @property
    def oldest(self) -> float:
        """The largest age at the beginning of a tick."""
        return LONGEST_AGE if self.lifespan is None or self.by_hand else self.lifespan - 1.0

    def leaf(self, constants: bool = True) -> Piece:
        if self.starting:
            if constants and self.chance(3):
                return self.number_piece(self.constant(-1.0, 1.0))
            return self.known_at_start()
        if self.meet and self.chance(4):
            return self.together_with_others()
        if self.effects and self.chance(8):
            return self.about_effects()
        local = [Piece(self.word(name), ATOM, lies) for name, lies, scope in self.locals if scope == self.scope]
        if local and self.chance(3):
            return self.pick(local)
        kind = self.integer(0, 12)
        if self.cascade is not None and self.scope == "tick" and not self.tight and self.chance(2):
            return self.measured()
        if kind <= 1 and constants:
            return self.number_piece(self.constant(*self.pick(((-1.0, 1.0), (-100.0, 100.0), (-1e12, 1e12)))))
        if kind <= 4 and self.params:
            name, bounds = self.pick(self.params)
            return Piece(self.word(name), ATOM, bounds)
        if kind == 4 and self.once:
            name, bounds = self.pick(self.once)
            return Piece(self.word(name), ATOM, bounds)
        if kind == 5 and self.oldest > 0:
            # Without a lifespan ages reach 2 ** 31, which makes overflow likely where it is multiplied again and again.
            return Piece("age", ATOM, Interval(0.0, self.oldest))
        if kind == 6 and self.hours is not None:
            wave = Interval(-1.0, 1.0)
            hour = Piece("hour", ATOM, Interval(0.0, self.hours - 1.0))
            return self.pick((hour, hour, Piece("day_sin", ATOM, wave), Piece("day_cos", ATOM, wave)))
        if kind == 7 and self.affordances:
            return self.about_uses()
        if kind in (8, 9) and (piece := self.about_space()) is not None:
            return piece
        if kind == 12:
            return self.about_agents()
        if kind == 10 and self.inputs and self.scope != "mask":
            name, bounds = self.pick(self.inputs)
            return Piece(self.word(name), ATOM, bounds)
        if kind == 11 and self.controls and self.scope in DRAWING:
            name, bounds = self.pick(self.controls)
            return Piece(self.word(name), ATOM, bounds)
        return self.meter()

    def together_with_others(self) -> Piece:
        """What agents have together, or a meter of the world."""
        raise NotImplementedError

    def about_effects(self) -> Piece:
        """What is left of an effect."""
        plan = self.pick(self.effects)
        if plan.stacks and self.chance(2):
            return Piece(f"stacks of {self.word(plan.name)}", ATOM, Interval(0.0, float(plan.stacks)))
        return Piece(f"left of {self.word(plan.name)}", ATOM, Interval(0.0, float(plan.most)))

    def about_agents(self) -> Piece:
        """The number of the agent, which a world has none of, or how many there are."""
        number, count = Interval(0.0, MOST_COUNTED - 1.0), Interval(1.0, float(MOST_COUNTED))
        own = () if self.meters is self.of_world else (Piece("agent", ATOM, number),)
        return self.pick((*own, Piece("agents", ATOM, count)))

    def known_at_start(self) -> Piece:
        """What a start value may read."""
        if self.params and self.chance(2):
            name, bounds = self.pick(self.params)
            return Piece(self.word(name), ATOM, bounds)
        return self.about_agents()

    def about_uses(self) -> Piece:
        """What an agent did with affordances."""
        durations = [plan.duration for plan in self.affordances if plan.duration is not None]
        pieces: list[Piece] = []
        if durations:
            longest = LONGEST_AGE if 0 in durations else float(max(durations))
            pieces.append(Piece("progress", ATOM, Interval(0.0, longest)))
        if self.tracked:
            place = self.word(self.pick(self.affordances).name)
            pieces.append(Piece(f"streak of {place}", ATOM, Interval(0.0, self.oldest + 1.0)))
            pieces.append(Piece("visited", ATOM, Interval(0.0, float(len(self.affordances)))))
        return self.pick(pieces) if pieces else self.meter()

    def about_space(self) -> Piece | None:
        """Where an agent is and how it moves."""
        places = [self.word(plan.name) for plan in self.affordances]
        pieces = []
        if places and self.space.nodes:
            pieces.append(Piece(f"distance to {self.pick(places)}", ATOM, self.extent.walking_distance))
        elif places:
            pieces.append(Piece(f"distance to {self.pick(places)}", ATOM, self.extent.distance))
        if places and not self.space.nodes and not is_hexagonal(self.space.space):
            pieces.append(Piece(f"straight distance to {self.pick(places)}", ATOM, self.extent.straight_distance))
        walked = isinstance(self.space.space, Grid) and cells(self.space.space) <= MOST_WALKED
        changing = self.walled or self.solid or self.leveled
        if places and walked and not self.space.turns and not changing:
            pieces.append(Piece(f"walking distance to {self.pick(places)}", ATOM, self.extent.walking_distance))
        if self.space.axes:
            axis = self.pick(self.space.axes)
            pieces.append(Piece(f"position {axis}", ATOM, self.extent.position[axis]))
            pieces.append(Piece(f"velocity {axis}", ATOM, self.extent.velocity[axis]))
            pieces.append(Piece("speed", ATOM, self.extent.speed))
        if self.space.turns:
            pieces.append(Piece(f"ahead {self.pick(self.space.axes)}", ATOM, Interval(-1.0, 1.0)))
        pieces += [Piece(self.word(name), ATOM, lies) for name, lies in self.extent.terrains.items()]
        known = [piece for piece in pieces if piece.lies.low < piece.lies.high]
        return self.pick(known) if known else None

    def meter(self) -> Piece:
        if self.starting:
            return self.known_at_start()
        plan = self.pick(self.meters)
        if plan.adrift and not self.tight:
            return Piece(self.word(plan.name), ATOM, intervals.ANYTHING)
        room = 8 * plan.span if plan.loose and not self.tight else 0.0
        return Piece(self.word(plan.name), ATOM, Interval(round32(plan.low - room), round32(plan.high + room)))

    def measured(self) -> Piece:
        assert self.cascade is not None
        below = Interval(0.0, round32(self.threshold - self.cascade.low))
        if self.threshold > 0 and self.chance(2):
            try:
                return Piece("deficit", ATOM, intervals.divide(below, Interval(self.threshold, self.threshold)))
            except OverflowError:
                pass
        return Piece("shortfall", ATOM, below)
