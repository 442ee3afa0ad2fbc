"""The town in JAX as one writes it: a function of one agent's tick, `vmap` over agents, `lax.scan` over ticks, `jit`.

State is a dictionary of values of one agent; `vmap` makes them arrays. The random numbers are those of the project
(Philox), so that the same things happen; arithmetic is f32, but XLA may contract and reorder, so bits can differ.
An agent finds its affordance by the inverse permutation of its cell: nothing but the state is kept, and a new episode
is one permutation. Needs `jax.enable_x64`, for the high half of a product; nothing else is wider than 32 bits.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

State: TypeAlias = dict[str, jax.Array]

METERS = ("energy", "hygiene", "satiation", "money", "mood", "social", "health", "fitness")
UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, REST, MEDITATE = range(8)
AFFORDANCES, LIFESPAN, SIDE, OBSERVED = 14, 500, 8, 90
u32 = jnp.uint32

# Of each affordance: the price, then what it adds to meters, in order.
PRICES = (0.05, 0.11, 0.03, 0.03, 0.1, 0.08, 0.15, 0.15, 0.06, 0.15, None, None, 0.08, None)
EFFECTS: tuple[tuple[tuple[str, float], ...], ...] = (
    (("energy", 5 * 0.075), ("energy", 0.125), ("health", 0.02)),
    (("energy", 6 * 0.09375), ("energy", 0.1875), ("health", 0.05)),
    (("hygiene", 3 * 0.1), ("hygiene", 0.1)),
    (("satiation", 2 * 0.1125), ("satiation", 0.1125), ("health", 0.03)),
    (
        *(("satiation", 2 * 0.16875), ("energy", 2 * 0.05625), ("satiation", 0.1125), ("energy", 0.0375)),
        *(("social", 0.01), ("fitness", -0.03), ("health", -0.02)),
    ),
    (("health", 3 * 0.09375), ("health", 0.0625)),
    (("health", 6 * 0.1), ("health", 0.1)),
    (("mood", 4 * 0.1), ("mood", 0.1)),
    (("mood", 3 * 0.09375), ("energy", 3 * 0.045), ("mood", 0.0625), ("energy", 0.03)),
    (
        *(("social", 2 * 0.1875), ("mood", 2 * 0.09375), ("satiation", 2 * 0.1125), ("social", 0.125)),
        *(("mood", 0.0625), ("satiation", 0.075), ("energy", -0.2), ("hygiene", -0.15), ("health", -0.05)),
    ),
    (("money", 8 * 0.05625), ("money", 0.05625), ("energy", -0.15), ("social", 0.02), ("health", -0.03)),
    (
        *(("money", 6 * 0.075), ("money", 0.075), ("energy", -0.2), ("fitness", -0.05), ("health", -0.05)),
        ("social", 0.01),
    ),
    (("fitness", 4 * 0.075), ("fitness", 0.075), ("energy", -0.08)),
    (
        *(("fitness", 3 * 0.05), ("social", 3 * 0.0375), ("mood", 3 * 0.0375), ("fitness", 0.05)),
        *(("social", 0.0375), ("mood", 0.0375), ("energy", -0.15)),
    ),
)
DECAYS = {"energy": 0.005, "hygiene": 0.003, "satiation": 0.004, "mood": 0.001, "social": 0.006, "fitness": 0.002}
CASCADES = (
    ("satiation", "energy", 0.005),
    ("mood", "energy", 0.005),
    ("satiation", "health", 0.004),
    ("hygiene", "satiation", 0.002),
    ("hygiene", "mood", 0.003),
    ("social", "mood", 0.004),
    ("hygiene", "fitness", 0.002),
    ("hygiene", "energy", 0.0005),
    ("social", "energy", 0.0008),
    ("hygiene", "health", 0.0005),
)


def mulhigh(a: jax.Array, b: int) -> jax.Array:
    return ((a.astype(jnp.uint64) * jnp.uint64(b)) >> jnp.uint64(32)).astype(u32)


def mix(x: jax.Array) -> jax.Array:
    x = (x ^ (x >> u32(16))) * u32(0x7FEB352D)
    x = (x ^ (x >> u32(15))) * u32(0x846CA68B)
    return x ^ (x >> u32(16))


def layout_of(seed: jax.Array, world: jax.Array, episode: jax.Array) -> jax.Array:
    """`seed` holds the low and the high half."""
    s = mix(seed[0] ^ mix(seed[1] ^ u32(0x68616D6C)))
    return mix(mix(world ^ s) + episode.astype(u32) * u32(0x9E3779B9))


def feistel(v: jax.Array, layout: jax.Array, turn: int) -> jax.Array:
    t = (v ^ (layout + u32(turn * 0x9E3779B9 & 0xFFFFFFFF))) * u32(0x9E3779B1)
    return ((t ^ (t >> u32(15))) * u32(0x85EBCA77)) >> u32(29)


def cell_of(index: jax.Array, layout: jax.Array) -> jax.Array:
    """The cell on which the index-th thing of a layout stands."""
    low, high = index & u32(7), index >> u32(3)
    for turn in range(0, 8, 2):
        low = (low + feistel(high, layout, turn)) & u32(7)
        high = (high + feistel(low, layout, turn + 1)) & u32(7)
    return (high << u32(3)) | low


def index_on(cell: jax.Array, layout: jax.Array) -> jax.Array:
    """What stands on a cell: the inverse of `cell_of`."""
    low, high = cell & u32(7), cell >> u32(3)
    for turn in range(6, -1, -2):
        high = (high - feistel(low, layout, turn + 1)) & u32(7)
        low = (low - feistel(high, layout, turn)) & u32(7)
    return (high << u32(3)) | low


def philox(lane: jax.Array, quarter: jax.Array, seed: jax.Array) -> jax.Array:
    """Four words."""
    a, b, c, d = lane, quarter, u32(1), u32(0)
    low, high = seed[0], seed[1]
    for _ in range(10):
        a, b, c, d = (
            mulhigh(c, 0xCD9E8D57) ^ b ^ low,
            c * u32(0xCD9E8D57),
            mulhigh(a, 0xD2511F53) ^ d ^ high,
            a * u32(0xD2511F53),
        )
        low, high = low + u32(0x9E3779B9), high + u32(0xBB67AE85)
    return jnp.stack([a, b, c, d])


def initial(seed: jax.Array, world: jax.Array, episode: jax.Array) -> State:
    """An agent at the beginning of an episode."""
    layout = layout_of(seed, world, episode)
    cell = cell_of(u32(AFFORDANCES), layout).astype(jnp.int32)
    full = jnp.float32(1.0)
    return {
        **{name: jnp.float32(0.5) if name == "money" else full for name in METERS},
        "x": cell % SIDE,
        "y": cell // SIDE,
        "age": jnp.int32(0),
        "episode_return": jnp.float32(0.0),
        "episode": episode,
        "layout": layout,
    }


def tick(state: State, action: jax.Array) -> tuple[State, State]:
    """What a living agent does; its state, and what happened."""
    f32 = jnp.float32
    m = {name: state[name] for name in METERS}

    def add(name: str, amount: Any) -> None:
        m[name] = jnp.clip(m[name] + amount, f32(0.0), f32(1.0))

    def choose(values: dict[int, float], index: jax.Array) -> jax.Array:
        chosen = f32(0.0)
        for number, value in values.items():
            chosen = jnp.where(index == number, f32(value), chosen)
        return chosen

    x = jnp.clip(state["x"] + (action == RIGHT) - (action == LEFT), 0, SIDE - 1)
    y = jnp.clip(state["y"] + (action == DOWN) - (action == UP), 0, SIDE - 1)
    costs = {UP: -0.005, DOWN: -0.005, LEFT: -0.005, RIGHT: -0.005, INTERACT: -0.005, REST: 0.002, MEDITATE: -0.001}
    add("energy", choose(costs, action))
    add("mood", choose({REST: 0.01, MEDITATE: 0.02}, action))

    index = index_on((y * SIDE + x).astype(u32), state["layout"]).astype(jnp.int32)
    here = jnp.where(index < AFFORDANCES, index, -1)
    price = choose({k: value for k, value in enumerate(PRICES) if value is not None}, here)
    used = jnp.where((action == INTERACT) & (m["money"] >= price), here, -1)
    m["money"] = jnp.where(used >= 0, jnp.clip(m["money"] - price, f32(0.0), f32(1.0)), m["money"])
    for name in METERS:
        for turn in range(2):
            amounts = {k: [value for other, value in effects if other == name] for k, effects in enumerate(EFFECTS)}
            add(name, choose({k: values[turn] for k, values in amounts.items() if len(values) > turn}, used))

    for name, decay in DECAYS.items():
        add(name, -f32(decay))
    add("health", -(f32(0.001) * (f32(0.5) + f32(2.5) * (f32(1.0) - m["fitness"]))))
    for source, target, rate in CASCADES:
        deficit = (f32(0.3) - m[source]) / f32(0.3)
        add(target, -jnp.where(m[source] < f32(0.3), f32(rate) * deficit, f32(0.0)))

    age = state["age"] + 1
    sick, exhausted = m["health"] <= 0, m["energy"] <= 0
    terminated = sick | exhausted
    truncated = (age >= LIFESPAN) & ~terminated
    cause = jnp.where(sick, 0, jnp.where(exhausted, 1, jnp.where(truncated, 2, -1))).astype(jnp.int32)
    reward = jnp.where(terminated, f32(0.0), m["energy"] * m["health"] + jnp.where(truncated, f32(1.0), f32(0.0)))
    after = state | m | {"x": x, "y": y, "age": age, "episode_return": state["episode_return"] + reward}
    return after, {"reward": reward, "terminated": terminated, "truncated": truncated, "used": used, "cause": cause}


def observe(state: State) -> jax.Array:
    """[90]: the grid, the position, the meters, what stands here, the lifetime."""
    f32 = jnp.float32
    cell = state["y"] * SIDE + state["x"]
    places = [cell_of(u32(k), state["layout"]) for k in range(AFFORDANCES)]
    bits = [[jnp.where(p >> u32(5) == half, u32(1) << (p & u32(31)), u32(0)) for p in places] for half in range(2)]
    # Without the barrier XLA computes the fourteen places anew for each of the 64 cells.
    halves = jax.lax.optimization_barrier(jnp.stack([reduce(jnp.bitwise_or, half) for half in bits]))
    numbers = jnp.arange(SIDE * SIDE)
    shown = (halves[numbers >> 5] >> (numbers & 31).astype(u32)) & u32(1)
    grid = shown.astype(f32) + (numbers == cell).astype(f32)
    index = index_on(cell.astype(u32), state["layout"]).astype(jnp.int32)
    here = jnp.arange(AFFORDANCES + 1) == jnp.minimum(index, AFFORDANCES)
    position = jnp.stack([state["x"], state["y"]]).astype(f32) / f32(SIDE - 1)
    meters = jnp.stack([state[name] for name in METERS])
    lifetime = state["age"].astype(f32)[None] / f32(LIFESPAN)
    return jnp.concatenate([grid, position, meters, here.astype(f32), lifetime])


@partial(jax.jit, static_argnames=("ticks", "observing"), donate_argnames=("state", "shown"))
def rollout(
    state: State, shown: jax.Array, seed: jax.Array, first: jax.Array, ticks: int, observing: bool
) -> tuple[State, State, jax.Array]:
    """So many ticks of a random policy, from tick `first` on; state, the last outcome, observations [90, lanes]."""
    lanes = jnp.arange(state["age"].shape[0], dtype=u32)

    def step(lane: jax.Array, words: jax.Array, agent: State, word: jax.Array) -> tuple[State, State]:
        action = (words[word] >> u32(29)).astype(jnp.int32)
        after, outcome = tick(agent, action)
        fresh = initial(seed, lane, agent["episode"] + 1)
        ended = outcome["terminated"] | outcome["truncated"]
        return jax.tree.map(partial(jnp.where, ended), fresh, after), outcome

    draw = jax.vmap(lambda lane, quarter: philox(lane, quarter, seed), in_axes=(0, None), out_axes=1)

    def scanned(carry: Any, number: jax.Array) -> tuple[Any, None]:
        agents, words, _, seen = carry
        now = first + number
        words = jax.lax.cond((number == 0) | (now & 3 == 0), lambda: draw(lanes, now >> u32(2)), lambda: words)
        agents, outcome = jax.vmap(step, in_axes=(0, 1, 0, None))(lanes, words, agents, now & u32(3))
        # Every tick's observations are written: the barrier keeps XLA from leaving out all but the last.
        seen = jax.lax.optimization_barrier(jax.vmap(observe, out_axes=1)(agents)) if observing else seen
        return (agents, words, outcome, seen), None

    integers, floats = jnp.zeros(lanes.shape, jnp.int32), jnp.zeros(lanes.shape, jnp.float32)
    nothing = {"terminated": integers > 0, "truncated": integers > 0, "used": integers, "cause": integers}
    outcome = {"reward": floats} | nothing
    carry = (state, jnp.zeros((4, *lanes.shape), u32), outcome, shown)
    (state, _, outcome, shown), _ = jax.lax.scan(scanned, carry, jnp.arange(ticks, dtype=u32))
    return state, outcome, shown


@partial(jax.jit, static_argnames="lanes")
def start(lanes: int, seed: jax.Array) -> State:
    """The first episode of so many agents."""
    numbers = jnp.arange(lanes, dtype=u32)
    return jax.vmap(lambda world: initial(seed, world, jnp.int32(0)))(numbers)
