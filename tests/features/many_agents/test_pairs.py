"""`pairs { ... }`: what each agent has of each other agent of its world."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.universe import Universe
from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse

BASE = """
universe small
space grid 4 x 4 { starts anywhere }
lifespan 20 ticks
role cat: 5 agents
meter mood = agent / 10
reward mood
observe { meters }
"""
AGENTS = 5


def checked(added: str, base: str = BASE) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The result for a text without syntax errors."""
    file, problems = parse(f"{base}{added}\n")
    assert not problems, problems
    assert file is not None
    return check(file, ("small.hamlet",))


Made = Callable[..., Env]


@pytest.fixture
def made(compiled: Callable[[str], Module]) -> Made:
    """Makes worlds of the universe with some lines added, of the interpreter."""

    def make(added: str, worlds: int = 3) -> Env:
        return hamlet.make(compiled(f"{BASE}{added}\n"), worlds=worlds, backend="interpreter", seed=4)

    return make


def of_pairs(env: Env, name: str) -> torch.Tensor:
    """[worlds, agents, agents]: what each agent has of each."""
    return env.meter(name).clone()


def bits(env: Env, name: str) -> torch.Tensor:
    """[worlds, agents, agents] bool: of which agents the condition holds."""
    return env.meter(name) > 0


def ticked(env: Env, ticks: int = 1) -> Env:
    for _ in range(ticks):
        env.step(torch.full((env.num_worlds * AGENTS,), env.action_names.index("WAIT"), dtype=torch.int32))
    return env


LIKES = "pairs { state likes: real in 0 .. 1 = 0.5 }\n"
LOOK = "report r: total(likes) + total(likes of other)\n"


def test_pairs_begin_with_what_is_known_of_both_and_nobody_has_anything_of_itself(made: Made) -> None:
    env = made(f"pairs {{ state likes: real in 1 .. 50 = 10 * own(agent) + agent + 1 }}\n{LOOK}")
    likes = of_pairs(env, "likes")[0]
    for asks in range(AGENTS):
        for other in range(AGENTS):
            assert likes[asks, other] == (1 if asks == other else 10 * asks + other + 1)


def test_each_direction_of_each_pair_draws_for_itself(made: Made) -> None:
    env = made("pairs { state friends = chance(0.5) }\nreport r: count(friends)", worlds=400)
    friends = bits(env, "friends").float()
    assert not friends.diagonal(dim1=1, dim2=2).any()
    apart = friends.mean(dim=0)[~torch.eye(AGENTS, dtype=torch.bool)]
    assert (apart - 0.5).abs().max() < 0.12
    both = (friends * friends.transpose(1, 2)).mean(dim=0)[~torch.eye(AGENTS, dtype=torch.bool)]
    assert (both - 0.25).abs().max() < 0.1


def test_an_agent_asks_for_what_it_has_of_others_and_what_they_have_of_it(made: Made) -> None:
    env = made(
        "pairs { state likes: real in 0 .. 50 = 10 * own(agent) + agent }\n"
        "report has: total(likes when other)\nreport had: total(likes of other when other)\n"
        "report best: nearest(other and agent == 4, likes of other)\nreport place: rank(likes > 20, mood)"
    )
    env.reset(seed=4)
    ticked(env)
    likes = of_pairs(env, "likes")[0]
    assert torch.equal(env.reports["has"][:AGENTS], likes.sum(dim=1))
    assert torch.equal(env.reports["had"][:AGENTS], likes.sum(dim=0))
    assert env.reports["best"][:AGENTS].tolist() == [*likes[4, :4].tolist(), 0]
    for asks in range(AGENTS):
        assert env.reports["place"][asks] == (likes[asks, asks + 1 :] > 20).sum()


