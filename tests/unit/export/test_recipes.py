"""Programs of docs/recipes.md: each that can be built here gives the digest that the export knows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import hamlet
from hamlet.package.module import Module
from hamletc.cli.main import hamletc

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```\w+ (\w+\.\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDES = "import jax; print(jax.ffi.include_dir())"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of all recipes, and the exported town."""
    made = tmp_path_factory.mktemp("recipes")
    for name, text in BLOCK.findall((ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")):
        (made / name).write_text(text, encoding="utf-8")
    for form in ("c", "wasm"):
        arguments = ["export", str(ROOT / "universes" / "town.hamlet"), "--to", form, "-o", str(made)]
        assert CliRunner().invoke(hamletc, arguments).exit_code == 0
    run(made, "cc -std=c99 -Og -Dalways_inline=unused -fPIC -c town.c -o town.o")
    return made


def run(folder: Path, command: str) -> str:
    """What a command says."""
    done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("tool", "commands"),
    [
        ("g++", ("g++ -Wall -Wextra -Werror -O1 town.cc town.o -o cpp", "./cpp")),
        ("rustc", ("rustc town.rs -C link-arg=town.o -o rust", "./rust")),
        ("node", ("node town.mjs",)),
        ("julia", ("cc -shared town.o -o libtown.so", "julia town.jl")),
        ("R", ("R CMD SHLIB town_r.c town.c", "Rscript town.R")),
    ],
)
def test_recipes_give_the_digest(folder: Path, tool: str, commands: tuple[str, ...]) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool}")
    said = [run(folder, command) for command in commands][-1]
    known = re.findall(r"town_digest\(self\) == 0x(\w+)u", (folder / "town.c").read_text(encoding="utf-8"))
    assert known == re.findall(r"[0-9A-F]{9,16}", said.upper())


def test_what_is_no_program_here_is_c(folder: Path) -> None:
    """R's function, and a device, which has no library of C."""
    flags = "-std=c99 -Wall -Wextra -Werror"
    run(folder, f"cc {flags} -c town_r.c -o town_r.o")
    small = "-ffreestanding -DHAMLET_ONE_THREAD -DHAMLET_SCALAR -Os"
    run(folder, f"cc {flags} {small} device.c town.c -o device")
    run(folder, "./device")


def test_jax_scans_steps_with_the_same_bits(folder: Path, compiled: Callable[[str], Module]) -> None:
    if find_spec("jax") is None:
        pytest.skip("there is no JAX")
    asked = subprocess.run([sys.executable, "-c", INCLUDES], capture_output=True, text=True, check=True)
    includes = asked.stdout.strip()
    run(folder, f"g++ -std=c++17 -O1 -fPIC -shared -I{includes} town_jax.cc town.o -o libtown.so")
    said = run(folder, f"{sys.executable} town_jax.py")
    text = (ROOT / "universes" / "town.hamlet").read_text(encoding="utf-8")
    env = hamlet.make(compiled(text), worlds=4, seed=7, backend="c", quiet=True)
    for actions in (np.arange(300)[:, None] * 5 + np.arange(4) * 3).astype(np.int32) % env.num_actions:
        env.step(torch.from_numpy(actions))
    assert said.split()[0] == f"{env.digest():x}"
