"""What plays a rollout of a network: the tuples that it is given, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from hamlet.launch.cpu.memory import Array

WIDTH = 64
"""Outputs of a hidden layer, at most."""
RELU, TANH = range(2)
"""Activations of hidden layers."""


class Frame(NamedTuple):
    """How to call the kernel.

    Attributes:
        address: of what takes the table.
        memory: the arguments, i64.
        observation, final, mask, actions: the numbers of the slots with the address of these arrays.
        worlds, tick, ticks, known: the slots of these arguments; `known` is -1 where no cell cache is stored.
        given: [given, 3] i64: the slot of each array that is given for each tick, its address, the bytes of a tick.
        shares: [1, SHARE] i64, what the kernel takes its worlds from.
    """

    address: int
    memory: Array
    observation: int
    final: int
    mask: int
    actions: int
    worlds: int
    tick: int
    ticks: int
    known: int
    given: Array
    shares: Array


class Own(NamedTuple):
    """The arrays of a thread for the lanes of a chunk, most of them with rows of the same pitch.

    Attributes:
        observation, mask: what the kernel writes.
        final: last observations, which the kernel writes too; a line for each lane.
        cut: those of episodes that were cut off in a tick, in rows like `observation`.
        heads, cut_heads: of these observations.
        action, log_prob: of a tick, one row.
        room: for the network. flags: which inputs of a lane are not 0, u32, a bit each.
        words: the random words of four ticks.
    """

    observation: Array
    final: Array
    cut: Array
    mask: Array
    heads: Array
    cut_heads: Array
    action: Array
    log_prob: Array
    room: Array
    flags: Array
    words: Array


class Network(NamedTuple):
    """A network, packed (`hamlet.launch.cpu.packed`).

    Attributes:
        weights: of all members, f32.
        size: how many of them a member has.
        sizes: the inputs, then the outputs of each layer.
        lanes: how many lanes share a member.
        activation: of hidden layers, `RELU` or `TANH`.
        sample: whether actions are drawn.
        of_agents: the member of each agent of a world, i64; empty where members are of worlds.
    """

    weights: Array
    size: int
    sizes: Array
    lanes: int
    activation: int
    sample: int
    of_agents: Array


class Worlds(NamedTuple):
    """The worlds, their random numbers, and the arrays of all lanes; `shows_ends` where a world does not begin anew in
    the tick that ends its episode; `final` has no row where it stays as it is."""

    worlds: int
    agents: int
    first_world: int
    shows_ends: int
    low: int
    high: int
    tick: int
    observation: Array
    final: Array
    mask: Array
    alive: Array
    reward: Array
    terminated: Array
    truncated: Array


class Stored(NamedTuple):
    """The arrays of `hamlet.backend.storage.Storage`, [rows, lanes], without a row where nothing is stored."""

    observations: Array
    masks: Array
    alive: Array
    actions: Array
    log_probs: Array
    values: Array
    rewards: Array
    terminated: Array
    truncated: Array
    final_values: Array


class Recalling(NamedTuple):
    """The memory of lanes, see `hamlet.backend.recall.Recall`, and how old they are; then the same of a chunk, which
    is the thread's own.

    Attributes:
        hidden, before, acted: what is remembered. age: [lanes] i32.
        own_hidden, own_before, own_acted: of a chunk; `own_hidden` is [lanes, numbers].
        now: what is remembered after a tick, [lanes, numbers].
        changed: which values of an observation have changed, u32, a bit each.
    """

    hidden: Array
    before: Array
    acted: Array
    age: Array
    own_hidden: Array
    own_before: Array
    own_acted: Array
    now: Array
    changed: Array


@dataclass(frozen=True, slots=True)
class Player:
    """Machine code that plays.

    Attributes:
        wide: outputs of a layer that are computed at once, for which weights are packed; arrays have room for as many
            lanes more than there are.
        room: how many numbers a network needs room for.
        play: takes the tuples `Frame`, `Network`, `Own`, `Worlds`, `Stored`, `Recalling` or `None`, then `shares`
            [threads, SHARE] i64, the number of the thread, how many worlds are a chunk, and how many ticks they run.
            Python's lock is not held.
    """

    wide: int
    room: int
    play: Callable[..., Any]
