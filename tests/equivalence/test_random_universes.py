"""Random universes, the same few in every run: all ways to write, compile and run them agree. `make fuzz` runs more."""

from __future__ import annotations

from collections import Counter

from agreement import BackendName, Variant, agree, check_text, checked, variants
from constructs import KINDS, constructs
from hypothesis import HealthCheck, Phase, given, settings
from strategies import universes

from hamletc.compile import SourceError


def examples(count: int) -> settings:
    """So many, always the same ones."""
    return settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )


def agreeing(count: int, backends: tuple[BackendName, ...]) -> int:
    """How many of so many random universes are valid; all ways to run those agree."""
    ran = 0

    @examples(count)
    @given(universes(), variants)
    def run(text: str, variant: Variant) -> None:
        nonlocal ran
        try:
            universe = checked(text)
        except SourceError:
            return
        agree(text, universe, backends, variant, seed=7)
        ran += 1

    run()
    return ran


def test_programs_of_random_universes_agree_with_the_interpreter() -> None:
    assert agreeing(6, ("ir",)) >= 4


def test_kernels_of_random_universes_agree_with_the_interpreter() -> None:
    assert agreeing(1, ("numba",)) == 1


def test_random_universes_are_valid_and_have_everything() -> None:
    """What the strategy makes is nearly always valid; each construct occurs; formatting changes nothing."""
    found: Counter[str] = Counter()
    refused: list[str] = []

    @examples(480)
    @given(universes())
    def run(text: str) -> None:
        try:
            universe = checked(text)
        except SourceError as error:
            refused.append(str(error))
            return
        check_text(text, universe)
        found.update(constructs(universe))

    run()
    assert len(refused) < 48, "\n".join(refused)
    missing = [kind for kind in KINDS if not found[kind]]
    assert not missing, f"never made: {', '.join(missing)}"
