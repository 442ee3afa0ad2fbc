"""What has no effect at its place in a tick is found, and what has one is not."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes

from hamletc.checking.check import check
from hamletc.language.parser import parse

MONEY = "meter money = 0.5 { decay 0.01 }\naction WORK { money += 0.1 }\n"
RELIEF = "rule relief: mood < 0.1 -> mood += 0.2\n"


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        # Conditions beside each other.
        ("action REST { needs money >= 0.8 and money < 0.2  mood += 0.1 }", ["H062"]),
        ("action REST { needs money >= 0.2 and money < 0.8  mood += 0.1 }", []),
        ("action REST { needs money < 0.8 and money <= 0.8  mood += 0.1 }", ["H062"]),
        ("action REST { needs money < 0.5 and money < 0.2  mood += 0.1 }", ["H062"]),
        ("action REST { needs money < 0.2 and money >= 0.2  mood += 0.1 }", ["H062"]),
        ("action REST { needs money <= 0.2 and money >= 0.2  mood += 0.1 }", []),
        ("action REST { needs money > 0.2 and money < 0.20000002  mood += 0.1 }", ["H062"]),
        ("action REST { needs money > 0.2 and money < 0.20000004  mood += 0.1 }", []),
        ("action REST { needs money < mood and mood < money  mood += 0.1 }", ["H062"]),
        ("action REST { needs money < mood and mood < energy  mood += 0.1 }", []),
        ("action REST { needs money + mood < 0.5 and money + mood > 0.6  mood += 0.1 }", ["H062"]),
        ("action REST { needs hour > 5 and hour < 6  mood += 0.1 }", ["H062"]),
        ("action REST { needs hour >= 22 or hour < 6  mood += 0.1 }", []),
        ("action REST { needs hour >= 6 or hour < 8  mood += 0.1 }", ["H062"]),
        ("action REST { needs hour != 5 and hour >= 5 and hour <= 5  mood += 0.1 }", ["H062"]),
        ("action REST { needs position x > 1 and position x < 2  mood += 0.1 }", ["H062"]),
        ("action REST { needs position x > 1 and position y < 2  mood += 0.1 }", []),
        ("action REST { needs level > 1 and level < 0.9  mood += 0.1 }", ["H062"]),
        ("action REST { needs here == Bed and here == nothing  mood += 0.1 }", ["H062"]),
        ("action REST { needs here == Bed and not here == Bed  mood += 0.1 }", ["H062"]),
        ("action REST { needs (money < 0.2 or money > 0.8) and money < 0.3  mood += 0.1 }", ["H062"]),
        ("action REST { needs (money < 0.2 or mood > 0.8) and money < 0.3  mood += 0.1 }", []),
        ("action REST { needs if money < 0.5 then money < 0.7 else mood < 0.5  mood += 0.1 }", ["H062"]),
        ("action REST { needs chance(0.5) and money < 0.5  mood += 0.1 }", ["H068"]),
        ("rule a: chance(0.5) and chance(0.5) -> mood += 0.1", []),
        ("rule a: uniform(0, 1) < 0.5 and uniform(0, 1) > 0.6 -> mood += 0.1", []),
        # Conditions inside what they guard, until something is written.
        ("rule a: money < 0.5 -> mood += 0.1 when money < 0.6", ["H062"]),
        ("rule a: money < 0.5 -> mood += 0.1 when money < 0.4", []),
        ("rule a: money < 0.5 -> { money += 0.2  mood += 0.1 when money < 0.6 }", []),
        ("rule a: money < 0.5 -> { money += 0.2  mood += 0.1 when money < 0.71 }", ["H062"]),
        ("rule a: money < 0.5 -> { mood += 0.1  energy -= 0.1 when money >= 0.5 }", ["H062"]),
        ("rule a: hour < 8 -> { money += 0.1  mood += 0.1 when hour < 9 }", ["H062"]),
        ("cascade a: money < 0.5 -> mood -= 0.1 when money < 0.6", ["H062"]),
        ("reward if money > 0.5 then 1 when money > 0.3 else 0.5", ["H062"]),
        ("affordance Sofa at random open 8 .. 18 { needs hour < 18  instantly { mood += 0.1 } }", ["H062"]),
        ("affordance Sofa at random open 8 .. 18 { needs hour < 17  instantly { mood += 0.1 } }", []),
        ("affordance Sofa at random open 18 .. 8 { needs hour < 18  instantly { mood += 0.1 } }", []),
        ("affordance Sofa at random { needs here == Sofa  instantly { mood += 0.1 } }", ["H062"]),
        ("affordance Sofa at random { instantly { mood += 0.1 when here == Bed } }", ["H062"]),
        ("rule a: money + mood < 0.5 -> { money += 0.3  mood += 0.1 when (money + mood < 0.6) }", []),
        ("rule a: money + mood < 0.5 -> { energy -= 0.3  mood += 0.1 when (money + mood < 0.6) }", ["H062"]),
        ("rule a: money < mood -> { money += 0.3  mood += 0.1 when money > mood }", []),
        ("rule a: money < mood -> { energy -= 0.3  mood += 0.1 when money > mood }", ["H062"]),
        ("dies when age >= 50\nreward 1 when age >= 50", []),
        ("dies when hour >= 20\nreward 1 when hour >= 20", ["H062"]),
        # What statements before it made of a meter.
        ("rule a: money = 0\nreward money", ["H064"]),
        ("reward 1 when money > 0.2\nrule a: money = 0", ["H062"]),
        ("rule a: money = 0\nrule b: money += 0.1 when mood < 0.5\nreward money", []),
        ("rule a: money = 0.5\nreward money * 2", ["H064"]),
        ("rule a: money = 0.5\nreward money * mood", []),
        ("rule a: money = 0\nreport left: money", ["H064"]),
        ("rule a: money = 0\nrule b: mood += money", ["H063"]),
        ("rule a: money = mood\nrule b: mood += money", []),
        ("rule a: money = 0\nrule b: money -= 0.1", ["H063"]),
        (f"{RELIEF}dies when mood <= 0", ["H062"]),
        (f"{RELIEF}dies when mood <= 0.1", []),
        (f"dies when mood <= 0\n{RELIEF}", ["H062"]),
        (f"{RELIEF}rule later: mood -= 0.2\ndies when mood <= 0", []),
        (f"{RELIEF}cascade a: mood < 0.1 -> energy -= 0.1", ["H061"]),
        (f"cascade a: mood < 0.1 -> energy -= 0.1\n{RELIEF}", []),
        (f"{RELIEF}cascade a: mood < 0.11 -> energy -= 0.1", []),
        ("cascade a: mood < 1 -> energy -= 0.01", ["H070"]),
        (f"{RELIEF}action REST {{ needs mood < 0.05  mood += 0.5 }}", []),
        # The beginning of the tick is another place.
        (f"{RELIEF}reward 1 when previous(mood) < 0.05", []),
        ("reward 1 when (previous(mood) < 0.05 and mood > 0.9)", []),
        # Deaths.
        ("dies when energy < 0.5\ndies when energy < 0.4", ["H064"]),
        ("dies when energy < 0.5", []),
        ("dies when energy <= 0.1 and mood < 0.2\ndies when mood < 0.1 and energy <= 0", ["H064"]),
        ("reward -1 when energy <= 0", ["H062"]),
        ("reward -1 when energy <= 0.1", []),
        ("report dying: 1 when energy <= 0", []),
        ("allow WAIT when energy > 0.5 and energy > 0.4", ["H062"]),
        ("allow all when energy > 0.5\nallow WAIT when energy > 0.4", ["H062"]),
        ("allow all when energy > 0.5\nallow WAIT when energy > 0.6", []),
        # Rewards and reports that are always the same.
        ("reward 0 * energy", ["H064"]),
        ("report one: 1", ["H064"]),
        ("reward 1", []),
    ],
)
def test_findings(added: str, expected: list[str]) -> None:
    text = BASE.replace("reward energy\n", "") + MONEY + added + ("" if "reward" in added else "\nreward energy")
    assert [code for code in codes("", text + "\n") if code != "H079"] == expected


def test_some_agents_wait() -> None:
    assert codes("meter fuel = 0.5 { move 1  interact 1  only falls }\nreward fuel") == []
    assert codes("meter fuel = 0.5 { move 1  interact 1  decay 1  only falls }\nreward fuel") == ["H064"]


def test_zero_is_no_reward() -> None:
    base = BASE.replace("reward energy", "reward 0")
    (finding,) = checked(base)[1]
    assert (finding.code, finding.hint) == ("H064", "Write `reward nothing` where nothing is paid.")


def test_places_where_an_agent_is_at_several() -> None:
    """Where affordances can share a place, or none has one."""
    added = "affordance Sofa at random { instantly { mood += 0.1 when here == Bed } }"
    assert codes(added, BASE.replace("4 x 4", "4 x 4 { places stored }")) == []
    bare = BASE.replace("grid 4 x 4", "none").replace(" at random", "").replace("grid  ", "")
    assert codes("affordance Sofa { instantly { mood += 0.1 when hour < 5 } }", bare) == []
    assert codes("affordance Sofa { instantly { mood += 0.1 when here == Bed } }", bare) == ["H062"]
    # The second sees what the first did, as both are used in one tick.
    filled = bare.replace("mood += 0.1 }", "mood += 0.1  energy = 1 }").replace("open 8", "open 9")
    assert codes("affordance Sofa { needs energy < 0.9  instantly { mood += 0.1 } }", filled) == []


def test_by_hand_masks_are_for_the_dead_too() -> None:
    added = "allow WAIT when energy > 0"
    assert codes(added) == ["H062"]
    assert codes(f"episodes by hand\n{added}") == []
    assert codes("allow WAIT when mood < 0.5\nrule a: mood = 0.7 + 0.1 * energy") == ["H062"]
    assert codes("allow WAIT when mood < 0.51\nrule a: mood = 0.7 + 0.1 * energy") == []  # in the first tick


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ("decay 2", ["H077"]),
        ("decay 1", []),
        ("decay 1.0000001", ["H077"]),
        ("decay -2", ["H077"]),
        ("move 5", ["H077"]),
        ("decay 5 * level", ["H077"]),
        ("decay 2 * level", []),
        ("interact 1e9 * mood", []),
    ],
)
def test_drains_of_more_than_a_meter(properties: str, expected: list[str]) -> None:
    added = f"meter fuel = 0.5 {{ {properties} }}\naction A {{ fuel += 0.5 }}\nrule b: fuel = 0.1 + 0.1 * mood"
    assert codes(f"{added}\nreward fuel") == expected


def test_a_meter_beyond_its_bounds_holds_more() -> None:
    """`decay 2` of a meter that is left at up to 5 may leave something."""
    loose = "action A { fuel = 5 * mood unclamped }\nrule a: fuel += 0.1 * mood\nreward fuel"
    assert codes(f"meter fuel = 0.5 {{ decay 2 }}\n{loose}") == []
    assert codes(f"meter fuel = 0.5 {{ decay 6 }}\n{loose}") == ["H077"]


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("meter lives = 3 in 0 .. 9 { only falls }\naction A { needs lives > 4  mood += 0.1  lives -= 1 }", ["H079"]),
        ("meter lives = 3 in 0 .. 9 { only falls }\naction A { needs lives > 2  mood += 0.1  lives -= 1 }", []),
        ("meter score = 0\nrule a: score += 0.01 * mood\nreward 1 when score >= 0.5", []),
        ("meter score = 0\nrule a: score += 0.01 when score < 0.2\nreward 1 when score >= 0.5", []),
        # A program writes it, or it is a param of an agent.
        ("meter role = 0 { only read }\nreward 1 when role > 0.5", []),
        ("meter paid = 0\naction A { paid = 1 }\nreward paid\nrule b: paid = 0", ["H064"]),
        ("meter paid = 0\naction A { paid = 1 }\nreport paid: paid * mood\nrule b: paid = 0", ["H064"]),
    ],
)
def test_what_never_happens_in_play(added: str, expected: list[str]) -> None:
    assert [code for code in codes(added) if code != "H076"] == expected


def test_meters_that_are_always_observed_the_same() -> None:
    base = BASE.replace("grid  meters", "grid  meters paid mood")
    added = "meter paid = {}\naction A {{ paid = 1 }}\nrule a: energy -= 0.01 * paid\nrule b: paid = 0"
    for start, message in ((0, "every observation shows"), (1, "every observation but the first shows")):
        (finding,) = checked(base + added.format(start))[1]
        assert finding.code == "H079"
        assert finding.message == f"{message} the same `paid`"
    assert codes(added.format(0), BASE.replace("meters", "meters energy mood")) == []


LOOKED_AT = """
universe looked
space none
lifespan 20 ticks
meter a = 1 { decay %s }
meter b = 0.5 { decay 0.1 when %s }
rule r: a += 2
reward b
observe { meters b }
"""


@pytest.mark.parametrize(
    ("decay", "condition", "expected"),
    [
        ("0.1", "a > 0.85", ["H071", "H079"]),  # 0.9 in play; anything where a tick may begin anywhere
        ("0.1", "falling(a > 0.85)", ["H071", "H079"]),  # in play it never falls; `a` is 1 behind all rules
        ("0.8", "a > 0.35", ["H062", "H071"]),
        ("0.8", "falling(a > 0.35)", ["H071"]),  # never here, always behind all rules: it falls in every tick
        ("0.8", "rising(a > 0.35)", ["H062", "H071"]),
        ("0.8", "since(a > 0.35, 4) > 2", ["H071"]),
    ],
)
def test_what_is_looked_at_need_not_change_where_it_stands(decay: str, condition: str, expected: list[str]) -> None:
    file, _ = parse(LOOKED_AT % (decay, condition))
    assert file is not None
    assert sorted({finding.code for finding in check(file, ("looked.hamlet",))[1]}) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("1 when age < 1", ["H062"]),
        ("1 when falling(age < 1)", []),  # an agent is of age 0 when its episode begins, and 1 where rewards are paid
        ("1 when rising(age >= 1)", []),
        ("since(age < 1)", []),
        ("mean(if age < 1 then 1 else 0, 3)", []),
    ],
)
def test_a_reward_that_looks_back_is_asked_before_the_first_tick_as_well(condition: str, expected: list[str]) -> None:
    looked = LOOKED_AT % ("0.1", "b > 0.3")
    file, _ = parse(looked.replace("reward b", f"reward b\nreward {condition}"))
    assert file is not None
    assert [f.code for f in check(file, ("looked.hamlet",))[1] if f.code in ("H062", "H079")] == expected


@pytest.mark.parametrize("hours", ["12 .. 0", "0 .. 12", "6 .. 24", "0 .. 24", "22 .. 6", "6 .. 9"])
def test_opening_hours_of_an_affordance_with_an_action_are_no_conditions_of_its_author(hours: str) -> None:
    shop = f"affordance Shop at random open {hours} {{ action JOB {{ mood += 0.1 }}  instantly {{ energy += 0.1 }} }}"
    assert codes(shop) == []


@pytest.mark.parametrize(("condition", "hint"), [("crashed", "`ends when CONDITION { reward -1 }`"), ("age < 90", "")])
def test_a_reward_for_dying_is_told_to_be_that_of_a_goal(condition: str, hint: str) -> None:
    """Who dies is paid nothing: the cause of death is the reason, not what wrote the state before."""
    text = (
        "universe small\nspace none\nlifespan 100 ticks\nstate crashed = false\nmeter a = 0.5\n"
        "rule r: chance(0.1) -> { crashed = true  a += 0.1 }\ndies when crashed\n"
        f"reward a\nreward -1 when {condition}\nobserve {{ meters  state }}\n"
    )
    file, _ = parse(text)
    assert file is not None
    found = [each for each in check(file, ("small.hamlet",))[1] if each.code == "H062"]
    assert len(found) == bool(hint)
    for each in found:
        assert [label.text for label in each.secondary] == ["who dies is paid nothing any more"]
        assert hint in each.hint


@pytest.mark.parametrize("again", ["", "again renew", "again stack up to 3"])
def test_what_begin_stands_for_is_no_condition_of_its_author(again: str) -> None:
    """Behind `not cold` an effect does not last, which `begin` asks first."""
    cold = f"effect cold lasts 9 ticks {{ {again}  each tick {{ energy -= 0.01 }} }}\n"
    assert codes(f"{RELIEF}{cold}rule caught: not cold -> begin cold\n") == []
    assert codes(f"{RELIEF}{cold}rule caught: if not cold {{ begin cold }} else {{ mood += 0.1 }}\n") == []


def test_who_is_paid_lives() -> None:
    found = checked(f"{BASE}{RELIEF}dies when mood <= 0.5\nreward 1 when mood > 0.5\n")[1]
    (finding,) = (each for each in found if "is always true" in each.message)
    assert finding.hint == "Leave the condition out: whoever is paid lives."


def test_a_reason_is_shown() -> None:
    (finding,) = checked(f"{BASE}{RELIEF}dies when mood <= 0\n")[1]
    assert finding.primary.text == "`mood` is in 0.1 .. 0.99 here"
    assert [label.text for label in finding.secondary] == ["by then this has happened"]
    (finding,) = checked(f"{BASE}rule a: mood < 0.5 and mood >= 0.7 -> energy -= 0.1\n")[1]
    assert [label.text for label in finding.secondary] == ["where this holds"]


def test_an_action_that_differs_in_case() -> None:
    assert codes("action interact { mood += 0.1 }") == ["H076"]
    assert codes("action Up { mood += 0.1 }") == ["H076"]
    assert codes("action rest { mood += 0.1 }") == []


def test_large_universes_are_looked_through_quickly() -> None:
    """Long chains, deep nesting, many rules: no time that grows beyond their size."""
    chain = " and ".join(f"mood != {number / 1000}" for number in range(100, 250))
    deep = "mood < 0.5"
    for number in range(80):
        deep = f"(if {deep} then mood < 0.{number + 10} else energy < 0.5)"
    assert "H079" not in codes(f"rule a: {chain} -> energy -= 0.1\nrule b: {deep} -> energy -= 0.01")
    rules = "\n".join(f"rule r{n}: mood < {n / 1000} -> energy -= 0.0001" for n in range(1, 400))
    assert codes(rules) == []
