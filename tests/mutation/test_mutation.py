"""The mutation run itself: what is altered, what is drawn, and that a wrong program is told from a right one."""

from __future__ import annotations

import ast
import shutil
import tempfile
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import c_sites
import emitted_sites
import more_universes
import mutant
import pytest
import python_sites
import table
import units
from areas import LONG, UNITS, area
from areas import units as units_of
from behaviour import check_programs, recordings, texts
from draw import draw, folder, of_file
from executed import function_of, tracing
from scene_names import EXECUTED, HEADER, KERNELS, PROGRAMS
from table import Drawn, Explanation, estimate, interval
from verdict import SCRATCH, Verdict, anywhere

from examples import LONG as EVERYTHING
from examples import SHARE
from samples import sample

SOURCE = '''
"""Not `a < b`."""
def f(builder: "B", a: int, low, high) -> int:
    """Nor 1 + 1."""
    if a < 3 and low:
        raise ValueError("no 5")
    elif high:
        self._fail(f"{high - 1}")
    with builder.at("name", 7):
        a = builder.clamp(a, low, high)
    return builder.sub(a, low) - 0
'''
ALTERED = {
    ("comparison", "<", "<="),
    ("logic", "and", "or"),
    ("condition", "a < 3 and low", "not (a < 3 and low)"),
    ("condition", "high", "not (high)"),
    ("statement", 'self._fail(f"{high - 1}")', "pass"),
    ("constant", "3", "4"),
    ("constant", "3", "2"),
    ("constant", "7", "8"),
    ("constant", "7", "6"),
    ("clamp", "builder.clamp(a, low, high)", "a"),
    ("clamp", "low, high", "high, low"),
    ("statement", "a = builder.clamp(a, low, high)", "pass"),
    ("operation", "sub", "add"),
    ("operands", "a, low", "low, a"),
    ("arithmetic", "-", "+"),
    ("constant", "0", "1"),
    ("constant", "0", "-1"),
}
TEMPLATE = '''
"""Not a < b."""
{% if by_hand %}
    # nor 1 + 1
    tl.store(there + lane, tl.where(a < b, x, y), mask=valid)
{% endif %}
    {{ unpack(names, "state", 12) }}
'''
EMITTED = {
    ("condition", "by_hand", "not (by_hand)"),
    ("arithmetic", " + ", " - "),
    ("comparison", " < ", " <= "),
    ("operands", "x, y", "y, x"),
    ("mask", ", mask=valid", ""),
    ("statement", "tl.store(there + lane, tl.where(a < b, x, y), mask=valid)", "pass"),
}


def test_what_is_altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mutant, python_sites, emitted_sites):
        monkeypatch.setattr(module, "COMPILER", tmp_path)
    (tmp_path / "f.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "f.j2").write_text(TEMPLATE, encoding="utf-8")
    found = python_sites.python_mutants("f.py")
    assert {(each.kind, each.old, each.new) for each in found} == ALTERED
    assert len({each.text for each in found}) == len(found)
    emitted = emitted_sites.template_mutants("f.j2")
    assert {(each.kind, each.old, each.new) for each in emitted} == EMITTED
    assert emitted[0].lines == ("{% if by_hand %}", "{% if not (by_hand) %}")
    assert emitted[0].line == 3


C = """/* Not a < b. */
#define EACH(T) \\
    static void each_##T(T *p) { p[0] = 1; } /* nor 1 + 1 */
#if defined(HAMLET_SCALAR) || defined(__clang__)
static int f(int *p, int n) {
    int sum = 0;
    if (g(p)) sum = g(p - n);
    for (; n > 0; n--) h(n);
    return sum;
}
#endif
#ifdef OTHER
static int unread = 3 + 4;
#endif
static int read;
"""
ALTERED_IN_C = {
    ("constant", "0", "1"),
    ("constant", "1", "2"),
    ("statement", "p[0] = 1;", ";"),
    ("condition", "g(p)", "!(g(p))"),
    ("statement", "sum = g(p - n);", ";"),
    ("arithmetic", " - ", " + "),
    ("comparison", " > ", " >= "),
    ("statement", "h(n);", ";"),
}


@pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C")
def test_what_is_altered_in_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutant, "ROOT", tmp_path)
    monkeypatch.setattr(mutant, "BY_HAND", {"native": "native"})
    (tmp_path / "native").mkdir()
    (tmp_path / "native" / "hamlet.h").write_text(C, encoding="utf-8")
    found = c_sites.c_mutants("native/hamlet.h")
    assert {(each.kind, each.old, each.new) for each in found} == ALTERED_IN_C
    assert len({each.text for each in found}) == len(found)


@pytest.fixture(scope="module")
def everything() -> list[mutant.Mutant]:
    """The mutants of some files of each folder: to alter everything takes seconds."""
    return [each for path in mutant.files()[:: 1 if EVERYTHING else SHARE] for each in of_file(path)]


def test_a_sample_is_drawn_at_random_of_each_folder_in_proportion(everything: list[mutant.Mutant]) -> None:
    assert len(everything) > (4000 if EVERYTHING else 1000)
    drawn = draw(everything, 400, 5)
    assert drawn == draw(list(reversed(everything)), 400, 5)
    assert len(drawn) == len(set(drawn)) == 400
    by_folder = Counter(folder(each.path) for each in drawn)
    for name, possible in Counter(folder(each.path) for each in everything).items():
        assert abs(by_folder[name] - 400 * possible / len(everything)) < 1
    assert drawn != draw(everything, 400, 6)
    # Where a run is ended early, what it has run is a sample: of each folder the smaller sample comes first.
    smaller = draw(everything, 100, 5)
    assert len({*drawn[:120], *smaller}) < 150
    for each in drawn[::8]:
        assert each.text != each.source
        if each.path.endswith(".py"):
            ast.parse(each.text)


