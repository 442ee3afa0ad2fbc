"""Every verb with everything that a user can name: it does its work, or says in one line what that is."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.interpreter import Interpreter
from hamlet_lab.divergence.events import CPU
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.recording import record, write_recording
from hamletc.errors import CompileError
from samples import SHIPPED, recorded

Here: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

MEAL, PACK = SHIPPED / "first_meal.hamlet", SHIPPED / "packs" / "office"
KINDS = {
    "text": "meal.hamlet",
    "pack": "office",
    "package": "meal",
    "package of a pack": "desk",
    "recorded run": "meal.npz",
    "trace": "office.npz",
    "arrays": "text.npz",
    "pack's file": "office/bars.yaml",
    "package's file": "meal/universe.json",
    "other text": "notes.md",
    "no text": "picture.png",
    "folder": "empty",
    "missing": "nowhere.hamlet",
}
PACKAGE = (
    "is a generated package: hamlet.load loads it, and `hamletc run`, `sweep`, `design`, `verify`, `bench`, `profile`, "
    "`diff`, "
)
NOT_MEANT = {
    "package": f"meal {PACKAGE}`trace`, `record` and `replay` take it",
    "package of a pack": f"desk {PACKAGE}`trace`, `record` and `replay` take it",
    "recorded run": "meal.npz is a recorded run: `hamletc replay UNIVERSE RUN`, `diff` and `trace` take it",
    "trace": "office.npz is a trace of HAMLET: `hamletc replay PACK TRACE` takes it",
    "arrays": "text.npz is no recorded run and no trace of HAMLET, or a damaged one",
    "pack's file": "office/bars.yaml is one file of a pack: name the folder, office",
    "package's file": "meal/universe.json is one file of a generated package: name the folder, meal",
    "folder": "empty is a folder without a pack (bars.yaml, ...) and without a generated package",
}
"""What is said, in one line, of what is no universe, or not as it should be given."""
DIAGNOSED = {"other text": "error[H0", "no text": "error[H002]", "missing": "error[H001]: cannot read the file"}
FINE = ""
UNIVERSE = {"text": FINE, "pack": FINE, "package": FINE, "package of a pack": FINE}
SOURCE = NOT_MEANT | DIAGNOSED | {"text": FINE, "pack": FINE}
RUNS = NOT_MEANT | DIAGNOSED | UNIVERSE
IS_A_FILE = "is a file, and no folder of a pack"
LITTLE = ("--worlds", "2", "--ticks", "2")

VERBS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "check": ((), SOURCE),
    "compile": (("-o", "out"), SOURCE),
    "compile --emit": (("--emit", "syntax"), SOURCE),
    "fmt": (
        ("--check",),
        SOURCE | {"pack": "office is a pack of HAMLET and no text: `hamletc import` prints it as one"},
    ),
    "import": (
        (),
        NOT_MEANT
        | {kind: f"{KINDS[kind]} {IS_A_FILE}" for kind in ("text", "other text", "no text")}
        | {"missing": "nowhere.hamlet does not exist", "pack": FINE},
    ),
    "run": (("--backend", "interpreter", *LITTLE), RUNS),
    "verify": (("--backends", "c", *LITTLE, "--quick"), RUNS),
    "bench": (("--backend", "interpreter", "--observe", "none", "--samples", "1", *LITTLE), RUNS),
    "profile": (("--backend", "interpreter", "--only", "time", *LITTLE), RUNS),
    "record": (("-o", "out.npz", *LITTLE), RUNS),
    "diff": (("@interpreter", "--quick", *LITTLE), RUNS | {"recorded run": FINE}),
    "replay": (
        ("meal.npz",),
        RUNS | dict.fromkeys(("pack", "package of a pack"), "only meal.npz (meal) has meter mood"),
    ),
    "replay of a trace": (("office.npz",), RUNS | dict.fromkeys(("text", "package"), "write `episodes by hand` in it")),
    "replay alone": ((), {"recorded run": FINE, "text": "Missing argument 'RUN'", "trace": "Missing argument 'RUN'"}),
}
"""For each verb what comes behind the thing, and for each kind of thing what it says, or that it does its work."""
UNUSUAL = {("record", "package"): "@ir", ("diff", "package"): "@ir"}
"""Backends for which nothing has to be compiled."""
COSTS_TOO_MUCH = {
    *((verb, "package of a pack") for verb in ("run", "bench", "profile", "record", "diff")),
    *((verb, kind) for verb in ("bench", "profile", "diff") for kind in ("text", "pack")),
    *(("verify", kind) for kind in UNIVERSE),
}
"""What is no other than what is tried, or is tried by other tests."""
CASES = [(verb, kind) for verb, (_, kinds) in VERBS.items() for kind in kinds if (verb, kind) not in COSTS_TOO_MUCH]


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one of each kind."""
    folder = tmp_path_factory.mktemp("things")
    shutil.copy(MEAL, folder / "meal.hamlet")
    shutil.copytree(PACK, folder / "office")
    shutil.copy(PACK.parent / "global_actions.yaml", folder)
    universe = hamlet.compile(MEAL, folder / "meal").universe
    run = record("meal", universe, Candidate(Interpreter(universe, CPU), CPU), Shape(3, 1), 0, 20)
    write_recording(run, folder / "meal.npz")
    trace = recorded.record(hamlet.compile(PACK, folder / "desk"), folder, steps=4)
    assert trace == folder / "office.npz"
    (folder / "text.npz").write_text("no archive")
    (folder / "notes.md").write_text("# Notes\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def here(things: Path, tmp_path: Path, hamletc_here: Here) -> Here:
    """Runs `hamletc` in this process, in a copy of that folder."""
    shutil.copytree(things, tmp_path, dirs_exist_ok=True)
    return hamletc_here


@pytest.mark.parametrize(("verb", "kind"), CASES)
def test_a_verb_and_a_thing(here: Here, tmp_path: Path, verb: str, kind: str) -> None:
    options, said = VERBS[verb]
    before = {path.name for path in tmp_path.iterdir()}
    done = here(verb.split()[0], KINDS[kind] + UNUSUAL.get((verb, kind), ""), *options)
    assert "Traceback" not in done.stderr + done.stdout
    answer = done.stdout + done.stderr
    if said[kind] == FINE:
        assert done.returncode == 0, answer
        return
    assert done.returncode in ((1, 2) if verb.startswith("replay") else (1,)), answer
    assert said[kind] in " ".join(answer.split()), answer
    if said[kind] in NOT_MEANT.values():
        assert done.stderr == f"error: {said[kind]}\n"
        assert done.stdout == ""
        assert {path.name for path in tmp_path.iterdir()} == before


def test_from_python(things: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(things)
    for kind in ("package", "arrays", "pack's file", "package's file", "folder"):
        with pytest.raises(CompileError) as refused:
            hamlet.compile(KINDS[kind])
        assert str(refused.value) == NOT_MEANT[kind]
