"""`hamletc export`: a universe or a policy for other people's programs, as source text, WebAssembly or ONNX."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamletc.cli.lints import allow_option, lints
from hamletc.cli.policies import export_policy, is_policy, policies_as
from hamletc.cli.show import show_warnings
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch

if TYPE_CHECKING:
    from hamletc.compilation import Compilation
    from hamletc.export.exported import Exported

    Exporter = Callable[[Compilation, int], Exported]


@click.command()
@click.argument("universe", type=click.Path(path_type=Path), metavar="UNIVERSE|RUN")
@click.option("--to", "form", type=click.Choice(["c", "cuda", "wasm", "onnx"]), default="c", show_default=True,
              help="C99, CUDA C, WebAssembly, or ONNX of a policy.")  # fmt: skip
@click.option("--abi", type=click.Choice(["plain", "gym-c", "puffer5"]), default="plain", show_default=True,
              help="Whose functions the C has: our own, those that all universes have, or PufferLib 5's.")  # fmt: skip
@click.option("--policy", type=click.Path(path_type=Path), metavar="RUN|zoo:NAME",
              help="Write who plays UNIVERSE, too: a run, a file with weights, or one of the zoo.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), show_default="here",
              help="Folder to write into.")  # fmt: skip
@allow_option
def export(universe: Path, form: str, abi: str, policy: Path | None, output: Path, allow: tuple[str, ...]) -> None:
    """Write the file UNIVERSE, or the pack in the folder UNIVERSE, as one file of C99 and its header, as one of CUDA
    C, or as a module of WebAssembly and the JavaScript that opens it.

    Of a RUN of training, or a file with weights, it writes the policy: in C or in WebAssembly with the bits of every
    backend, or as a graph of ONNX, which is compared on 100,000 observations where onnxruntime is installed. With
    --policy both are written, if the policy is one for UNIVERSE.
    """
    from hamlet.env.keep.files import write_file
    from hamletc.export.tested import digest_tested

    if abi != "plain" and (form not in ("c", "cuda") or is_policy(universe)):
        raise CompileError(f"--abi {abi} is of universes in C")
    if form == "cuda" and (abi == "gym-c" or is_policy(universe)):
        raise CompileError("--to cuda is of universes, and of --abi plain or puffer5")
    if policy is not None and (is_policy(universe) or form not in ("c", "wasm") or abi != "plain"):
        raise CompileError("--policy is of a universe, in C or WebAssembly: without it a run is written alone")
    if is_policy(universe):
        export_policy(universe, form, output)
        return
    if form == "onnx":
        raise CompileError(f"{universe} is no policy: ONNX has networks, and --to c or wasm a universe")
    chosen = lints(allow)
    checked = check_file(universe, Stopwatch())
    show_warnings(checked, chosen)
    digest = digest_tested(checked.universe)
    # Kernels in WebAssembly are made of the same program as those in C.
    compilation = specialise(optimise(lower(checked.universe)), "c")
    files = dict(_exporter(form, abi)(compilation, digest).files)
    if policy is not None:
        files |= policies_as(policy, form, checked.universe)[0]
    output.mkdir(parents=True, exist_ok=True)
    for name, contents in files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(output / name, contents)
        click.echo(f"wrote {output / name}")


def _exporter(form: str, abi: str) -> Exporter:
    """The function that makes the files of a form, with functions of this kind."""
    match form, abi:
        case "wasm", _:
            from hamletc.export.wasm import export_wasm

            return export_wasm
        case "cuda", "puffer5":
            from hamletc.export.puffer5 import export_puffer5_cuda

            return export_puffer5_cuda
        case "cuda", _:
            from hamletc.export.cuda import export_cuda

            return export_cuda
        case _, "puffer5":
            from hamletc.export.puffer5 import export_puffer5

            return export_puffer5
        case _, "gym-c":
            from hamletc.export.gym import export_gym

            return export_gym
        case _:
            from hamletc.export.c import export_c

            return export_c
