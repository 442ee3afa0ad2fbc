"""What agents have of each other as an array: [worlds, agents, agents], read, written and observed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamletc.ir.ops import Fetch
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU
from samples import universe_of

VILLAGE = """
universe village
space grid 8 x 8 { starts anywhere }
lifespan 20 ticks
role villager: AGENTS agents
meter mood = agent / 200
pairs {
    state trust: real in 0 .. 1 = uniform(0, 0.25)
    state friends = chance(0.25)
    rule meets: apart <= 2 -> trust += 0.25 * trust of other + uniform(0, 0.125)
    rule falls: trust -= 0.0625 * own(mood)
    rule ties: trust > 0.5 and not friends -> friends = friends of other or chance(0.5)
}
report has: total(trust)
report had: total(trust of other)
report both: count(friends and friends of other)
reward mood
observe { meters  state trust friends }
"""
Compiled = Callable[[str], Module]


def waited(env: Env, ticks: int) -> Env:
    for _ in range(ticks):
        env.step(torch.full((env.num_worlds * env.num_agents,), env.action_names.index("WAIT"), dtype=torch.int32))
    return env


def test_a_hundred_agents_have_the_same_bits_on_cpus(compiled: Compiled) -> None:
    module = compiled(VILLAGE.replace("AGENTS", "100"))
    envs = [waited(hamlet.make(module, worlds=2, backend=name, seed=4), 21) for name in ("interpreter", "c")]
    assert envs[0].digest() == envs[1].digest()
    trust, friends = (envs[1].meter(name) for name in ("trust", "friends"))
    assert trust.shape == friends.shape == (2, 100, 100)
    assert not trust.diagonal(dim1=1, dim2=2).any()
    assert 0.2 < float(friends.mean()) < 0.9


def test_rows_are_observed_and_reports_ask_for_both_ways(compiled: Compiled) -> None:
    env = waited(hamlet.make(compiled(VILLAGE.replace("AGENTS", "6")), worlds=3, backend="interpreter", seed=2), 3)
    trust, friends = env.meter("trust"), env.meter("friends")
    assert torch.equal(env.observation[:, 1:7].reshape(3, 6, 6), trust)
    assert torch.equal(env.observation[:, 7:13].reshape(3, 6, 6), friends)
    assert env.observation_names[1:9:7] == ("state.trust[0]", "state.friends[1]")
    assert torch.equal(env.reports["both"].view(3, 6), (friends * friends.transpose(1, 2)).sum(2))


def test_programs_write_what_agents_have_of_each_other(compiled: Compiled) -> None:
    env = hamlet.make(compiled(VILLAGE.replace("AGENTS", "3")), worlds=2, backend="c", seed=2)
    before = env.meter("trust").clone()
    rows = torch.tensor([[[0.5, 0.25, 1.0]]])
    env.set("trust", rows, worlds=[1], agents=[2])
    after = env.meter("trust")
    assert after[1, 2].tolist() == [0.5, 0.25, 0.0]
    assert torch.equal(after[0], before[0])
    assert torch.equal(after[1, :2], before[1, :2])
    assert env.observation.view(2, 3, -1)[1, 2, 1:4].tolist() == [0.5, 0.25, 0.0]
    env.set("friends", True)
    assert torch.equal(env.meter("friends"), 1 - torch.eye(3).expand(2, 3, 3))
    for wrong, match in ((torch.zeros(2, 3), r"\[2, 3, 3\]"), (2.0, "trust")):
        with pytest.raises(EnvError, match=match):
            env.set("trust", wrong)


def test_a_draw_of_its_own_is_the_same_for_all_others(compiled: Compiled) -> None:
    text = VILLAGE.replace("AGENTS", "5").replace("uniform(0, 0.25)", "own(uniform(0.25, 0.5))")
    trust = hamlet.make(compiled(text), worlds=4, backend="interpreter", seed=2).meter("trust")
    others = trust[~torch.eye(5, dtype=torch.bool).expand(4, 5, 5)].view(4, 5, 4)
    assert torch.equal(others, others[:, :, :1].expand_as(others))
    assert len(others[:, :, 0].unique()) == 20


def test_links_are_observed(compiled: Compiled) -> None:
    text = VILLAGE.replace("AGENTS", "4").replace("rule meets", "links wired { 0 - 1 -> 2 }\n    rule meets")
    text = text.replace("state trust friends }", "state wired }") + "report w: count(wired)\n"
    env = hamlet.make(compiled(text), worlds=1, backend="interpreter")
    assert env.observation[:, 1:].tolist() == [[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_who_is_born_takes_over_what_its_number_had(compiled: Compiled) -> None:
    text = """
universe herd
space none
lifespan 90 ticks
role cow: 4 agents { respawns after 2 ticks }
meter age_of_cow = 0 in 0 .. 9 { decay -1 }
pairs {
    state knows: real in 0 .. 9 = 0
    rule learns: knows += 1
    ANEW
}
dies when age_of_cow >= 3 and agent == 1
report r: total(knows)
reward 1
observe { meters }
"""
    anew = "rule anew: own(age) == 0 or age == 0 -> knows = 0"
    for rule, known in (("", 5.0), (anew, 1.0)):
        env = waited(hamlet.make(compiled(text.replace("ANEW", rule)), worlds=1, backend="interpreter"), 7)
        assert env.meter("knows")[0, 1, 0] == known


def test_neighbouring_agents_are_read_side_by_side() -> None:
    program = lower(universe_of(VILLAGE.replace("AGENTS", "4")), CPU)
    fetched = {node.op for node in program.function("pair_settle").nodes if isinstance(node.op, Fetch)}
    assert {(each.array, each.along) for each in fetched} == {
        ("pairs.trust", True),
        ("pairs.trust", False),
        ("pairs.friends", True),
        ("pairs.friends", False),
    }
