"""`make rehearsal`: the GPU check and the tests of `tests/gpu`, on a simulated device, with the versions of a machine
that is lent for ten minutes: Python 3.12, torch 2.11, Triton 3.6, numpy 2.5, and no compiler for kernels in C.

    python tests/gpu/rehearsal/everything.py [--json benchmarks/results/rehearsal.json] [--python PYTHON]

It makes an environment in `runs/rehearsal` (5 GB: the torch that PyPI has for Linux brings CUDA), unless it is given
the Python of one; runs both; and writes what ran, what was found and what failed. Seven minutes on two cores once that
environment is there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
PACKAGES = ("torch==2.11.0", "triton==3.6.0", "numpy==2.5.2", "jinja2", "pyyaml", "pytest", "pytest-xdist")
"""The tests compile a universe, which needs Jinja2 and PyYAML."""
NO_COMPILER = {"HAMLET_CC": "no-compiler"}
"""Variables that name a compiler that is not there."""
MISSING = {name: f"there is no {name} on that machine" for name in ("lark", "yaml", "pytest")}
"""What does not import where the GPU check runs, and why."""
SUMMARY = re.compile(r"^(?:=+ )?(\d+ (?:passed|failed|skipped|error)[^=]*?)(?: =+)?$", re.MULTILINE)


def environment(folder: Path) -> Path:
    """The Python of an environment with these packages, which is made where it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        named = shutil.which("python3.12")
        # A shim of pyenv can be there for a Python that is not chosen.
        works = named and subprocess.run([named, "-c", ""], capture_output=True).returncode == 0
        base = named if named and works else sys.executable
        print(f"making {folder} with {base}", file=sys.stderr, flush=True)
        subprocess.run([base, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python


def environ(folder: Path, broken: dict[str, str], *paths: Path) -> dict[str, str]:
    """Variables with which Python finds these folders, packages that do not import, and no compiler for kernels."""
    for name, reason in broken.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(f"raise ImportError({reason!r})\n")
    found = {"PYTHONPATH": os.pathsep.join(map(str, (folder, *paths))), "OMP_NUM_THREADS": "1"}
    return os.environ | NO_COMPILER | found


def check_gpu(python: Path, folder: Path, without: list[str], commit: str) -> dict[str, Any]:
    """The GPU check with tiny sizes, in an environment that has none of our packages."""
    variables = environ(folder, MISSING)
    result, packages = folder / "gpu.json", folder / "packages"
    shutil.copytree(ROOT / "generated", packages, ignore=shutil.ignore_patterns("__pycache__", *without))
    script = ROOT / "benchmarks" / "gpu_check.py"
    options = ["--small", "--seconds", "7200", "--commit", commit, "--packages", packages, "--json", result]
    subprocess.run([python, HERE, script, *options], env=variables, cwd=folder, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(result.read_text())
    return found


def test_gpu(python: Path, folder: Path, without: list[str]) -> str:
    """What pytest says in the end of `tests/gpu`."""
    from installed import write_entry_points

    write_entry_points(folder / "installed")
    paths = [ROOT / name for name in ("runtime", "lab", "compiler", "townlet", "tests", "tests/gpu")]
    command = [python, HERE, "-m", "pytest", "tests/gpu", "-v", "-n", "0", "-p", "no:cacheprovider"]
    if without:
        command += ["-k", " and ".join(f"not {name}" for name in without)]
    variables = environ(folder, {}, folder / "installed", *paths) | {"TRITON_CACHE_DIR": str(folder / "triton")}
    printed = ""
    with subprocess.Popen(command, env=variables, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            print(line, end="", file=sys.stderr, flush=True)
            printed += line
    summary = SUMMARY.findall(printed)
    told = summary[-1] if summary else f"no result, exit code {running.returncode}"
    return re.sub(r" in [\d.]+s.*", "", told).strip()


def main() -> int:
    """Exit code 0: nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "rehearsal.json")
    parser.add_argument("--python", type=Path, help="of an environment that has everything")
    parser.add_argument("--without", action="append", default=[], metavar="UNIVERSE", help="leave out what is of it")
    arguments = parser.parse_args()
    without = arguments.without
    sys.path.insert(0, str(ROOT / "benchmarks"))
    python = (arguments.python or environment(ROOT / "runs" / "rehearsal")).absolute()
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as name:
        folder = Path(name)
        with ThreadPoolExecutor(2) as both:
            checked = both.submit(check_gpu, python, folder / "check", without, commit)
            tested = both.submit(test_gpu, python, folder / "tests", without)
        found, tests = checked.result(), tested.result()
    command = " ".join(["python tests/gpu/rehearsal/everything.py", *(f"--without {each}" for each in without)])
    result = report(found, tests, command)
    arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    arguments.json.with_suffix(".md").write_text(markdown(result))
    print(markdown(result))
    return 1 if found["failures"] or not re.fullmatch(r"\d+ passed(, \d+ (skipped|deselected))*", tests) else 0


def report(found: dict[str, Any], tests: str, command: str) -> dict[str, Any]:
    """What is worth keeping: not the times, which mean nothing."""
    facts = ("commit", "python", "torch", "triton", "numpy", "device")
    return {
        "command": command,
        **{name: found["facts"].get(name) for name in facts},
        "tests of tests/gpu": tests,
        "kernels compiled": sum(part["kernels compiled"] for part in found["parts"]),
        "parts": [{name: part[name] for name in ("part", "kernels compiled")} for part in found["parts"]],
        "verified": [{name: row[name] for name in row if name != "seconds"} for row in found["verified"]],
        "graphs and compiled steps": found["other_steps"],
        "kernels": found["kernels"],
        "timed": sorted({f"{row['universe']}: {row['form']}" for row in found["timed"]}),
        "findings": found["findings"],
        "left out": found["left_out"],
        "failures": [{name: each[name] for name in ("part", "error")} for each in found["failures"]],
    }


def markdown(result: dict[str, Any]) -> str:
    """The result as a page."""
    lines = ["# The GPU check, rehearsed on a simulated device", ""]
    for name, value in result.items():
        match value:
            case [dict(), *_]:
                header = list(value[0])
                lines += [f"## {name.capitalize()}", "", f"| {' | '.join(header)} |", "| --- " * len(header) + "|"]
                lines += [f"| {' | '.join(_cell(row[key]) for key in header)} |" for row in value]
                lines.append("")
            case [str(), *_]:
                lines += [f"## {name.capitalize()}", "", *(f"- {each}" for each in value), ""]
            case []:
                lines += [f"{name}: none", ""]
            case _:
                lines += [f"{name}: {_cell(value)}", ""]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value).replace("|", "/")


if __name__ == "__main__":
    sys.exit(main())
