"""Places beside levels: letters at which affordances stand or to which agents go, and cells of a region at random, in
each level elsewhere. Which level an episode has is read as it began, whatever is written to `level` since."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from hamlet.universe import Span
from hamlet.universe.terrain import distinct
from hamletc import messages
from hamletc.diagnostics import Finding
from hamletc.expansion.drawn_levels import LEVEL, MOST_SOUGHT, Drawn, level_of
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import binary, call, constant, every, free, named, number, outside_expressions, whole
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

MOST_IN_REGION = 16
"""The most affordances at random in one region."""
Cell: TypeAlias = tuple[int, int]
"""A place in a level: x and y."""


@dataclass(slots=True)
class LevelPlaces:
    """Writes out places that are others in each level. `tables` and `states` are what they ask for."""

    drawn: Drawn
    declarations: tuple[syntax.Decl, ...]
    span: Span
    number: syntax.Expr
    places: Places
    tables: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    states: list[syntax.MeterDecl] = field(default_factory=list)
    dealt: dict[str, list[syntax.Expr]] = field(default_factory=dict)

    @property
    def episodes(self) -> syntax.Expr:
        """The number of the level with which the episode began."""
        name = free("level of the episode", in_namespace("value", self.declarations))
        if not any(state.name.text == name for state in self.states):
            last = len(self.drawn.levels) - 1
            self.states.insert(0, whole(named(name, self.span), 0, last, self.number, self.span))
        return syntax.Bound(name, self.span, True, "value")

    def table(self, what: str, sizes: tuple[int, ...], numbers: Sequence[int], *indices: syntax.Expr) -> syntax.Expr:
        """A number of a table that has as many for each level."""
        name = free(what, in_namespace("value", self.declarations))
        self.tables[name] = (len(self.drawn.levels), *sizes), tuple(numbers)
        table = syntax.Bound(name, self.span, True, "value")
        return syntax.IndexExpr(table, (self.episodes, *indices), self.span)

    def written_tables(self) -> Iterator[syntax.TableDecl]:
        """The declarations of the tables."""
        for name, (sizes, numbers) in self.tables.items():
            signed = tuple(syntax.Signed(str(size), self.span) for size in sizes)
            row = syntax.TableRow(" ".join(map(str, numbers)), self.span)
            yield syntax.TableDecl(named(name, self.span), signed, None, (row,), self.span)

    # --- letters ---

    def affordance(self, head: syntax.AffordanceDecl) -> syntax.AffordanceDecl:
        """An affordance whose places are those of the level of the episode."""
        if head.place is None and (region := region_of(head)) in self.drawn.regions and region is not None:
            if not copies_of(head):
                return replace(head, spread=())
            first, *others = (self._dealt(region, head.name.span) for _ in range(copies_of(head)))
            return replace(head, place=first, spread=(), copies=None, others=tuple(others))
        items = tuple(self._item(item) for item in head.items)
        spots = tuple(map(self.spot, head.others))
        place = None if head.place is None else self.spot(head.place)
        return replace(head, place=place, others=spots, items=items)

    def _item(self, item: syntax.AffordanceItem) -> syntax.AffordanceItem:
        if isinstance(item, syntax.FollowsItem):
            return replace(item, stops=tuple(map(self.spot, item.stops)))
        return item

    def spot(self, spot: syntax.Spot) -> syntax.Spot:
        """Where a letter is in the level of the episode; a level without it counts as the first that has it."""
        if not isinstance(spot, syntax.Quoted):
            return spot
        cells = self._cells_of(spot.text)
        place = tuple(syntax.Signed(str(x), spot.span) for x in cells[0])
        if all(cell == cells[0] for cell in cells):
            return place
        return syntax.StartsAt(self._coordinates(spot.text, cells), place, spot.span)

    def teleport(self, statement: syntax.TeleportStmt) -> syntax.TeleportStmt:
        """A teleport to a letter."""
        match statement.spot:
            case syntax.Quoted(text=letter):
                cells, span = self._cells_of(letter), statement.span
                same = all(cell == cells[0] for cell in cells)
                there = (
                    tuple(number(x, span) for x in cells[0])
                    if same
                    else tuple(replace(each, span=span) for each in self._coordinates(letter, cells))
                )
                return replace(statement, place=there, spot=None)
            case _:
                return statement

    def _cells_of(self, letter: str) -> list[Cell]:
        every = [self.drawn.cells(level, letter) for level in self.drawn.levels]
        first = next(cells[0] for cells in every if cells)
        return [cells[0] if cells else first for cells in every]

    def _coordinates(self, letter: str, cells: list[Cell]) -> tuple[syntax.IndexExpr, ...]:
        made = (self.table(f"{axis} of {letter}", (), [cell[n] for cell in cells]) for n, axis in enumerate("xy"))
        return tuple(each for each in made if isinstance(each, syntax.IndexExpr))

    # --- regions ---

    def _dealt(self, region: str, span: Span) -> syntax.StartsAt:
        """One of the cells of a region that nothing before has: which of them is left is drawn, as cards are dealt."""
        before = self.dealt.setdefault(region, [])
        which = len(before)
        drawn = [free_cells(self.drawn, self.declarations, level, region) for level in self.drawn.levels]
        # A level without room has none of these: nobody sees where they would stand.
        filled = [cells if len(cells) > which else max(drawn, key=len) for cells in drawn]
        most = max(map(len, filled))
        names = in_namespace("value", self.declarations)
        left = self._drawn([len(cells) - which - 1 for cells in filled])
        card = free(f"card {which + 1} of {region}", names)
        # Card a is dealt from place b on: where that one was dealt before, the one that took its place.
        start = binary("+", number(which, self.span), left, self.span) if which else left
        chosen: syntax.Expr = number(which, self.span)
        if not isinstance(left, syntax.Numeral):
            self.states.append(whole(named(card, self.span), 0, most - 1, start, self.span))
            chosen = syntax.Bound(card, self.span, True, "value")
        before.append(chosen)
        for earlier in reversed(range(which)):
            name = free(f"cell {which + 1} of {region}, not {earlier + 1}", names)
            swapped = binary("==", chosen, before[earlier], self.span)
            value = syntax.IfExpr(swapped, number(earlier, self.span), chosen, self.span)
            self.states.append(whole(named(name, self.span), 0, most - 1, value, self.span))
            chosen = syntax.Bound(name, self.span, True, "value")
        numbers = [[*cells, *[cells[0]] * (most - len(cells))] for cells in filled]
        axes = (
            self.table(f"{axis} in {region}", (most,), [cell[n] for cells in numbers for cell in cells], chosen)
            for n, axis in enumerate("xy")
        )
        place = tuple(syntax.Signed(str(x), span) for x in filled[0][0])
        return syntax.StartsAt(tuple(axes), place, span)

    def _drawn(self, most: list[int]) -> syntax.Expr:
        """A whole number from 0 to that of the level, each as likely."""
        span, last = self.span, most[-1]

        def up_to(bound: int) -> syntax.Expr:
            # Each draw is at a place of its own, by which it is known.
            copy = Copy(span.file, span, "written", "dealt for this region", repeats=True, made=True)
            own = replace(span, file=self.places.add(copy))
            return call("integer", number(0, own), number(bound, own), span=own) if bound else number(0, span)

        chosen = up_to(last)
        for bound in sorted(set(most) - {last}):
            levels = [level for level, each in enumerate(most) if each == bound]
            of_these = every("or", [binary("==", self.episodes, number(each, span), span) for each in levels], span)
            chosen = syntax.IfExpr(of_these, up_to(bound), chosen, span)
        return chosen


def region_of(head: syntax.AffordanceDecl) -> str | None:
    """The region in which an affordance stands at random."""
    names = (item.name for item in head.spread if item.kind.text == "in")
    return next((name.text for name in names if name is not None), None)


def copies_of(head: syntax.AffordanceDecl) -> int:
    """How many of an affordance there are; 0 where that is no number of copies."""
    count = 1.0 if head.copies is None else constant(head.copies) or 0.0
    return int(count) if count.is_integer() and count >= 1 else 0


def letters_of(head: syntax.AffordanceDecl) -> Iterator[syntax.Quoted]:
    """The letters at which an affordance stands."""
    for spot in (head.place, *head.others, *(stop for item in routes(head) for stop in item.stops)):
        if isinstance(spot, syntax.Quoted):
            yield spot


def routes(head: syntax.AffordanceDecl) -> Iterator[syntax.FollowsItem]:
    """The places between which an affordance goes."""
    return (item for item in head.items if isinstance(item, syntax.FollowsItem))


def affordances(declarations: tuple[syntax.Decl, ...]) -> Iterator[syntax.AffordanceDecl]:
    """The affordances among declarations."""
    return (item for item in declarations if isinstance(item, syntax.AffordanceDecl))


def taken_letters(declarations: tuple[syntax.Decl, ...]) -> str:
    """The letters at which affordances stand."""
    return distinct(letter.text for head in affordances(declarations) for letter in letters_of(head))


def states_up_to_level(
    declarations: tuple[syntax.Decl, ...],
) -> tuple[tuple[syntax.WorldDecl, ...], tuple[syntax.Decl, ...]]:
    """The states of the world up to `level`, and the declarations without them: places follow from the level, and begin
    behind it."""
    level, first, rest = level_of(declarations), list[syntax.WorldItem](), list[syntax.Decl]()
    if level is None:
        return (), declarations
    for item in declarations:
        if not isinstance(item, syntax.WorldDecl) or level in first:
            rest.append(item)
            continue
        states = [each for each in item.items if isinstance(each, syntax.MeterDecl | syntax.OnceDecl)]
        first += states[: states.index(level) + 1] if level in states else states
        rest.append(replace(item, items=tuple(each for each in item.items if each not in first)))
    return (syntax.WorldDecl(tuple(first), level.span),), tuple(rest)


def free_cells(drawn: Drawn, declarations: tuple[syntax.Decl, ...], level: syntax.LevelDecl, region: str) -> list[Cell]:
    """The cells of a region on which affordances stand at random: no walls, where no agent starts by a letter, and no
    affordance stands by one."""
    letters = set(drawn.regions[region]) - set(drawn.walls + drawn.starts + taken_letters(declarations))
    return drawn.cells(level, "".join(letters))


def is_absent(head: syntax.AffordanceDecl, level: str, number: int) -> bool:
    """Whether an affordance says by `appears when` that it is in no episode of a level."""
    conditions = [item.condition for item in head.items if isinstance(item, syntax.OpenItem) and item.appears]
    return any(_holds(condition, level, number) is False for condition in conditions)


def _holds(condition: syntax.Expr, level: str, number: int) -> bool | None:
    """Whether a condition holds in all episodes of a level (`True`), in none, or in some perhaps (`None`)."""
    match condition:
        case syntax.BinaryExpr(op="and" | "or" as op, left=left, right=right):
            sides = [_holds(side, level, number) for side in (left, right)]
            decided = op == "or"
            return decided if decided in sides else None if None in sides else not decided
        case syntax.UnaryExpr(op="not", operand=operand):
            inside = _holds(operand, level, number)
            return None if inside is None else not inside
        case syntax.BinaryExpr(op=op, left=syntax.Name(text=text), right=right) if text == LEVEL and op in _COMPARES:
            if isinstance(right, syntax.Name):
                return _COMPARES[op](float(level != right.text), 0.0) if op in ("==", "!=") else None
            value = constant(right)
            return None if value is None else _COMPARES[op](float(number), value)
        case _:
            return None


_COMPARES: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)


# --- what can be wrong -----------------------------------------------------------------------------------------------


def wrong_places(drawn: Drawn, declarations: tuple[syntax.Decl, ...]) -> Iterator[Finding]:
    """What is wrong with places by letters, and in regions."""
    used: dict[str, int] = {}
    large = drawn.width * drawn.height > MOST_SOUGHT
    elsewhere = {each.name.text for each in affordances(declarations) if region_of(each) or any(letters_of(each))}
    for head in affordances(declarations):
        for letter in letters_of(head):
            yield from _wrong_letter(letter, drawn, head)
        if head.solid is not None and any(letters_of(head)) and not drawn.starts and large:
            yield messages.blocking.SolidStart(head.name.span, head.name.text, "agents may begin where it stands")
        for item in head.spread:
            if item.kind.text == "near" and item.name is not None and item.name.text in elsewhere:
                yield messages.levels.NotInLevels(item.span, "`near` what stands elsewhere in each level")
        region = region_of(head)
        if region is not None and region in drawn.regions:
            yield from _wrong_region(head, region, drawn, declarations, used)
    for node in outside_expressions(declarations):
        match node:
            case syntax.TeleportStmt(spot=syntax.Quoted() as letter):
                yield from _wrong_letter(letter, drawn, None)
            case _:
                pass


def _wrong_region(
    head: syntax.AffordanceDecl,
    region: str,
    drawn: Drawn,
    declarations: tuple[syntax.Decl, ...],
    used: dict[str, int],
) -> Iterator[Finding]:
    """What is wrong with an affordance at random in a region, in which so many others stand before it."""
    name, span = head.name.text, head.spread[0].span
    if len(head.spread) > 1:
        beside = next((item for item in head.spread if item.kind.text != "in"), head.spread[1])
        yield messages.levels.NotInLevels(beside.span, f"`{beside.kind.text}` beside `in`")
    if head.copies is not None and constant(head.copies) is None:
        yield messages.levels.NotInLevels(head.name.span, "a number of copies that is not written as a number")
        return
    if head.solid is not None and not drawn.starts:
        yield messages.blocking.SolidStart(head.name.span, name, "agents may begin where it stands")
    used[region] = used.get(region, 0) + copies_of(head)
    if used[region] > MOST_IN_REGION:
        yield messages.levels.TooManyInRegion(span, region, MOST_IN_REGION)
        return
    for which, level in enumerate(drawn.levels):
        cells = len(free_cells(drawn, declarations, level, region))
        if cells < used[region] and not is_absent(head, level.name.text, which):
            yield messages.levels.RegionWithoutRoom(span, name, level.name.text, region, cells)
            return


def _wrong_letter(letter: syntax.Quoted, drawn: Drawn, head: syntax.AffordanceDecl | None) -> Iterator[Finding]:
    """What is wrong with a letter that is a place; an affordance (`head`) may be absent from a level."""
    if len(letter.text) != 1:
        yield messages.places.SeveralLetters(letter.span)
        return
    if letter.text not in drawn.letters:
        yield messages.places.LetterOfNoCell(letter.span, letter.text, drawn.map.span)
        return
    if letter.text in drawn.walls:
        level = next(each for each in drawn.levels if drawn.cells(each, letter.text))
        x, y = drawn.cells(level, letter.text)[0]
        yield messages.places.PlaceIsWall(letter.span, x, y, drawn.map.span)
        return
    if head is not None and head.solid is not None and letter.text in drawn.starts:
        yield messages.blocking.SolidStart(head.name.span, head.name.text, "agents begin on its cell")
    for which, level in enumerate(drawn.levels):
        count, name = len(drawn.cells(level, letter.text)), level.name.text
        if count == 1 or (count == 0 and head is not None and is_absent(head, name, which)):
            continue
        who = None if head is None else head.name.text
        yield messages.levels.LevelLacks(level.span, name, letter.text, count, who, named=drawn.named)
        return
