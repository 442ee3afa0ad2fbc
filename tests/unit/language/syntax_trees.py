"""Hypothesis strategies: random syntax trees of the language, with spans that mean nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.tables import after, terminals
from hamletc.language.words import MEANINGS, RESERVED

SPAN = st.sampled_from([Span(1, 1, 1, 1), Span(2, 1, 2, 9), Span(9, 5, 12, 2), Span(4, 1, 4, 2, 1)])
OBSERVATIONS = frozenset(filter(str.isalpha, after("observe", "{")))
"""Words that begin an item of `observe`."""
WORDS = "energy mood Bed _x b2 move to meter unclamped together needs open in lambda reward each per all x position"
WORDS += " distance straight walking streak velocity forever by"
ODD_NAMES = ("Fast Food", "a + b", " ", "é", "1st", "#", "x when y", "{", "%s or %d", "-", "over \\ there")
"""Names that need backticks anywhere."""


GRIDS = (
    syntax.EdgesProperty,
    syntax.MetricProperty,
    syntax.PlacesProperty,
    syntax.StartsProperty,
    syntax.MovesProperty,
)
LISTED: Any = syntax.ObserveListed.__subclasses__()
DRAINS = (syntax.DecayProperty, syntax.MoveProperty, syntax.InteractProperty)
_LEAF = Span(3, 1, 3, 2)


def _kinds(*texts: str) -> st.SearchStrategy[syntax.Name]:
    return st.sampled_from(texts).map(lambda text: syntax.Name(text, _LEAF))


def _names(*texts: str) -> st.SearchStrategy[syntax.Name]:
    return st.tuples(st.sampled_from(texts), st.booleans()).map(
        lambda pair: syntax.Name(pair[0], _LEAF, quoted=pair[1])
    )


def _tuples(items: st.SearchStrategy[Any], most: int = 3, *, least: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


names = st.one_of(
    _names(*WORDS.split()), _names(*sorted(MEANINGS | OBSERVATIONS)), _names(*ODD_NAMES, *sorted(RESERVED))
)
_digits = st.sampled_from(["0", "1", "0.30", "1e3", "2.5E-4"])
numerals = _digits.map(lambda text: syntax.Numeral(text, _LEAF))
_quantities = st.builds(syntax.Numeral, _digits, st.just(_LEAF), st.sampled_from(["%", "tick", "hour", "day"]))
_lasting = st.builds(syntax.Numeral, _digits, st.just(_LEAF), st.sampled_from(["", "hour", "day"]))


def _named(text: str) -> syntax.Signed:
    name = syntax.Name(text.strip("-`"), _LEAF, quoted="`" in text)
    return syntax.Signed(text, _LEAF, syntax.UnaryExpr("-", name, _LEAF) if text.startswith("-") else name)


_written = st.sampled_from(["0", "1", "-1", "-0.25", "1e-3", "-2.5E+4"]).map(lambda text: syntax.Signed(text, _LEAF))
_named_numbers = st.sampled_from(["size", "-size", "x", "`grid`", "-`a size`", "`forever`"]).map(_named)
signed: st.SearchStrategy[syntax.Signed] = _written | _named_numbers
_durations = st.builds(lambda number, unit: replace(number, unit=unit), signed, st.sampled_from(["", "hour", "day"]))
_axes = _kinds("x", "y", "z", "x0", "x99")
_optional_spans = st.none() | SPAN


def _options(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(syntax.WeightedExpr, inner, inner, SPAN)


def _one_of() -> st.SearchStrategy[syntax.Series]:
    return st.builds(syntax.Series, signed, st.none(), SPAN)


_series = st.builds(syntax.Series, signed, signed, SPAN)
_lists = st.builds(syntax.SeriesList, _tuples(_series | _one_of(), least=1), SPAN)
_eaches = st.one_of(
    st.builds(syntax.Each, _tuples(names, 1, least=1), _tuples(_lists, 1, least=1), SPAN),
    st.builds(syntax.Each, _tuples(names, least=2), _tuples(_lists, least=2), SPAN),
)


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    operators = st.sampled_from(["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or"])
    return st.one_of(
        st.builds(syntax.UnaryExpr, st.sampled_from(["-", "not"]), inner, SPAN),
        st.builds(syntax.BinaryExpr, operators, inner, inner, SPAN, SPAN),
        st.builds(syntax.BinaryExpr, operators, inner, inner, SPAN, SPAN),
        st.builds(syntax.CallExpr, names, _tuples(inner | _options(inner), least=1), SPAN),
        st.builds(syntax.CallExpr, names, _tuples(inner, 1, least=1), SPAN, st.just(False), st.none(), _eaches),
        st.builds(syntax.IfExpr, inner, inner, inner, SPAN),
        st.builds(syntax.WhenExpr, inner, inner, SPAN),
    )


expressions = st.recursive(
    st.one_of(
        names,
        numerals,
        _quantities,
        st.builds(syntax.TimedExpr, st.sampled_from(["every", "after"]), _lasting, SPAN),
        st.builds(syntax.DistanceExpr, names, st.sampled_from([None, "straight", "walking"]), SPAN),
        st.builds(syntax.AxisExpr, st.sampled_from(["position", "velocity", "ahead"]), _axes, SPAN),
        st.builds(syntax.StreakExpr, names, SPAN),
        st.builds(syntax.AtHourExpr, signed, SPAN),
    ),
    _larger,
    max_leaves=8,
)


def _written_name(assign: syntax.AssignStmt) -> syntax.AssignStmt:
    """`needs = 1` and `move = 1` are taken for items with a `=` too much, unless a meter of that name is declared.
    Before `of` the formatter writes all keywords in backticks."""
    item = assign.op == "=" and assign.meter.text in ("needs", "move")
    item = item or (assign.owner is not None and assign.meter.text in terminals())
    return replace(assign, meter=replace(assign.meter, quoted=True)) if item else assign


assignments = st.builds(
    syntax.AssignStmt,
    names,
    st.sampled_from(["+=", "-=", "="]),
    expressions,
    _optional_spans,
    SPAN,
    st.none() | names,
).map(_written_name)
_pushes = st.builds(syntax.PushStmt, _axes, st.sampled_from(["+=", "-=", "="]), expressions, _optional_spans, SPAN)
_vectors = _tuples(expressions, least=1)
_toward = st.builds(syntax.Toward, st.sampled_from(["ahead", "behind", "left", "right"]), st.none() | numerals, SPAN)
_quoted = st.builds(syntax.Quoted, st.sampled_from(["B", "ab", "go to {it} # now"]), SPAN)
_spots = _quoted | names
_relocations = st.one_of(
    st.builds(syntax.MoveStmt, _vectors, SPAN),
    st.builds(syntax.MoveStmt, st.just(()), SPAN, _toward),
    st.builds(syntax.TeleportStmt, _vectors, st.none(), SPAN),
    st.builds(syntax.TeleportStmt, st.just(()), _spots, SPAN),
)


def _else_ifs(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An `if` behind whose `else` stands another one."""
    last = st.builds(syntax.IfStmt, expressions, _tuples(inner, least=1), st.none(), st.just(()), SPAN)
    return st.builds(syntax.IfStmt, expressions, _tuples(inner, least=1), SPAN, st.just(()), SPAN, last)


