"""The names of a universe: what each stands for, where it is declared, and which random words its draws take.

What occurs in expressions (meters, params, inputs, controls, lets, terrains) shares one namespace; regions, nodes,
affordances, actions, rules with cascades, and rewards with reports have their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, cast

from hamlet.schema import axis_names
from hamlet.universe import Continuous, Grid, NoSpace, Space, Span, nodes
from hamletc.checking.effects import Effects
from hamletc.checking.history import History
from hamletc.checking.overall import Overall
from hamletc.checking.report import Findings, any_whole_number, whole_number
from hamletc.checking.sites import sites
from hamletc.diagnostics import Label
from hamletc.foreign import OWN_WORDS, instead
from hamletc.language import syntax
from hamletc.language.words import FUNCTIONS, QUANTITIES
from hamletc.suggest import closest

Kind: TypeAlias = Literal[
    "meter", "world meter", "cell meter", "param", "input", "control", "let", "terrain", "effect", "region", "node",
    "affordance", "action", "rule", "cascade", "reward", "report", "role",
]  # fmt: skip
ValueKind: TypeAlias = Literal["meter", "world meter", "cell meter", "param", "input", "control", "terrain"]

VALUES: tuple[ValueKind, ...] = ("meter", "world meter", "cell meter", "param", "input", "control", "terrain")
"""What has a value in expressions."""
NAMED: tuple[Kind, ...] = (*VALUES, "let", "effect", "role")
"""What can be a name in expressions: one namespace."""
NAMESPACES: tuple[tuple[Kind, ...], ...] = (
    NAMED,
    ("region",),
    ("node",),
    ("affordance",),
    ("action",),
    ("rule", "cascade"),
    ("reward", "report"),
)
NOT_WRITTEN = (
    "Moves change where an agent is: an own action can `move (1, 0)` or `teleport (0, 0)`; a rule writes meters."
)
Need: TypeAlias = Literal["space", "clock", "lifespan", "tracking", "lasting affordance"]
NEEDS: Mapping[Need, tuple[str, str, str, str]] = {
    "space": ("H055", "a space", "this universe has none", "Declare a space, as in `space grid 8 x 8`."),
    "clock": ("H036", "a clock", "this universe has none", "Add `clock 24 hours`."),
    "lifespan": ("H037", "a lifespan", "this universe has none", "Add `lifespan 500 ticks`."),
    "tracking": ("H056", "uses that are tracked", "this universe does not track them", "Add `track uses`."),
    "lasting affordance": (
        "H057",
        "an affordance that lasts",
        "this universe has none",
        "Let an affordance last, as in `affordance Bed at random lasts 4 ticks { ... }`.",
    ),
}
"""What a universe may lack: the code, what is needed, a label and a hint."""
MOST_SHOWN = 16
"""How many names a hint lists at most."""
MOST_COMPARISONS = 20_000
"""How often an unknown name is compared with a known one, to guess what is meant; it takes time."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name, and what it is declared as."""

    name: syntax.Name
    kind: Kind
    state: syntax.StateSpec | None = None

    @property
    def called(self) -> str:
        """What it is, in messages."""
        return self.kind if self.state is None else self.kind.replace("meter", "state")

    @property
    def span(self) -> Span:
        """The name where it is declared."""
        return self.name.span


@dataclass(frozen=True, slots=True)
class Numbered:
    """The agents of a role: so many from `first` on, or all from there on."""

    first: int
    agents: int | None


