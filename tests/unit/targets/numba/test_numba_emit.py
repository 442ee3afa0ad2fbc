"""The text of `numba_kernels.py`: names that are told apart, masks by run, places in sources."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from functools import lru_cache

import pytest

from hamletc.compilation import Compilation
from hamletc.compile import optimise
from hamletc.kernel import code
from hamletc.kernel.scopes import CodeError
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU, plan
from hamletc.targets.numba.emit import emit
from hamletc.targets.numba.slots import STACK
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


@lru_cache(maxsize=1)
def body(text: str) -> list[ast.stmt]:
    """The statements of a text, in which names of the parameters of a function differ."""
    compile(text, "kernels", "exec")
    return ast.parse(text).body


def functions(text: str) -> dict[str, ast.FunctionDef]:
    """The functions of a text."""
    return {node.name: node for node in body(text) if isinstance(node, ast.FunctionDef)}


def misnamed(text: str) -> set[tuple[str, str]]:
    """Bindings with a name in them that nothing has, and those of kernels with a parameter that they do not read."""

    def names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
        return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, context)}

    statements = body(text)
    imported = [each for each in statements if isinstance(each, ast.ImportFrom)]
    known = {*dir(builtins), *functions(text)}
    known |= {alias.asname or alias.name for each in imported for alias in each.names}
    known |= {name for each in statements if isinstance(each, ast.Assign) for name in names(each, ast.Store)}
    found = set()
    for name, function in functions(text).items():
        parameters = {argument.arg for argument in function.args.args}
        read = names(function, ast.Load)
        found |= {(name, each) for each in read - parameters - known - names(function, ast.Store)}
        if {each.id for each in function.decorator_list if isinstance(each, ast.Name)} & {"helper", "inline"}:
            found |= {(name, each) for each in parameters - read}
    return found


@pytest.mark.parametrize("few", [0, 16])
@pytest.mark.parametrize("name", [*NAMES, *CONSTRUCTS])
def test_text(name: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hamletc.targets.numba.module.STACK", replace(STACK, few=few))
    universe = sample(name)
    program = lower(universe)
    text = emit(program, universe)
    assert text == emit(program, universe)
    # Nothing is in the order of a set, which differs between processes.
    imported = [line.strip() for line in text.splitlines() if line.startswith("    rows_")]
    assert imported == sorted(imported)
    assert "rollout" in functions(text)
    assert not misnamed(text)
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert "\n\n\n\n" not in text


@pytest.mark.parametrize("name", NAMES)
def test_phases_of_a_rollout_take_what_they_use(name: str) -> None:
    """Also with a cell cache."""
    universe = sample(name)
    text = emit(lower(universe, CPU), universe)
    assert not misnamed(text)
    phases = {"_act", "_advance", "_count", "_conclude", "_begin", "_survey"}
    assert phases <= functions(text).keys()
    cached = {"_load_cells", "_find_again", "_store_cells"} & functions(text).keys()
    assert len(cached) == (3 if plan(universe, CPU).cell_cache else 0)


def test_odd_names() -> None:
    universe = universe_of(ODD_NAMES)
    found = functions(emit(lower(universe), universe))
    made = [
        node.targets[0].id
        for node in ast.walk(found["rollout"])
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)
    ]
    assert {"meter_a_b", "meter_a_b_2_", "meter__7up", "meter_position", "seen_array_2_", "seen_if"} <= set(made)
    assert {"report_r_1_", "report_r_1_2_", "report_r_1_3_", "last"} <= set(made)
    locals_ = [name for name in made if name.split("_")[0] in ("meter", "seen", "streak", "report", "param", "input")]
    assert len(locals_) == len(set(locals_))


def test_rooms_of_large_functions_have_names_that_no_field_has() -> None:
    tracked = "track uses by agent\nreport again: streak of A1 + visited\n"
    universe = universe_of(many_affordances(70, 12, fixed=True) + tracked)
    rooms = [
        node.targets[0].id
        for node in ast.walk(functions(emit(lower(universe), universe))["rollout"])
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id.startswith("room_")
    ]
    assert {"seen", "observed", "allowed"} <= set(rooms)
    assert len(rooms) == len(set(rooms))


def test_arrays_of_large_functions_have_names_that_no_line_has() -> None:
    """`Bed_3` stands beside `Bed`, whose streaks in a tick are called streak_Bed_0, streak_Bed_1 and so on."""
    many = "".join(f"meter m{number} = 0.5 {{ decay 0.01 * m{(number + 1) % 110} }}\n" for number in range(110))
    used = "".join(f"affordance {name} {{ instantly {{ m1 += 0.1 }} }}\n" for name in ("Bed", "Bed_3"))
    text = f"universe many space none lifespan 9 ticks inert allowed track uses\n{many}{used}report again: visited\n"
    universe = universe_of(f"{text}reward m0 observe {{ meters }}")
    found = functions(emit(lower(universe), universe))
    parts = [node for name, node in found.items() if "_part_" in name and "tick" in name]
    assert {"streak_Bed", "streak_Bed_3_"} <= {argument.arg for node in parts for argument in node.args.args}
    for node in parts:
        lines = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        assert lines.isdisjoint(argument.arg for argument in node.args.args)


def test_meters_are_observed_where_they_are() -> None:
    text = emit(lower(sample("ledger")), sample("ledger"))
    assert "observed = room_f32(3 * WIDE)" in text, "the time is computed, and progress"


@pytest.mark.parametrize(("name", "counted"), [("gallery/market", True), ("queue", False)])
def test_ranks_of_few_whole_priorities_are_counted(name: str, counted: bool) -> None:
    program = optimise(Compilation.begin(sample(name))).program
    assert ("rank_few_worlds(" in emit(program, sample(name))) is counted


def test_a_run_of_actions_has_one_function() -> None:
    universe = sample("many_moves")
    text = emit(lower(universe), universe)
    found = functions(text)
    masks = [name for name in found if name.startswith("_mask_") and name != "_mask_lane"]
    assert 1 <= len(masks) <= 6
    assert len(text.splitlines()) < 1500


def test_a_comment_names_the_file() -> None:
    universe = sample("first_meal")
    meters = tuple(replace(meter, span=replace(meter.span, file=1)) for meter in universe.meters)
    several = replace(universe, sources=("first_meal.hamlet", 'bars".yaml'), meters=meters)
    text = emit(lower(several), several)
    assert ", bars_.yaml:" in text
    assert ", first_meal.hamlet:" in text


def test_code_that_reads_what_nothing_sets_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = code.do("store_lanes", "cause", "causes", 0)
    broken = code.function("_store_outcome", ["cause"], "Store.", [stored], "inline")
    monkeypatch.setattr("hamletc.targets.numba.module.store_outcome", lambda *_: broken)
    universe = sample("town")
    with pytest.raises(CodeError, match="_store_outcome: nothing sets causes"):
        emit(lower(universe), universe)
