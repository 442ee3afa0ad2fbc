"""`links wired { 0 - 1 - 2 }` in the braces of `pairs`: links between agents that are the same in every episode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamletc.checking.check import check
from hamletc.ir.ops import Lookup
from hamletc.ir.text import parse_program, print_program
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU
from samples import universe_of

BASE = """
universe small
space none
lifespan 20 ticks
role cat: AGENTS agents
state ill = agent == 0
reward 1 when ill
observe { state ill }
rule sick: count(wired and ill) >= 1 -> ill = true
report has: count(wired)
report had: count(wired of other)
"""


def has_and_had(module: Module, backend: str = "interpreter") -> tuple[list[int], list[int]]:
    """How many links each agent of a world has, and how many lead to it."""
    env = hamlet.make(module, worlds=1, backend=backend)
    env.reset(seed=1)
    env.step(torch.full((env.num_worlds * env.num_agents,), env.action_names.index("WAIT"), dtype=torch.int32))
    return env.reports["has"].int().tolist(), env.reports["had"].int().tolist()


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_links_lead_both_ways_or_one(compiled: Callable[[str], Module], backend: str) -> None:
    module = compiled(f"{BASE.replace('AGENTS', '5')}pairs {{ links wired {{ 0 - 1 - 2  3 -> 4  3 -> 0 }} }}\n")
    assert has_and_had(module, backend) == ([1, 2, 1, 2, 0], [2, 2, 1, 0, 1])


def test_what_is_ill_goes_along_links(compiled: Callable[[str], Module]) -> None:
    module = compiled(f"{BASE.replace('AGENTS', '5')}pairs {{ links wired {{ 3 -> 2 -> 1 -> 0 }} }}\n")
    env = hamlet.make(module, worlds=1, backend="interpreter")
    env.reset(seed=1)
    for tick in range(4):
        assert env.meter("ill").tolist() == [float(agent <= tick and agent < 4) for agent in range(5)]
        env.step(torch.full((5,), env.action_names.index("WAIT"), dtype=torch.int32))


@pytest.mark.parametrize("rows", ["0,1\n1,2\n3,4\n", "0,1,0,0,0\n1,0,1,0,0\n0,1,0,0,0\n0,0,0,0,1\n0,0,0,1,0\n"])
def test_links_stand_in_a_file(tmp_path: Path, rows: str) -> None:
    (tmp_path / "wires.csv").write_text(rows)
    path = tmp_path / "small.hamlet"
    path.write_text(f'{BASE.replace("AGENTS", "5")}pairs {{ links wired "wires.csv" }}\n'.lstrip())
    assert has_and_had(hamlet.compile(path)) == ([1, 2, 1, 1, 1],) * 2


def test_hundreds_of_agents_have_links(compiled: Callable[[str], Module]) -> None:
    ring = " - ".join(map(str, (*range(256), 0)))
    module = compiled(f"{BASE.replace('AGENTS', '256')}pairs {{ links wired {{ {ring} }} }}\n")
    assert has_and_had(module, "c") == ([2] * 256,) * 2


def test_tables_are_read_by_two_agents(compiled: Callable[[str], Module]) -> None:
    added = "table way 3 x 3 { 0 1 2  3 0 5  6 7 0 }\nlet wired = way[own(agent), agent] >= 2\n"
    text = f"{BASE.replace('AGENTS', '3').replace('wired of other', 'way[agent, own(agent)] >= 2')}{added}"
    for backend in ("interpreter", "c"):
        assert has_and_had(compiled(text), backend) == ([1, 2, 2], [2, 1, 2])


@pytest.mark.parametrize(
    ("links", "code", "message"),
    [
        ("links wired { 0 - 5 }", "H338", "no agent 5"),
        ("links wired { 0 - 1.5 }", "H338", "no agent 1.5"),
        ("links wired { 2 -> 2 }", "H339", "agent 2 has a link to itself"),
        ("links wired { 0 - 1  2 }", "H339", "alone"),
        ("links wired { 0 - 1  1 -> 0 }", "H340", "is there already"),
        ("links wired { 0 - 1 }  links wired { 2 - 3 }", "H323", "two things"),
        ("links wired { 0 - 1 }  rule unties: wired = false", "H323", "cannot do"),
    ],
)
def test_mistakes_are_said_once(links: str, code: str, message: str) -> None:
    file, problems = parse(f"{BASE.replace('AGENTS', '5')}pairs {{ {links} }}\n")
    assert file is not None
    assert not problems, problems
    _, findings = check(file, ("small.hamlet",))
    assert [each.code for each in findings if each.severity == "error"] == [code], findings
    assert message in findings[0].message


@pytest.mark.parametrize("name", ['a"*/ {{', "links", "agent 0"])
def test_links_have_any_name(compiled: Callable[[str], Module], name: str) -> None:
    text = BASE.replace("AGENTS", "3").replace("wired", f"`{name}`")
    assert has_and_had(compiled(f"{text}pairs {{ links `{name}` {{ 0 - 1 - 2 }} }}\n"), "c") == ([1, 2, 1],) * 2


def test_links_are_formatted() -> None:
    formatted, problems = format_source('universe u\n\npairs{links a{0-1->2 3-4}links b "b.csv"}\n')
    assert not problems
    assert formatted is not None
    assert formatted.splitlines()[2:] == ["pairs {", "    links a { 0 - 1 -> 2  3 - 4 }", '    links b "b.csv"', "}"]


def test_a_meter_may_be_called_links() -> None:
    file, problems = parse(BASE.replace("AGENTS", "2").replace("wired", "links") + "pairs { state links = true }\n")
    assert file is not None
    assert not problems, problems
    _, findings = check(file, ("small.hamlet",))
    assert not [each for each in findings if each.severity == "error"], findings


def test_what_linked_agents_have_is_read_side_by_side() -> None:
    """A number of a table of two agents is one load, of which those of neighbouring agents lie side by side."""
    universe = universe_of(f"{BASE.replace('AGENTS', '5')}pairs {{ links wired {{ 0 - 1 -> 2 }} }}\n")
    program = lower(universe, CPU)
    read = [node.op for node in program.function("pair_settle").nodes if isinstance(node.op, Lookup)]
    assert [(each.table, each.along) for each in read] == [("numbers0.columns", True), ("numbers0.rows", True)]
    assert parse_program(print_program(program)) == program
    tables = {table.name: table.values[:25] for table in program.tables}
    square = torch.tensor(tables["numbers0.rows"]).view(5, 5)
    assert square.nonzero().tolist() == [[0, 1], [1, 0], [1, 2]]
    assert torch.equal(torch.tensor(tables["numbers0.columns"]).view(5, 5), square.T)
