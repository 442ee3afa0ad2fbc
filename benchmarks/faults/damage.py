"""Packages and caches that are damaged, byte by byte."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from fault import PACK, SEED, Fault, built, one_line

import hamlet
from hamlet import ModuleError
from hamlet.package import cache
from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch
from hamletc.package import with_ahead, write

EACH = 16
"""A file ends at each byte whose number this divides."""
AHEAD = {"aot/sm_90/kernels.json": b'{"format": 1}\n', "aot/sm_90/step_0.cubin": bytes(range(256))}
"""Stands for machine code: the loader does not look into it."""


def damaged_packages(share: float) -> Iterator[Fault]:
    """Every byte of every file, one after the other: of a universe, with machine code, and of a pack."""
    folder = Path(tempfile.mkdtemp())
    checked = check_file(PACK, Stopwatch())
    of_pack = build(checked.universe, Options(()), Stopwatch(), checked.pack)
    of_text = with_ahead(built(folder, "0.03"), AHEAD)
    for kind, files in (("package", of_text), ("package of a pack", of_pack)):
        package = folder / kind
        write(files, package)
        for name, content in sorted(files.items()):
            if kind != "package" and name == "tick.ir":
                continue
            fault = Fault(f"{kind}: a byte of `{name}` is another one, or the file ends there", "refused in one line")
            for at in range(0, len(content), max(round(1 / share), 1)):
                changed = content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :]
                for damage in (changed, content[:at])[: 1 if at % EACH else 2]:
                    (package / name).write_bytes(damage)
                    _refused(fault, package, f"byte {at}")
            (package / name).write_bytes(content)
            hamlet.load(package)
            yield fault
    shutil.rmtree(folder)


def _refused(fault: Fault, package: Path, what: str) -> None:
    try:
        hamlet.load(package)
    except ModuleError as error:
        return fault.note("refused") if one_line(str(error)) else fault.fail(f"{what}: {error}")
    except Exception as error:
        # A damaged package raises ModuleError alone: whatever else it raises is the fault that is looked for.
        return fault.fail(f"{what}: {error!r}")
    return fault.fail(f"{what}: was loaded")


def damaged_caches(share: float) -> Iterator[Fault]:
    """The machine code of a kernel, and what was measured."""
    folder = Path(tempfile.mkdtemp())
    os.environ["XDG_CACHE_HOME"] = str(folder)
    thing = random.Random(SEED).randbytes(20_000)
    cache.keep("kernels", "0" * 64, thing)
    key, answer = {"device": "this"}, {"seconds": {"64": 0.25}, "measured": "today"}
    cache.save("crossover", key, answer)
    kinds: tuple[tuple[str, Callable[[], object], object], ...] = (
        ("kernels", lambda: cache.recall("kernels", "0" * 64), thing),
        ("crossover", lambda: cache.load("crossover", key), answer),
    )
    for kind, recall, whole in kinds:
        fault = Fault(
            f"a byte in the cache `{kind}` is another one, or the file ends there", "what was kept, or nothing"
        )
        (file,) = (folder / "hamletc" / kind).iterdir()
        content = file.read_bytes()
        for at in range(0, len(content), max(round(1 / share), 1)):
            for damage in (content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :], content[:at]):
                file.write_bytes(damage)
                try:
                    found = recall()
                except Exception as error:
                    # A damaged cache raises nothing: whatever it raises is the fault that is looked for.
                    fault.fail(f"byte {at}: {error!r}")
                    continue
                if found is None:
                    fault.note("nothing")
                else:
                    fault.note("the same") if found == whole else fault.fail(f"byte {at}: something else")
        yield fault
    del os.environ["XDG_CACHE_HOME"]
    shutil.rmtree(folder)
