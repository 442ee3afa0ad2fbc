"""Hypothesis strategies: random syntax trees of the language, with spans that mean nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hamlet.universe import Span
from hamletc.language import syntax

SPAN = Span(1, 1, 1, 1)
WORDS = "energy mood Bed _x b2 move distance to meter unclamped together needs open in hour lambda reward each x per"

names = st.sampled_from(WORDS.split()).map(lambda text: syntax.Name(text, SPAN))
numerals = st.sampled_from(["0", "1", "0.30", "1e3", "2.5E-4"]).map(lambda text: syntax.Numeral(text, SPAN))
signed = st.integers(-20, 20).map(lambda number: syntax.Signed(str(number), SPAN))


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    operators = st.sampled_from(["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or"])
    return st.one_of(
        st.builds(syntax.UnaryExpr, st.sampled_from(["-", "not"]), inner, st.just(SPAN)),
        st.builds(syntax.BinaryExpr, operators, inner, inner, st.just(SPAN), st.just(SPAN)),
        st.builds(syntax.BinaryExpr, operators, inner, inner, st.just(SPAN), st.just(SPAN)),
        st.builds(syntax.CallExpr, names, st.lists(inner, min_size=1, max_size=3).map(tuple), st.just(SPAN)),
        st.builds(syntax.IfExpr, inner, inner, inner, st.just(SPAN)),
        st.builds(syntax.WhenExpr, inner, inner, st.just(SPAN)),
    )


expressions = st.recursive(
    st.one_of(names, numerals, st.builds(syntax.DistanceExpr, names, st.just(SPAN))), _larger, max_leaves=8
)

assignments = st.builds(
    syntax.AssignStmt,
    names,
    st.sampled_from(["+=", "-=", "="]),
    expressions,
    st.sampled_from([None, SPAN]),
    st.just(SPAN),
)
statements: st.SearchStrategy[Any] = st.recursive(
    assignments,
    lambda inner: st.builds(syntax.TogetherStmt, st.lists(inner, min_size=1, max_size=3).map(tuple), st.just(SPAN)),
    max_leaves=3,
)
bodies = st.lists(statements, min_size=1, max_size=3).map(tuple)


def properties(keys: tuple[str, ...], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.sampled_from(keys).map(lambda text: syntax.Name(text, SPAN))
    return st.lists(st.builds(syntax.Property, named, values, st.just(SPAN)), max_size=3).map(tuple)


def kinds(*texts: str) -> st.SearchStrategy[syntax.Name]:
    return st.sampled_from(texts).map(lambda text: syntax.Name(text, SPAN))


_cells = st.lists(signed, min_size=1, max_size=3).map(tuple)
_needs = st.builds(syntax.NeedsItem, expressions, st.just(SPAN))
_blocks = st.builds(
    syntax.BlockItem, st.sampled_from(["instantly", "each tick", "on completion"]), bodies, st.just(SPAN)
)
_observations = st.one_of(
    st.builds(syntax.ObserveItem, kinds("grid", "here", "time", "lifetime"), st.just(()), st.none(), st.just(SPAN)),
    st.builds(syntax.ObserveItem, kinds("window"), st.just(()), signed, st.just(SPAN)),
    st.builds(syntax.ObserveItem, kinds("position"), st.tuples(names), st.none(), st.just(SPAN)),
    st.builds(
        syntax.ObserveItem, kinds("meters", "params"), st.lists(names, max_size=3).map(tuple), st.none(), st.just(SPAN)
    ),
    st.builds(syntax.ObserveItem, kinds("progress"), st.just(()), st.none() | signed, st.just(SPAN)),
)
_bounds = st.tuples(expressions, expressions)

declarations: st.SearchStrategy[Any] = st.one_of(
    st.builds(
        syntax.SpaceDecl, names, st.lists(signed, min_size=1, max_size=4).map(tuple),
        properties(("edges", "distance"), names), st.just(SPAN),
    ),
    st.builds(syntax.ClockDecl, signed, st.just(SPAN)),
    st.builds(syntax.LifespanDecl, signed, properties(("reward",), expressions), st.just(SPAN)),
    st.builds(syntax.ParamDecl, names, expressions, _bounds, st.just(SPAN)),
    st.builds(
        syntax.MeterDecl, names, expressions, st.none() | _bounds,
        properties(("decay", "move", "interact"), expressions), st.just(SPAN),
    ),
    st.builds(syntax.RuleDecl, names, st.none() | expressions, bodies, st.just(SPAN)),
    st.builds(syntax.CascadeDecl, names, expressions, bodies, st.just(SPAN)),
    st.builds(
        syntax.AffordanceDecl, names, st.none() | _cells, st.just(SPAN), st.none() | st.tuples(signed, signed),
        st.none() | signed, st.lists(_needs | _blocks, min_size=1, max_size=3).map(tuple), st.just(SPAN),
    ),
    st.builds(
        syntax.ActionDecl, names,
        st.lists(
            st.one_of(
                _needs, statements, st.builds(syntax.MoveItem, _cells, st.just(SPAN)),
                st.builds(syntax.TeleportItem, _cells, st.just(SPAN)),
            ),
            min_size=1, max_size=3,
        ).map(tuple),
        st.just(SPAN),
    ),
    st.builds(syntax.DiesDecl, expressions, st.just(SPAN)),
    st.builds(syntax.RewardDecl, expressions, st.just(SPAN)),
    st.builds(syntax.ObserveDecl, st.lists(_observations, min_size=1, max_size=4).map(tuple), st.just(SPAN)),
)  # fmt: skip

files = st.builds(syntax.File, names, st.lists(declarations, max_size=5).map(tuple), st.just(SPAN))
