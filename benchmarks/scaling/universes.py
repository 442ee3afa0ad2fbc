"""Universes of any size, as text: so many meters, so many affordances."""

from __future__ import annotations


def text(meters: int, affordances: int, side: int) -> str:
    """A universe on a grid of `side` x `side` cells.

    Every meter runs down; a low one pulls the next one down; affordances restore one meter after the other. All meters
    are observed.
    """
    lines = [
        "universe scaled",
        f"space grid {side} x {side} {{ edges clamp  distance manhattan }}",
        "lifespan 500 ticks { reward 1.0 }",
    ]
    lines += [f"meter m{number} = 1.0 {{ decay 0.005 }}" for number in range(meters)]
    lines += [f"cascade c{n}: m{n} < 0.3 -> m{n + 1} -= 0.004 * deficit" for n in range(meters - 1)]
    lines += [
        f"affordance A{number} at random {{ instantly {{ m{number % meters} += 0.5 }} }}"
        for number in range(affordances)
    ]
    lines += ["dies when m0 <= 0", f"reward m{meters - 1}", "observe { meters }"]
    return "\n".join(lines) + "\n"
