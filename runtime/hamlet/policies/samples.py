"""Actions of a policy for observations that others compute too: what exports are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from hamlet.backend.protocol import NetworkPolicy
from hamlet.backend.recall import Recall
from hamlet.interpreter.networks import choose, evaluate, evaluate_remembering
from hamlet.launch.cpu.heads import Heads, reaches
from hamlet.numbers.random import policy_words
from hamlet.policies.described import Layers
from hamlet.policies.files import Array

REMEMBERED = 4
"""Ticks that show what is remembered."""
OFFSET, PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF


def digest_of_actions(
    layers: Layers, lanes: Sequence[int], seed: int, tick: int, numbers: Sequence[int] | None = None
) -> int:
    """The FNV-1a of the actions, i32, that the interpreter draws for numbers that any program can make: value r of lane
    i is (7 r + 13 i) % 65 / 64, and every action is allowed. `numbers` are those of its actions, by default all.

    A policy with a memory acts in `REMEMBERED` ticks one behind the other: in the n-th of them, from 0 on, the value is
    that of (7 r + 13 i + 5 n) % 65 / 64, and each lane i with i % 3 = n begins an episode."""
    network, places = _network(layers), torch.tensor(lanes)
    every = np.arange(layers.actions) if numbers is None else np.array(numbers)
    recall = Recall.empty(layers.remembers, layers.values, len(lanes), torch.device("cpu"))
    rows = np.arange(layers.values)[:, None] * 7 + np.array(lanes)[None] * 13
    digest = OFFSET
    for turn in range(1 if network.gates is None else REMEMBERED):
        x = torch.from_numpy(((rows + 5 * turn) % 65 / 64).astype(np.float32))
        words = policy_words(places, tick + turn, (seed, 0))[(tick + turn) % 4]
        if network.gates is None:
            heads, hidden = evaluate(network, x), recall.hidden
        else:
            age = (places % 3 != turn).to(torch.int32)
            heads, hidden = evaluate_remembering(replace(network, recall=recall), x, age)
        logits = heads[: layers.actions]
        actions, _ = choose(logits, torch.ones_like(logits, dtype=torch.bool), words)
        recall.keep(hidden, x, actions)
        for byte in every[actions.numpy()].astype("<i4").tobytes():
            digest = (digest ^ byte) * PRIME & WORD
    return digest


def likeliest(
    layers: Layers, observation: Array, mask: Array, recalls: tuple[Array, Array, Array] | None = None
) -> Array | None:
    """The likeliest allowed actions, [lanes] i64, of observations [lanes, values] f32 and masks [lanes, actions] bool,
    by machine code; `None` where it has no room for the network. `recalls` are what lanes remember, [lanes, numbers]
    f32, their last observations and their last actions; -1 of those who remember nothing."""
    network = _network(layers)
    if not reaches(network):
        return None
    machine, seen = Heads(network, len(observation)), torch.from_numpy(observation).T
    if recalls is None:
        heads = machine.of(seen)[: layers.actions]
    else:
        hidden, before, acted = map(torch.from_numpy, recalls)
        recall = Recall(hidden.T, before.T, acted.to(torch.int32))
        heads = machine.remembering(seen, recall, torch.ones(len(acted), dtype=torch.int32))[0][: layers.actions]
    chosen: Array = np.where(mask, heads.T.numpy(), -np.inf).argmax(axis=1)
    return chosen


def _network(layers: Layers) -> NetworkPolicy:
    pairs = zip(layers.weights, layers.biases, strict=True)
    tensors = tuple((torch.from_numpy(w.copy())[None], torch.from_numpy(b.copy())[None]) for w, b in pairs)
    gates = None
    if layers.gates is not None:
        weight, bias = (torch.from_numpy(each.copy())[None] for each in layers.gates)
        gates = weight, bias
    return NetworkPolicy(tensors, layers.activation, True, True, gates=gates, controls=layers.controls)