def test_what_a_sample_says_of_all() -> None:
    """Wilson's interval, by the numbers of Newcombe's example, 81 of 263, and at the ends."""
    assert interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert interval(20, 20) == pytest.approx((0.8389, 1.0), abs=5e-5)
    assert interval(0, 0) == (0.0, 1.0)
    # Of two strata with the same part of each it is that of both together; a large one that was hardly looked at
    # says little.
    assert estimate([(1000, 100, 90), (500, 50, 50)]) == pytest.approx((14 / 15, *interval(140, 150)))
    share, low, high = estimate([(10, 10, 10), (990, 10, 5)])
    assert share == pytest.approx(0.505)
    assert (low, high) == pytest.approx(interval(5.05, 10), abs=0.02)


def test_what_was_found_since_does_not_count_as_found_when_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = [_verdict("a", "unit"), _verdict("b", ""), _verdict("c", ""), _verdict("d", "unit")]
    known = {"a": "hole", "b": "equivalent"}
    explanations = {("passes/f.py", name, "x"): Explanation("", "", "", known[name], "why") for name in known}
    monkeypatch.setattr(table, "_explanations", lambda: explanations)
    page = table.table("1234567", Drawn(80, 4, 1, {"lowering": 30, "passes": 50}), verdicts)
    assert "| passes | 50 | 4 | 1 | 33.3 % (6.1 to 79.2 %) | 66.7 % |" in page
    assert "33.3 % (6.1 to 79.2 %) were found" in page
    assert "Nothing is known of lowering" in page
    assert "## Found since: 1" in page
    assert "not explained" in page


def _verdict(before: str, killed_by: str) -> Verdict:
    return Verdict(before, "passes/f.py", 1, "constant", before, "x", killed_by, "long", "", "", "", 1.0)


def test_tests_that_reach_a_function_are_found() -> None:
    """Also where a fixture, or the module itself, calls it; the quickest come first."""
    everything = units.followed("tests/unit/passes/test_interval.py")
    called = frozenset().union(*(test.called for test in everything))
    path, line = next(each for each in sorted(called) if each[0] == "passes/interval.py")
    reached = units.reaching(everything, frozenset({(path, line)}))
    assert 0 < len(reached) <= len(everything)
    assert [test.seconds for test in reached] == sorted(test.seconds for test in reached)
    assert units.reaching(everything, frozenset({("passes/none.py", 1)})) == []


def test_a_wrong_program_is_told_from_a_right_one(everything: list[mutant.Mutant]) -> None:
    recorded = recordings(sample("nowhere"), ("alone",), 2)
    assert not recorded[0].never_fired
    with tracing() as called:
        known = texts(sample("nowhere"))
    assert check_programs(recorded, known) == 0
    assert check_programs(recorded, {}) > 50_000
    expected = recorded[0].moments[-1].expected
    next(array for array in expected if array.name == "meters").values[0, 3] += 1
    with pytest.raises(AssertionError, match=r"rollout of 5 ticks, tabular actions.*meters wit of lane 3"):
        check_programs(recorded, {})
    drawn = draw(everything, 500, 5)
    reached = [each for each in drawn if (function := function_of(each)) is not None and function & called]
    assert 40 < len(reached) < 300


def test_universes_are_run_where_something_else_is_made_of_them() -> None:
    name = "regressions/tiny_moves"
    known = more_universes.made_of([name], "programs")
    altered = frozenset({next(iter(sorted(known[name].called)))})
    assert [each for each, _ in more_universes.differing("programs", known, altered)] == [name]
    assert not list(more_universes.differing("programs", known, frozenset({("passes/none.py", 1)})))
    assert [check() for _, check in more_universes.differing("programs", known, altered)] == [0]
    other = {name: replace(known[name], digest="of something else")}
    assert [check() > 10_000 for _, check in more_universes.differing("programs", other, altered)] == [True]
    assert all(more_universes.forms(path) for path in mutant.files() if area(path) not in ("native", "exact"))


def test_reasons_name_no_folder_of_a_machine() -> None:
    copy = Path(tempfile.gettempdir()) / f"{SCRATCH}a1_b" / "0" / "hamlet" / "playing.c"
    said = f"In file included from {mutant.ROOT}/tests/wrappers.c:3, {copy}:7"
    assert anywhere(said) == "In file included from tests/wrappers.c:3, hamlet/playing.c:7"


def test_every_file_has_tests_that_there_are() -> None:
    for path in mutant.files():
        assert units_of(path), path
        assert LONG[area(path)], path
    assert {*EXECUTED} <= {*PROGRAMS}
    assert {*HEADER} <= {*KERNELS}
    for listed in (*UNITS.values(), *LONG.values()):
        for each in listed:
            assert (mutant.ROOT / each).exists(), each


def test_explanations_are_of_lines_that_there_are() -> None:
    """A line that is written otherwise has other mutants: its explanation would be of none."""
    listed = tomllib.loads(table.EXPLANATIONS.read_text(encoding="utf-8"))["survivor"]
    for each in listed:
        assert each["before"] in mutant.joined(mutant.place(each["path"]).read_text(encoding="utf-8")), each
