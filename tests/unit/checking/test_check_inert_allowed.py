"""`inert allowed`: what has no effect is a warning, and the universe is built all the same."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked

from hamlet.universe import (
    ObserveBlank,
    ObserveGrid,
    ObserveHere,
    ObserveValue,
    ObserveWindow,
    Truth,
    Unary,
    Universe,
)


def lenient(added: str, base: str = BASE) -> tuple[Universe, list[str]]:
    """The universe with `inert allowed`, and the codes of its warnings."""
    result, diagnostics = checked(f"{base}inert allowed\n{added}")
    assert {diagnostic.severity for diagnostic in diagnostics} <= {"warning"}, diagnostics
    assert result is not None
    return result, [diagnostic.code for diagnostic in diagnostics]


@pytest.mark.parametrize(
    ("added", "code"),
    [
        ("affordance Sofa at random { }", "H049"),
        ("affordance Sofa at random lasts 3 ticks { }", "H049"),
        ("action SIT { }", "H049"),
        ("param unread = 1 in 0 .. 2", "H060"),
        ("input unread = 1 in 0 .. 2", "H060"),
        ("track uses", "H060"),
        ("cascade never: mood < 0 -> energy -= 0.1", "H061"),
        ("rule never: mood < 0 -> energy -= 0.1", "H062"),
        ("rule never: 1 < 0 -> energy -= 0.1", "H062"),
        ("rule always: true -> energy -= 0.1", "H062"),
        ("reward 1 when energy >= 0", "H062"),
        ("rule nothing_new: energy += 0", "H063"),
        ("reward 0", "H064"),
        ("action HOP { move (0, 0) }", "H064"),
        ("action HOP { move (1, 0)  teleport (0, 0) }", "H064"),
        ("affordance Job at random lasts 200 ticks { on completion { mood += 0.1 } }", "H064"),
        ("affordance Job at random lasts forever { on completion { mood += 0.1 } }", "H064"),
    ],
)
def test_errors_become_warnings(added: str, code: str) -> None:
    result, diagnostics = checked(BASE + added)
    assert result is None
    assert [(finding.code, finding.severity) for finding in diagnostics] == [(code, "error")]
    assert lenient(added)[1] == [code]


def test_nothing_is_left_out() -> None:
    result, _ = lenient(
        """
        affordance Sofa at random { needs 1 > 2 }
        action SIT { needs not true }
        action STAY { move (0, 0) }
        cascade never: mood < 0 -> energy -= 0.1
        dies when mood < -1
        """
    )
    assert [affordance.name for affordance in result.affordances] == ["Bed", "Sofa"]
    assert isinstance(result.affordances[1].needs, Truth)
    assert [action.name for action in result.actions] == ["SIT", "STAY"]
    assert isinstance(result.actions[0].needs, Unary)
    assert result.actions[1].move == (0.0, 0.0)
    assert [dynamic.name for dynamic in result.dynamics] == ["never"]
    assert len(result.causes) == 2


def test_observations_that_are_always_the_same() -> None:
    base = BASE.replace("grid  meters", "grid  grid  meters energy  meters  here Bed Bed  progress  window 9")
    result, found = lenient("", base)
    assert [type(item) for item in result.observations] == [
        ObserveGrid,
        ObserveGrid,
        *[ObserveValue] * 3,
        ObserveHere,
        ObserveBlank,
        ObserveWindow,
    ]
    assert found == ["H024", "H024", "H024", "H064", "H033"]


def test_other_errors_stay() -> None:
    for added in ("reward enrgy", "cascade a: mood < 0 -> energy -= deficit", "reward 1 / energy"):
        assert checked(f"{BASE}inert allowed\n{added}")[0] is None
    assert [finding.code for finding in checked(f"{BASE}inert allowed\ninert allowed")[1]] == ["H024"]