def test_rules_of_pairs_read_what_the_tick_began_with_and_add_to_what_earlier_ones_wrote(made: Made) -> None:
    env = made(
        "pairs {\n    state likes: real in 0 .. 10 = own(agent)\n    state debts: int in 0 .. 9 = 2\n"
        "    rule a: likes += 0.25 * likes of other\n"
        "    rule b: agent > own(agent) -> { likes += 0.5  debts = agent }\n"
        f"}}\n{LOOK}report d: total(debts)"
    )
    before = of_pairs(env, "likes")
    ticked(env)
    after, debts = of_pairs(env, "likes"), of_pairs(env, "debts")
    for asks in range(AGENTS):
        for other in range(AGENTS):
            if asks != other:
                more = 0.5 if other > asks else 0
                assert after[0, asks, other] == before[0, asks, other] + 0.25 * before[0, other, asks] + more
                assert debts[0, asks, other] == (other if other > asks else 2)
    assert torch.equal(after.diagonal(dim1=1, dim2=2), before.diagonal(dim1=1, dim2=2))


def test_links_are_tied_and_untied_by_rules(made: Made) -> None:
    env = made(
        "pairs {\n    state linked = false\n"
        "    rule ties: age == 0 and mod(agent + own(agent), 2) == 1 -> linked = true\n"
        "    rule unties: age == 2 -> linked = own(mood) > 0.15 and agent == 0\n"
        "}\nreport n: count(linked or linked of other)"
    )
    assert not bits(env, "linked").any()
    numbers = torch.arange(AGENTS)
    odd = (numbers[:, None] + numbers[None, :]) % 2 == 1
    assert torch.equal(bits(ticked(env, 2), "linked")[0], odd)
    to_first = (numbers[:, None] >= 2) & (numbers[None, :] == 0)
    assert torch.equal(bits(ticked(env), "linked")[0], to_first)


def test_the_dead_are_neither_asked_nor_written_about(made: Made) -> None:
    env = made(
        f"pairs {{ state likes: real in 0 .. 9 = 0  rule warms: likes += 1 }}\n{LOOK}dies when agent == 1",
        1,
    )
    ticked(env, 3)
    likes = of_pairs(env, "likes")[0]
    assert likes[0].tolist() == [0, 1, 3, 3, 3]
    assert likes[1].tolist() == [1, 0, 1, 1, 1]


def test_a_draw_in_a_rule_is_of_the_pair(made: Made) -> None:
    env = made(f"pairs {{ state likes: real in 0 .. 9 = 0  rule warms: chance(0.5) -> likes += 1 }}\n{LOOK}", 300)
    likes = of_pairs(ticked(env), "likes")
    for first, second in (
        (likes[:, 0, 2], likes[:, 1, 2]),
        (likes[:, 0, 2], likes[:, 0, 3]),
        (likes[:, 0, 1], likes[:, 1, 0]),
    ):
        assert abs(first.mean() - 0.5) < 0.12
        assert abs((first * second).mean() - 0.25) < 0.1


