"""`affordance Bush: 5 copies at random`: each copy becomes an affordance of its own, `Bush 1` to `Bush 5`, and what is
said of `Bush` elsewhere is said of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from hamlet.frozen import dataclass
from hamlet.universe import Span, nodes
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.affordances import Around, Renamed, joined, opened, repeated
from hamletc.expansion.places import Copy, Places, rewritten
from hamletc.expansion.trees import Field, constant, named, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import copy_of, in_braces
from hamletc.language.tokens import LONGEST_NAME

MOST_COPIES = 64
"""The most copies of an affordance."""
_COMPARED = ("here", "last", "used")
"""The words that are compared with affordances."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """An affordance of which there are copies.

    Attributes:
        names: of the copies.
        meters: its own, by name.
    """

    name: str
    names: tuple[str, ...]
    meters: Mapping[str, syntax.MeterDecl]


def copies_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations with an affordance for each copy, and what is wrong with copies."""
    declarations = _drawn(declarations)
    heads = [item for item in declarations if isinstance(item, syntax.AffordanceDecl) and _has_copies(item)]
    if not heads:
        return declarations, ()
    problems = [each for head in heads for each in _problems(head, declarations, places)]
    if problems:
        return declarations, tuple(problems)
    kinds = {head.name.text: _kind(head) for head in heads}
    problems += _misused(declarations, kinds, places)
    if problems:
        return declarations, tuple(problems)
    around = Around.of(declarations, places)
    made: list[syntax.Decl] = []
    for item in declarations:
        if isinstance(item, syntax.AffordanceDecl) and item.name.text in kinds:
            made += _copies(item, kinds, around)
        else:
            made.append(_Said(kinds, {}).tree(item))
    return tuple(made), ()


def _drawn(declarations: tuple[syntax.Decl, ...]) -> tuple[syntax.Decl, ...]:
    """The declarations with a place for each cell that has the letter of an affordance on the map."""
    ground = next((item for item in declarations if isinstance(item, syntax.MapDecl)), None)
    if ground is None:
        return declarations
    axes = {item.axis for item in ground.items if isinstance(item, syntax.DrawnWallsDecl)}
    rows = [row.text[:: 1 + ("columns" in axes)] for row in ground.rows[:: 1 + ("rows" in axes)]]

    def cells(spot: syntax.Spot) -> tuple[syntax.Spot, ...]:
        if not isinstance(spot, syntax.Quoted) or len(spot.text) != 1:
            return (spot,)
        at = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == spot.text]
        made = ((syntax.Signed(str(x), spot.span), syntax.Signed(str(y), spot.span)) for x, y in at)
        return tuple(syntax.LetterCell(spot.text, spot.span, cell) for cell in made) if len(at) > 1 else (spot,)

    def drawn(item: syntax.Decl) -> syntax.Decl:
        if not isinstance(item, syntax.AffordanceDecl) or item.place is None:
            return item
        spots = [cell for spot in (item.place, *item.others) for cell in cells(spot)]
        return item if len(spots) == 1 + len(item.others) else replace(item, place=spots[0], others=tuple(spots[1:]))

    return tuple(map(drawn, declarations))


def _has_copies(declaration: syntax.AffordanceDecl) -> bool:
    return declaration.copies is not None or bool(declaration.others)


def _kind(head: syntax.AffordanceDecl) -> _Kind:
    name = head.name.text
    number = len(head.others) + 1 if head.copies is None else int(constant(head.copies) or 0)
    meters = {item.name.text: item for item in head.items if isinstance(item, syntax.MeterDecl)}
    return _Kind(name, tuple(copy_of(name, index + 1) for index in range(number)), meters)


def _copies(
    head: syntax.AffordanceDecl, kinds: Mapping[str, _Kind], around: Around
) -> Iterator[syntax.AffordanceDecl | syntax.ActionDecl | syntax.AllowDecl]:
    """The affordances that stand for one with copies, and the actions that are possible at all of them."""
    kind = kinds[head.name.text]
    spots = (head.place, *head.others) if head.others else (head.place,) * len(kind.names)
    # What is left of actions are their names: an affordance that has some does something.
    items = tuple(replace(item, items=()) if isinstance(item, syntax.ActionDecl) else item for item in head.items)
    made: list[syntax.AffordanceDecl] = []
    for number, (name, spot) in enumerate(zip(kind.names, spots, strict=True)):
        copy = replace(head, items=items, place=spot, copies=None, others=(), copy_of=head.name)
        copy = _Said(kinds, {kind.name: name}).tree(copy) if number == 0 else _moved(copy, number, kinds, around)
        made.append(replace(copy, name=replace(copy.name, text=name, quoted=True), copy_of=head.name))
    yield from made
    for item in head.items:
        if isinstance(item, syntax.ActionDecl):
            yield from _action(item, made, kinds, around)


