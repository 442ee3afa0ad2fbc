"""The compiler as one archive, which Python in a browser unpacks and imports."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from zipfile import ZipFile, ZipInfo

from hamletc import __version__
from hamletc.page.service import OTHERS

PACKAGES = ("hamlet", "hamlet_look", "hamletc")
"""The packages of the compiler; those that answer what else a page asks come to them."""
LEFT = frozenset(
    {
        *(f"hamlet/{each}" for each in ("interpreter", "launch", "native", "policies", "telemetry")),
        *(f"hamlet/env/{each}" for each in ("act", "keep", "write")),
        *(f"hamlet/package/{each}.py" for each in ("ahead", "cache", "module")),
        *(f"hamletc/{each}" for each in ("cli", "targets/triton", "page/static", "page/lessons")),
        *(f"hamletc/export/{each}.py" for each in ("c", "conditions", "cuda", "gym", "library", "puffer5")),
        *(f"hamletc/page/{each}.py" for each in ("carried", "file", "played", "pyodide", "site")),
        *(f"hamletc/{each}.py" for each in ("package", "targets/python", "targets/wasm/networks")),
        *(f"hamlet_language/{each}" for each in ("cli", "notebook.py", "textmate.py")),
    }
)
"""Folders and modules that no compilation for a page imports."""
ABSENT = re.compile(r"^(import|from) (torch|numpy|pygls|pygments|rich_click)\b", re.MULTILINE)
"""An import of a library that a browser's Python has not: no compilation imports the module."""
DATA = ("hamletc/language/grammar.json", "hamletc/language/grammar.lark", "hamletc/export/loader.js")
"""Files that the compiler reads beside its modules."""
TARGETS = ("c", "wasm")
BEGUN = (1980, 1, 1, 0, 0, 0)
"""When all files of an archive were made: two archives of one compiler are the same bytes."""


def archive() -> bytes:
    """The archive: modules without remarks and docstrings, and the entry points of targets."""
    return archived(_contents())


def archived(files: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive of files as they are: what packs it all together makes it smaller than what packs them one by one."""
    written = io.BytesIO()
    with ZipFile(written, "w") as into:
        for path, contents in files:
            into.writestr(ZipInfo(path, BEGUN), contents)
    return written.getvalue()


def _contents() -> Iterator[tuple[str, bytes]]:
    others = sorted(entry_points(group=OTHERS), key=lambda each: each.name)
    for package in dict.fromkeys((*PACKAGES, *(each.module.partition(".")[0] for each in others))):
        yield from _modules(package, files(package))
    for path in DATA:
        package, name = path.rsplit("/", 1)
        yield path, files(package.replace("/", ".")).joinpath(name).read_bytes()
    about = f"hamletc-{__version__}.dist-info"
    points = "".join(f"{name} = hamletc.targets.{name}:TARGET\n" for name in TARGETS)
    yield f"{about}/METADATA", f"Metadata-Version: 2.1\nName: hamletc\nVersion: {__version__}\n".encode()
    answers = "".join(f"{each.name} = {each.value}\n" for each in others)
    yield f"{about}/entry_points.txt", f"[hamletc.targets]\n{points}[{OTHERS}]\n{answers}".encode()


def _modules(folder: str, inside: Traversable) -> Iterator[tuple[str, bytes]]:
    for each in sorted(inside.iterdir(), key=lambda each: each.name):
        path = f"{folder}/{each.name}"
        if path in LEFT:
            continue
        if each.is_dir():
            yield from _modules(path, each)
        elif each.name.endswith(".py"):
            text = each.read_text(encoding="utf-8")
            if not ABSENT.search(text):
                yield path, bare(text).encode()


def bare(text: str) -> str:
    """A module without remarks and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            left = [each for each in body if not _is_text(each)]
            body[:] = left if left or isinstance(node, ast.Module) else [ast.Pass()]
    return ast.unparse(tree)


def _is_text(node: ast.AST) -> bool:
    """Whether it is a text that nobody takes."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
