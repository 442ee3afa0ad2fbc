"""Sources of universes that a program writes: with many constructs that are alike, or with much state per lane."""

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


def many_meters(count: int) -> str:
    """So many meters, and uses that each agent remembers: more than a tick keeps in variables."""
    lines = [
        "universe ledger",
        "space grid 5 x 4 { edges clamp }",
        "clock 5 hours",
        "lifespan 30 ticks",
        "track uses by agent",
        *(f"meter m{number} = 0.{number % 9 + 1} {{ decay 0.0{number + 10} }}" for number in range(count)),
        *(
            f"affordance A{number} at random {{ instantly {{ m{number} += 0.3  m{count - 1} += 0.1 }} }}"
            for number in range(10)
        ),
        "affordance Bank at (1, 1) open 1 .. 4 lasts 3 ticks { needs m1 >= 0.1  on completion { m2 += 0.5 } }",
        "action PRAY { m3 += 0.1 }",
        "allow PRAY when m4 > 0.2",
        "dies when m0 <= 0",
        f"reward {' + '.join(f'm{number}' for number in range(0, count, 7))} + 0.1 * streak of A1 + 0.1 * visited",
        "observe { grid  meters  here  time  progress }",
    ]
    return "\n".join(lines) + "\n"


NEEDS = ("energy", "hygiene", "satiation", "money", "mood", "social", "health", "fitness")
LASTING = {
    "Bed": (5, "energy 0.075", "energy 0.125  health 0.02", 0.05),
    "LuxuryBed": (6, "energy 0.09375", "energy 0.1875  health 0.05", 0.11),
    "Shower": (3, "hygiene 0.1", "hygiene 0.1", 0.03),
    "HomeMeal": (2, "satiation 0.1125", "satiation 0.1125  health 0.03", 0.03),
    "FastFood": (2, "satiation 0.16875  energy 0.05625", "satiation 0.1125  social 0.01  fitness -0.03", 0.1),
    "Doctor": (3, "health 0.09375", "health 0.0625", 0.08),
    "Hospital": (6, "health 0.1", "health 0.1", 0.15),
    "Therapist": (4, "mood 0.1", "mood 0.1", 0.15),
    "Recreation": (3, "mood 0.09375  energy 0.045", "mood 0.0625  energy 0.03", 0.06),
    "Bar": (2, "social 0.1875  mood 0.09375  satiation 0.1125", "social 0.125  energy -0.2  hygiene -0.15", 0.15),
    "Job": (8, "money 0.05625", "money 0.05625  energy -0.15  social 0.02  health -0.03", 0.0),
    "Labor": (6, "money 0.075", "money 0.075  energy -0.2  fitness -0.05  health -0.05", 0.0),
    "Gym": (4, "fitness 0.075", "fitness 0.075  energy -0.08", 0.08),
    "Park": (3, "fitness 0.05  social 0.0375  mood 0.0375", "fitness 0.05  social 0.0375  energy -0.15", 0.0),
}
"""Ticks, effects of each tick and on completion, and the price of a tick."""


def household(by_hand: bool = True) -> str:
    """Eight meters and fourteen lasting affordances that agents remember using, at stored places; 118 observations."""
    lines = [
        "universe household",
        "space grid 8 x 8 { edges clamp  distance manhattan  places stored }",
        "clock 24 hours",
        "lifespan 500 ticks { reward 1 }",
        "track uses by world",
        *(["episodes by hand"] if by_hand else []),
        "param depletion = 1 in 0 .. 10",
        "input curiosity = 0 in -10 .. 10",
        *(
            f"meter {name} = {0.5 if name == 'money' else 1} {{ decay 0.00{number + 1} * depletion }}"
            for number, name in enumerate(NEEDS)
        ),
        "rule unfit_bodies_sicken: health -= 0.001 * (0.5 + 2.5 * (1 - fitness))",
        *(
            f"cascade {source}_{target}: {source} < 0.3 -> {target} -= {amount} * deficit"
            for source, target, amount in (
                ("satiation", "energy", 0.005),
                ("mood", "energy", 0.005),
                ("satiation", "health", 0.004),
                ("hygiene", "satiation", 0.002),
                ("hygiene", "mood", 0.003),
                ("social", "mood", 0.004),
                ("hygiene", "fitness", 0.002),
            )
        ),
    ]
    for number, (name, (ticks, each, last, price)) in enumerate(LASTING.items()):
        paid = f"money -= {price}  " if price else ""
        needs = f"needs money >= {price}  " if price else ""
        hours = f" open {number} .. {number + 11}" if number % 3 == 1 else ""
        lines.append(
            f"affordance {name} at random{hours} lasts {ticks} ticks together {{ {needs}"
            f"each tick {{ {paid}{_statements(each)} }}  on completion {{ {_statements(last)} }} }}"
        )
    return "\n".join([*lines, *REST]) + "\n"


REST = (
    "allow REST when energy > 0.1",
    "action REST { energy += 0.002  mood += 0.01 }",
    "dies when health <= 0 or energy <= 0",
    "reward living: energy * health",
    "reward approach: -0.01 * distance to Bed when energy < 0.3",
    "reward habit: -0.02 * (streak of Job - 3) when streak of Job > 3",
    "reward diversity: 0.05 * visited",
    "reward intrinsic: curiosity * 0.1",
    "reward recovery: health - previous(health)",
    "report shaped: 0.05 * visited + 0.1 * curiosity",
    "observe {",
    "    grid  position relative  window 2  meters  here  time  progress  lifetime",
    "}",
)


def _statements(effects: str) -> str:
    words = effects.split()
    return "  ".join(f"{meter} += {amount}" for meter, amount in zip(words[::2], words[1::2], strict=True))
