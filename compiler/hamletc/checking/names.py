"""The names of a universe, what it has, and which random words its draws take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Expression, Let, NoSpace, Span, nodes
from hamletc import messages
from hamletc.checking.crowds import Crowds
from hamletc.checking.effects import Effects
from hamletc.checking.history import History
from hamletc.checking.overall import Overall
from hamletc.checking.report import Findings, any_whole_number, whole_number
from hamletc.checking.sites import sites
from hamletc.checking.symbols import Symbols
from hamletc.checking.tables import Tabled
from hamletc.intervals import Interval
from hamletc.language import syntax
from hamletc.language.declared import Kind, declared

Need: TypeAlias = Literal["space", "clock", "lifespan", "tracking", "lasting affordance"]


@dataclass(frozen=True, slots=True)
class Numbered:
    """The agents of a role: so many from `first` on, or all from there on."""

    first: int
    agents: int | None


class Names(Symbols):
    """The symbol table of a file. Making it reports duplicates and reserved names.

    `suspects` are meters that a statement with an error in it may write: nothing is concluded from their values.
    `space` is what the names of axes refer to, `moves` are the actions that it has, `turning` says that its agents
    turn; they are set when the space is resolved. `lists_actions` says that the author says which actions there are.
    `roles` are the agents of each role, `None` where its number has an error; `None` until they are numbered. `history`
    keeps what looks back, `asked` the regions in which something begins. `hours` are those of the clock's day, any
    number where the clock has an error; `counts_hours` says whether something is counted in hours or days. `copy_of`
    has for each copy of an affordance the name of all of them. `kept` are the meters of the world that it keeps,
    `overall` finds what all cells come to, `crowds` what the agents on each do, `wall` is the condition of cells that
    are walls beside those of the map. `effects` are set when the space and the time are resolved; `lies` then tells
    where a number lies, as far as declarations say it; `unplaced` are those of which it cannot, as something else is
    wrong.

    `tables` are those that are sound, `None` until they are resolved; `tables_read` those that something reads.
    `coordinates` are those of cells whose agents are counted. `lets` are the locals, `failed` the keys of those with an
    error.
    """

    def __init__(self, file: syntax.File, report: Findings) -> None:
        super().__init__(report)
        self.suspects: set[str] = set()
        self.moves: tuple[str, ...] | None = None
        self.turning: Span | None = None
        self.lists_actions = False
        self.roles: Mapping[str, Numbered | None] | None = None
        self.clock: Span | None = None
        self.hours = 24
        self.counts_hours = False
        self.lifespan: Span | None = None
        self.tracking: Span | None = None
        self.has_lasting = False
        self.copy_of: dict[str, str] = {}
        self.by_hand = False
        self.starts_with_speed = False
        self.effects = Effects({})
        self.history: History | None = None
        self.overall: Overall | None = None
        self.crowds: Crowds | None = None
        self.wall: Expression | None = None
        self.solid: Expression | None = None
        self.says_solid = False
        self.asked: set[str] = set()
        self.lies: Callable[[Expression], Interval | None] = lambda _: None
        self.unplaced: set[Span] = set()
        self.tables: Mapping[str, Tabled] | None = None
        self.tables_read: set[str] = set()
        self.lets: list[Let] = []
        self.failed: set[str] = set()
        self.coordinates: list[Expression] = []
        self._file = file
        blocks = (item for item in file.declarations if isinstance(item, syntax.WorldDecl))
        of_world = (part for block in blocks for part in block.items if isinstance(part, syntax.MeterDecl))
        self.kept = frozenset(part.name.text for part in of_world if part.kept)
        for declaration in file.declarations:
            for symbol in declared(declaration):
                # Actions of affordances stand outside too, once they are written out; moves are those of the space.
                in_braces = symbol.kind == "action" and isinstance(declaration, syntax.AffordanceDecl)
                if symbol.kind != "move" and not in_braces:
                    self._declare(symbol, declaration)
            match declaration:
                case syntax.AffordanceDecl():
                    if declaration.copy_of is not None:
                        self.copy_of[declaration.name.text] = declaration.copy_of.text
                    self.has_lasting = self.has_lasting or declaration.duration is not None
                case syntax.ClockDecl():
                    self.clock = self.clock or declaration.span
                case syntax.LifespanDecl(ticks=syntax.Signed()):
                    self.lifespan = self.lifespan or declaration.span
                case syntax.TrackDecl():
                    self.tracking = self.tracking or declaration.span
                case syntax.StartDecl(speed=syntax.Signed()):
                    self.starts_with_speed = True
                case syntax.EpisodesDecl():
                    self.by_hand = True
                case _:
                    pass

    @cached_property
    def order_of_starts(self) -> Mapping[str, int]:
        """The place of each declared meter and state in the order in which an episode begins with them: what the world
        keeps, what else it has, then what agents, cells and pairs have, each in file order."""
        of_world = self.of_kind("world meter")
        lasting = (name for name in of_world if name in self.kept)
        anew = (name for name in of_world if name not in self.kept)
        of_others = (*self.of_kind("cell meter"), *self.of_kind("pair meter"))
        names = (*lasting, *anew, *self.of_kind("meter"), *of_others)
        return {name: number for number, name in enumerate(names)}

    @cached_property
    def compared(self) -> frozenset[tuple[str, str]]:
        """What is compared with which word of the language, as in `action == REST`: something can follow from an action
        or an affordance that does nothing itself."""
        found = set()
        for node in nodes(self._file):
            if isinstance(node, syntax.BinaryExpr) and node.op in ("==", "!="):
                match node.left, node.right:
                    case syntax.Name(text=left), syntax.Name(text=right):
                        found |= {(left, right), (right, left)}
                    case _:
                        pass
        return frozenset(found)

    @cached_property
    def sites(self) -> Mapping[Span, int]:
        """The site of each call that draws, by its place."""
        return sites(self._file.declarations)

    def has(self, need: Need, what: str, span: Span) -> bool:
        """Whether the universe has what `what`, which stands at a place, needs; where it has not, that is reported."""
        there: Mapping[Need, bool] = {
            "space": not isinstance(self.space, NoSpace),
            "clock": self.clock is not None,
            "lifespan": self.lifespan is not None,
            "tracking": self.tracking is not None,
            "lasting affordance": self.has_lasting,
        }
        if not there[need]:
            self._report.add(messages.lacking.NEEDED[need](span, what, self._file.name.span))
        return there[need]

    def ticks_of(self, unit: syntax.Unit, span: Span) -> int | None:
        """The ticks of an hour or a day of the clock, or of a tick; an error and `None` where there is no clock."""
        if unit in ("", "tick"):
            return 1
        if not self.has("clock", f"`{unit}s`", span):
            return None
        self.counts_hours = True
        return self.hours if unit == "day" else 1

    def duration(self, numeral: syntax.Signed | syntax.Numeral, most: int, what: str) -> int | None:
        """The ticks of a duration of 1 to `most`, or an error and `None`. `what` names it: "a lifespan in"."""
        each = self.ticks_of(numeral.unit, numeral.span)
        if each is None:
            return None
        unit = numeral.unit or "tick"
        count = whole_number(replace(numeral, unit=""), 1, most // each, f"{what} {unit}s", self._report)
        return None if count is None else count * each

    def hour(self, numeral: syntax.Signed, last: int | None = None) -> int | None:
        """An hour of the clock, or one up to `last`; or an error and `None`."""
        hour, most = any_whole_number(numeral, "an hour", self._report), self.hours - 1 if last is None else last
        if hour is None or 0 <= hour <= most:
            return hour
        self._report.add(messages.affordances.HourOutsideClock(numeral.span, hour, most, last is not None, self.clock))
        return None

    def is_action(self, name: syntax.Name) -> bool:
        """Whether the name stands for an action; nothing is known where the moves have an error."""
        if self.moves is None or name.text in self.moves or self.means(name, "action"):
            return True
        self.refuse(name, "an action", (*self.moves, *self.of_kind("action")))
        return False

    def target(self, name: syntax.Name) -> str | None:
        """The meter that a statement writes; where there is none, the one it may have meant becomes a suspect."""
        if self.means(name, "meter"):
            return None if self._is_drawn_once(name) else name.text
        if self.means(name, "world meter"):
            declared = self.span("world meter", name.text)
            own, owner = self.part("world meter", name.text) or (name.text, "")
            affordance = owner if owner in self.of_kind("affordance") else None
            self._report.add(messages.rules.WrittenByAgent(name.span, name.text, declared, own, affordance))
            self.suspects.add(name.text)
            return None
        guess = self.refuse(name, "a meter", self.of_kind("meter"))
        if guess is not None:
            self.suspects.add(guess)
        return None

    def target_of_world(self, name: syntax.Name) -> str | None:
        """The meter that a statement of the world writes."""
        if self.means(name, "world meter"):
            return None if self._is_drawn_once(name) else name.text
        if self._is_of_cells(name):
            return None
        if self.means(name, "meter"):
            declared = self.span("meter", name.text)
            self._report.add(messages.rules.WrittenByWorld(name.span, name.text, declared))
            self.suspects.add(name.text)
            return None
        guess = self.refuse(name, "a meter of the world", self.of_kind("world meter"))
        if guess is not None:
            self.suspects.add(guess)
        return None

    def target_of_cells(self, name: syntax.Name) -> str | None:
        """The meter that a statement of cells writes."""
        if self.means(name, "cell meter"):
            return name.text
        owners: tuple[tuple[Kind, Literal["agents", "the world"]], ...]
        owners = (("meter", "agents"), ("world meter", "the world"))
        for kind, whose in owners:
            if self.means(name, kind):
                declared = self.span(kind, name.text)
                self._report.add(messages.rules.WrittenByCells(name.span, name.text, whose, declared))
                self.suspects.add(name.text)
                return None
        guess = self.refuse(name, "a meter of cells", self.of_kind("cell meter"))
        if guess is not None:
            self.suspects.add(guess)
        return None

    def target_of_pairs(self, name: syntax.Name) -> str | None:
        """The state that a statement of pairs writes."""
        return self.find(name, "pair meter")

    def _is_drawn_once(self, name: syntax.Name) -> bool:
        """Whether a statement would write what a `let` draws once, which is reported."""
        spec = self.state(name)
        if spec is None or spec.of != "once":
            return False
        self._report.add(messages.rules.WrittenOnce(name.span, name.text, spec.span))
        return True

    def _is_of_cells(self, name: syntax.Name) -> bool:
        """Whether a statement that is none of cells would write a meter of theirs, which is reported."""
        if not self.means(name, "cell meter"):
            return False
        declared = self.span("cell meter", name.text)
        self._report.add(messages.rules.WrittenOfCells(name.span, name.text, declared))
        self.suspects.add(name.text)
        return True
