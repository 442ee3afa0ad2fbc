"""The tree of kernels for CPUs and its text: names that are told apart, masks by run, places in sources."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hamlet.universe import Universe
from hamletc.compilation import Compilation
from hamletc.compile import optimise
from hamletc.ir.function import Program
from hamletc.kernel import code
from hamletc.kernel.expressions import Call, Name
from hamletc.kernel.scopes import CodeError, statements
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU, plan
from hamletc.targets.c.emit import emit
from hamletc.targets.c.module import built, functions_of
from hamletc.targets.c.slots import STACK, outcomes
from samples import CONSTRUCTS, NAMES, sample, universe_of
from samples.written import many_affordances

ODD_NAMES = """
universe odd
space none
episodes by hand
track uses
param `a b` = 1 in 0 .. 2
input `a.b` = 0 in 0 .. 1
meter `a-b` = 1 { decay 0.01 * `a b` + 0.1 * `a.b` }
meter `a_b` = 1 { decay 0.02 }
meter `7up` = 1 { decay 0.03 }
meter position = 1 { decay 0.03 }
affordance array { instantly { `a-b` += 0.1 } }
affordance `if` { instantly { `a_b` += 0.1  `7up` += 0.1 } }
affordance `\'\"\"\"` { instantly { position += 0.1 } }
action `Fast Food` { `a-b` += 0.01 }
action `Fast_Food` { `a_b` += 0.01 }
dies when `a-b` <= 0 or position <= 0
reward `r 1`: `a_b`
reward `r_1`: `a-b` + streak of array - streak of `if`
report `r-1`: position + visited
observe { meters  here  params }
"""


def functions(program: Program, universe: Universe) -> dict[str, code.Function]:
    """The functions of the tree."""
    return {each.name: each for each in functions_of(built(program, universe))}


def made(function: code.Function, *makers: str) -> list[str]:
    """The names to which a function assigns what calls of these give, of any function by default."""
    return [
        each.targets[0].name
        for each in statements(function.body)
        if isinstance(each, code.Assign)
        and isinstance(each.targets[0], Name)
        and isinstance(each.value, Call)
        and isinstance(each.value.function, Name)
        and each.value.function.name.startswith(makers or ("",))
    ]


@pytest.mark.parametrize("few", [0, 16])
@pytest.mark.parametrize("name", [*NAMES, *CONSTRUCTS])
def test_text(name: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hamletc.targets.c.module.STACK", replace(STACK, few=few))
    universe = sample(name)
    program = lower(universe)
    text = emit(program, universe)
    assert text == emit(program, universe)
    assert "hamlet_rollout(" in text
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert "\n\n\n" not in text


@pytest.mark.parametrize("name", NAMES)
def test_phases_of_a_rollout_are_there(name: str) -> None:
    """Also with a cell cache."""
    universe = sample(name)
    found = functions(lower(universe, CPU), universe)
    phases = {"_act", "_advance", "_count", "_conclude", "_begin", "_survey"}
    assert phases <= found.keys()
    cached = {"_load_cells", "_find_again", "_store_cells"} & found.keys()
    assert len(cached) == (3 if plan(universe, CPU).cell_cache else 0)


def test_odd_names() -> None:
    universe = universe_of(ODD_NAMES)
    names = made(functions(lower(universe), universe)["rollout"])
    assert {"meter_a_b", "meter_a_b_2_", "meter__7up", "meter_position", "seen_array_2_", "seen_if"} <= set(names)
    assert {"report_r_1_", "report_r_1_2_", "report_r_1_3_", "last"} <= set(names)
    locals_ = [name for name in names if name.split("_")[0] in ("meter", "seen", "streak", "report", "param", "input")]
    assert len(locals_) == len(set(locals_))


def test_rooms_of_large_functions_have_names_that_no_field_has() -> None:
    tracked = "track uses by agent\nreport again: streak of A1 + visited\n"
    universe = universe_of(many_affordances(70, 12, fixed=True) + tracked)
    rooms = made(functions(lower(universe), universe)["rollout"], "room_")
    assert {"seen", "observed", "allowed"} <= set(rooms)
    assert len(rooms) == len(set(rooms))


def test_arrays_of_large_functions_have_names_that_no_line_has() -> None:
    """`Bed_3` stands beside `Bed`, whose streaks in a tick are called streak_Bed_0, streak_Bed_1 and so on."""
    many = "".join(f"meter m{number} = 0.5 {{ decay 0.01 * m{(number + 1) % 110} }}\n" for number in range(110))
    used = "".join(f"affordance {name} {{ instantly {{ m1 += 0.1 }} }}\n" for name in ("Bed", "Bed_3"))
    text = f"universe many space none lifespan 9 ticks inert allowed track uses\n{many}{used}report again: visited\n"
    universe = universe_of(f"{text}reward m0 observe {{ meters }}")
    rollout = built(lower(universe), universe)
    found = {each.name: each for each in functions_of(rollout)}
    parts = [each for name, each in found.items() if "_part_" in name and "tick" in name]
    assert {"streak_Bed", "streak_Bed_3_"} <= {parameter.name for each in parts for parameter in each.parameters}
    for each in parts:
        computed = [statement for statement in each.body if isinstance(statement, code.Compute)]
        lines = {name for one in computed for line in one.lines for name in line.name.split(", ")}
        assert lines
        assert lines.isdisjoint(parameter.name for parameter in each.parameters)


def test_meters_are_observed_where_they_are() -> None:
    text = emit(lower(sample("ledger")), sample("ledger"))
    assert "observed = room_f32((3 * WIDE))" in text, "the time is computed, and progress"


@pytest.mark.parametrize(("name", "counted"), [("gallery/market", True), ("queue", False)])
def test_ranks_of_few_whole_priorities_are_counted(name: str, counted: bool) -> None:
    program = optimise(Compilation.begin(sample(name))).program
    assert ("rank_few_worlds(" in emit(program, sample(name))) is counted


def test_a_run_of_actions_has_one_function() -> None:
    universe = sample("many_moves")
    text, found = emit(lower(universe), universe), functions(lower(universe), universe)
    masks = [name for name in found if name.startswith("_mask_") and name != "_mask_lane"]
    assert 1 <= len(masks) <= 6
    assert len(text.splitlines()) < 2500


def test_a_comment_names_the_file() -> None:
    universe = sample("first_meal")
    meters = tuple(replace(meter, span=replace(meter.span, file=1)) for meter in universe.meters)
    several = replace(universe, sources=("first_meal.hamlet", 'bars".yaml'), meters=meters)
    text = emit(lower(several), several)
    assert ", bars_.yaml:" in text
    assert ", first_meal.hamlet:" in text


def test_code_that_reads_what_nothing_sets_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a function reads it takes, up to the kernel."""
    stored = code.do("store_lanes", "cause", "causes", 0)
    broken = code.function("_store_outcome", ["cause"], "Store.", [stored])
    monkeypatch.setattr("hamletc.targets.c.module.store_outcome", lambda *_: broken)
    universe = sample("town")
    with pytest.raises(CodeError, match="rollout: nothing sets causes"):
        emit(lower(universe), universe)


@pytest.mark.parametrize(("count", "made_by"), [(128, "local_i8"), (129, "local_i32")])
def test_numbers_of_affordances_are_bytes_where_they_fit(count: int, made_by: str) -> None:
    lines = [f"affordance a{number} at ({number}) {{ instantly {{ energy += 0.1 }} }}" for number in range(count)]
    universe = universe_of("\n".join(["universe many space grid 200", "meter energy = 1", "reward energy", *lines]))
    assert next(slot.chunk.own.maker for slot in outcomes(universe) if slot.name == "used") == made_by