def test_pairs_are_observed_by_rows(compiled: Callable[[str], Module]) -> None:
    text = BASE.replace("observe { meters }", "observe { state likes friends }")
    added = "pairs { state likes: real in 0 .. 1 = 0.1 * own(agent)  state friends = agent == 2 }\n"
    added += "report r: total(likes when friends)"
    env = hamlet.make(compiled(f"{text}{added}\n"), worlds=1, backend="interpreter")
    assert list(env.observation_names) == [f"state.{name}[{n}]" for name in ("likes", "friends") for n in range(5)]


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        ("pairs { state likes: real in 0 .. 1 = 0.5 }\nrule r: mood += likes", "H324", "two agents"),
        (f"{LIKES}world {{ state w: real in 0 .. 1 = 0  rule r: w = total(likes) }}", "H324", ""),
        ("pairs { state `\"*/ {{` = false }\nrule r: mood = 1 when `\"*/ {{`", "H324", ""),
        ("pairs { state likes: a b = a }\nreport r: total(1)", "H323", "no state"),
        (f"{LIKES}pairs {{ rule r: mood += 0.1 }}\nreport r: total(likes)", "H323", "cannot do"),
    ],
)  # fmt: skip
def test_mistakes_are_said_once(added: str, code: str, message: str) -> None:
    _, findings = checked(added)
    errors = [each for each in findings if each.severity == "error"]
    assert [each.code for each in errors] == [code], errors
    assert message in errors[0].message


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_many_agents_have_links_that_are_drawn(compiled: Callable[[str], Module], backend: str) -> None:
    """More agents than a whole number has bits: several numbers, each about 24 of them."""
    agents = 50
    text = BASE.replace("5 agents", f"{agents} agents").replace("4 x 4", "8 x 8").replace("agent / 10", "agent / 100")
    text += "pairs { state friends = chance(0.3) and mod(agent + own(agent), 5) != 0 }\n"
    text += "report has: count(friends)\nreport had: count(friends of other)\nreport end: highest(agent when friends)\n"
    env = hamlet.make(compiled(text), worlds=2, backend=backend, seed=4)
    friends = env.meter("friends").clone()
    numbers = torch.arange(agents)
    never = ((numbers[:, None] + numbers[None, :]) % 5 == 0) | torch.eye(agents, dtype=torch.bool)
    assert not friends[:, never].any()
    assert abs(friends[:, ~never].mean() - 0.3) < 0.04
    env.step(torch.full((env.num_worlds * agents,), env.action_names.index("WAIT"), dtype=torch.int32))
    assert torch.equal(env.reports["has"].view(-1, agents), friends.sum(dim=2))
    assert torch.equal(env.reports["had"].view(-1, agents), friends.sum(dim=1))
    assert torch.equal(env.reports["end"].view(-1, agents), (friends * numbers).amax(dim=2).float())


@pytest.mark.parametrize("role", ["role cat: 257 agents", "role cat: others", ""])
def test_roles_say_how_many_agents_there_are(role: str) -> None:
    base = BASE.replace("role cat: 5 agents", role)
    _, findings = checked("pairs { state likes: real in 0 .. 1 = 0.5 }\nreport r: total(likes)", base)
    assert [each.code for each in findings] == ["H322"]


def test_hundreds_of_agents_have_something_of_each_other() -> None:
    for agents, codes in ((256, []), (257, ["H322"])):
        base = BASE.replace("5 agents", f"{agents} agents").replace("4 x 4", "20 x 20").replace("/ 10", "/ 1000")
        added = "pairs { state near = chance(0.1)  rule parts: near = false  links wired { 0 - 1 } }\n"
        _, findings = checked(f"{added}report r: count(near)\nreport s: count(wired)", base)
        assert [each.code for each in findings] == codes


def test_pairs_are_formatted() -> None:
    formatted, problems = format_source("universe u\n\npairs{state a:real in 0..1=0\nrule b:apart<=1->a+=0.1}\n")
    assert not problems
    assert formatted is not None
    assert formatted.splitlines()[2:] == [
        "pairs {",
        "    state a: real in 0 .. 1 = 0",
        "    rule b: apart <= 1 -> a += 0.1",
        "}",
    ]


def test_what_another_has_is_a_condition_behind_when() -> None:
    added = "pairs { state knows = chance(0.3)  links kin { 0 - 1 } }\n"
    added += "report r: lowest(mood when kin of other)\nrule s: mood += 0.1 * total(1 when not knows of other)\n"
    bare = BASE + added
    _, findings = checked(added)
    assert not findings
    spelt, _ = format_source(
        bare.replace("kin of other", "(kin of other)").replace("knows of other)", "(knows of other))")
    )
    assert spelt == format_source(bare)[0]
    assert spelt is not None
    assert "when kin of other" in spelt
    assert "when not knows of other" in spelt


def test_a_meter_may_be_called_pairs() -> None:
    universe, findings = checked("meter pairs = 0.5 { decay 0.01 }\nreward pairs")
    assert universe is not None, findings
