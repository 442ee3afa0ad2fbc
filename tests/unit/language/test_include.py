"""`include`: several files make the universe that one file would; nothing leads out of the universe's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamlet.universe import Universe
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.expansion.places import rewritten
from hamletc.frontend import Stopwatch
from hamletc.language.formatter import format_source
from hamletc.language.syntax import NOWHERE
from hamletc.link import MOST_FILES

HEAD = "universe town\nspace grid 8 x 8\nlifespan 100 ticks\n"
REST = "reward energy\nobserve { meters }\n"
NEEDS = "meter energy = full { decay 0.01 }\nlet full = 1.0\nlet unused = 2\n"
PLACES = (
    "affordance Bed at random { instantly { energy += uniform(0, 0.5) } }\nrule noise: energy -= uniform(0, 0.01)\n"
)


def write(folder: Path, **files: str) -> Path:
    """Files with these names (`__` for `/`), the first of which is returned."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.hamlet"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / f"{next(iter(files))}.hamlet"


def universe(path: Path) -> Universe:
    return check_file(path, Stopwatch()).universe


def problems(path: Path) -> list[tuple[str, str, int]]:
    """File, code and line of what is wrong."""
    with pytest.raises(SourceError) as failed:
        check_file(path, Stopwatch())
    return [(each.path.name, d.code, d.primary.span.line) for each in failed.value.found for d in each.diagnostics]


def test_several_files_are_as_one(tmp_path: Path) -> None:
    text = f'{HEAD}include "parts/needs.hamlet"\n{REST}'
    path = write(tmp_path, town=text, parts__needs=f'{NEEDS}include "places.hamlet"\n', parts__places=PLACES)
    made = universe(path)
    (tmp_path / "one").mkdir()
    alone = universe(write(tmp_path / "one", town=HEAD + NEEDS.replace("let unused = 2\n", "") + PLACES + REST))
    assert made.sources == ("town.hamlet", "parts_needs.hamlet", "parts_places.hamlet")
    assert rewritten(made, lambda _: NOWHERE) == rewritten(
        alone.__class__(**{name: getattr(alone, name) for name in alone.__slots__} | {"sources": made.sources}),
        lambda _: NOWHERE,
    )
    assert {made.meters[0].span.file, made.affordances[0].span.file, made.rewards[0].span.file} == {1, 2, 0}


def test_messages_name_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, town=f'{HEAD}include "needs.hamlet"\n{REST}', needs=NEEDS + "rule r: energy += enrgy\n")
    assert problems(path) == [("needs.hamlet", "H020", 4)]
    write(tmp_path, needs=f"{NEEDS}rule r energy\n")
    assert problems(path) == [("needs.hamlet", "H009", 4)]


@pytest.mark.parametrize(
    "name",
    ["../needs.hamlet", "/etc/passwd", "needs", "missing.hamlet", "parts/../needs.hamlet", "C:needs.hamlet",
     "out.hamlet", "loop.hamlet", "town.txt", "folder.hamlet", "a\\b.hamlet", "pipe.hamlet", "whole.hamlet"],
)  # fmt: skip
def test_what_cannot_be_included(name: str, tmp_path: Path) -> None:
    import os

    folder = tmp_path / "here"
    folder.mkdir()
    path = write(folder, town=f'{HEAD}include "{name}"\n{NEEDS}{PLACES}{REST}')
    write(tmp_path, needs=NEEDS)
    write(folder, whole=HEAD)
    (folder / "out.hamlet").symlink_to(tmp_path / "needs.hamlet")
    (folder / "loop.hamlet").symlink_to(folder / "loop.hamlet")
    (folder / "folder.hamlet").mkdir()
    os.mkfifo(folder / "pipe.hamlet")
    assert [code for _, code, _ in problems(path)] == ["H088"]


def test_circles_and_doubles(tmp_path: Path) -> None:
    path = write(tmp_path, town=f'{HEAD}include "a.hamlet"\n{NEEDS}{PLACES}{REST}', a='include "b.hamlet"\n',
                 b='include "a.hamlet"\n')  # fmt: skip
    assert problems(path) == [("b.hamlet", "H085", 1)]
    write(tmp_path, b='include "town.hamlet"\n')
    assert problems(path) == [("b.hamlet", "H085", 1)]
    write(tmp_path, town=f'{HEAD}include "b.hamlet"\ninclude "b.hamlet"\n{NEEDS}{PLACES}{REST}', b="")
    assert problems(path)[-1] == ("town.hamlet", "H088", 5)


def test_there_is_a_limit(tmp_path: Path) -> None:
    lines = "".join(f'include "n{number}.hamlet"\n' for number in range(MOST_FILES + 1))
    files = {f"n{number}": f"rule r{number}: energy -= 0.001\n" for number in range(MOST_FILES + 1)}
    path = write(tmp_path, town=f"{HEAD}{lines}{NEEDS}{PLACES}{REST}", **files)
    assert problems(path) == [("town.hamlet", "H088", 4 + MOST_FILES)]


def test_a_fragment_is_formatted_by_itself() -> None:
    text = '# needs\nmeter   a=1\nlet  b =  2\ninclude   "c d.hamlet"'
    formatted, _ = format_source(text)
    assert formatted == '# needs\nmeter a = 1\nlet b = 2\n\ninclude "c d.hamlet"\n'
    assert format_source(formatted) == (formatted, ())


def test_names_of_files_reach_generated_code_harmless(tmp_path: Path) -> None:
    name = 'a"""; import os; #'.replace('"', "'")
    (tmp_path / f"{name}.hamlet").write_text(NEEDS + PLACES, encoding="utf-8")
    made = universe(write(tmp_path, town=f'{HEAD}include "{name}.hamlet"\n{REST}'))
    assert made.sources[1] == "a_____import_os___.hamlet"
