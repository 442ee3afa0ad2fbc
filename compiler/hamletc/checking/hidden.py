"""Hidden states: those of what looks back, of what asks all cells, and of what the agents on each cell come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from hamlet.numbers.binary32 import round32
from hamlet.universe import POSTED, POSTS, Expression
from hamletc.checking.crowds import Crowds
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.history import History
from hamletc.checking.meters import declared_bounds, resolve_input, resolve_param
from hamletc.checking.names import Names
from hamletc.checking.overall import Overall
from hamletc.checking.ranges import Ranges
from hamletc.checking.report import Findings, all_of
from hamletc.checking.rules import left_unclamped
from hamletc.checking.starts import Owner
from hamletc.checking.surroundings import LONGEST_AGE, Surroundings, surroundings
from hamletc.checking.wholes import wholes_in
from hamletc.intervals import ANYTHING, Interval, hull_of
from hamletc.language import syntax
from hamletc.language.declared import Kind


def expect_hidden(file: syntax.File, draft: Draft, names: Names) -> None:
    """Let names collect hidden states: these ask where numbers lie before everything is resolved."""
    bounds: Callable[[], Surroundings] = cache(lambda: _declared(file, draft, names))

    def lies(value: Expression) -> Interval | None:
        around = bounds()
        found = {} if names.overall is None else names.overall.bounds
        crowds = {} if names.crowds is None else names.crowds.bounds
        around = replace(around, bounds={**around.bounds, **found, **crowds})
        loose = dict.fromkeys(left_unclamped(file), ANYTHING)
        places = (around, around.later())
        where = hull_of(Ranges(each, loose, Findings(), error=ANYTHING).number(value, loose) for each in places)
        if where is None:
            names.unplaced.add(value.span)
        return where

    values: tuple[Kind, ...] = ("meter", "world meter", "param", "input", "let", "table", "terrain")
    lifespan = None if draft.lifespan is None or draft.by_hand else draft.lifespan.ticks
    names.lies = lies
    names.history = History(names.of_kind(*values), lies, lifespan)
    names.overall = Overall(names.of_kind(*values), lies)
    names.crowds = Crowds(names.of_kind(*values, "cell meter"), lies)


def _declared(file: syntax.File, draft: Draft, names: Names) -> Surroundings:
    """What surrounds expressions, as far as declarations say it."""
    unheard = Findings()
    params = (resolve_param(item, names, unheard) for item in all_of(file.declarations, syntax.ParamDecl))
    inputs = (resolve_input(item, names, unheard) for item in all_of(file.declarations, syntax.InputDecl))
    sketch = replace(
        draft,
        params=[param for param in params if param is not None],
        inputs=[each for each in inputs if each is not None],
    )
    blocks = all_of(file.declarations, syntax.WorldDecl)
    of_world = (item for block in blocks for item in block.items)
    of_cells = (item for block in all_of(file.declarations, syntax.CellsDecl) for item in block.items)
    of_pairs = (item for block in all_of(file.declarations, syntax.PairsDecl) for item in block.items)
    of_others = (item for item in (*of_world, *of_cells, *of_pairs) if isinstance(item, syntax.MeterDecl))
    bounds = {}
    drawn = []
    for meter in (*of_others, *all_of(file.declarations, syntax.MeterDecl)):
        if meter.state is not None and meter.state.of == "once" and meter.state.kind == "real":
            drawn.append(meter)
        elif (inside := declared_bounds(meter, names, unheard)) is not None:
            bounds[meter.name.text] = Interval(round32(inside[0]), round32(inside[1]))
    for effect in names.effects.known.values():
        bounds |= {name: Interval(0.0, float(most)) for name, most in effect.meters}
    # What is drawn once lies where its value does, which may read what was drawn before.
    for meter in sorted(drawn, key=lambda each: names.order_of_starts.get(each.name.text, 0)):
        whose: Owner = "agent" if names.means(meter.name, "meter") else "world"
        value = Expressions(names, unheard, whose=whose).number(meter.start)
        ranges = Ranges(surroundings(sketch, names, bounds), {}, unheard, error=ANYTHING)
        if value is not None and (where := ranges.number(value, {})) is not None:
            bounds[meter.name.text] = where
    longest = Interval(0.0, LONGEST_AGE) if names.has_lasting else None
    visited = Interval(0.0, float(len(names.of_kind("affordance"))))
    return replace(surroundings(sketch, names, bounds), progress=longest, visited=visited)


def keep_hidden(draft: Draft, names: Names) -> None:
    """Add the hidden states that expressions turned out to need, and what writes them."""
    _keep_past(draft, names)
    _keep_overall(draft, names)
    _keep_crowds(draft, names)


def _keep_past(draft: Draft, names: Names) -> None:
    """Add the hidden states of what looks back, and the rules that write them behind all others."""
    of_posts = (each for each in draft.meters_of_all() if each.type is not None and each.type.past in (POSTS, POSTED))
    draft.past |= {each.name for each in of_posts}
    if names.history is None or not names.history.names or draft.space is None:
        return
    wholes, rules = wholes_in(draft, draft.space), names.of_kind("rule", "cascade")

    def is_whole(value: Expression) -> bool:
        return wholes.doubt(value) is None

    draft.past |= names.history.names
    draft.meters += names.history.meters(is_whole)
    draft.world_meters += names.history.world_meters(is_whole)
    draft.dynamics += names.history.rules("agent", rules)
    draft.world_rules += names.history.rules("world", (*rules, "past"))


def _keep_overall(draft: Draft, names: Names) -> None:
    """Add the hidden meters of what all cells come to."""
    if names.overall is None or not names.overall.sums:
        return
    draft.past |= names.overall.names
    draft.of_world = draft.of_world or draft.of_cells
    draft.world_meters += names.overall.meters
    draft.sums += names.overall.sums


def _keep_crowds(draft: Draft, names: Names) -> None:
    """Add the hidden meters of what the agents on each cell come to."""
    if names.crowds is None or not names.crowds.counts:
        return
    draft.past |= names.crowds.names
    draft.of_cells = draft.of_cells or names.crowds.counts[0].span
    draft.cell_meters += names.crowds.meters
    draft.counts += names.crowds.counts
