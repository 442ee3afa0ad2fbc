"""What stands in the braces of an affordance and is no use of it: its own meters and rules become those of the world,
meters per agent become those of agents, its actions become actions that are possible only there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

from hamlet.frozen import dataclass
from hamlet.universe import Span, nodes
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Copy, Places, rewritten
from hamletc.expansion.trees import Field, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import in_braces, in_namespace
from hamletc.language.tokens import LONGEST_NAME
from hamletc.language.words import MEANINGS

T = TypeVar("T")
OWN = syntax.MeterDecl | syntax.RuleDecl | syntax.ActionDecl


def affordances_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations, affordances without parts of their own, and what is wrong with these."""
    meters = {
        (item.name.text, declaration.name.text): in_braces(item.name, declaration.name.text)
        for declaration in declarations
        if isinstance(declaration, syntax.AffordanceDecl)
        for item in declaration.items
        if isinstance(item, syntax.MeterDecl)
    }
    has_own = any(
        isinstance(item, OWN)
        for declaration in declarations
        if isinstance(declaration, syntax.AffordanceDecl)
        for item in declaration.items
    )
    if not has_own:
        return declarations, ()
    problems = tuple(_problems(declarations, places))
    if problems:
        return declarations, problems
    renamed = Renamed(meters)
    everywhere = tuple(renamed.tree(item) if _asks_of(item) else item for item in declarations)
    around = Around.of(declarations, places)
    return tuple(part for item in everywhere for part in _parts(item, meters, around)), ()


def _asks_of(declaration: syntax.Decl) -> bool:
    """Whether something in a declaration may be `of` an affordance."""
    return any(
        isinstance(node, syntax.OfExpr) or (isinstance(node, syntax.AssignStmt) and node.owner is not None)
        for node in nodes(declaration)
    )


@dataclass(frozen=True, slots=True)
class Around:
    """What decides how an action of an affordance is written out."""

    nowhere: bool
    hours: str | None
    """The length of a day; `None` without a clock."""
    places: Places

    @classmethod
    def of(cls, declarations: tuple[syntax.Decl, ...], places: Places) -> Around:
        """What the declarations of a universe decide."""
        return cls(
            any(isinstance(item, syntax.SpaceDecl) and item.kind.text == "none" for item in declarations),
            next((item.hours.text for item in declarations if isinstance(item, syntax.ClockDecl)), None),
            places,
        )


def _parts(
    declaration: syntax.Decl, meters: Mapping[tuple[str, str], syntax.Name], around: Around
) -> Iterator[syntax.Decl]:
    """What a declaration becomes."""
    if not isinstance(declaration, syntax.AffordanceDecl) or not any(isinstance(i, OWN) for i in declaration.items):
        yield declaration
        return
    owner = declaration.name.text
    items = [Renamed(meters, owner).tree(item) for item in declaration.items]
    named_outside = [
        replace(item, name=in_braces(item.name, owner))
        for item in items
        if isinstance(item, syntax.MeterDecl | syntax.RuleDecl)
    ]
    of_agents = [item for item in named_outside if isinstance(item, syntax.MeterDecl) and item.per_agent]
    yield from (replace(item, per_agent=False) for item in of_agents)
    of_world = tuple(item for item in named_outside if item not in of_agents)
    if of_world:
        yield syntax.WorldDecl(of_world, declaration.span)
    # What is left of actions are their names: an affordance that has some does something.
    named = [replace(item, items=()) if isinstance(item, syntax.ActionDecl) else item for item in items]
    rest = tuple(item for item in named if not isinstance(item, syntax.MeterDecl | syntax.RuleDecl))
    yield replace(declaration, items=rest)
    if declaration.copy_of is not None:
        return  # what one can do at copies is one action for all of them
    for action in (item for item in items if isinstance(item, syntax.ActionDecl)):
        yield from _action(action, replace(declaration, items=rest), around)


def _action(
    action: syntax.ActionDecl, affordance: syntax.AffordanceDecl, around: Around
) -> tuple[syntax.ActionDecl, syntax.AllowDecl] | tuple[syntax.ActionDecl]:
    """An action that needs what the affordance needs, and is off in the mask where that does not hold."""
    name = action.name
    needs = [item for item in action.items if isinstance(item, syntax.NeedsItem)][:1]
    found = [*opened(affordance, name.span, around)]
    found += [item.condition for item in affordance.items if isinstance(item, syntax.NeedsItem)]
    conditions = [repeated(each, name.span, f"`{name.text}` needs this", around.places) for each in found]
    conditions += [item.condition for item in needs]
    if not conditions:
        return (action,)
    condition = joined(conditions)
    others = tuple(item for item in action.items if item not in needs)
    masked = repeated(condition, name.span, f"`{name.text}` is off in the mask where this does not hold", around.places)
    return (
        replace(action, items=(syntax.NeedsItem(condition, name.span), *others)),
        syntax.AllowDecl((name,), masked, name.span),
    )