def _moved(
    head: syntax.AffordanceDecl, number: int, kinds: Mapping[str, _Kind], around: Around
) -> syntax.AffordanceDecl:
    """The text of a further copy, whose places are its own."""
    kind = kinds[head.name.text]
    files: dict[int, int] = {}

    def moved(span: Span) -> Span:
        if span.file not in files:
            label = f"in copy {number + 1} of `{kind.name}`"
            files[span.file] = around.places.add(Copy(span.file, head.name.span, "written", label, repeats=True))
        return replace(span, file=files[span.file])

    copy: syntax.AffordanceDecl = _Said(kinds, {kind.name: kind.names[number]}).tree(rewritten(head, moved))
    return copy


def _action(
    action: syntax.ActionDecl, copies: list[syntax.AffordanceDecl], kinds: Mapping[str, _Kind], around: Around
) -> Iterator[syntax.ActionDecl | syntax.AllowDecl]:
    """An action that is possible at each copy: the meters in it are those of the copy where the agent is."""
    name, kind = action.name, next(each for each in kinds.values() if copies[0].name.text in each.names)
    here = {(meter, kind.name): _of_the_one_here(meter, kind, name.span) for meter in kind.meters}
    written = Renamed(here, kind.name).tree(_Said(kinds, {}).tree(action))
    needs = [item for item in written.items if isinstance(item, syntax.NeedsItem)][:1]
    ways: list[syntax.Expr] = []
    for copy in copies:
        conditions = [*opened(copy, name.span, around)]
        conditions += [item.condition for item in copy.items if isinstance(item, syntax.NeedsItem)]
        own = Renamed({(meter, copy.name.text): _own(meter, copy.name) for meter in kind.meters}, copy.name.text)
        way = replace(action, items=(syntax.NeedsItem(joined(conditions), name.span),))
        (item,) = own.tree(repeated(way, name.span, f"`{name.text}` needs this", around.places)).items
        ways.append(item.condition)
    condition = joined([_any(ways, name.span), *(item.condition for item in needs)])
    others = tuple(item for item in written.items if item not in needs)
    label = f"`{name.text}` is off in the mask where this does not hold"
    masked = repeated(syntax.AllowDecl((name,), condition, name.span), name.span, label, around.places)
    yield replace(written, items=(syntax.NeedsItem(condition, name.span), *others))
    yield replace(masked, actions=(name,), span=name.span)


def _of_the_one_here(meter: str, kind: _Kind, span: Span) -> syntax.Expr:
    """The meter of the first copy where the agent is; of the last one where it is at none."""
    *others, last = [_own(meter, named(name, span)) for name in kind.names]
    found: syntax.Expr = last
    for name, own in reversed(list(zip(kind.names, others, strict=False))):
        found = syntax.IfExpr(_compared("here", "==", name, span), own, found, span)
    return found


def _own(meter: str, copy: syntax.Name) -> syntax.Name:
    return in_braces(named(meter, copy.span), copy.text)


def _compared(word: str, op: syntax.BinaryOp, name: str, span: Span) -> syntax.Expr:
    left, right = syntax.Bound(word, span), syntax.Bound(name, span, True, "affordance")
    return syntax.BinaryExpr(op, left, right, span, span)


def _any(conditions: Sequence[syntax.Expr], span: Span) -> syntax.Expr:
    return reduce(lambda a, b: syntax.BinaryExpr("or", a, b, span, span), conditions)


