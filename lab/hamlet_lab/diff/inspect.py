"""Guesses about a difference, tried out: another action, no new episode, a rounding."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.universe import Universe
from hamlet_lab.diff.contender import Contender
from hamlet_lab.diff.match import differences
from hamlet_lab.diff.parting import Outcome
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.arrays import Array, Difference, bits
from hamlet_lab.verify.events import Event, Rollout, Side, Step
from hamlet_lab.verify.locate import Moment, actions_of


@dataclass(frozen=True, slots=True)
class Actions:
    """The action that the policy should have drawn, and the one, or several, that give what was found."""

    expected: str
    found: str


def action_that_gives(candidate: Candidate, universe: Universe, outcome: Outcome, stream: Stream, lane: int) -> Actions:
    """The action of a lane in the first tick of a random rollout, and those that explain what was found after it."""
    drawn = actions_of(universe, moment(outcome, stream), 0)
    names, found, does = schema.action_names(universe), _column(outcome.after, lane), []
    if drawn is None:
        raise ValueError("not an event with actions")
    for number, name in enumerate(names):
        actions = drawn.clone()
        actions[lane] = number
        if _same(_column(_run(candidate, universe, outcome, Step(actions), stream), lane), found):
            does.append(name)
    return Actions(names[int(drawn[lane])], " or ".join(does) or "none that gives this")


def moment(outcome: Outcome, stream: Stream) -> Moment:
    """Just before an outcome."""
    return Moment("", outcome.event, stream, 0, outcome.before)


def right_with_given_actions(contender: Contender, outcome: Outcome, stream: Stream, expected: list[Array]) -> bool:
    """Whether a rollout that goes wrong with random actions goes right with these actions given."""
    event = outcome.event
    if not isinstance(event, Rollout) or not isinstance(event.policy, RandomPolicy):
        return False
    ticks = range(event.ticks)
    actions = [actions_of(contender.universe, moment(outcome, stream), tick) for tick in ticks]
    given = replace(event, policy=RecordedPolicy(torch.stack([each for each in actions if each is not None])))
    found = _run(contender.candidate, contender.universe, outcome, given, stream)
    return next(differences(expected, found), None) is None


def restarts(outcome: Outcome, difference: Difference) -> bool:
    """Whether the world of a difference has begun a new episode."""
    agents = outcome.before.shape.agents
    world = difference.index if difference.column == "world" else difference.index // agents
    after = next(array for array in outcome.after if array.name == "episode")
    return int(after.values[0, world]) != int(outcome.before.state["episode"][world])


def bf16_of(expected: Tensor, found: Tensor) -> bool:
    """Whether a value is another one rounded to bfloat16."""
    return expected.dtype == torch.float32 and bool(torch.equal(bits(expected.bfloat16().float()), bits(found)))


def _run(candidate: Candidate, universe: Universe, outcome: Outcome, event: Event, stream: Stream) -> list[Array]:
    dtype = None if outcome.before.observation is None else outcome.before.observation.dtype
    side = Side(universe, candidate, outcome.before.shape, dtype)
    side.copy_from(outcome.before)
    return [Array(each.name, each.column, each.rows, each.values.cpu()) for each in side.apply(event, stream)]


def _column(arrays: list[Array], lane: int) -> dict[str, Tensor]:
    """The state and the outcome of a lane."""
    kept = ("observation", "final_observation", "mask", "finished_return")
    return {each.name: bits(each.values[:, lane]) for each in arrays if each.column == "lane" and each.name not in kept}


def _same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return all(torch.equal(value, right[name]) for name, value in left.items())