class Names:
    """The symbol table of a file. Making it reports duplicates and reserved names.

    `suspects` are meters that a statement with an error in it may write: nothing is concluded from their values.
    `space` is what the names of axes refer to, `moves` are the actions that it has; they are set when the space is
    resolved. `roles` are the agents of each role, `None` where its number has an error; `None` until they are numbered.
    `history` keeps what looks back, `asked` the regions in which something begins. `hours` are those of the clock's
    day, any number where the clock has an error; `counts_hours` says whether something is counted in hours or days.
    `copy_of` has for each copy of an affordance the name of all of them. `kept` are the meters of the world that it
    keeps, `overall` finds what all cells come to. `effects` are set when the space and the time are resolved.
    """

    def __init__(self, file: syntax.File, report: Findings) -> None:
        self._report = report
        self._symbols: dict[str, list[Symbol]] = {}
        self._in_order: list[Symbol] = []
        self._of_kinds: dict[tuple[Kind, ...], tuple[str, ...]] = {}
        self._comparisons = 0
        self.suspects: set[str] = set()
        self.space: Space | None = None
        self.moves: tuple[str, ...] | None = None
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
        self.asked: set[str] = set()
        self._file = file
        blocks = (item for item in file.declarations if isinstance(item, syntax.WorldDecl))
        of_world = (part for block in blocks for part in block.items if isinstance(part, syntax.MeterDecl))
        self.kept = frozenset(part.name.text for part in of_world if part.kept)
        for declaration in file.declarations:
            match declaration:
                case syntax.ParamDecl():
                    self._declare("param", declaration.name)
                case syntax.InputDecl():
                    self._declare("input", declaration.name)
                case syntax.ControlDecl():
                    self._declare("control", declaration.name)
                case syntax.LetDecl():
                    self._declare("let", declaration.name)
                case syntax.MeterDecl():
                    self._declare("meter", declaration.name, _held(declaration))
                case syntax.RoleDecl():
                    self._declare("role", declaration.name)
                case syntax.WorldDecl(items=items):
                    for part in items:
                        if isinstance(part, syntax.MeterDecl):
                            self._declare("world meter", part.name, _held(part))
                        else:
                            self._declare("effect" if isinstance(part, syntax.EffectDecl) else "rule", part.name)
                case syntax.CellsDecl(items=items):
                    for part in items:
                        if isinstance(part, syntax.MeterDecl):
                            self._declare("cell meter", part.name, _held(part))
                        else:
                            self._declare("rule", part.name)
                case syntax.EffectDecl():
                    self._declare("effect", declaration.name)
                case syntax.RuleDecl():
                    self._declare("rule", declaration.name)
                case syntax.CascadeDecl():
                    self._declare("cascade", declaration.name)
                case syntax.AffordanceDecl():
                    self._declare("affordance", declaration.name)
                    if declaration.copy_of is not None:
                        self.copy_of[declaration.name.text] = declaration.copy_of.text
                    self.has_lasting = self.has_lasting or declaration.duration is not None
                case syntax.SpaceDecl(paths=paths):
                    first = {node.text: node for path in reversed(paths) for node in reversed(path.nodes)}
                    for node in (node for path in paths for node in path.nodes if first[node.text] is node):
                        self._declare("node", node)
                case syntax.MapDecl(items=items):
                    for item in items:
                        if isinstance(item, syntax.RegionDecl):
                            self._declare("region", item.name)
                        elif isinstance(item, syntax.TerrainDecl):
                            self._declare("terrain", item.name)
                case syntax.ActionDecl():
                    self._declare("action", declaration.name)
                case syntax.RewardDecl(name=syntax.Name() as name):
                    self._declare("reward", name)
                case syntax.ReportDecl():
                    self._declare("report", declaration.name)
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

    def owns(self, name: syntax.Name) -> bool:
        """Whether this is the declaration that the name stands for, not a second or a refused one."""
        return any(symbol.name is name for symbol in self._symbols.get(name.text, ()))

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
            code, thing, label, hint = NEEDS[need]
            self._report.add(code, f"{what} needs {thing}", span, label, hint=hint)
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
        past = "" if last is None else "; hours that end before they begin go on past midnight"
        self._report.add(
            "H046",
            "this hour is outside the clock",
            numeral.span,
            f"not in 0 .. {most}",
            secondary=() if self.clock is None else (Label(self.clock, "the clock"),),
            hint=f"Write 0 .. {most}{past}.",
        )
        return None

    def find(self, name: syntax.Name, kind: Kind) -> str | None:
        """The name, where it is declared as `kind`; otherwise an error and `None`."""
        if self.means(name, kind):
            return name.text
        self.refuse(name, article(kind), self.of_kind(kind))
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
            return name.text
        if self._is_of_cells(name):
            return None
        if self.means(name, "world meter"):
            self._report.add(
                "H090",
                f"an agent cannot change `{name.text}`, which is the world's",
                name.span,
                "agents of a world would write it at once",
                secondary=(Label(self.span("world meter", name.text), "a meter of the world"),),
                hint=self._writer_of(name.text),
            )
            self.suspects.add(name.text)
            return None
        guess = self.refuse(name, "a meter", self.of_kind("meter"))
        if guess is not None:
            self.suspects.add(guess)
        return None

    def _writer_of(self, meter: str) -> str:
        """What to write where an agent cannot change a meter of the world."""
        own, _, affordance = meter.partition(" of ")
        if affordance in self.of_kind("affordance"):
            rule = f"`rule NAME: {own} -= count(used == {affordance})`"
            return f"A rule in the braces of the affordance can, by what agents did: {rule}."
        rule = f"`rule NAME: {meter} -= count(used == Shop)`"
        return f"A rule of the world can, by what its agents did: {rule} in `world {{ }}`."

    def target_of_world(self, name: syntax.Name) -> str | None:
        """The meter that a statement of the world writes."""
        if self.means(name, "world meter"):
            return name.text
        if self._is_of_cells(name):
            return None
        if self.means(name, "meter"):
            self._report.add(
                "H091",
                f"a rule of the world cannot change `{name.text}`, which each agent has",
                name.span,
                secondary=(Label(self.span("meter", name.text), "a meter of agents"),),
                hint=f"Write a meter of the world here; a rule of the agents can read that and change `{name.text}`.",
            )
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
        for kind, whose in (("meter", "agents"), ("world meter", "the world")):
            if self.means(name, cast(Kind, kind)):
                self._report.add(
                    "H186",
                    f"a rule of cells cannot change `{name.text}`, which is no meter of cells",
                    name.span,
                    secondary=(Label(self.span(cast(Kind, kind), name.text), f"a meter of {whose}"),),
                    hint=f"A rule of {whose} can, and reads what cells have: an agent by the name, of its own cell.",
                )
                self.suspects.add(name.text)
                return None
        guess = self.refuse(name, "a meter of cells", self.of_kind("cell meter"))
        if guess is not None:
            self.suspects.add(guess)
        return None

    def _is_of_cells(self, name: syntax.Name) -> bool:
        """Whether a statement that is none of cells would write a meter of theirs, which is reported."""
        if not self.means(name, "cell meter"):
            return False
        self._report.add(
            "H185",
            f"only a rule of cells can change `{name.text}`",
            name.span,
            "several agents of a world would write it at once",
            secondary=(Label(self.span("cell meter", name.text), "a meter of cells"),),
            hint="Let cells count who stands on them and what they did: "
            f"`rule NAME: {name.text} -= 0.5 * count(action == EAT)` in `cells {{ }}`.",
        )
        self.suspects.add(name.text)
        return True

    def means(self, name: syntax.Name, kind: Kind) -> bool:
        """Whether the name stands for a declaration of this kind."""
        return builtin(name) is None and any(symbol.kind == kind for symbol in self._symbols.get(name.text, ()))

    def value_kind(self, name: syntax.Name) -> ValueKind | None:
        """What the name stands for in an expression."""
        for kind in VALUES:
            if self.means(name, kind):
                return kind
        return None

    def state(self, name: syntax.Expr) -> syntax.StateSpec | None:
        """What the name holds, if it stands for a state."""
        if not isinstance(name, syntax.Name) or builtin(name) is not None:
            return None
        return next((symbol.state for symbol in self._symbols.get(name.text, ()) if symbol.state is not None), None)

    def span(self, kind: Kind, name: str) -> Span:
        """Where the name of this kind was declared."""
        return next(symbol.span for symbol in self._symbols[name] if symbol.kind == kind)

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """The names of these kinds, in file order."""
        if kinds not in self._of_kinds:
            self._of_kinds[kinds] = tuple(symbol.name.text for symbol in self._in_order if symbol.kind in kinds)
        return self._of_kinds[kinds]

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states of agents, then those of the world, each in file order."""
        kinds: tuple[Kind, ...] = ("meter", "world meter")
        return tuple(
            each.name.text for kind in kinds for each in self._in_order if each.kind == kind and each.state is not None
        )

    def refuse(
        self, name: syntax.Name, wanted: str, candidates: tuple[str, ...], wrong_kind_hint: str | None = None
    ) -> str | None:
        """Report a name that does not stand for `wanted` ("a meter"). Returns the candidate that may be meant."""
        what = builtin(name)
        if what is not None:
            self._report.add(
                "H021",
                f"`{name.text}` is {what}, not {wanted}",
                name.span,
                f"{wanted} is needed here",
                hint="The word stands for nothing that the file declares; in backticks it would.",
            )
            return None
        symbol = next(iter(self._symbols.get(name.text, ())), None)
        if symbol is not None:
            self._report.add(
                "H021",
                f"`{name.text}` is {article(symbol.called)}, not {wanted}",
                name.span,
                f"{wanted} is needed here",
                secondary=(Label(symbol.span, f"declared as {article(symbol.called)}"),),
                hint=wrong_kind_hint or _of_another_kind(symbol.kind, wanted, name.text),
            )
            return None
        guess = self.guess(name.text, candidates)
        hint = self._meaning(name, wanted, candidates)
        if hint is not None:
            guess = None
        elif guess is not None:
            hint = f"Did you mean `{guess}`?"
        elif candidates:
            shown = candidates if len(candidates) <= MOST_SHOWN else (*candidates[: MOST_SHOWN - 1],)
            more = ", ..." if len(candidates) > len(shown) else "."
            hint = f"Known here: {', '.join(f'`{candidate}`' for candidate in shown)}{more}"
        else:
            hint = f"Declare {wanted} of this name first."
        self._report.add("H020", f"there is no `{name.text}`", name.span, "unknown name", hint=hint)
        return guess

    def _meaning(self, name: syntax.Name, wanted: str, candidates: tuple[str, ...]) -> str | None:
        """What to write instead of a name that nobody declares, where it is a word from elsewhere, or one of the
        language that is no name."""
        if name.quoted:
            return None
        if wanted in ("a number", "a meter") and self.space is not None and name.text in axes_of(self.space):
            return f"Write `position {name.text}`." if wanted == "a number" else NOT_WRITTEN
        if wanted == "a meter" and name.text == "velocity":
            return "Write `velocity x`, with the axis."
        if wanted == "a meter" and name.text == "position":
            return NOT_WRITTEN
        if wanted in ("a number", "a meter", "a function") and name.text in OWN_WORDS:
            return OWN_WORDS[name.text]
        few = candidates if self._comparisons <= MOST_COMPARISONS else ()
        return instead(name.text, few)

    def guess(self, name: str, candidates: tuple[str, ...]) -> str | None:
        """The candidate that may be meant by a name."""
        self._comparisons += len(candidates)
        return closest(name, candidates) if self._comparisons <= MOST_COMPARISONS else None

    def _declare(self, kind: Kind, name: syntax.Name, state: syntax.StateSpec | None = None) -> None:
        what = builtin(name)
        if what is not None:
            self._report.add(
                "H023",
                f"{article(kind)} cannot be called `{name.text}`",
                name.span,
                f"`{name.text}` is {what}",
                hint=f"Choose another name, or write it in backticks, also where it is used: `` `{name.text}` ``.",
            )
            return
        symbols = self._symbols.setdefault(name.text, [])
        shared = next(kinds for kinds in NAMESPACES if kind in kinds)
        first = next((symbol for symbol in symbols if symbol.kind in shared), None)
        if first is not None:
            self._report.add(
                "H022",
                f"the name `{name.text}` is declared twice",
                name.span,
                f"second declaration, {article(kind)}",
                secondary=(Label(first.span, f"first declared here, {article(first.kind)}"),),
                hint=f"{_together(shared)} {'share' if len(shared) > 1 else 'have'} their names: rename one of them.",
            )
            return
        if symbols:
            other = symbols[0]
            self._report.add(
                "H076",
                f"`{name.text}` is {article(other.kind)} and {article(kind)}",
                name.span,
                f"{article(kind)}",
                secondary=(Label(other.span, f"{article(other.kind)} of the same name"),),
                hint="Rename one of them, so that readers know which is meant.",
            )
        symbol = Symbol(name, kind, state)
        symbols.append(symbol)
        self._in_order.append(symbol)


def _held(declaration: syntax.MeterDecl) -> syntax.StateSpec | None:
    """What a state holds; one without a type holds a condition, but where it begins with a number."""
    spec = declaration.state
    if spec is None or spec.kind:
        return spec
    numbers = isinstance(declaration.start, syntax.Numeral | syntax.UnaryExpr)
    return replace(spec, kind="real" if numbers else "bool")


def builtin(name: syntax.Name) -> str | None:
    """What a name means in every universe; a quoted one always means a declaration."""
    if name.quoted:
        return None
    return "a function" if name.text in FUNCTIONS else QUANTITIES.get(name.text)


def _of_another_kind(kind: Kind, wanted: str, name: str) -> str:
    """What to do where a name of this kind stands and another is wanted."""
    match kind:
        case "param" if wanted == "a meter":
            return f"No tick writes a param: declare `meter {name}`, or let the program change it between ticks."
        case "input" if wanted == "a meter":
            return f"No tick writes an input, the program gives it: declare `meter {name}` for what a tick changes."
        case "control" if wanted == "a meter":
            return f"No tick writes a control, the policy gives it: declare `meter {name}` for what a tick changes."
        case "let" if wanted == "a meter":
            return f"A `let` stands for an expression: declare `meter {name}` for what a tick changes."
        case "terrain" if wanted == "a meter":
            return f"A terrain never changes: declare `meter {name}` for what a tick changes."
        case "effect" if wanted == "a meter":
            return f"Write `begin {name}` or `end {name}`."
        case "effect":
            return f"`{name}` is a condition, and `left of {name}` how many ticks are left of it."
        case "region" | "node":
            return f"`on {name}` says whether the agent is there."
        case "let" | "meter" | "world meter" | "cell meter" | "param" | "input" | "control" | "terrain" if (
            wanted == "a function"
        ):
            return f"Write `{name}` without parentheses."
        case "affordance":
            return f"`here == {name}` and `distance to {name}` say where the agent is."
        case "action":
            return f"`action == {name}` says whether the agent chose it."
        case "reward" | "report":
            return "What is rewarded or reported cannot be read; write its value out, or let a rule compute a meter."
        case "rule" | "cascade":
            return "A rule has no value; it writes meters, which have."
        case _:
            return f"Write the name of {wanted}, or declare one."


def axes_of(space: Space) -> tuple[str, ...]:
    """The names of the axes."""
    match space:
        case Grid(sizes=of_space) | Continuous(axes=of_space):
            return axis_names(len(of_space))
        case NoSpace():
            return ()


def axis_of(name: syntax.Name, names: Names, report: Findings) -> str | None:
    """The axis of the space that is called so; nothing is known where the space has an error."""
    if names.space is None:
        return None
    axes = axes_of(names.space)
    if name.text in axes:
        return name.text
    known = ", ".join(f"`{axis}`" for axis in axes[:8])
    report.add(
        "H065",
        f"the space has no axis `{name.text}`",
        name.span,
        secondary=(Label(names.space.span, "the space"),),
        hint=f"Its axes are {known}." if len(axes) <= 8 else f"Its axes are {known}, ... `{axes[-1]}`.",
    )
    return None


def is_word(expr: syntax.Expr, *words: str) -> bool:
    """Whether the expression is one of these words, not a declared name."""
    return isinstance(expr, syntax.Name) and not expr.quoted and expr.text in words


def article(kind: str) -> str:
    """`a meter`, `an affordance`."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _together(kinds: tuple[Kind, ...]) -> str:
    *most, final = [f"{kind}s" for kind in kinds if kind not in ("world meter", "cell meter")]  # they are meters too
    text = f"{', '.join(most)} and {final}" if most else final
    return text.capitalize()
