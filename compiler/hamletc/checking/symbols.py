"""Symbols: what each name is declared as, and what is said of a name that stands for nothing, or for something else.

What occurs in expressions (meters, params, inputs, controls, lets, terrains) shares one namespace; regions, nodes,
affordances, actions, rules with cascades, and rewards with reports have their own.
"""

from __future__ import annotations

from functools import cached_property

from hamlet.universe import Space, Span
from hamlet.universe.space import axes_of
from hamletc import messages
from hamletc.checking.report import Findings
from hamletc.diagnostics import Edit
from hamletc.expansion.places import rewritten
from hamletc.language import syntax
from hamletc.language.declared import NAMESPACES, VALUES, Kind, Symbol, ValueKind
from hamletc.language.words import FUNCTIONS, QUANTITIES, YIELDING
from hamletc.suggest import closest

MOST_COMPARISONS = 20_000
"""How often an unknown name is compared with a known one, to guess what is meant; it takes time."""


class Symbols:
    """The symbols of a file: names are declared one after the other, and found. `space` is what the names of axes refer
    to; it is set when the space is resolved."""

    def __init__(self, report: Findings) -> None:
        self._report = report
        self._symbols: dict[str, list[Symbol]] = {}
        self._in_order: list[Symbol] = []
        self._of_kinds: dict[tuple[Kind, ...], tuple[str, ...]] = {}
        self._declared: dict[int, syntax.RolePart] = {}
        self._comparisons = 0
        self.space: Space | None = None
        self.refused: set[str] = set()
        """Names that were declared, and mean something else in every universe."""
        self.forgotten: set[str] = set()
        """Names that nobody declared, of which that was said."""

    def owns(self, name: syntax.Name) -> bool:
        """Whether this is the declaration that the name stands for, not a second or a refused one."""
        return any(symbol.name is name for symbol in self._symbols.get(name.text, ()))

    def is_unknown(self, name: syntax.Name) -> bool:
        """Whether the name stands for nothing at all, and is no word."""
        known = builtin(name) is not None or name.text in FUNCTIONS or name.text in self._symbols
        return not known and messages.names.meaning(name, "a meter", (), ()) is None

    def means(self, name: syntax.Name, kind: Kind) -> bool:
        """Whether the name stands for a declaration of this kind."""
        return builtin(name) is None and any(symbol.kind == kind for symbol in self._symbols.get(name.text, ()))

    def find(self, name: syntax.Name, kind: Kind) -> str | None:
        """The name, where it is declared as `kind`; otherwise an error and `None`."""
        if self.means(name, kind):
            return name.text
        self.refuse(name, messages.names.article(kind), self.of_kind(kind))
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
        return self.spec_of(name.text)

    def spec_of(self, name: str) -> syntax.StateSpec | None:
        """What the state of this name holds."""
        return next((symbol.state for symbol in self._symbols.get(name, ()) if symbol.state is not None), None)

    def span(self, kind: Kind, name: str) -> Span:
        """Where the name of this kind was declared."""
        return next(symbol.span for symbol in self._symbols[name] if symbol.kind == kind)

    def part(self, kind: Kind, name: str) -> tuple[str, str] | None:
        """What the name of this kind is called in the braces that it is declared in, and whose they are; `None` of what
        stands in none."""
        found = next(symbol.name for symbol in self._symbols[name] if symbol.kind == kind)
        return (found.own, found.owner) if isinstance(found, syntax.OwnName) else None

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
        self, name: syntax.Name, needed: str, candidates: tuple[str, ...], call: syntax.CallExpr | None = None
    ) -> str | None:
        """Report a name that does not stand for what is `needed` ("a meter"), maybe where it is called. Returns the
        candidate that may be meant."""
        what = builtin(name)
        if what is None and name.text in FUNCTIONS and not name.quoted and name.text not in self._symbols:
            what = "a function"
        if what is not None:
            self._report.add(messages.names.WordInstead(name.span, name.text, what, needed))
            return None
        symbol = next(iter(self._symbols.get(name.text, ())), None)
        if symbol is not None:
            about = name.text, symbol.kind, symbol.called, symbol.span, needed
            called = None if call is None else call.span
            self._report.add(messages.names.OtherKind(name.span, *about, self.means(name, "affordance"), called))
            return None
        if name.text in self.forgotten:
            return None
        guess = self.guess(name.text, candidates)
        axes = () if self.space is None else axes_of(self.space)
        few = candidates if self._comparisons <= MOST_COMPARISONS else ()
        meaning = messages.names.meaning(name, needed, axes, few)
        holders = self.holding(name.text) if needed in ("a number", "a condition") else ()
        if holders:
            meaning = messages.names.of_state(name.text, holders)
        guess = guess if meaning is None else None
        put = None if meaning is None else messages.names.written(name, needed, axes, few)
        likely = None if meaning is None else messages.names.likely(name, needed, axes, self.of_kind("affordance"))
        likely = f"{holders[0]} == {name.text}" if holders else likely
        made = None if meaning is None else self._instead(call)
        known = name.span, name.text, needed, candidates
        self._report.add(messages.names.Unknown(*known, meaning, guess, put, likely, made))
        return guess

    def holding(self, option: str) -> tuple[str, ...]:
        """The states that have such an option."""
        specs = ((state, self.spec_of(state)) for state in self.own_states)
        return tuple(state for state, spec in specs if spec is not None and option in {o.text for o in spec.options})

    def _instead(self, call: syntax.CallExpr | None) -> Edit | None:
        """What takes the place of a call of an unknown function."""
        if call is None:
            return None
        first = call.arguments[0] if call.arguments else None
        of_meter = isinstance(first, syntax.Name) and self.value_kind(first) == "meter" and self.state(first) is None
        return messages.names.for_call(call, of_meter=of_meter)

    def guess(self, name: str, candidates: tuple[str, ...]) -> str | None:
        """The candidate that may be meant by a name."""
        self._comparisons += len(candidates)
        return closest(name, candidates) if self._comparisons <= MOST_COMPARISONS else None

    def _declare(self, symbol: Symbol, declaration: syntax.RolePart) -> None:
        name, kind = symbol.name, symbol.kind
        what = builtin(name)
        if what is not None:
            self._report.add(messages.names.NameOfWord(name.span, name.text, symbol.called, what))
            self.refused.add(name.text)
            return
        symbols = self._symbols.setdefault(name.text, [])
        shared = NAMESPACES[symbol.namespace]
        first = next((symbol for symbol in symbols if symbol.kind in shared), None)
        if first is not None:
            says = None if (old := self._declared.get(id(first.name))) is None else rewritten(old, _nowhere)
            same = declaration.span if says == rewritten(declaration, _nowhere) else None
            about = name.text, kind, first.span, first.kind, shared
            self._report.add(messages.names.DeclaredTwice(name.span, *about, same))
            return
        if symbols:
            other = symbols[0]
            self._report.add(messages.names.TwoMeanings(name.span, name.text, kind, other.span, other.kind))
        symbols.append(symbol)
        self._declared[id(name)] = declaration
        self._in_order.append(symbol)


def _nowhere(_: Span) -> Span:
    return Span(1, 1, 1, 1)


def builtin(name: syntax.Name) -> str | None:
    """What a name means in every universe; a quoted one always means a declaration."""
    if name.quoted:
        return None
    is_bound = isinstance(name, syntax.Bound) and name.space == "quantity"
    return QUANTITIES.get(name.text) or (YIELDING.get(name.text) if is_bound else None)


def axis_of(name: syntax.Name, names: Symbols, report: Findings) -> str | None:
    """The axis of the space that is called so; nothing is known where the space has an error."""
    if names.space is None:
        return None
    axes = axes_of(names.space)
    if name.text in axes:
        return name.text
    report.add(messages.names.NoAxis(name.span, name.text, axes, names.space.span))
    return None


def is_word(expr: syntax.Expr, *words: str) -> bool:
    """Whether the expression is one of these words, not a declared name."""
    return isinstance(expr, syntax.Name) and not expr.quoted and expr.text in words
