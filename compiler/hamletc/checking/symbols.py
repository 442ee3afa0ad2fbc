"""Symbols: what each name is declared as, and what is said of a name that stands for nothing, or for something else.

What occurs in expressions (meters, params, inputs, controls, lets, terrains) shares one namespace; regions, nodes,
affordances, actions, rules with cascades, and rewards with reports have their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from hamlet.universe import Space, Span
from hamlet.universe.space import axes_of
from hamletc.checking.report import Findings
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
        return called(self.kind, self.state)

    @property
    def span(self) -> Span:
        """The name where it is declared."""
        return self.name.span


class Symbols:
    """The symbols of a file: names are declared one after the other, and found. `space` is what the names of axes refer
    to; it is set when the space is resolved."""

    def __init__(self, report: Findings) -> None:
        self._report = report
        self._symbols: dict[str, list[Symbol]] = {}
        self._in_order: list[Symbol] = []
        self._of_kinds: dict[tuple[Kind, ...], tuple[str, ...]] = {}
        self._comparisons = 0
        self.space: Space | None = None
        self.refused: set[str] = set()
        """Names that were declared, and mean something else in every universe."""

    def owns(self, name: syntax.Name) -> bool:
        """Whether this is the declaration that the name stands for, not a second or a refused one."""
        return any(symbol.name is name for symbol in self._symbols.get(name.text, ()))

    def means(self, name: syntax.Name, kind: Kind) -> bool:
        """Whether the name stands for a declaration of this kind."""
        return builtin(name) is None and any(symbol.kind == kind for symbol in self._symbols.get(name.text, ()))

    def find(self, name: syntax.Name, kind: Kind) -> str | None:
        """The name, where it is declared as `kind`; otherwise an error and `None`."""
        if self.means(name, kind):
            return name.text
        self.refuse(name, article(kind), self.of_kind(kind))
        return None

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

    @cached_property
    def own_states(self) -> tuple[str, ...]:
        """Those that an author declared as such: no quantities of items, and nothing that the compiler needs."""
        written = {each.name.text for each in self._in_order if each.state is not None and each.state.of == "author"}
        return tuple(name for name in self.states if name in written)

    def refuse(
        self, name: syntax.Name, wanted: str, candidates: tuple[str, ...], wrong_kind_hint: str | None = None
    ) -> str | None:
        """Report a name that does not stand for `wanted` ("a meter"). Returns the candidate that may be meant."""
        what = builtin(name)
        if what is None and name.text in FUNCTIONS and not name.quoted and name.text not in self._symbols:
            what = "a function"
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
                f"{article(called(kind, state))} cannot be called `{name.text}`",
                name.span,
                f"`{name.text}` is {what}",
                hint=f"Choose another name, or write it in backticks, also where it is used: `` `{name.text}` ``.",
            )
            self.refused.add(name.text)
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


def called(kind: Kind, state: syntax.StateSpec | None) -> str:
    """What something of a kind is, in messages, that holds this."""
    return kind if state is None else kind.replace("meter", "state")


def builtin(name: syntax.Name) -> str | None:
    """What a name means in every universe; a quoted one always means a declaration."""
    return None if name.quoted else QUANTITIES.get(name.text)


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


def axis_of(name: syntax.Name, names: Symbols, report: Findings) -> str | None:
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
