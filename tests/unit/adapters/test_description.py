"""What HAMLET calls the parts of a universe: one text per description, and clear errors."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hamlet_townlet.adapter.description import (
    Description,
    DescriptionError,
    ObservationField,
    check,
    describe,
    from_json,
    to_json,
)
from samples import sample

SAMPLE = Description(
    pack="shop",
    vocabulary=("Bed", "Fast Food", "Job"),
    deployed=(0, 2),
    raising=("Job",),
    temporal=True,
    pomdp=False,
    depletion="depletion",
    fresh=None,
    intrinsic="intrinsic_raw",
    fields=(ObservationField("energy", 0, 1), ObservationField("affordance_at_position", 1, 4)),
    enabled=(True, False),
)


def test_it_comes_back() -> None:
    text = to_json(SAMPLE)
    assert from_json(text) == SAMPLE
    assert to_json(from_json(text)) == text
    assert text.splitlines()[2] == '  "vocabulary": ["Bed", "Fast Food", "Job"],'


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("pack", 3, "pack: a string is expected, not 3"),
        ("vocabulary", "Bed", "vocabulary: a list is expected"),
        ("deployed", [0, "x"], r"deployed\[1\]: a whole number is expected"),
        ("deployed", [True], r"deployed\[0\]: a whole number is expected"),
        ("temporal", 1, "temporal: true or false is expected"),
        ("fresh", 1, "fresh: a string or null is expected"),
        ("fields", [{"name": "x", "offset": 0}], r"fields\[0\]: the key 'count' is missing"),
        ("fields", ["x"], r"fields\[0\]: an object is expected"),
        ("enabled", [0], r"enabled\[0\]: true or false is expected"),
        ("moods", 1, "description: the key 'moods' is unknown"),
        ("pack", ..., "description: the key 'pack' is missing"),
    ],
)
def test_a_wrong_text(key: str, value: Any, said: str) -> None:
    values = json.loads(to_json(SAMPLE))
    if value is ...:
        del values[key]
    else:
        values[key] = value
    with pytest.raises(DescriptionError, match=said):
        from_json(json.dumps(values))


def test_no_json() -> None:
    with pytest.raises(DescriptionError, match="is not JSON"):
        from_json("{")


def test_a_universe_describes_itself() -> None:
    town = sample("town")
    description = describe(town)
    check(description, town)
    assert description.vocabulary == tuple(item.name for item in town.affordances)
    assert description.depletion is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"deployed": ()}, "deployed: covers 0 of"),
        ({"vocabulary": ("Bed",)}, "deployed: numbers are 0 .. 0"),
        ({"enabled": (True,)}, "enabled: covers 1 of"),
        ({"fields": ()}, "fields: covers 0 of"),
        ({"depletion": "speed"}, "depletion: town has no 'speed'"),
        ({"fresh": "new"}, "fresh: town has no 'new'"),
        ({"intrinsic": "raw"}, "intrinsic: town has no 'raw'"),
        ({"raising": ("Nothing",)}, "raising: town has no 'Nothing'"),
    ],
)
def test_a_description_of_another_universe(changes: dict[str, Any], said: str) -> None:
    town = sample("town")
    with pytest.raises(DescriptionError, match=said):
        check(replace(describe(town), **changes), town)


def test_gaps_between_fields() -> None:
    town = sample("town")
    first, *others = describe(town).fields
    with pytest.raises(DescriptionError, match="begins at 0, not 1"):
        check(replace(describe(town), fields=(replace(first, offset=1), *others)), town)
