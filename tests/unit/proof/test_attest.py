"""Certificates: one is accepted by a file that needs nothing but Python, and those of hostile provers are refused."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from prove_faults import FAULTS, planted

from hamlet_lab.proof import attest as checker
from hamlet_lab.proof.attest import RefusedError, attested, beside, digest, packed, same_quotients
from processes import Run

PROGRAM = Path(str(checker.__file__))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, run_program: Run) -> Path:
    """A package, beside it its certificate."""
    folder = tmp_path_factory.mktemp("certified")
    program = Path(__file__).with_name("certified.py")
    done = run_program(program, folder)
    assert done.returncode == 0, done.stderr
    return folder / "generated" / "pantry"


@pytest.fixture
def refuses(package: Path, tmp_path: Path) -> Callable[..., str]:
    """Why a certificate is refused after a change, with a digest as if it had been written so."""

    def refused(change: Callable[[dict[str, Any]], None], asks: bool = False) -> str:
        data = json.loads(beside(package).read_text())
        change(data)
        del data["sha256"]
        data["sha256"] = digest(packed(data))
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(data))
        with pytest.raises(RefusedError) as error:
            attested(package, path, asks)
        return str(error.value)

    return refused


def query(data: dict[str, Any]) -> int:
    """The step of the query that says most."""
    steps = [(len(step[3]), number) for number, step in enumerate(data["steps"]) if step[2] == "query"]
    return max(steps)[1]


def test_a_certificate_is_accepted_and_its_queries_are_asked_again(package: Path) -> None:
    certificate = attested(package)
    assert len(set(certificate.words)) == 16
    assert certificate.cases == 4
    text = "\n".join(certificate.lines())
    assert "asked again of bitwuzla" in text
    assert {"rule 20", "rule 22", "rule 21", "choice", "rule 35", "query"} <= set(certificate.used)


def test_other_kernels_have_certificates_of_their_own(package: Path, tmp_path: Path) -> None:
    words = {kernel: set(attested(package, beside(package, kernel)).words) for kernel in ("step", "reset", "observe")}
    assert words["step"] - words["reset"] == {
        "actions[0]",
        "reward[0]",
        "terminated[0]",
        "truncated[0]",
        "used[0]",
        "cause[0]",
    }
    assert words["reset"] - words["step"] == {"begins[0]"}
    assert words["observe"] == words["reset"] - {"begins[0]"}
    for kernel, other in (("reset", "observe"), ("observe", "reset"), ("reset", "rollout")):
        data = json.loads(beside(package, kernel).read_text())
        data["kernel"] = other
        del data["sha256"]
        data["sha256"] = digest(packed(data))
        path = tmp_path / "other.json"
        path.write_text(json.dumps(data))
        with pytest.raises(RefusedError):
            attested(package, path, asks=False)


def test_the_checker_needs_nothing_but_python(package: Path) -> None:
    imports = [
        node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports}
    assert names - set(sys.stdlib_module_names) - {"collections.abc", "__future__"} == {"bitwuzla"}
    done = subprocess.run([sys.executable, "-I", "-S", PROGRAM, package], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "TAKEN ON TRUST" in done.stdout


def test_one_byte_matters(package: Path, tmp_path: Path) -> None:
    text = beside(package).read_text()
    path = tmp_path / "edited.json"
    for at in range(0, len(text), len(text) // 15):
        path.write_text(text[:at] + ("1" if text[at] != "1" else "2") + text[at + 1 :])
        with pytest.raises(RefusedError):
            attested(package, path, asks=False)


def test_another_package_or_another_triton_is_refused(package: Path, tmp_path: Path) -> None:
    other = tmp_path / "pantry"
    shutil.copytree(package, other)
    kernels = other / "triton_kernels.py"
    kernels.write_text(kernels.read_text() + "\n")
    with pytest.raises(RefusedError, match=r"pantry/triton_kernels\.py: the certificate is of another one"):
        attested(other, beside(package), asks=False)
    ptx = json.loads(beside(package).read_text())["ptx"]
    with pytest.raises(RefusedError, match=r"PTX, line 1: .* another Triton"):
        attested(package, asks=False, ptx=ptx.replace(".version 9", ".version 8", 1))


def test_a_state_that_refutes_a_kernel_is_replayed(package: Path) -> None:
    """A constant in the kernels of `faulty` is another one than that of its program."""
    folder = package.parent.parent
    proven = (folder / "proven.txt").read_text()
    assert re.search(r"differs where meter\.food = [\d.e-]+, .*alive = true.*; action \w+; world \d+, number", proven)
    replayed = (folder / "replayed.txt").read_text()
    assert "faulty@sm_90 differ" in replayed
    assert re.search(r"meters food, .*pantry\.hamlet:7 ", replayed, re.DOTALL)
    assert "food_3 = food_2 - 0.021" in replayed


def _premise(data: dict[str, Any]) -> None:
    data["premises"]["meters[0]"][1] = 0.5


def _cycle(data: dict[str, Any]) -> None:
    data["nodes"][50][2] = [50]


def _rule(data: dict[str, Any]) -> None:
    data["steps"][query(data)][2] = 22


def _sums(data: dict[str, Any]) -> None:
    one, other = [each for each in data["steps"] if each[2] == 35][:2]
    one[1] = other[1]


def _reason(data: dict[str, Any]) -> None:
    data["steps"][query(data)][2] = "congruence"


def _choice(data: dict[str, Any]) -> None:
    step = next(each for each in data["steps"] if each[2] == "choice")
    step[3] = next(each[3] for each in data["steps"] if each[2] == "choice" and each[3] != step[3])


def _opened(data: dict[str, Any]) -> None:
    next(each for each in data["steps"] if each[2] == "choice")[4] = []


def _case(data: dict[str, Any]) -> None:
    data["cases"]["sides"].pop()


def _width(data: dict[str, Any]) -> None:
    data["nodes"][query(data)][1] = 7


def _program(data: dict[str, Any]) -> None:
    data["ir"] = data["ir"].replace("const 0.02 ", "const 0.03 ", 1)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (_premise, r"premise meters\[0\]: "),
        (_cycle, "node 50: a cycle"),
        (_rule, r"step \d+: rule 22 does not fit"),
        (_choice, r"step \d+: rule 24 does not fit"),
        (_sums, r"step \d+: rule 35 does not fit"),
        (_opened, r"step \d+: rule 24 does not fit"),
        (_reason, r"step \d+: rule congruence does not fit"),
        (_case, "case: a case is missing"),
        (_width, ""),
        (_program, "case 1"),
    ],
)
def test_a_hostile_prover_is_refused(refuses: Callable[..., str], change: Callable[[Any], None], place: str) -> None:
    message = refuses(change)
    assert re.search(place, message), message


def test_a_query_that_says_less_or_another_thing_is_refused(refuses: Callable[..., str]) -> None:
    def less(data: dict[str, Any]) -> None:
        data["steps"][query(data)][3] = []

    def other(data: dict[str, Any]) -> None:
        step = data["steps"][query(data)]
        nodes = data["nodes"]
        step[1] = next(
            at for at, node in enumerate(nodes) if node[:2] == ["constant", nodes[step[0]][1]] and at != step[1]
        )

    for change in (less, other):
        assert "the query is answered by" in refuses(change, asks=True)


def test_ptx_with_a_fault_has_no_certificate(refuses: Callable[..., str]) -> None:
    places = set()
    for pattern, by in FAULTS.values():

        def change(data: dict[str, Any], pattern: str = pattern, by: str = by) -> None:
            data["ptx"] = planted(pattern, by)(data["ptx"])

        places.add(refuses(change))
    assert len(places) >= 5


def test_steps_are_needed(package: Path, tmp_path: Path) -> None:
    """Without one of its steps a certificate is refused, or holds all the same: nothing else happens."""
    text = beside(package).read_text()
    path, needed = tmp_path / "shorter.json", 0

    def without(tree: Any, step: int) -> Any:
        sides = {"sides": [without(each, step) for each in tree["sides"]]} if "sides" in tree else {}
        return {**tree, **sides, "steps": [each for each in tree["steps"] if each != step]}

    steps = len(json.loads(text)["steps"])
    for step in range(0, steps, max(steps // 12, 1)):
        data = json.loads(text)
        data["cases"] = without(data["cases"], step)
        del data["sha256"]
        data["sha256"] = digest(packed(data))
        path.write_text(json.dumps(data))
        try:
            attested(package, path, asks=False)
        except RefusedError:
            needed += 1
    assert needed >= 4


@pytest.mark.parametrize(("low", "fits"), [(0xB3638E37, True), (0xB3638E00, False), (0x33638E37, False)])
def test_quotients_are_compared_where_they_are_near_a_midpoint(low: int, fits: bool) -> None:
    """0.3, and the parts of its reciprocal: `test_rules` computes all of them."""
    h, c = checker.number_of(0x40555555), checker.number_of(0x3E99999A)
    assert same_quotients(h, checker.number_of(low), c, (-1.0, 1.0, 2.0**-26)) is fits
