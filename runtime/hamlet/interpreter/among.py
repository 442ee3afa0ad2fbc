"""Reductions over the agents of a world, and grants of claims: numbers [worlds, agents] -> [worlds, 1]; where each
agent asks, [askers, worlds, agents] -> [askers, worlds, 1].
"""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor

from hamlet.interpreter.space import larger


def count(holds: Tensor, running: Tensor) -> Tensor:
    """How many running agents a condition holds for; f32."""
    return (holds & running).sum(dim=-1, keepdim=True).to(torch.float32)


def total(values: Tensor, running: Tensor) -> Tensor:
    """The sum, added in a tree: first the values of agents 0 and 1, 2 and 3, ..., each sum rounded."""
    x = _padded(torch.where(running, values, torch.zeros_like(values)))
    while x.shape[-1] > 1:
        x = x[..., 0::2] + x[..., 1::2]
    return x


def average(values: Tensor, running: Tensor) -> Tensor:
    """The sum divided by the number of running agents; 0 where nobody runs."""
    sum_of_all, many = total(values, running), count(running, running)
    return torch.where(many > 0, sum_of_all / torch.where(many > 0, many, torch.ones_like(many)), sum_of_all)


def extreme(values: Tensor, running: Tensor, *, least: bool) -> Tensor:
    """The least number, or the greatest, found in the same tree; 0 where nobody runs."""
    x, there = _padded(values), _padded(running)
    while x.shape[-1] > 1:
        a, b, first, second = x[..., 0::2], x[..., 1::2], there[..., 0::2], there[..., 1::2]
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


def nearest(counts: Tensor, away: Tensor, values: Tensor, otherwise: Tensor) -> Tensor:
    """The value of the agent that counts (bool) and is the least `away`, of several such the first; `otherwise`
    ([..., 1]) where none counts."""
    distance = torch.where(counts, away, torch.full_like(away, math.inf))
    first = distance == distance.amin(dim=-1, keepdim=True)
    place = first.to(torch.int32).argmax(dim=-1, keepdim=True)
    return torch.where(counts.any(dim=-1, keepdim=True), values.gather(-1, place), otherwise)


def granted(claims: Tensor, engaged: Tensor, priority: Tensor, places: Tensor) -> Tensor:
    """Whose claims are granted, bool: floor(places) (f32 [worlds, 1]) of them. First come those who are engaged, then
    those with the highest priority (f32), then those with the lowest number."""
    order = torch.argsort(-(priority + 0.0), dim=1, stable=True)  # of two zeros none is the higher one
    for first in (engaged, claims):
        order = order.gather(1, torch.argsort((~first).to(torch.int32).gather(1, order), dim=1, stable=True))
    rank = torch.empty_like(order).scatter_(1, order, torch.arange(order.shape[1]).to(order.device).expand_as(order))
    return claims & (rank < torch.floor(places))


def on_cells(
    op: Literal["count", "total", "lowest", "highest", "average", "last"],
    values: Tensor,
    running: Tensor,
    standing: Tensor,
    cells: int,
) -> Tensor:
    """The same of the agents on each cell, f32 [worlds, cells]; `standing` is the cell of each, i64 [worlds, agents].
    Numbers are joined in the order of agents, from 0 on, or from the first one; `last` is that of the last one."""
    many = torch.zeros((len(standing), cells), dtype=torch.float32, device=standing.device)
    joined = torch.zeros_like(many)
    for agent in range(standing.shape[1]):
        cell, runs = standing[:, agent : agent + 1], running[:, agent : agent + 1]
        value, before, there = values[:, agent : agent + 1], joined.gather(1, cell), many.gather(1, cell)
        match op:
            case "count":
                runs = runs & value
            case "total" | "average":
                joined.scatter_(1, cell, torch.where(runs, before + value, before))
            case "lowest" | "highest":
                better = torch.where(before < value, before, value) if op == "lowest" else larger(before, value)
                better = torch.where(there > 0, better, value)
                joined.scatter_(1, cell, torch.where(runs, better, before))
            case "last":
                joined.scatter_(1, cell, torch.where(runs, value, before))
        many.scatter_(1, cell, there + runs.to(torch.float32))
    match op:
        case "count":
            return many
        case "average":
            return joined / torch.where(many > 0, many, torch.ones_like(many))
        case _:
            return joined


def _padded(x: Tensor) -> Tensor:
    """With zeros for the numbers from that of the agents to the next power of two."""
    agents = x.shape[-1]
    size = 1 << (agents - 1).bit_length()
    return torch.cat([x, x.new_zeros((*x.shape[:-1], size - agents))], dim=-1)
