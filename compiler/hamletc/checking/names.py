"""The names of a universe: what each stands for, and where it was declared.

Meters, params, affordances, rules, cascades and actions share one namespace, so that a name means one thing in a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax
from hamletc.suggest import closest

Kind: TypeAlias = Literal["meter", "param", "affordance", "rule", "cascade", "action"]

MOST_COMPARISONS = 20_000
"""How often an unknown name is compared with a known one, to guess what is meant; it takes time."""

FUNCTIONS = ("abs", "clamp", "max", "min")
ACTIONS = ("UP", "DOWN", "LEFT", "RIGHT", "UP_Z", "DOWN_Z", "INTERACT", "WAIT")
QUANTITIES = {
    "deficit": "(threshold - source) / threshold of a cascade",
    "shortfall": "threshold - source of a cascade",
    "hour": "the hour of the clock",
    "age": "the ticks an agent has lived",
    "here": "the place the agent stands on",
    "nothing": "a place without an affordance",
}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name. `span` is the name where it is declared."""

    name: str
    kind: Kind
    span: Span


class Names:
    """The symbol table of a file. Making it reports duplicates and reserved names.

    `suspects` are meters that a statement with an error in it may write: nothing is concluded from their values.
    """

    def __init__(self, file: syntax.File, report: Report) -> None:
        self._report = report
        self._symbols: dict[str, Symbol] = {}
        self._of_kinds: dict[tuple[Kind, ...], tuple[str, ...]] = {}
        self._comparisons = 0
        self.suspects: set[str] = set()
        self.clock: Span | None = None
        self.lifespan: Span | None = None
        for declaration in file.declarations:
            match declaration:
                case syntax.ParamDecl():
                    self._declare("param", declaration.name)
                case syntax.MeterDecl():
                    self._declare("meter", declaration.name)
                case syntax.RuleDecl():
                    self._declare("rule", declaration.name)
                case syntax.CascadeDecl():
                    self._declare("cascade", declaration.name)
                case syntax.AffordanceDecl():
                    self._declare("affordance", declaration.name)
                case syntax.ActionDecl():
                    self._declare("action", declaration.name)
                case syntax.ClockDecl():
                    self.clock = self.clock or declaration.span
                case syntax.LifespanDecl():
                    self.lifespan = self.lifespan or declaration.span
                case syntax.SpaceDecl() | syntax.DiesDecl() | syntax.RewardDecl() | syntax.ObserveDecl():
                    pass

    def owns(self, name: syntax.Name) -> bool:
        """Whether this is the declaration that the name stands for, not a second or a refused one."""
        symbol = self._symbols.get(name.text)
        return symbol is not None and symbol.span == name.span

    def find(self, name: syntax.Name, kind: Kind) -> str | None:
        """The name, where it is declared as `kind`; otherwise an error and `None`."""
        symbol = self._symbols.get(name.text)
        if symbol is not None and symbol.kind == kind:
            return name.text
        self.refuse(name, _article(kind), self.of_kind(kind))
        return None

    def target(self, name: syntax.Name) -> str | None:
        """The meter that a statement writes; where there is none, the one it may have meant becomes a suspect."""
        if self.kind(name.text) == "meter":
            return name.text
        guess = self.refuse(name, "a meter", self.of_kind("meter"))
        if guess is not None:
            self.suspects.add(guess)
        return None

    def kind(self, name: str) -> Kind | None:
        """What the name was declared as."""
        symbol = self._symbols.get(name)
        return symbol.kind if symbol is not None else None

    def span(self, name: str) -> Span:
        """Where the name was declared."""
        return self._symbols[name].span

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """The names of these kinds, in file order."""
        if kinds not in self._of_kinds:
            self._of_kinds[kinds] = tuple(symbol.name for symbol in self._symbols.values() if symbol.kind in kinds)
        return self._of_kinds[kinds]

    def refuse(
        self, name: syntax.Name, wanted: str, candidates: tuple[str, ...], wrong_kind_hint: str | None = None
    ) -> str | None:
        """Report a name that does not stand for `wanted` ("a meter"). Returns the candidate that may be meant."""
        symbol = self._symbols.get(name.text)
        if symbol is not None:
            self._report.add(
                "H021",
                f"`{name.text}` is {_article(symbol.kind)}, not {wanted}",
                name.span,
                f"{wanted} is needed here",
                secondary=(Label(symbol.span, f"declared as {_article(symbol.kind)}"),),
                hint=wrong_kind_hint,
            )
            return None
        what = _builtin(name.text)
        if what is not None:
            self._report.add("H021", f"`{name.text}` is {what}, not {wanted}", name.span, f"{wanted} is needed here")
            return None
        self._comparisons += len(candidates)
        guess = closest(name.text, candidates) if self._comparisons <= MOST_COMPARISONS else None
        if guess is not None:
            hint = f"Did you mean `{guess}`?"
        elif candidates:
            hint = f"Known here: {', '.join(f'`{candidate}`' for candidate in candidates[:8])}" + (
                ", ..." if len(candidates) > 8 else "."
            )
        else:
            hint = f"Declare {wanted} of this name first."
        self._report.add("H020", f"there is no `{name.text}`", name.span, "unknown name", hint=hint)
        return guess

    def _declare(self, kind: Kind, name: syntax.Name) -> None:
        what = _builtin(name.text)
        if what is not None:
            self._report.add(
                "H023",
                f"{_article(kind)} cannot be called `{name.text}`",
                name.span,
                f"`{name.text}` is {what}",
                hint="Choose another name.",
            )
            return
        first = self._symbols.setdefault(name.text, Symbol(name.text, kind, name.span))
        if first.span != name.span:
            self._report.add(
                "H022",
                f"the name `{name.text}` is declared twice",
                name.span,
                f"second declaration, {_article(kind)}",
                secondary=(Label(first.span, f"first declared here, {_article(first.kind)}"),),
                hint="Meters, params, affordances, rules, cascades and actions share their names: rename one of them.",
            )


def _builtin(name: str) -> str | None:
    """What a name means in every universe."""
    if name in FUNCTIONS:
        return "a function"
    if name in ACTIONS:
        return "an action of the space"
    return QUANTITIES.get(name)


def _article(kind: Kind) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