def repeated(written: T, user: Span, label: str, places: Places) -> T:
    """What stands somewhere else, too."""
    numbers: dict[int, int] = {}

    def moved(span: Span) -> Span:
        if span.file not in numbers:
            numbers[span.file] = places.add(Copy(span.file, user, "written", label, repeats=True))
        return replace(span, file=numbers[span.file])

    return rewritten(written, moved)


def opened(affordance: syntax.AffordanceDecl, span: Span, around: Around) -> Iterator[syntax.Expr]:
    """The conditions that an agent is there, and that it is open."""
    if not around.nowhere:
        name = syntax.Bound(affordance.name.text, span, True, "affordance")
        yield syntax.BinaryExpr("==", syntax.Bound("here", span), name, span, span)
    if affordance.hours is not None and around.hours is not None:
        opens, closes = (_constant(hour) for hour in affordance.hours)
        hour = syntax.Bound("hour", span)
        since = syntax.BinaryExpr(">=", hour, opens, span, span)
        until = syntax.BinaryExpr("<", hour, closes, span, span)
        first, last = (hour.text for hour in affordance.hours)
        past_midnight = first.isdigit() and last.isdigit() and int(first) > int(last)
        # A side that is the beginning of the day, or its end, decides nothing: the author did not write a condition.
        if first == "0" and last != "0":
            yield from () if last == around.hours else (until,)
        elif last in ("0", around.hours) and first != last:
            yield since
        else:
            yield syntax.BinaryExpr("or" if past_midnight else "and", since, until, span, span)
    yield from (item.condition for item in affordance.items if isinstance(item, syntax.OpenItem))


def _constant(number: syntax.Signed) -> syntax.Expr:
    return syntax.Numeral(number.text, number.span) if number.value is None else number.value


def joined(conditions: list[syntax.Expr]) -> syntax.Expr:
    """All of these conditions, one or more."""
    return reduce(lambda a, b: syntax.BinaryExpr("and", a, b, a.span, a.span), conditions)


@dataclass(frozen=True, slots=True)
class Renamed:
    """Puts in the place of meters `of` affordances what they are in a world; in the braces of an `owner` their own
    names are such meters. A statement that writes one for which an expression stands keeps the name."""

    of: Mapping[tuple[str, str], syntax.Expr]
    owner: str = ""

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """The node with everything below it."""
        match node:
            case syntax.AssignStmt(meter=meter, value=value):
                known = self._own(meter) if node.owner is None else self.of.get((meter.text, node.owner.text))
                if isinstance(known, syntax.Name):
                    node = replace(node, meter=replace(known, span=meter.span), owner=None)
                return replace(node, value=self.tree(value))
            case syntax.OfExpr(quantity=quantity, owner=owner):
                known = self.of.get((quantity.text, owner.text))
            case syntax.Bound(space="own"):
                known = self._own(node)
            case _:
                return rebuilt(node, self.tree)
        return node if known is None else rewritten(known, lambda _: node.span)

    def _own(self, name: syntax.Name) -> syntax.Expr | None:
        is_own = isinstance(name, syntax.Bound) and name.space == "own"
        return self.of.get((name.text, self.owner)) if is_own else None


# --- what can be wrong -----------------------------------------------------------------------------------------------


def _problems(declarations: tuple[syntax.Decl, ...], places: Places) -> Iterator[Diagnostic]:
    taken = in_namespace("value", declarations)
    for declaration in declarations:
        if not isinstance(declaration, syntax.AffordanceDecl):
            continue
        owner = declaration.name.text
        for item in declaration.items:
            if not isinstance(item, syntax.MeterDecl | syntax.RuleDecl):
                continue
            name = item.name
            if len(outside := in_braces(name, owner).text) > LONGEST_NAME:
                yield places.told(messages.moving.OwnNameTooLong(name.span, outside, LONGEST_NAME))
            if isinstance(item, syntax.RuleDecl) or (item.state is not None and item.state.of == "compiler"):
                continue
            if name.text in MEANINGS and not name.quoted:
                yield places.told(messages.moving.OwnNameOfWord(name.span, name.text))
            elif name.text in taken:
                yield places.told(messages.moving.OwnNameTaken(name.span, name.text, owner, taken[name.text].span))
