"""Effects, and what affordances have of their own: what is resolved, and what is refused."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import Guarded, ObserveValue, Rule, draws
from hamletc.language.formatter import format_source

ILL = "effect ill lasts 3 ticks { on start { mood -= 0.1 } each tick { energy -= 0.1 } }\n"
BITE = "rule bite: used == Bed -> begin ill\n"
SHOP = """
affordance Shop at random {
    meter stock = 5 in 0 .. 10
    rule refill: chance(0.1) -> stock += 1
    open when stock >= 1
    needs stock * mood > 0.1
    instantly { mood += 0.1 }
    action HAGGLE { needs energy > 0.2  mood += 0.01 * stock }
}
"""


def test_an_effect_is_states_and_a_rule_before_all_others() -> None:
    made = universe("rule first: mood += 0.001\n" + ILL + BITE)
    assert [meter.name for meter in made.meters] == ["energy", "mood", "left of ill"]
    assert [item.name for item in made.dynamics] == ["effect ill", "first", "bite"]
    bite = made.dynamics[-1]
    assert isinstance(bite, Rule)
    assert isinstance(bite.body[0], Guarded)
    assert made.meters[-1].type is not None


def test_effects_and_their_stacks_are_observed() -> None:
    base = BASE.replace("meters }", "meters  effects }")
    made = universe(ILL.replace("{ on", "{ again stack up to 3  on", 1) + BITE, base)
    shown = [item.name for item in made.observations if isinstance(item, ObserveValue)]
    assert shown[-2:] == ["state.left of ill", "state.stacks of ill"]


def test_an_affordance_has_meters_rules_and_actions_of_its_own() -> None:
    made = universe(SHOP + "report left: stock of Shop\n")
    assert made.world is not None
    assert [meter.name for meter in made.world.meters] == ["stock of Shop"]
    assert [rule.name for rule in made.world.rules] == ["refill of Shop"]
    assert [action.name for action in made.actions] == ["HAGGLE"]
    assert [mask.actions for mask in made.masks] == [("HAGGLE",)]
    assert made.affordances[1].opening is not None


def test_draws_of_an_affordance_are_its_own() -> None:
    """Another affordance with the same rules changes none of them."""
    alone = draws(universe(SHOP))
    both = draws(universe(SHOP + SHOP.replace("Shop", "Stall").replace("HAGGLE", "BARTER")))
    assert {draw.site for draw in alone} < {draw.site for draw in both}


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        (ILL, "H172", "nothing begins the effect `ill`"),
        ("effect ill lasts 3 ticks { again renew }\n" + BITE, "H173", "the effect `ill` does nothing"),
        (ILL.replace("mood -= 0.1", "begin ill") + BITE, "H170", "the effect `ill` leads to itself for ever"),
        (ILL + BITE.replace("ill", "sick"), "H020", "there is no `sick`"),
        (ILL + BITE + "rule wrong: ill += 1\n", "H021", "`ill` is an effect, not a meter"),
        (ILL + BITE + "meter ill = 1\n", "H022", "the name `ill` is declared twice"),
        (ILL + BITE + "effect hour lasts 2 ticks { again renew }\n", "H023", "an effect cannot be called `hour`"),
        (ILL + BITE + "rule wrong: mood += 0.1 * ill\n", "H027", "a number is needed here"),
        (ILL + BITE + "rule wrong: mood += 0.1 * stacks of ill\n", "H176", "the effect `ill` has no `stacks`"),
        (ILL + BITE + "rule wrong: mood += 0.1 * left of Bed\n", "H176", "the affordance `Bed` has no meter `left`"),
        (ILL + BITE + "rule wrong { together { begin ill } }\n", "H052", "`begin` cannot stand inside `together`"),
        (
            ILL + BITE + "world { meter w = 0 rule wrong: ill -> w = 1 }\nreport r: w\n",
            "H092",
            "`ill` is another for each",
        ),
        (
            ILL + BITE + "world { meter w = 0 rule wrong: w += 0.1 rule worse: w > 0.5 -> begin ill }\nreport r: w\n",
            "H171",
            "a rule of the world cannot begin `ill`, which each agent has",
        ),
        (ILL.replace("3 ticks", "0 ticks") + BITE, "H033", "an effect in ticks must be 1 .. 16777216"),
        (ILL.replace("{ on", "{ again add up to 3 ticks  on", 1) + BITE, "H174", "this adds nothing"),
        (ILL.replace("{ on", "{ again stack up to 1  on", 1) + BITE, "H033", "how often an effect is stacked must be"),
        (ILL.replace("3 ticks {", "forever { again renew ") + BITE, "H174", "`again renew` has no effect here"),
        (ILL.replace("{ on", "{ on start { mood += 0.1 }  on", 1) + BITE, "H024", "`on start` is given twice"),
        (
            ILL.replace("energy -= 0.1", "energy -= 0.1 * deficit") + BITE,
            "H029",
            "`deficit` is known in a cascade only",
        ),
        (ILL.replace("mood -= 0.1", "mood -= 0.1 when used == Bed") + BITE, "H082", "`used` is not known here yet"),
        (SHOP.replace("stock >= 1", "mood >= 0.1"), "H175", "`mood` is another for each agent, and an affordance"),
        (SHOP.replace("stock >= 1", "chance(0.5)"), "H068", "`chance` cannot be drawn here"),
        (SHOP.replace("stock >= 1", "count(mood > 0.5) > 0"), "H093", "`count` cannot stand here"),
        (SHOP.replace("stock >= 1", "previous(stock) >= 1"), "H097", "`previous` says nothing here"),
        (SHOP.replace("{ mood += 0.1 }", "{ stock -= 1 }"), "H090", "an agent cannot change `stock of Shop`"),
        (
            SHOP + "report stock: mood\nmeter stock = 1\n",
            "H022",
            "the meter `stock` of `Shop` has the name of something",
        ),
        (SHOP.replace("stock = 5", "hour = 5"), "H023", "a meter cannot be called `hour`"),
        (SHOP + "allow HAGGLE when mood > 0.5\n", "H024", "`allow` of `HAGGLE` is given twice"),
        (SHOP.replace("energy > 0.2", "previous(energy) > 0.2"), "H059", "`previous` has no meaning in `allow`"),
        (SHOP + "affordance HAGGLES at random { action BED { here += 1 } }\n", "H021", "`here` is the place"),
    ],
)
def test_what_is_wrong_is_said_once(added: str, code: str, message: str) -> None:
    found = [finding for finding in checked(BASE + added)[1] if finding.severity == "error"]
    assert [finding.code for finding in found] == [code]
    assert found[0].message.startswith(message)
    assert found[0].hint


def test_effects_may_end_each_other() -> None:
    wet = "effect wet lasts 3 ticks { on start { end burning  mood -= 0.1 } }\n"
    burning = "effect burning lasts 4 ticks { on start { end wet  energy -= 0.1 } on end { mood += 0.1 } }\n"
    rules = "rule fire: used == Bed -> begin burning\nrule rain: hour == 8 -> begin wet\n"
    assert codes(wet + burning + rules) == []
    again = burning.replace("mood += 0.1", "end wet").replace("burning lasts", "burning lasts")
    assert codes(wet.replace("}\n", "on end { end burning } }\n", 1) + again + rules) == ["H170"]


def test_a_template_makes_them_as_often_as_it_is_used() -> None:
    template = (
        f"template Place(name) {{ {ILL} {SHOP.replace('Shop', 'name')} rule eaten: used == name -> begin ill }}\n"
    )
    made = universe(template + "use Place(Bakery)\nuse Place(Dairy)\nreward 0.1 * stock of Dairy when Bakery_ill\n")
    assert [meter.name for meter in made.meters[2:]] == ["left of Bakery_ill", "left of Dairy_ill"]
    assert [action.name for action in made.actions] == ["Bakery_HAGGLE", "Dairy_HAGGLE"]
    assert made.world is not None
    assert [meter.name for meter in made.world.meters] == ["stock of Bakery", "stock of Dairy"]


def test_what_is_written_stays_when_it_is_formatted() -> None:
    text = BASE.lstrip() + ILL.replace("{ on", "{ again add up to 2 hours  until mood < 0.1 and not ill  on", 1) + SHOP
    formatted, problems = format_source(text)
    assert formatted is not None, problems
    assert format_source(formatted)[0] == formatted
    for line in ("again add up to 2 hours", "until mood < 0.1 and not ill", "open when stock >= 1"):
        assert f"    {line}\n" in formatted


def test_nothing_of_a_name_reaches_generated_code_as_it_is() -> None:
    odd = 'x"); import os #'
    text = ILL.replace("ill", f"`{odd}`") + BITE.replace("ill", f"`{odd}`")
    made = universe(text + SHOP.replace("Shop", "`a'\\\"b`").replace("stock", "`s;t`"))
    assert any(odd in meter.name for meter in made.meters)
