"""The lower ends of the ranges in pyproject.toml, installed together and tried:

    python tests/pins/lower.py

makes an environment under build/lower_pins in which each package that we name has the lowest version that its range
allows and that has wheels for this Python, runs the tests that stand beside each package in `TRIED`, and writes which
versions these are and what the tests say to benchmarks/results/lower_pins.md. The exit status is 1 where a test fails.
Some 5 GB, since the torch that PyPI has for Linux brings CUDA.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENT = re.compile(r"([A-Za-z0-9_-]+)(?:\[[^]]*\])?(>=[^;\s]*)?")
TOOLS = ("test", "dev", "ports")
"""Extras for those who work on hamletc; what they name beside other extras needs no row."""

GYM = (
    "tests/adapters/test_gym.py",
    "tests/adapters/test_gym_checker.py",
    "tests/adapters/test_seeds.py",
    "tests/adapters/test_copies.py",
)
STEPS = ("tests/unit/env/test_env_stepping.py",)
LSP = ("tests/unit/language/test_lsp.py",)
COMMANDS = ("tests/unit/cli/test_cli_check.py",)
TRIED: dict[str, tuple[str, ...]] = {
    "torch": STEPS,
    "numpy": STEPS,
    "ziglang": ("tests/unit/native/test_library.py", "tests/unit/native/test_team.py"),
    "triton": ("tests/ptx/test_ptx_operations.py",),
    "wasmtime": ("tests/unit/launch/test_wasm.py", "tests/unit/targets/wasm/test_native.py"),
    "bitwuzla": ("tests/unit/proof/test_rules.py",),
    "lark": ("tests/unit/language/test_lalr.py",),
    "jinja2": ("tests/golden/generated/test_committed_packages.py",),
    "pyyaml": ("tests/unit/townlet/test_read_pack.py", "tests/unit/townlet/test_refused_packs.py"),
    "pygls": LSP,
    "lsprotocol": LSP,
    "rich": ("tests/unit/cli/test_cli_run.py",),
    "rich-click": COMMANDS,
    "matplotlib": ("tests/unit/cli/test_cli_run.py",),
    "safetensors": ("tests/unit/env/test_env_saved.py",),
    "wandb": ("tests/unit/telemetry/test_trackers.py",),
    "mlflow-skinny": ("tests/unit/telemetry/test_trackers.py",),
    "tensorboard": ("tests/unit/telemetry/test_telemetry.py",),
    "pyarrow": ("tests/unit/cli/test_cli_sweep.py",),
    "onnx": ("tests/unit/export/test_policy_exports.py",),
    "onnxruntime": ("tests/unit/export/test_policy_exports.py",),
    "gymnasium": GYM,
    "minari": ("tests/adapters/test_minari.py",),
    "h5py": ("tests/adapters/test_minari.py",),
    "pettingzoo": ("tests/adapters/test_pettingzoo.py",),
    "stable-baselines3": ("tests/adapters/test_sb3.py",),
    "torchrl": ("tests/adapters/test_torchrl.py",),
    "tensordict": ("tests/adapters/test_torchrl.py", "tests/adapters/test_copies.py"),
    "rsl-rl-lib": ("tests/adapters/test_rsl_rl.py",),
    "zensical": ("tests/docs/test_site.py",),
    "pygame": ("tests/adapters/test_human_window.py",),
}
"""Packages, and the tests that use them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the tests of a file ended, by their number."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        counts = (("passed", self.passed), ("**failed**", self.failed), ("skipped", self.skipped))
        return ", ".join(f"{count} {word}" for word, count in counts if count) or "nothing ran"


def ranges() -> dict[str, str]:
    """The packages that users of hamletc get, and their ranges, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [names for extra, names in project["optional-dependencies"].items() if extra not in TOOLS]
    matches = [
        REQUIREMENT.match(each) for each in [*project["dependencies"], *(name for some in extras for name in some)]
    ]
    return {match[1]: match[2] for match in matches if match is not None and match[2]}


def environment(folder: Path) -> Path:
    """The Python of an environment with the lowest versions, which is made where it is not there."""
    python = folder / "bin" / "python"
    if (folder / "ready").exists():
        return python
    for each in (folder / "tools", folder):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", each], check=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", folder / "tools" / "bin" / "python", "install", "-q", "uv"],
        check=True,
    )
    uv = [folder / "tools" / "bin" / "uv", "pip", "install", "-q", "--python", python, "--resolution", "lowest-direct"]
    binary = ["--only-binary", ":all:", "--no-binary", "hamletc"]
    subprocess.run([*uv, *binary, "-e", f"{ROOT}[test,rsl_rl]"], check=True)
    (folder / "ready").touch()
    return python


def versions(python: Path, names: list[str]) -> dict[str, str]:
    """The versions that an environment has of these packages."""
    program = (
        "import json, sys, importlib.metadata as of; print(json.dumps([of.version(each) for each in sys.argv[1:]]))"
    )
    done = subprocess.run([python, "-c", program, *names], stdout=subprocess.PIPE, text=True, check=True)
    return dict(zip(names, json.loads(done.stdout), strict=True))


def outcomes(python: Path, report: Path) -> dict[str, Outcome]:
    """How the tests of each file end in an environment; what pytest prints goes to stderr."""
    files = sorted({file for some in TRIED.values() for file in some})
    # How long something takes is no question of versions.
    command = [
        python,
        "-m",
        "pytest",
        "-k",
        "not answered_soon",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        f"--junitxml={report}",
        *files,
    ]
    subprocess.run(command, cwd=ROOT, stdout=sys.stderr, env=os.environ | {"OMP_NUM_THREADS": "1"})
    return read(report, files)


def read(report: Path, files: list[str]) -> dict[str, Outcome]:
    """How the tests of these files ended, of a report of pytest."""
    modules = {file.removesuffix(".py").replace("/", "."): file for file in files}
    counts: dict[str, Counter[str]] = {file: Counter() for file in files}
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname") or case.get("name") or ""
        kinds = {child.tag for child in case}
        ended = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        if module in modules:
            counts[modules[module]][ended] += 1
    return {file: Outcome(each["passed"], each["failed"], each["skipped"]) for file, each in counts.items()}


def table(asked: dict[str, str], installed: dict[str, str], found: dict[str, Outcome]) -> str:
    """A row for each package."""
    lines = [
        "# The lowest versions that pyproject.toml allows",
        "",
        f"Made by `python tests/pins/lower.py` with Python {'.'.join(map(str, sys.version_info[:2]))}: all in one",
        "environment, each the lowest that has wheels.",
        "",
        "| package | range | tried | tests | they say |",
        "|---|---|---|---|---|",
    ]
    for name, tests in TRIED.items():
        total = sum((found[file] for file in tests), Outcome())
        files = ", ".join(f"`{file}`" for file in tests)
        lines.append(f"| {name} | `{asked[name]}` | {installed[name]} | {files} | {total} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, default=ROOT / "build" / "lower_pins", help="where it is kept")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results" / "lower_pins.md")
    asked = parser.parse_args()
    python = environment(asked.environment)
    found = outcomes(python, asked.environment / "report.xml")
    asked.results.write_text(table(ranges(), versions(python, list(TRIED)), found), encoding="utf-8")
    return 1 if any(each.failed or not each.passed for each in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
