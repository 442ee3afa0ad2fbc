"""The mutation run itself: what is altered, what is drawn, and that a wrong program is told from a right one."""

from __future__ import annotations

import ast
from pathlib import Path

import emitted_sites
import mutant
import pytest
import python_sites
from behaviour import check_programs, recordings, texts
from draw import all_mutants, draw, folder
from executed import function_of, tracing

from samples import sample

SOURCE = '''
"""Not `a < b`."""
def f(builder: "B", a: int, low, high) -> int:
    """Nor 1 + 1."""
    if a < 3 and low:
        raise ValueError("no 5")
    with builder.at("name", 7):
        a = builder.clamp(a, low, high)
    return builder.sub(a, low) - 0
'''
ALTERED = {
    ("comparison", "<", "<="),
    ("logic", "and", "or"),
    ("condition", "a < 3 and low", "not (a < 3 and low)"),
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


def test_every_file_and_kind_is_drawn() -> None:
    everything = all_mutants()
    assert len(everything) > 4000
    drawn = draw(everything, 400, 5)
    assert drawn == draw(everything, 400, 5)
    assert len(drawn) == len(set(drawn)) == 400
    assert {each.path for each in drawn} == {each.path for each in everything}
    assert {(folder(each.path), each.kind) for each in drawn} == {(folder(e.path), e.kind) for e in everything}
    assert drawn != draw(everything, 400, 6)
    for each in drawn[::8]:
        assert each.text != each.source
        if each.path.endswith(".py"):
            ast.parse(each.text)


def test_a_wrong_program_is_told_from_a_right_one() -> None:
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
    drawn = draw(all_mutants(), 400, 5)
    reached = [each for each in drawn if (function := function_of(each)) is not None and function & called]
    assert 40 < len(reached) < 300
