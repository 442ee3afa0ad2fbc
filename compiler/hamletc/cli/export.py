"""`hamletc export`: a universe or a policy for other people's programs, as source text, WebAssembly or ONNX."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamletc.cli.lints import allow_option, lints
from hamletc.cli.policies import export_policy, is_policy
from hamletc.cli.show import show_warnings
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch


@click.command()
@click.argument("universe", type=click.Path(path_type=Path), metavar="UNIVERSE|RUN")
@click.option("--to", "form", type=click.Choice(["c", "wasm", "onnx"]), default="c", show_default=True,
              help="C99, WebAssembly, or ONNX of a policy.")  # fmt: skip
@click.option("--abi", type=click.Choice(["plain", "puffer5"]), default="plain", show_default=True,
              help="Whose functions the C has: our own, or those of an environment of PufferLib 5.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), show_default="here",
              help="Folder to write into.")  # fmt: skip
@allow_option
def export(universe: Path, form: str, abi: str, output: Path, allow: tuple[str, ...]) -> None:
    """Write the file UNIVERSE, or the pack in the folder UNIVERSE, as one file of C99 and its header, or as a module of
    WebAssembly and the JavaScript that opens it.

    Of a RUN of training, or a file with weights, it writes the policy: in C or in WebAssembly with the bits of every
    backend, or as a graph of ONNX, which is compared on 100,000 observations where onnxruntime is installed.
    """
    from hamlet.env.keep.files import write_file
    from hamletc.export.tested import digest_tested

    if abi != "plain" and (form != "c" or is_policy(universe)):
        raise CompileError(f"--abi {abi} is of universes in C")
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
    if form == "wasm":
        from hamletc.export.wasm import export_wasm

        exported = export_wasm(compilation, digest)
    elif abi == "puffer5":
        from hamletc.export.puffer5 import export_puffer5

        exported = export_puffer5(compilation, digest)
    else:
        from hamletc.export.c import export_c

        exported = export_c(compilation, digest)
    output.mkdir(parents=True, exist_ok=True)
    for name, contents in exported.files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(output / name, contents)
        click.echo(f"wrote {output / name}")
