"""What the agents of a world have together, and whose claims are granted: numbers [worlds, agents] -> [worlds, 1]."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.interpreter.space import larger


def count(holds: Tensor, running: Tensor) -> Tensor:
    """How many running agents a condition holds for; f32."""
    return (holds & running).sum(dim=1, keepdim=True).to(torch.float32)


def total(values: Tensor, running: Tensor) -> Tensor:
    """The sum, added in a tree: first the values of agents 0 and 1, 2 and 3, ..., each sum rounded."""
    x = _padded(torch.where(running, values, torch.zeros_like(values)))
    while x.shape[1] > 1:
        x = x[:, 0::2] + x[:, 1::2]
    return x


def average(values: Tensor, running: Tensor) -> Tensor:
    """The sum divided by the number of running agents; 0 where nobody runs."""
    sum_of_all, many = total(values, running), count(running, running)
    return torch.where(many > 0, sum_of_all / torch.where(many > 0, many, torch.ones_like(many)), sum_of_all)


def extreme(values: Tensor, running: Tensor, *, least: bool) -> Tensor:
    """The least number, or the greatest, found in the same tree; 0 where nobody runs."""
    x, there = _padded(values), _padded(running)
    while x.shape[1] > 1:
        a, b, first, second = x[:, 0::2], x[:, 1::2], there[:, 0::2], there[:, 1::2]
        better = torch.where(a < b, a, b) if least else larger(a, b)
        x, there = torch.where(first & second, better, torch.where(first, a, b)), first | second
    return torch.where(there, x, torch.zeros_like(x))


def rank(counts: Tensor, priority: Tensor) -> Tensor:
    """How many agents that count (bool) come before each, whether it counts or not, f32 [worlds, agents]: those with a
    higher priority (f32, zeros are equal), of equals those with a lower number."""
    order = torch.argsort(-(priority + 0.0), dim=1, stable=True)
    sorted_counts = counts.gather(1, order).to(torch.int32)
    before = sorted_counts.cumsum(1) - sorted_counts
    return torch.zeros_like(before).scatter_(1, order, before).to(torch.float32)


def granted(claims: Tensor, engaged: Tensor, priority: Tensor, places: Tensor) -> Tensor:
    """Whose claims are granted, bool: floor(places) (f32 [worlds, 1]) of them. First come those who are engaged, then
    those with the highest priority (f32), then those with the lowest number."""
    order = torch.argsort(-(priority + 0.0), dim=1, stable=True)  # of two zeros none is the higher one
    for first in (engaged, claims):
        order = order.gather(1, torch.argsort((~first).to(torch.int32).gather(1, order), dim=1, stable=True))
    rank = torch.empty_like(order).scatter_(1, order, torch.arange(order.shape[1]).to(order.device).expand_as(order))
    return claims & (rank < torch.floor(places))


def _padded(x: Tensor) -> Tensor:
    """With zeros for the numbers from that of the agents to the next power of two."""
    worlds, agents = x.shape
    size = 1 << (agents - 1).bit_length()
    return torch.cat([x, x.new_zeros((worlds, size - agents))], dim=1)
