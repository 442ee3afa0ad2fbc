"""Nothing that an author wrote is dropped in silence: not by the builder of the tree, not by the formatter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hamlet.universe import Span
from hamletc.language import formatter, syntax
from hamletc.language.build import Builder, formed, maker
from hamletc.language.formatter import format_source
from hamletc.language.forms import forms_of, nodes_with_forms
from hamletc.language.layout import Item
from hamletc.language.losses import FormattingError
from hamletc.language.parser import parse
from hamletc.language.pieces import Leaf

UNIVERSES = sorted((Path(__file__).parents[3] / "universes").rglob("*.hamlet"))
FURTHER = """\
universe further
space graph { a - b -> c  starts in ring  region ring { a b } }
map { "ab"  wall "a"  region r "b"  terrain t = 1 { r 2 } }
start velocity (1, 0) speed 2
without rule old
template T(first, second) { meter first = second }
use T(a, 1)
effect tired lasts 3 hours { each tick { a += 1 }  again add up to 5 hours  until a > 1 }
item axe { wear 3  craft from 1 wood, 2 stone { a += 1 }  use { a -= 1 }  can pick drop to lowest number }
affordance Bus: 2 copies at random apart 3 near Stop within 2 open 8 .. 18 lasts 4 ticks together {
    follows (1, 2), home every 3 hours
    capacity 2 to highest a
}
affordance Dog at home { wanders every 2 ticks }
allow all when total(a when used == Bus) over cells > 1
observe { window 3 of apple in sight  progress per 10  constant 1 2 }
"""
item_of = formatter.item_of
STRAY = Leaf("STRAY", "stray", Span(9, 9, 9, 14))


def _calls(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """The longest call of each method of the builder that takes any number of pieces, over many texts."""
    calls: dict[str, list[Any]] = {}

    def noted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(builder: Builder, *pieces: Any) -> Any:
            if len(pieces) >= len(calls.get(name, ())):
                calls[name] = list(pieces)
            return method(builder, *pieces)

        return call

    for name, method in inspect.getmembers(Builder, inspect.isfunction):
        kinds = [parameter.kind for parameter in inspect.signature(method).parameters.values()]
        if inspect.Parameter.VAR_POSITIONAL in kinds and not name.startswith("_"):
            monkeypatch.setattr(Builder, name, noted(name, method))
    maker.cache_clear()
    for text in (*(path.read_text(encoding="utf-8") for path in UNIVERSES), FURTHER):
        _, problems = parse(text)
        assert problems == ()
    monkeypatch.undo()
    maker.cache_clear()
    return calls


def _holds(node: Any, piece: Any) -> bool:
    """Whether a tree has this piece somewhere, or a name that is made of it."""
    if node is piece or (isinstance(node, syntax.Name) and node.span == piece.span):
        return True
    if isinstance(node, tuple):
        return any(_holds(each, piece) for each in node)
    return is_dataclass(node) and any(_holds(getattr(node, field.name), piece) for field in fields(node))


class Unknown:
    """A node of a construct that nobody knows yet."""

    span = Span(9, 9, 9, 14)


WHOLE = ("graph_path", "link_path", "state_type", "rule_decl", "phrase")
"""What takes its pieces by their places; a further one shifts the others."""


def test_the_builder_keeps_or_refuses_each_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = _calls(monkeypatch)
    assert len(calls) > 10
    assert set(WHOLE) < set(calls)
    refused = 0
    for name, pieces in calls.items():
        method = getattr(Builder(), name)
        if name in WHOLE:
            continue
        for stray in (STRAY, Unknown()):
            try:
                made = method(*pieces[:-1], stray, pieces[-1])
            except TypeError as error:
                refused += "has no place for" in str(error)
            else:
                assert _holds(made, stray) or _holds(made.items, stray), name
    assert refused > 10


@pytest.mark.parametrize("node", nodes_with_forms().values())
def test_a_form_refuses_a_piece_that_it_does_not_name(node: Any) -> None:
    for form in forms_of(node):
        for pieces in (len(form.flat) - 1, len(form.flat) + 1):
            with pytest.raises(TypeError, match="has no place for"):
                formed(form)(*[STRAY] * pieces)


def _without_last(item: Item) -> Item:
    return replace(item, block=item.block[:-1]) if item.block else item


def test_the_formatter_refuses_to_lose_what_it_cannot_print(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "universe u\n\nmeter a = 1 { decay 1 }\n\nreward a\nobserve { meters a  time }\n"
    assert format_source(text) == (text, ())
    monkeypatch.setattr(formatter, "item_of", lambda each: _without_last(item_of(each)))
    with pytest.raises(FormattingError, match=r"would lose `decay` \(line 3, column 15\)"):
        format_source(text)


def test_the_formatter_refuses_to_lose_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "universe u\n\nmeter a = 1  # why\n"
    monkeypatch.setattr(formatter._Writer, "write_rest", lambda _: None)
    with pytest.raises(FormattingError, match=r"would lose `# why` \(line 3, column 14\)"):
        format_source(text)


def test_the_formatter_refuses_to_add(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(declaration: syntax.Decl) -> Item:
        item = item_of(declaration)
        return replace(item, text=f"{item.text} {item.text}")

    monkeypatch.setattr(formatter, "item_of", doubled)
    with pytest.raises(FormattingError, match=r"would add `\w+`"):
        format_source("universe u\n\nreward a\n")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("lifespan 1 ticks", "lifespan 1 tick"),
        ("role wolf: 1 agents", "role wolf: 1 agent"),
        ("affordance A: 1 copies at random { }", "affordance A: 1 copy at random { }"),
        ("reward ((a)) + (`b` * (2))", "reward a + b * 2"),
        ("reward after 1 days", "reward after 1 day"),
        ("space graph { starts anywhere  a - b }", "space graph { a - b  starts anywhere }"),
    ],
)
def test_what_the_formatter_mends_is_no_loss(text: str, same: str) -> None:
    assert format_source(f"universe u\n\n{text}\n") == (f"universe u\n\n{same}\n", ())
