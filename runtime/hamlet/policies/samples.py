"""Actions of a policy for observations that others compute too: what exports are held against."""

from __future__ import annotations

import numpy as np
import torch

from hamlet.backend.protocol import NetworkPolicy
from hamlet.interpreter.networks import choose, evaluate
from hamlet.launch.cpu.heads import Heads, reaches
from hamlet.numbers.random import policy_words
from hamlet.policies.described import Layers
from hamlet.policies.files import Array

OFFSET, PRIME, WORD = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF


def digest_of_actions(layers: Layers, lanes: int, seed: int, tick: int) -> int:
    """The FNV-1a of the actions, i32, that the interpreter draws for numbers that any program can make: value r of lane
    i is (7 r + 13 i) % 65 / 64, and every action is allowed."""
    rows = np.arange(layers.weights[0].shape[1])[:, None] * 7 + np.arange(lanes)[None] * 13
    heads = evaluate(_network(layers), torch.from_numpy((rows % 65 / 64).astype(np.float32)))[: layers.actions]
    words = policy_words(torch.arange(lanes), tick, (seed, 0))[tick % 4]
    actions, _ = choose(heads, torch.ones_like(heads, dtype=torch.bool), words)
    digest = OFFSET
    for byte in actions.numpy().astype("<i4").tobytes():
        digest = (digest ^ byte) * PRIME & WORD
    return digest


def likeliest(layers: Layers, observation: Array, mask: Array) -> Array | None:
    """The likeliest allowed actions, [lanes] i64, of observations [lanes, values] f32 and masks [lanes, actions] bool,
    by machine code; `None` where it has no room for the network."""
    network = _network(layers)
    if not reaches(network):
        return None
    heads = Heads(network, len(observation)).of(torch.from_numpy(observation).T)[: layers.actions]
    chosen: Array = np.where(mask, heads.T.numpy(), -np.inf).argmax(axis=1)
    return chosen


def _network(layers: Layers) -> NetworkPolicy:
    pairs = zip(layers.weights, layers.biases, strict=True)
    tensors = tuple((torch.from_numpy(w.copy())[None], torch.from_numpy(b.copy())[None]) for w, b in pairs)
    return NetworkPolicy(tensors, layers.activation, True, True)