statements: st.SearchStrategy[Any] = st.recursive(
    assignments | _relocations,
    lambda inner: (
        _pushes
        | st.builds(syntax.LetStmt, names, expressions, SPAN)
        | st.builds(syntax.TogetherStmt, _tuples(inner, least=1), SPAN)
        | st.builds(syntax.IfStmt, expressions, _tuples(inner, least=1), st.none(), st.just(()), SPAN)
        | st.builds(syntax.IfStmt, expressions, _tuples(inner, least=1), SPAN, _tuples(inner, least=1), SPAN)
        | _else_ifs(inner)
        | st.builds(syntax.RepeatStmt, signed, _tuples(inner, least=1), SPAN)
        | st.builds(syntax.RepeatStmt, st.none(), _tuples(inner, least=1), SPAN, _eaches)
    ),
    max_leaves=3,
)
bodies = _tuples(statements, least=1)


def _properties(values: st.SearchStrategy[Any], *kinds: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(kinds).flatmap(lambda kind: st.builds(kind, values, SPAN))


_bounds = st.tuples(expressions, expressions)
_cells = _tuples(signed, least=1)
_needs = st.builds(syntax.NeedsItem, expressions, SPAN)
_capacities = st.one_of(
    st.builds(syntax.CapacityItem, expressions, st.none(), st.none(), SPAN),
    st.builds(syntax.CapacityItem, expressions, names, st.none(), SPAN),
    st.builds(syntax.CapacityItem, expressions, st.none(), expressions, SPAN),
)
_blocks = st.builds(
    syntax.BlockItem, st.sampled_from(["instantly", "each tick", "on completion"]), _tuples(statements), SPAN
)
_listed = names.map(lambda name: replace(name, quoted=True) if name.text in OBSERVATIONS else name)
_layers = st.none() | names
_nothing = st.just(())


def _words(*texts: str) -> st.SearchStrategy[Any]:
    return st.none() | st.sampled_from(texts).map(lambda text: syntax.Name(text, _LEAF))


_looks = (_words("sight", "view"), SPAN, st.none() | signed, _words("ahead", "turned"), st.none() | signed)
_items = st.one_of(
    st.builds(syntax.ObserveGrid, _layers, SPAN),
    st.builds(syntax.ObserveWindow, signed, _layers, *_looks),
    st.builds(
        syntax.ObserveWindow,
        signed,
        st.none(),
        *_looks,
        names,
        expressions,
        st.none() | signed,
        st.none() | expressions,
    ),
    st.builds(syntax.ObserveSpeed, SPAN),
    st.builds(syntax.ObserveLifetime, SPAN),
    st.builds(syntax.ObserveBlank, signed, SPAN),
    st.builds(syntax.ObservePosition, names, SPAN),
    st.sampled_from(syntax.ObserveListed.__subclasses__()).flatmap(
        lambda kind: st.builds(kind, _tuples(_listed), SPAN)
    ),
    st.builds(syntax.ObserveProgress, st.none() | signed, SPAN),
    st.builds(syntax.ObserveConstant, _tuples(signed, 5, least=1), SPAN),
    st.builds(syntax.ObserveValue, names, expressions, SPAN),
    st.builds(syntax.ObserveHot, names, expressions, _nothing, SPAN),
    st.builds(syntax.ObserveHot, st.none(), st.none(), _tuples(_listed, least=1), SPAN),
    st.builds(syntax.ObserveHotGrid, names, SPAN),
    st.builds(syntax.ObserveGrid, st.none(), SPAN, names, expressions, st.none() | expressions),
    st.builds(syntax.ObserveGrid, names, SPAN, st.none(), st.none(), st.none() | expressions),
    st.builds(syntax.ObserveHotWindow, signed, names, *_looks[1:], _looks[0]),
)
_observations = st.one_of(
    _items,
    st.builds(syntax.ObserveGroup, names, _tuples(_items, least=1), SPAN),
    st.builds(syntax.ObserveImage, names, _tuples(_items, least=1), SPAN),
    st.builds(syntax.ObserveDiscrete, names, expressions, SPAN),
    st.builds(syntax.ObserveDiscrete, st.none(), names, SPAN),
    st.builds(syntax.ObserveText, names, expressions, _tuples(st.builds(syntax.ObservedText, _quoted, SPAN)), SPAN),
    st.builds(syntax.ObserveText, names, st.none(), _nothing, SPAN, _quoted),
)

_spaces = st.one_of(
    st.builds(
        syntax.SpaceDecl, _kinds("grid"), _tuples(signed, 5, least=1), _nothing,
        _tuples(_properties(names, *GRIDS) | _properties(expressions, syntax.StartsWhenProperty)), SPAN,
    ),
    st.builds(
        syntax.SpaceDecl, _kinds("continuous"), _nothing, _tuples(st.tuples(signed, signed), 5, least=1),
        _tuples(
            _properties(names, syntax.EdgesProperty, syntax.MetricProperty)
            | _properties(numerals, syntax.StepProperty, syntax.ReachProperty, syntax.SpeedsProperty)
            | _properties(numerals, syntax.DirectionsProperty, syntax.MomentumProperty)
        ), SPAN,
    ),
    st.builds(syntax.SpaceDecl, _kinds("none"), _nothing, _nothing, _nothing, SPAN),
)  # fmt: skip


@st.composite
def _rules(draw: st.DrawFn, guards: st.SearchStrategy[Any], kind: Any) -> Any:
    body = draw(bodies)
    braced = len(body) == 1 and draw(st.booleans())
    return kind(draw(names), draw(guards), body, draw(SPAN), braced)


_meters = st.builds(
    syntax.MeterDecl, names, expressions, st.none() | _bounds,
    _tuples(_properties(expressions, *DRAINS) | _properties(names, syntax.OnlyProperty)), SPAN,
)  # fmt: skip

_specs = st.sampled_from(["", "bool"]), st.just(()), SPAN
# Bounds are constants: `.. position x = 0` would begin an assignment.
_constant_bounds = st.tuples(st.one_of(names, numerals), st.one_of(names, numerals))
_states = st.one_of(
    st.builds(
        syntax.MeterDecl, names, expressions, st.none(), st.just(()), SPAN, st.builds(syntax.StateSpec, *_specs)
    ),
    st.builds(
        syntax.MeterDecl, names, expressions, _constant_bounds, st.just(()), SPAN,
        st.builds(syntax.StateSpec, st.sampled_from(["int", "real"]), st.just(()), SPAN),
    ),
    st.builds(
        syntax.MeterDecl, names, expressions, st.none(), st.just(()), SPAN,
        st.builds(syntax.StateSpec, st.just("options"), _tuples(names, least=1), SPAN),
    ),
)  # fmt: skip

_parts: st.SearchStrategy[Any] = st.one_of(
    _spaces,
    st.builds(syntax.MovesDecl, _tuples(st.builds(syntax.MoveDef, names, _cells, SPAN), 6, least=1), SPAN),
    st.builds(syntax.ClockDecl, signed, SPAN),
    st.builds(syntax.LifespanDecl, _durations, _tuples(_properties(expressions, syntax.RewardProperty)), SPAN),
    st.builds(syntax.LifespanDecl, _kinds("forever"), st.just(()), SPAN),
    st.builds(syntax.EpisodesDecl, SPAN),
    st.builds(syntax.TrackDecl, st.none() | _kinds("agent", "world"), SPAN),
    st.builds(syntax.InertDecl, SPAN),
    st.builds(syntax.ParamDecl, names, expressions, _bounds, SPAN),
    st.builds(syntax.InputDecl, names, expressions, _bounds, SPAN),
    st.builds(syntax.ControlDecl, names, st.none() | st.builds(syntax.Name, st.just("int"), SPAN), _bounds, SPAN),
    st.builds(syntax.UseDecl, names, _tuples(expressions | _series, least=1), SPAN),
    st.builds(syntax.LetDecl, names, expressions, SPAN, _tuples(names)),
    st.builds(syntax.OnceDecl, names, expressions, SPAN),
    _meters,
    _states,
    _rules(st.none() | expressions, syntax.RuleDecl),
    st.builds(
        syntax.WorldDecl, _tuples(_meters | _states | _rules(st.none() | expressions, syntax.RuleDecl), least=1), SPAN
    ),
    st.builds(
        syntax.CellsDecl,
        _tuples(
            _meters
            | _rules(st.none() | expressions, syntax.RuleDecl)
            | st.builds(syntax.WallItem, expressions, SPAN),
            least=1,
        ),
        SPAN,
    ),
    _rules(expressions, syntax.CascadeDecl),
    st.builds(
        syntax.AffordanceDecl, names, _cells, SPAN, st.none() | st.tuples(signed, signed),
        _durations | _kinds("forever"), _optional_spans, _tuples(_needs | _capacities | _blocks), SPAN,
    ),
    st.builds(
        syntax.AffordanceDecl, names, st.none(), _optional_spans, st.none() | st.tuples(signed, signed),
        st.none(), st.none(), _tuples(_needs | _capacities | _blocks), SPAN,
    ),
    st.builds(
        syntax.ActionDecl, names,
        _tuples(st.one_of(_needs, statements, st.builds(syntax.KeepsItem, SPAN))), SPAN,
    ),
    st.builds(syntax.AllowDecl, _tuples(names), expressions, SPAN),
    st.builds(syntax.DiesDecl, expressions, SPAN),
    st.builds(syntax.RewardDecl, st.none() | names, expressions, SPAN),
    st.builds(syntax.ReportDecl, names, expressions, SPAN),
    st.builds(syntax.ObserveDecl, _tuples(_observations, 6), SPAN),
)  # fmt: skip

declarations: st.SearchStrategy[Any] = st.one_of(
    _parts, _parts, _parts,
    st.builds(syntax.OverrideDecl, _parts, SPAN),
    st.builds(syntax.WithoutDecl, _kinds("meter", "state", "rule", "let", "report"), names, SPAN),
    # A reward may be named or not, so a word that begins a declaration is no name behind it without backticks.
    st.builds(syntax.WithoutDecl, _kinds("reward"), _names(*WORDS.split()), SPAN),
    st.builds(syntax.WithoutDecl, _kinds("reward", "clock", "dies", "space"), st.none(), SPAN),
    st.builds(syntax.IncludeDecl, st.sampled_from(["a.hamlet", "b c/d.hamlet", "../{}"]), SPAN),
    st.builds(syntax.TemplateDecl, names, _tuples(names, least=1), _tuples(_parts, least=1), SPAN),
)  # fmt: skip

_bases = st.builds(syntax.Base, st.sampled_from(["a.hamlet", "b/c d.hamlet"]), SPAN)
files = st.builds(syntax.File, names, _tuples(declarations, 5), SPAN, st.none() | _bases)
