"""Sources of universes with many affordances or cascades, which are alike and differ in their numbers."""

from __future__ import annotations

METERS = ("energy", "mood", "health", "money", "social", "satiation")


def many_affordances(count: int, size: int = 512, fixed: bool = False) -> str:
    """So many affordances of a few shapes: with and without hours, needs and duration."""
    lines = [
        "universe crowded",
        f"space grid {size} x {size} {{ edges wrap }}",
        "clock 24 hours",
        "lifespan 300 ticks",
        *(f"meter {name} = 0.5 {{ decay 0.00{number + 1} }}" for number, name in enumerate(METERS)),
    ]
    for number in range(count):
        at = f"({number * 7 % (size * size) % size}, {number * 7 % (size * size) // size})"
        place = at if fixed and number % 2 == 0 and number * 7 < size * size else "random"
        hours = (
            f" open {number % 23} .. {number % 5 * 5 + 2}"
            if number % 4 == 1 and number % 23 != number % 5 * 5 + 2
            else ""
        )
        first, second = METERS[number % 2], METERS[2 + number % 2]
        amount = f"0.{1 + number % 999:03d}"
        head = f"affordance A{number} at {place}{hours}"
        needs = f"needs money >= 0.0{number % 90 + 1:02d}  " if number % 3 == 0 else ""
        if number % 8 == 5:
            lines.append(
                f"{head} lasts {2 + number % 3} ticks {{ {needs}each tick {{ {first} += {amount} * 0.1 }}  "
                f"on completion {{ money += {amount}  {second} -= 0.01 }} }}"
            )
        else:
            lines.append(f"{head} {{ {needs}instantly {{ {first} += {amount}  {second} -= 0.05 }} }}")
    lines += [
        "dies when energy <= 0",
        "reward energy * health",
        "observe { position relative  meters  here  progress }",
    ]
    return "\n".join(lines) + "\n"


def many_cascades(count: int, size: int = 512) -> str:
    """So many cascades between all pairs of meters, two of them with other bounds."""
    lines = [
        "universe tangled",
        f"space grid {size} x {size} {{ edges clamp }}",
        "lifespan 300 ticks",
        *(f"meter {name} = 0.9 {{ decay 0.00{number + 1} }}" for number, name in enumerate(METERS)),
        "meter heat = 3 in 0 .. 5 { decay 0.01 }",
        "param harshness = 1.0 in 0 .. 2",
        "rule warm: heat += 0.001",
    ]
    names = (*METERS, "heat")
    for number in range(count):
        source, target = names[number % 7], names[(number // 7 + number % 7 + 1) % 7]
        amount = f"0.00{number % 899 + 100}"
        body = (
            f"{target} -= {amount} * deficit",
            f"{target} += {amount} * shortfall",
            f"{{ {target} -= {amount} * deficit * harshness  {source} += 0.0001 * deficit }}",
        )[number % 5 % 3]
        lines.append(f"cascade c{number}: {source} < 0.{number % 700 + 100} -> {body}")
    lines += [
        "affordance Bed at random { instantly { energy += 0.5  heat += 1 } }",
        "dies when energy < 0.001",
        "reward energy * health + heat * money * mood * social * satiation",
        "observe { position relative  meters  params }",
    ]
    return "\n".join(lines) + "\n"


def many_axes(count: int, affordances: int = 14, size: int = 10) -> str:
    """A grid of so many axes: twice as many moves, and affordances at random that agents see the distance to."""
    lines = [
        "universe lattice",
        f"space grid {' x '.join([str(size)] * count)} {{ edges clamp  places stored }}",
        "lifespan 300 ticks",
        *(f"meter {name} = 0.5 {{ decay 0.00{number + 1}  move 0.001 }}" for number, name in enumerate(METERS)),
    ]
    for number in range(affordances):
        lasting = f"lasts 3 ticks {{ each tick {{ {METERS[number % 6]} += 0.1 }}  on completion {{ mood += 0.1 }} }}"
        instantly = f"{{ instantly {{ {METERS[number % 6]} += 0.2 }} }}"
        lines.append(f"affordance A{number} at random {lasting if number % 2 else instantly}")
    lines += [
        "dies when energy <= 0 or health <= 0",
        "reward energy * health + money * mood * social * satiation - 0.001 * distance to A0",
        "observe { position scaled  meters  here  progress }",
    ]
    return "\n".join(lines) + "\n"
