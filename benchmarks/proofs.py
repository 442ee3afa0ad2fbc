"""What `hamletc prove` proves, and `hamletc attest` checks: universes, kernels and GPUs, in words of memory, and in the
time of a CPU that it takes.

    python benchmarks/proofs.py --json benchmarks/results/proofs.json
    python benchmarks/proofs.py --json benchmarks/results/proofs.json --targets sm_80 sm_100 -- first_meal town

Rows that are in the file already are written anew where they are measured again, and stay where they are not. The same
as a table goes beside it, as proofs.md. It exits with 1 if a sampled state refutes a kernel.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from facts import ROOT, facts

from hamlet.errors import HamletError
from hamlet.package.module import Module
from hamlet.schema.abi import Kernel
from hamlet_lab.proof.attest import RefusedError, attested, beside
from hamlet_lab.proof.certificate import certificate
from hamlet_lab.proof.report import Report, prove_package
from hamlet_lab.runners import ARCHITECTURES
from hamletc.compile import compile_file

KERNELS: tuple[Kernel, ...] = ("step", "reset", "observe")
SECONDS = 120
NOTE = (
    "`hamletc prove` of shipped universes, see [proof](../../docs/proof.md): words of memory that are proven, of "
    "all that the kernel must leave; in parentheses the seconds of a CPU, with the compilation by Triton and without "
    "the start of Python. Of those that are whole `hamletc attest` checked the certificate: in brackets the seconds of "
    "that, with the solver, or that it was not accepted. Kernels are those of worlds of the fewest agents that a "
    "universe may have, without observations: `observe` is of masks alone."
)


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel of a universe for a GPU.

    Attributes:
        refuted: words for which a sampled state shows that they are wrong.
        reason: why it is not known to the proof, or was stopped; empty where all words were tried.
        attested: the seconds of a CPU in which the certificate was checked.
        refused: why it was not accepted.
    """

    universe: str
    kernel: str
    target: str
    proven: int = 0
    words: int = 0
    refuted: int = 0
    cpu_seconds: float = 0.0
    reason: str = ""
    attested: float = 0.0
    refused: str = ""

    @property
    def told(self) -> str:
        """The row in a cell of a table."""
        checked = " [no]" if self.refused else f" [{self.attested:.1f}]" if self.attested else ""
        return self.reason or f"{self.proven} of {self.words} ({self.cpu_seconds:.1f}){checked}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("universes", nargs="*", help="names such as town or ports/taxi; by default all")
    parser.add_argument("--kernels", nargs="*", choices=KERNELS, default=KERNELS)
    parser.add_argument("--targets", nargs="*", choices=ARCHITECTURES, default=("sm_90",))
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of a CPU, for each proof")
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    rows: dict[tuple[str, str, str], Row] = {}
    if arguments.json.exists():
        rows = {(each["universe"], each["kernel"], each["target"]): Row(**each) for each in _rows(arguments.json)}
    signal.signal(signal.SIGPROF, _stop)
    for name in arguments.universes or list(shipped()):
        with tempfile.TemporaryDirectory(prefix="proofs_") as folder:
            module = compile_file(ROOT / "universes" / f"{name}.hamlet", Path(folder) / "package")
            for target in arguments.targets:
                for kernel in arguments.kernels:
                    row = tried(module, name, kernel, target, arguments.seconds)
                    rows[name, kernel, target] = row
                    print(name, kernel, target, row.told, flush=True)
        told = {"facts": facts("benchmarks/proofs.py", "c"), "seconds": arguments.seconds}
        data = {**told, "rows": [asdict(rows[key]) for key in sorted(rows)]}
        arguments.json.write_text(json.dumps(data, indent=1) + "\n")
        arguments.json.with_suffix(".md").write_text("\n".join(table(list(rows.values()), told["facts"])) + "\n")
    return 1 if any(each.refuted for each in rows.values()) else 0


def _rows(path: Path) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", json.loads(path.read_text())["rows"])


def _stop(*_: object) -> None:
    raise TimeoutError


def shipped() -> Iterator[str]:
    """The names of all universes, those of the top folder first."""
    folder = ROOT / "universes"
    for under in (".", "gallery", "ports"):
        for path in sorted((folder / under).glob("*.hamlet")):
            yield path.relative_to(folder).with_suffix("").as_posix()


def tried(module: Module, name: str, kernel: Kernel, target: str, seconds: int) -> Row:
    """The proof of a kernel, for so many seconds of a CPU at most."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        report = prove_package(module, target, name=kernel)
    except HamletError as error:
        return Row(name, kernel, target, reason=f"not known: {str(error).split(': ', 1)[-1]}")
    except TimeoutError:
        return Row(name, kernel, target, reason=f"not done in {seconds} s")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    proof, spent = report.proof, round(time.process_time() - began, 2)
    refuted = sum(each.counterexample is not None for each in proof.failed)
    words, checked = len(proof.obligations), (0.0, "") if proof.failed else _checked(module, report)
    return Row(name, kernel, target, words - len(proof.failed), words, refuted, spent, "", *checked)


def _checked(module: Module, report: Report) -> tuple[float, str]:
    """The seconds of a CPU in which the certificate of a proof was checked, and why it was refused."""
    path, began = beside(module.path, report.kernel.name), time.process_time()
    path.write_text(certificate(report))
    try:
        attested(module.path, path)
    except RefusedError as error:
        return 0.0, str(error)
    return round(time.process_time() - began, 2), ""


def table(rows: list[Row], made: dict[str, str]) -> Iterator[str]:
    """The rows as Markdown."""
    yield from ("# Proofs", "", NOTE, "")
    targets = sorted({each.target for each in rows}, key=lambda each: int(each[3:]))
    for target in targets:
        of = [each for each in rows if each.target == target and not each.reason]
        whole = sum(each.proven == each.words for each in of)
        words = f"{sum(each.proven for each in of):,} of {sum(each.words for each in of):,} words"
        kernels_of, others = len([each for each in rows if each.target == target]), "not known or not done"
        checked = sum(each.attested > 0 for each in of)
        yield (
            f"- {target}: {whole} of {kernels_of} kernels whole, {words}; {kernels_of - len(of)} {others}; "
            f"{checked} certificates attested."
        )
    kernels = [each for each in KERNELS if any(row.kernel == each for row in rows)]
    yield from ("", f"| universe | GPU | {' | '.join(kernels)} |", "|---|---|" + "---|" * len(kernels))
    cells = {(each.universe, each.target, each.kernel): each.told for each in rows}
    for universe in dict.fromkeys(each.universe for each in rows):
        for target in targets:
            told = [cells.get((universe, target, kernel), "-") for kernel in kernels]
            if set(told) == {"-"}:
                continue
            if len(set(told)) == 1 and told[0].startswith("not"):
                told[1:] = ["the same"] * (len(told) - 1)
            yield f"| {universe} | {target} | {' | '.join(told)} |"
    yield from (
        "",
        "; ".join(str(each) for key, each in made.items() if key in ("machine", "versions", "commit")) + ".",
    )


if __name__ == "__main__":
    sys.exit(main())