@dataclass(frozen=True, slots=True)
class _Said:
    """Says of all copies what is said of their affordance; in its own braces its name is that of `this` copy."""

    kinds: Mapping[str, _Kind]
    this: Mapping[str, str]

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """The node with everything below it; a statement that writes a meter of an affordance writes that of each
        copy."""
        match node:
            case syntax.AssignStmt(owner=syntax.Name() as owner) if owner.text in self.kinds:
                return tuple(self.tree(replace(node, owner=each)) for each in self._names(owner))
            case syntax.BinaryExpr(op="==" | "!=", left=left, right=right):
                for word, other in ((left, right), (right, left)):
                    if not isinstance(word, syntax.Name) or not isinstance(other, syntax.Name):
                        continue
                    if word.text in _COMPARED and not word.quoted and other.text in self.kinds:
                        return self._compared(node, word.text, other.text)
            case syntax.DistanceExpr(affordance=name) if name.text in self.kinds:
                return self._call("min", [replace(node, affordance=each) for each in self._names(name)], node.span)
            case syntax.StreakExpr(affordance=name) if name.text in self.kinds:
                return self._call("max", [replace(node, affordance=each) for each in self._names(name)], node.span)
            case syntax.OfExpr(owner=syntax.Bound()):
                return node
            case syntax.OfExpr(quantity=quantity, owner=name) if name.text in self.kinds:
                return self._together(quantity, [replace(node, owner=each) for each in self._names(name)], name.text)
            case syntax.ObserveWorld(names=names) | syntax.ObserveState(names=names):
                return replace(node, names=tuple(each for name in names for each in self._seen(name)))
            case _:
                pass
        return rebuilt(node, self.tree)

    def _names(self, name: syntax.Name) -> list[syntax.Name]:
        """The names of the copies that are meant."""
        names = (self.this[name.text],) if name.text in self.this else self.kinds[name.text].names
        return [replace(name, text=each, quoted=True) for each in names]

    def _compared(self, node: syntax.BinaryExpr, word: str, kind: str) -> syntax.Expr:
        names = (self.this[kind],) if kind in self.this else self.kinds[kind].names
        found = _any([_compared(word, "==", name, node.span) for name in names], node.span)
        return found if node.op == "==" else syntax.UnaryExpr("not", found, node.span)

    def _call(self, function: str, arguments: list[syntax.Expr], span: Span) -> syntax.Expr:
        if len(arguments) == 1:
            return arguments[0]
        return syntax.CallExpr(syntax.Name(function, span), tuple(arguments), span)

    def _together(self, quantity: syntax.Name, each: list[syntax.Expr], kind: str) -> syntax.Expr:
        """What the copies have of their own: the sum, or whether one of them has it."""
        meter = self.kinds[kind].meters.get(quantity.text)
        whether = meter is not None and meter.state is not None and meter.state.kind in ("", "bool")
        return reduce(
            lambda a, b: syntax.BinaryExpr("or" if whether else "+", a, b, quantity.span, quantity.span), each
        )

    def _seen(self, name: syntax.Name) -> Iterator[syntax.Name]:
        """What is observed where this name stands: a meter of each copy."""
        found = [
            _own(meter, named(copy, name.span)).text
            for kind in self.kinds.values()
            for meter in kind.meters
            if _own(meter, named(kind.name, name.span)).text == name.text
            for copy in kind.names
        ]
        yield from (replace(name, text=each) for each in found or (name.text,))


# --- what can be wrong -----------------------------------------------------------------------------------------------


def _problems(
    head: syntax.AffordanceDecl, declarations: tuple[syntax.Decl, ...], places: Places
) -> Iterator[Diagnostic]:
    """What is wrong with the copies of an affordance."""
    name, number = head.name.text, None if head.copies is None else constant(head.copies)
    if head.copies is not None:
        span = head.copies.span
        if number is None:
            yield places.told(messages.copies.NumberOfCopies(span, name))
        elif number != int(number) or not 1 <= number <= MOST_COPIES:
            yield places.told(messages.copies.CopiesOutsideLimits(span, name, number, MOST_COPIES))
        elif head.others and int(number) != len(head.others) + 1:
            yield places.told(messages.copies.OtherNumberOfPlaces(span, name, number, len(head.others) + 1))
        elif head.place is not None and not head.others and number > 1:
            yield places.told(messages.copies.CopiesAtOnePlace(head.place_span or span, name))
    elif len(head.others) >= MOST_COPIES:
        span, many = head.place_span or head.span, len(head.others) + 1
        yield places.told(messages.copies.CopiesOutsideLimits(span, name, many, MOST_COPIES))
    space = next((item for item in declarations if isinstance(item, syntax.SpaceDecl)), None)
    if space is not None and space.kind.text == "none":
        yield places.told(messages.copies.CopiesWithoutSpace(head.name.span, name, space.span))
    if len(copy_of(name, MOST_COPIES)) > LONGEST_NAME:
        yield places.told(messages.copies.NameOfCopiesTooLong(head.name.span, name, LONGEST_NAME))
    if number is not None and not 1 <= number <= MOST_COPIES:
        return
    taken = {item.name.text: item.name for item in declarations if isinstance(item, syntax.AffordanceDecl)}
    count = len(head.others) + 1 if number is None else int(number)
    for copy in (copy_of(name, index + 1) for index in range(count)):
        if copy in taken:
            yield places.told(messages.copies.NamedLikeCopy(taken[copy].span, copy, name))


def _misused(declarations: tuple[syntax.Decl, ...], kinds: Mapping[str, _Kind], places: Places) -> Iterator[Diagnostic]:
    """What is said of all copies and can be said of one only."""
    for node in nodes(declarations):
        match node:
            case syntax.SpreadItem(name=syntax.Name(text=text) as name) if text in kinds and node.kind.text == "near":
                yield places.told(messages.copies.NearAnyCopy(name.span, text))
            case syntax.OfExpr(quantity=quantity, owner=syntax.Name(text=text)) if text in kinds:
                meter = kinds[text].meters.get(quantity.text)
                if meter is not None and meter.state is not None and meter.state.kind == "options":
                    yield places.told(messages.copies.OptionsOfCopies(node.span, text, quantity.text))
            case _:
                pass
