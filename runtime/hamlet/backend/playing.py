"""A rollout of a network tick by tick, for backends that launch its evaluation and a tick one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, TypeAlias

import torch

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.protocol import Backend, ByTick, Decided, RecordedPolicy, Stream
from hamlet.backend.recall import Recall
from hamlet.backend.storage import Storage


class Decide(Protocol):
    """The decision of a network, with values if it has them."""

    def __call__(
        self,
        observation: torch.Tensor,
        mask: torch.Tensor,
        tick: int,
        age: torch.Tensor | None,
        asking: torch.Tensor | None = None,
        /,
    ) -> Decided:
        """Decide.

        Args:
            observation: [values, lanes].
            mask: [actions, lanes].
            tick: that of the decision.
            age: [lanes] i32, how old agents are in their episodes; `None` where nobody's begins. Networks without a
                memory do not ask for it.
            asking: [lanes] bool, those whose decision is read; of the others anything may come. By default all.
        """
        ...


Tick: TypeAlias = Callable[[Buffers, torch.Tensor, Stream], None]


def play(
    backend: Backend,
    buffers: Buffers,
    ticks: int,
    decide: Decide,
    stream: Stream,
    observe_every_tick: bool,
    statistics: Statistics | None,
    by_tick: ByTick,
    store: Storage,
    by_hand: bool,
    recall: Recall | None = None,
    tick: Tick | None = None,
) -> None:
    """See `hamlet.backend.protocol.Backend.rollout`; `tick` runs a tick of actions [lanes] in its place."""
    assert buffers.observation is not None
    final = buffers.final_observation
    if not observe_every_tick and final is not None:
        final = torch.zeros_like(final)
    playing = replace(buffers, final_observation=final)
    backend.observe(playing)
    for index in range(ticks):
        decided = decide(buffers.observation, buffers.mask, stream.tick + index, buffers.state["age"])
        if recall is not None and decided.hidden is not None:
            recall.keep(decided.hidden, buffers.observation, decided.actions)
        _keep_seen(store, index, buffers, decided)
        rows = {name: values[index : index + 1] for name, values in by_tick.items()}
        now, recorded = Stream(stream.seed, stream.tick + index), RecordedPolicy(decided.actions.unsqueeze(0))
        if tick is None:
            backend.rollout(playing, 1, recorded, now, True, statistics, rows)
        else:
            tick(playing, decided.actions, now)
        _keep_outcome(store, index, buffers)
        if store.final_values is not None:
            _keep_final(store.final_values[index], playing, decide, stream.tick + index, by_hand)
    if store.values is not None:
        age = buffers.state["age"]
        store.values[ticks] = _value(decide(buffers.observation, buffers.mask, stream.tick + ticks, age))


def _keep_seen(store: Storage, index: int, buffers: Buffers, decided: Decided) -> None:
    """Store the observation of a tick, and the decision of the policy."""
    rows = {
        "observations": buffers.observation,
        "masks": buffers.mask,
        "alive": buffers.state["alive"],
        "actions": decided.actions,
        "log_probs": decided.log_probs,
        "values": decided.values,
    }
    _keep(store, index, rows)


def _keep_outcome(store: Storage, index: int, buffers: Buffers) -> None:
    """Store the reward of a tick, and which episodes ended."""
    names = {"rewards": "reward", "terminated": "terminated", "truncated": "truncated"}
    _keep(store, index, {name: buffers.outcome[outcome] for name, outcome in names.items()})


def _keep(store: Storage, index: int, rows: dict[str, torch.Tensor | None]) -> None:
    for name, tensor in store.tensors.items():
        row = rows.get(name)
        if row is not None:
            tensor[index] = row


def _keep_final(values: torch.Tensor, playing: Buffers, decide: Decide, tick: int, by_hand: bool) -> None:
    """The value of the last observation of episodes that were cut off: of worlds that began anew the final one, whose
    agents are alive again."""
    truncated = playing.outcome["truncated"]
    seen, final = playing.observation, playing.final_observation
    assert seen is not None
    if not (by_hand or playing.shape.waits) and final is not None:
        seen = torch.where(playing.state["alive"], final, seen)
    value = _value(decide(seen, playing.mask, tick, None, truncated))
    values.copy_(torch.where(truncated, value, torch.zeros_like(value)))


def _value(decided: Decided) -> torch.Tensor:
    assert decided.values is not None
    return decided.values
