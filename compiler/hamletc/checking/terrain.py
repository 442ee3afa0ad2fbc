"""The map of a grid: its letters, what they mean, and whether agents get where they should."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hamlet import universe
from hamlet.universe import (
    Affordance,
    Displace,
    Grid,
    Map,
    Region,
    RegionNumber,
    Space,
    Teleport,
    Terrain,
    WalkingDistance,
    parts,
)
from hamlet.universe.space import cells
from hamlet.universe.terrain import distinct
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.relocations import constants
from hamletc.checking.report import Findings, all_of, only
from hamletc.checking.thin_walls import PLAIN, Drawing, drawing_of, resolve_thin_walls, touch
from hamletc.expansion.drawn_levels import place_of
from hamletc.expansion.trees import outside_expressions
from hamletc.language import syntax
from hamletc.ways import Ways

MOST_CELLS = 65_536
"""The most cells of a map: some tables of kernels have a number per cell."""
MOST_WAYS = 2_000_000
"""The most ways from cells to others that are looked at; on a larger map with many moves nothing is warned of."""


def resolve_map(file: syntax.File, names: Names, expressions: Expressions, report: Findings) -> Map | None:
    """`map { "####" "#..#" wall "#" }`, without what is wrong; `None` where there is none, or no use of it."""
    written = only(all_of(file.declarations, syntax.MapDecl), "`map`", report)
    if written is None or not _is_rectangle(written, report):
        return None
    drawing = drawing_of(written, report)
    if drawing is None:
        return None
    known = "".join(drawing.rows)
    walls = _letters_of("wall", written, known, report)
    starts = _starting(written, walls, _letters_of("starts", written, known, report), names)
    if not _all_known(written, drawing, walls + starts, _placed(file.declarations), report):
        return None
    both = [letter for letter in starts if letter in walls]
    if both:
        said = next(
            item for item in written.items if isinstance(item, syntax.MapLetters) and item.kind.text == "starts"
        )
        report.add(messages.maps.StartOnWall(said.letters.span, both[0]))
        return None
    regions = tuple(
        Region(item.name.text, distinct(item.letters.text), item.span)
        for item in all_of(written.items, syntax.RegionDecl)
        if names.owns(item.name) and _are_known(item.letters, known, report)
    )
    thin = resolve_thin_walls(written, drawing, walls, report)
    found = Map(drawing.rows, walls, regions, (), written.span, starts or None, thin)
    terrains = (_terrain(item, found, names, expressions, report) for item in all_of(written.items, syntax.TerrainDecl))
    return replace(found, terrains=tuple(each for each in terrains if each is not None))


def _is_rectangle(written: syntax.MapDecl, report: Findings) -> bool:
    rows = written.rows
    if not rows or not rows[0].text:
        span = written.span if not rows else rows[0].span
        report.add(messages.maps.NoCells(span))
        return False
    width = len(rows[0].text)
    for number, row in enumerate(rows):
        if len(row.text) != width:
            report.add(messages.maps.RowOfOtherLength(row.span, number, len(row.text), width, rows[0].span))
            return False
    if width * len(rows) > MOST_CELLS:
        report.add(messages.maps.MapTooLarge(written.span, width * len(rows), MOST_CELLS))
        return False
    return True


def _letters_of(kind: str, written: syntax.MapDecl, known: str, report: Findings) -> str:
    """The letters that mean walls, or where agents start."""
    items = [item for item in all_of(written.items, syntax.MapLetters) if item.kind.text == kind]
    for second in items[1:]:
        report.add(messages.everywhere.GivenTwice(second.span, f"`{kind}`", items[0].span, "quotes"))
    if not items or isinstance(items[0].letters, syntax.Name):
        return ""
    return distinct(items[0].letters.text) if _are_known(items[0].letters, known, report) else ""


def _starting(written: syntax.MapDecl, walls: str, letters: str, names: Names) -> str:
    """The letters on which agents start: these, or those of a region that are no walls."""
    for item in all_of(written.items, syntax.MapLetters):
        if isinstance(item.letters, syntax.Name) and names.find(item.letters, "region") is not None:
            regions = all_of(written.items, syntax.RegionDecl)
            names.asked.add(item.letters.text)
            found = next(each.letters.text for each in regions if each.name.text == item.letters.text)
            return distinct(letter for letter in found if letter not in walls)
    return letters


def _are_known(letters: syntax.Quoted, known: str, report: Findings) -> bool:
    """Whether these are letters of the map."""
    if not letters.text:
        report.add(messages.maps.NoLetters(letters.span))
        return False
    for letter in letters.text:
        if letter not in known:
            report.add(messages.maps.LetterNotDrawn(letters.span, letter))
            return False
    return True


def _placed(declarations: Iterable[syntax.Decl]) -> str:
    """The letters at which affordances are, and to which agents are teleported."""
    found: list[str] = []
    for item in outside_expressions(tuple(declarations)):
        match item:
            case syntax.AffordanceDecl(place=syntax.Quoted(text=text)):
                found.append(text)
            case syntax.AffordanceDecl(place=syntax.Name(text=text)) if len(text) == 1:
                found.append(text)  # a letter that lacks its quotes is told of there
            case syntax.TeleportStmt(spot=syntax.Quoted(text=text)):
                found.append(text)
            case _:
                pass
    return "".join(found)


def _all_known(written: syntax.MapDecl, drawing: Drawing, letters: str, placed: str, report: Findings) -> bool:
    """Whether each letter of a cell has a meaning."""
    of_regions = "".join(item.letters.text for item in all_of(written.items, syntax.RegionDecl))
    meant = frozenset(PLAIN + letters + placed + of_regions)
    said: set[str] = set()
    of_walls = any(item.kind.text == "wall" for item in all_of(written.items, syntax.MapLetters))
    rim = "" if of_walls or written.file is not None or len(set(drawing.rows[0])) > 1 else drawing.rows[0][0]
    for row in written.rows[:: drawing.down]:
        for index, letter in enumerate(row.text):
            if index % drawing.across or letter in meant or letter in said:
                continue
            said.add(letter)
            last = written.rows[-1].span if letter == rim else None
            report.add(messages.maps.LetterWithoutMeaning(place_of(row, index), letter, last))
    return not said


def _terrain(
    item: syntax.TerrainDecl, found: Map, names: Names, expressions: Expressions, report: Findings
) -> Terrain | None:
    default = expressions.constant(item.default, f"the terrain `{item.name.text}`")
    given: dict[str, tuple[syntax.RegionNumber, float]] = {}
    letters: dict[str, syntax.RegionNumber] = {}
    for each in item.numbers:
        region = names.find(each.region, "region")
        value = expressions.constant(each.value, f"what `{each.region.text}` has")
        if region is None or value is None:
            continue
        if region in given:
            report.add(messages.everywhere.GivenTwice(each.span, f"`{region}`", given[region][0].span))
            continue
        given[region] = each, value
        of_region = next((known.letters for known in found.regions if known.name == region), "")
        shared = next((letter for letter in of_region if letter in letters), None)
        if shared is not None:
            other = letters[shared]
            report.add(messages.maps.LetterShared(each.span, shared, region, other.region.text, other.span))
        letters.update(dict.fromkeys(of_region, each))
    if default is None or not names.owns(item.name):
        return None
    known = {region.name for region in found.regions}
    numbers = tuple(RegionNumber(region, value) for region, (_, value) in given.items() if region in known)
    return Terrain(item.name.text, default, numbers, item.span)


def fits(found: Map | None, space: Space | None, report: Findings) -> None:
    """Check that there is a grid for a map, and that the cells on both sides of its thin walls touch."""
    if isinstance(space, Grid) and space.map is not None:
        width = space.sizes[0]
        for wall in space.map.thin:
            (x, y), (to_x, to_y) = ((cell % width, cell // width) for cell in wall.cells)
            if not touch(space, (to_x - x, to_y - y)):
                report.add(messages.maps.CellsDoNotTouch(wall.span))
        return
    if found is None or space is None:
        return
    report.add(messages.maps.MapWithoutGrid(found.span, space.span))


# --- who gets where --------------------------------------------------------------------------------------------------


def check_ways(draft: Draft, names: Names, report: Findings) -> None:
    """Warn of affordances that no agent can reach, and of a map that falls apart. Both are meant of what moves and
    actions can do, whatever they need."""
    grid = draft.space
    if not isinstance(grid, Grid) or grid.map is None or grid.graph is not None or draft.moves is None:
        return
    if draft.starting is not None:
        return  # agents start where a condition holds
    statements = (way for _, body in draft.bodies() for way in universe.relocations(body))
    if any(constants(way.coordinates) is None for way in statements):
        return  # agents may get anywhere
    walls = frozenset(grid.map.cells(grid.map.walls))
    ways = _ways(grid, walls, draft)
    if ways.count > MOST_WAYS:
        return
    fixed = {each: _cell(grid, each) for each in draft.affordances if each.stands is not None}
    starts = _starts(grid, walls, frozenset(fixed.values()))
    reached = ways.from_cells(starts)
    for affordance, cell in fixed.items():
        if cell not in reached:
            report.add(messages.maps.OutOfReach(names.span("affordance", affordance.name), affordance.name))
    at_random = [each for each in draft.affordances if each.place is None]
    dealt = [
        cell
        for cell in range(len(walls) + ways.open_cells)
        if cell not in walls and cell not in fixed.values() and letter_of(grid.map, cell) not in (grid.map.starts or "")
    ]
    lost = next((cell for cell in dealt if cell not in reached), None) if at_random else None
    # Where nobody ever moves, agents on different cells are as the author wants them.
    together = starts if ways.count == 0 else ways.from_cells(frozenset(sorted(starts)[:1]), both_ways=True)
    apart = next((cell for cell in sorted(starts) if cell not in together), None)
    cut = lost if apart is None else apart
    if cut is None:
        return
    width = grid.sizes[0]
    stands = None if apart is not None else at_random[0].name
    report.add(messages.maps.MapFallsApart(grid.map.span, (cut % width, cut // width), stands))


def letter_of(found: Map, cell: int) -> str:
    """The letter of the cell of an index."""
    width = len(found.rows[0])
    return found.rows[cell // width][cell % width]


def _starts(grid: Grid, walls: frozenset[int], fixed: frozenset[int]) -> frozenset[int]:
    """The cells on which agents may start."""
    if grid.map is not None and grid.map.starts is not None:
        return frozenset(grid.map.cells(grid.map.starts))
    every = frozenset(range(grid.sizes[0] * grid.sizes[1])) - walls
    return every if grid.starts == "anywhere" else every - fixed


def _cell(grid: Grid, affordance: Affordance) -> int:
    x, y = affordance.place or (0.0, 0.0)
    return int(x) + grid.sizes[0] * int(y)


MOST_WALKED = 1024
"""The most cells without walls between all of which ways are known."""


def check_walks(draft: Draft, report: Findings) -> None:
    """Check that the ways that are asked for fit into tables."""
    grid = draft.space
    if not isinstance(grid, Grid) or cells(grid) <= min(MOST_CELLS, MOST_WALKED):
        return
    somewhere = {each.name for each in draft.affordances if each.place is None or grid.places == "stored"}
    walls = 0 if grid.map is None else len(grid.map.cells(grid.map.walls))
    for tree in draft.expressions():
        for node, _ in parts(tree):
            if not isinstance(node, WalkingDistance):
                continue
            if cells(grid) > MOST_CELLS:
                report.add(messages.maps.WalkOnTooManyCells(node.span, cells(grid), MOST_CELLS))
            elif node.affordance in somewhere and cells(grid) - walls > MOST_WALKED:
                count = cells(grid) - walls
                report.add(messages.maps.TooManyWays(node.span, node.affordance, count, MOST_WALKED))


def _ways(grid: Grid, walls: frozenset[int], draft: Draft) -> Ways:
    """The cells to which agents come from others."""
    statements = [way for _, body in draft.bodies() for way in universe.relocations(body)]
    own = [action.move for action in draft.actions if action.move is not None]
    own += [by for way in statements if isinstance(way, Displace) and (by := constants(way.by))]
    steps = tuple({(int(by[0]), int(by[1])) for by in (*(move.by for move in draft.moves_taken()), *own)})
    jumps = [action.teleport for action in draft.actions if action.teleport is not None]
    jumps += [to for way in statements if isinstance(way, Teleport) and (to := constants(way.to))]
    width, height = grid.sizes
    between = frozenset() if grid.map is None else grid.map.between
    return Ways(
        (width, height), grid.edges, walls, between, steps, frozenset(int(x) + width * int(y) for x, y in jumps)
    )
