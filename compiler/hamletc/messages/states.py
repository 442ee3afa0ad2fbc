"""States: what they hold, and their options."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import guessed
from hamletc.language import syntax
from hamletc.language.spelling import spell_name
from hamletc.suggest import closest


@finding("H160")
class NoType(Finding):
    state: syntax.Name

    def told(self) -> Told:
        name = spell_name(self.state)
        hint = f"Write `state {name}: int in 0 .. 10 = 0`, or `real in 0 .. 1`; a meter needs no type."
        return Told(f"it is not said what the state `{name}` holds", hint)


@finding("H160")
class OptionTwice(Finding):
    option: str
    first: Span

    def told(self) -> Told:
        secondary = (Label(self.first, "the first one"),)
        return Told(f"the option `{self.option}` occurs twice", "Keep one of them.", "", secondary)


@finding("H160")
class OneOption(Finding):
    state: syntax.Name

    def told(self) -> Told:
        name = spell_name(self.state)
        hint = f"Write two or more, as in `state {name}: calm angry = calm`; types are `int`, `real` and `bool`."
        return Told(f"the state `{name}` has one option only", hint)


@finding("H161")
class OptionsWithoutOrder(Finding):
    def told(self) -> Told:
        hint = "Write `==` or `!=`; what has an order is a number: `state NAME: int in 0 .. 3 = 0`."
        return Told("options have no order", hint)


@finding("H161")
class NoOption(Finding):
    """Something else where an option stands; `others` are the options that it has instead."""

    written: syntax.Expr
    options: tuple[syntax.Name, ...]
    declared: Span
    others: Span | None = None

    def told(self) -> Told:
        choices = (f"`{spell_name(option)}`".replace("``", "`") for option in self.options)
        message, hint = "an option is needed here", f"Write one of {', '.join(choices)}."
        edits: tuple[Edit, ...] = ()
        if isinstance(self.written, syntax.Name):
            message = f"`{self.written.text}` is none of the options"
            meant = closest(self.written.text, [each.text for each in self.options])
            hint = f"Did you mean `{meant}`?" if meant else hint
            edits = guessed(self.span, self.written.text, meant)
        others = () if self.others is None else (Label(self.others, "these are others"),)
        return Told(message, hint, "", (*others, Label(self.declared, "the options")), edits)


@finding("H162")
class AddsToNoNumber(Finding):
    """`+=` or `-=` of a state of conditions or options."""

    statement: syntax.AssignStmt
    state: syntax.StateSpec

    def told(self) -> Told:
        name, conditions = spell_name(self.statement.meter), self.state.kind == "bool"
        hint = f"Write `{name} = {f'not {name}' if conditions else spell_name(self.state.options[-1])}`."
        holds = "a condition" if conditions else "one of its options"
        message = f"`{self.statement.op}` adds to a number, and `{name}` holds {holds}"
        return Told(message, hint, "", (Label(self.state.span, "declared here"),))


@finding("H162")
class UnclampedState(Finding):
    declared: Span

    def told(self) -> Told:
        hint = "Leave it out, or give the state wider bounds; a meter can leave its bounds."
        return Told("a state never leaves its bounds", hint, "", (Label(self.declared, "declared here"),))
