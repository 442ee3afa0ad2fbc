"""Every example in the README and the docs does what the page says it does."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest
import torch
import yaml
from markdown_blocks import Block, blocks, commands, completed, missing_lines, universe_name

import hamlet_lab.verify
import precompiled
from examples import LONG
from hamlet.native.compilers import NATIVE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
BRIEFLY = {
    "collect": "--universe {} --backend interpreter --worlds 8 --ticks 4",
    "ppo": "--universe {} --backend interpreter --worlds 32 --steps 2048 --evaluation 8 --longest 20",
    "ppo_gru": "--universe {} --backend interpreter --worlds 32 --steps 2048 --evaluation 8 --longest 20",
    "behaviour_cloning": "--universe {} --episodes 20 --epochs 2 --evaluation 20",
    "dqn": "--universe {} --backend interpreter --worlds 32 --steps 3200 --warmup 2000 --evaluation 8 --longest 20",
    "evolution": "--universe {} --backend interpreter --features here satiation:2 --ticks 20 --worlds 8 "
    "--generations 2 --pairs 2 --evaluation 8",
}
"""Options with which examples that learn take seconds."""
LESS = {
    "tuned": "--budget 40k --candidates 4",
    "early": "--ticks 40000",
    "cart": "--ticks 100000",
    "many": "--ticks 4096",
    "minded": "--ticks 4096",
    "varied": "--ticks 4096",
    "tag": "--ticks 20000",
    "flight": "--ticks 20000",
    "league": "--ticks 60000",
    "fishers": "--ticks 8000",
}
"""Runs by name that learn less than a user's: pages show none of their numbers."""
TARGETS = "c", "triton", "wasm"
FEWER = 8
"""Of so many fragments one is compiled, and others are checked: tests/features compiles what they show."""
FLAGS = "-std=c99", "-O1", f"-march={NATIVE}", "-Wall", "-Werror"
"""Where the CPU fuses products and sums, no library need do it."""
INCLUDE = re.compile(r'^#include "(\S+)"', re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the shipped universes. All pages share it, so that each package is compiled once."""
    result = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "universes", result / "universes")
    return result


@pytest.fixture
def workspace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder as the working directory."""
    monkeypatch.chdir(folder)
    return folder


def hamletc(arguments: list[str], capsys: pytest.CaptureFixture[str], shown: tuple[str, ...] = ()) -> tuple[int, str]:
    """Exit code and output of a command, run in this process; `shown` are the lines of output that the page has.

    `verify` compares less than a user's would where the page does not say so itself: tests/equivalence is where
    Triton's kernels run. Observations as bytes are compared there, too: kernels are compiled for each type of them.
    `train` draws its curve and its film where the page shows their names, and `tune` ranks by fewer episodes:
    tests/training looks at them.
    """
    from hamletc.cli.main import main

    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        if arguments[0] == "verify":
            arguments = [*arguments, "--quick", "--backends", "c"]
            quick = replace(hamlet_lab.verify.QUICK, compact=(torch.float32,))
            patch.setattr(hamlet_lab.verify, "QUICK", quick)
        if arguments[0] in ("train", "tune") and not any(line.startswith("curve ") for line in shown):
            from hamlet_train.cli import ending
            from hamlet_train.tuning import worlds

            patch.setattr(ending, "write_curve", lambda *_: None)
            patch.setattr(ending, "write_film", lambda *_: 0)
            patch.setattr(worlds, "EPISODES", 20)
        if "--name" in arguments and (less := LESS.get(arguments[arguments.index("--name") + 1])):
            arguments, words = [*arguments], less.split()
            for option, amount in zip(words[::2], words[1::2], strict=True):
                arguments[arguments.index(option) + 1] = amount
        # Restored afterwards: `verify` sets it.
        patch.setenv("TRITON_INTERPRET", "0")
        patch.setattr(sys, "argv", ["hamletc", *arguments])
        with pytest.raises(SystemExit) as ended:
            sys.exit(main())
    code = ended.value.code
    captured = capsys.readouterr()
    return (0 if code is None else int(code)), captured.out + captured.err


def compiles(source: Path, capsys: pytest.CaptureFixture[str], silent: bool) -> None:
    """The file compiles, without errors; `silent`: without warnings too. Its text says for which target: what it shows
    is compiled for each one in tests/features."""
    target = ",".join(TARGETS) if LONG else TARGETS[crc32(source.read_bytes()) % len(TARGETS)]
    folder = source.parent / "out" / source.stem
    code, output = hamletc(["compile", str(source), "--target", target, "-o", str(folder)], capsys)
    assert code == 0, output
    if silent:
        assert "warning" not in output, output


def built(source: Path, where: str, anew: Path | None = None) -> Path:
    """The object file of a source. What several pages, or pages in another run, export alike is compiled once."""
    text = source.read_text()
    headers = [source.parent / name for name in INCLUDE.findall(text)]

    def make(target: Path) -> None:
        done = subprocess.run(["cc", *FLAGS, "-c", source, "-o", target], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{where}: {done.stderr}"

    return precompiled.stored((text, *(each.read_text() for each in headers), *FLAGS), make, anew)


FRAGMENT_BASE = blocks(ROOT / "docs" / "language.md")[0].text
FRAGMENTS = [
    block for page in PAGES for block in blocks(page) if (block.language, *block.words) == ("hamlet", "fragment")
]
assert FRAGMENTS


@pytest.mark.parametrize("block", FRAGMENTS, ids=lambda block: block.where)
def test_fragment(block: Block, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = workspace / "fragment.hamlet"
    source.write_text(completed(block.text, FRAGMENT_BASE))
    if LONG or crc32(source.read_bytes()) % FEWER == 0:
        compiles(source, capsys, silent=True)
        return
    code, output = hamletc(["check", str(source)], capsys)
    assert code == 0, output
    assert "warning" not in output, output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        match (block.language, *block.words):
            case ("hamlet", "broken"):
                (workspace / f"{universe_name(block.text)}.hamlet").write_text(block.text)
            case ("hamlet",) | ("hamlet", "warns"):
                source = workspace / f"{universe_name(block.text)}.hamlet"
                source.write_text(block.text)
                compiles(source, capsys, silent="warns" not in block.words)
                code, output = hamletc(["fmt", "--check", str(source)], capsys)
                assert code == 0, f"{block.where}: {output}"
            case ("console", *words):
                expected = 1 if "exit=1" in words else 0
                for command in commands(block):
                    program, *arguments = shlex.split(command.line)
                    assert program == "hamletc", block.where
                    code, output = hamletc(arguments, capsys, command.output)
                    assert code == expected, f"{block.where}: {command.line}: exit code {code}\n{output}"
                    assert missing_lines(command.output, output) == [], f"{block.where}: {output}"
            case ("python",):
                exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), namespace)
            case ("c", *sources):
                (workspace / "program.c").write_text(block.text)
                objects = [
                    built(Path(source), block.where, Path(f"{source}.o").resolve() if LONG else None)
                    for source in ("program.c", *sources)
                ]
                subprocess.run(["cc", *objects, "-o", "program"], check=True, timeout=60)
                ran = subprocess.run(["./program"], check=False, timeout=60)
                assert ran.returncode == 0, block.where
            case ("js", "in", folder):
                (workspace / folder / "program.mjs").write_text(block.text)
                if node := shutil.which("node"):
                    ran = subprocess.run([node, "program.mjs"], cwd=folder, check=False, timeout=60)
                    assert ran.returncode == 0, block.where
            case ("text", "in", path):
                shown = tuple(block.text.splitlines())
                assert missing_lines(shown, (workspace / path).read_text()) == [], block.where
            case (_, name) if "." in name:
                assert page.name == "recipes.md", f"{block.where}: only recipes are files, and have a test of their own"
            case ("toml",):
                assert tomllib.loads(block.text), block.where
            case ("json" | "yaml",):
                assert yaml.safe_load(block.text), block.where
            case ("hamlet", "fragment") | ("sh" | "text" | "lua" | "",):
                pass
            case other:
                pytest.fail(f"{block.where}: no test knows what to do with {other}")


def test_the_tutorial_ends_with_the_shipped_universe() -> None:
    shipped = (ROOT / "universes" / "first_meal.hamlet").read_text()
    assert shipped in [block.text for block in blocks(ROOT / "docs" / "tutorial.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text()):
        if target.startswith("http"):
            continue
        linked = page.parent / target
        assert linked.exists(), f"{page.name}: {target}"
        if anchor:
            headings = [line.lstrip("# ").lower() for line in linked.read_text().splitlines() if line.startswith("#")]
            assert anchor in [re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in headings]


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_from_any_folder(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = BRIEFLY.get(example.stem, "").format(ROOT / "universes" / "first_meal.hamlet").split()
    monkeypatch.setattr(sys, "argv", [str(example), *arguments])
    runpy.run_path(str(example), run_name="__main__")
    assert "OTHER BITS" not in (output := capsys.readouterr().out)
    assert output
