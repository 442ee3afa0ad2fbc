"""universe.json: exact both ways, one text per universe, and nothing but such a text is read."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from examples import LONG
from hamlet.universe import Span
from hamlet.universe.codec import LINE_WIDTH, CodecError, from_json, to_json
from samples import EVERY, sample
from samples.by_hand import number, reward, universe


@pytest.mark.parametrize("name", EVERY)
def test_round_trip(name: str) -> None:
    text = to_json(sample(name))
    assert from_json(text) == sample(name)
    assert to_json(from_json(text)) == text
    assert text.endswith("}\n")
    assert json.loads(text)["kind"] == "Universe"


def test_spans_name_their_file_where_it_is_not_the_first() -> None:
    one = universe(sources=("a.yaml", "b.yaml"), rewards=reward(replace(number(1.5), span=Span(3, 4, 5, 6, 1))))
    assert '"span": [3, 4, 5, 6, 1]' in to_json(one)
    assert to_json(one).count('"span": [1, 1, 1, 2]') > 1
    assert from_json(to_json(one)) == one


def test_lines_are_short_where_they_can_be() -> None:
    assert max(len(line) for line in to_json(sample("town")).splitlines()) <= LINE_WIDTH + 1


@pytest.mark.parametrize("value", [0.3, -0.0, 0.0, 1e-45, 1.1754944e-38, 3.402823466e38, 16777216.0, 0.1, 1e10])
def test_numbers_keep_their_bits_and_their_spelling(value: float) -> None:
    text = to_json(universe(rewards=reward(number(value))))
    assert f'"value": {value!r}' in text
    assert str(from_json(text).rewards[0].value.value) == str(value)  # type: ignore[union-attr]  # it is a Number


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e39])
def test_infinite_numbers_are_not_written(value: float) -> None:
    with pytest.raises((ValueError, OverflowError)):
        to_json(universe(rewards=reward(number(value))))


@pytest.mark.parametrize(("name", "each"), [("bounce", 1), ("lasting", 1 if LONG else 5)])
def test_field_values_of_every_type_are_checked(name: str, each: int) -> None:
    """Whatever single value in the file is replaced by one of another type: refused, and the place is named. Of a
    larger file it is each fifth change."""
    document = json.loads(to_json(sample(name)))
    changes = 0
    for path, change in islice(_changes(document), 0, None, each):
        broken = copy.deepcopy(document)
        change(broken)
        with pytest.raises(CodecError):
            from_json(json.dumps(broken))
        changes += 1
        assert path
    assert changes > 300


def _changes(document: dict[str, Any]) -> Iterator[tuple[str, Callable[[dict[str, Any]], None]]]:
    """Ways to break a document: at each key, drop it, misspell it, or give it a value of the wrong type."""

    def nodes(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in children:
            yield (*path, key)
            yield from nodes(child, (*path, key))

    def parent(document: Any, path: tuple[Any, ...]) -> Any:
        for key in path[:-1]:
            document = document[key]
        return document

    for path in nodes(document, ()):
        if isinstance(path[-1], str):
            yield str(path), lambda broken, path=path: parent(broken, path).pop(path[-1])
            yield (
                str(path),
                lambda broken, path=path: parent(broken, path).update(
                    {path[-1] + "_": parent(broken, path).pop(path[-1])}
                ),
            )
        yield str(path), lambda broken, path=path: parent(broken, path).__setitem__(path[-1], {"kind": 3})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"low": 0.0', '"low": 0', "meters[0].low: expected a number with a point, found 0"),
        ('"low": 0.0', '"low": null', "meters[0].low: expected a number with a point, found null"),
        ('"low": 0.0', '"low": 0.30000001192092896', "is not the shortest spelling of a binary32 number (0.3 is)"),
        ('"low": 0.0', '"low": 1e39', "meters[0].low: 1e+39 is too large for binary32"),
        ('"low": 0.0', '"low": NaN', "NaN is no number"),
        ('"low": 0.0', '"lower": 0.0', "meters[0]: Meter has no 'lower'"),
        ('"low": 0.0,', "", "meters[0]: Meter lacks 'low'"),
        ('"low": 0.0', '"low": 0.0, "low": 0.0', "the key 'low' occurs twice"),
        ('"sizes": [5]', '"sizes": [true]', "space.sizes[0]: expected an integer, found true"),
        ('"sizes": [5]', '"sizes": 5', "space.sizes: expected a list, found 5"),
        ('"edges": "clamp"', '"edges": "round"', "space.edges: expected one of clamp, wrap, bounce, sticky"),
        (
            '"kind": "MeterValue"',
            '"kind": "Meter"',
            "rewards[0].value: expected a node of kind Number or Truth or MeterValue or",
        ),
        ('"span": [1, 1, 1, 2]', '"span": [1, 1, 1]', "space.span: expected a span of four integers, or"),
        ('"span": [1, 1, 1, 2]', '"span": [1, 1, 1, 2, 0]', "of five with the last not 0, found [1, 1, 1, 2, 0]"),
        ('"name": "tiny"', '"name": ["tiny"]', 'name: expected a string, found ["tiny"]'),
        ('"kind": "Universe"', '"kind": "Grid"', "the universe: expected a node of kind Universe"),
    ],
)
def test_errors_name_the_place(old: str, new: str, message: str) -> None:
    text = to_json(universe())
    assert old in text
    with pytest.raises(CodecError) as error:
        from_json(text.replace(old, new, 1))
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "3", '"town"', "[" * 100_000, '{"kind": ' + "9" * 5000 + "}"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(CodecError):
        from_json(text)


def test_a_difference_anywhere_is_a_difference_in_the_text() -> None:
    assert to_json(universe()) != to_json(replace(universe(), sources=("other.hamlet",)))
