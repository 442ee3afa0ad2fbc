"""Loading generated packages: what was changed is refused, and nothing of it is executed."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import hamlet
from hamlet import ModuleError
from hamlet.package.module import Module


def test_load_reads_the_universe(valley: Module, copy: Path) -> None:
    module = hamlet.load(copy)
    assert module.name == "valley"
    assert module.universe == valley.universe
    assert module.digest == valley.digest


def test_load_takes_an_imported_package(copy: Path) -> None:
    code = "import hamlet, valley; print(hamlet.load(valley).name, valley.load().name, valley.SCHEMA)"
    done = subprocess.run([sys.executable, "-c", code], cwd=copy.parent, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["valley", "valley", "10"]
    assert hamlet.load(copy).name == "valley"  # the __pycache__ that importing leaves is fine


def test_importing_the_package_imports_no_torch(copy: Path) -> None:
    heavy = "('torch', 'lark', 'jinja2', 'triton')"
    code = f"import sys, valley; valley.load(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=copy.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["universe.json", "tick.ir", "triton_kernels.py", "c_kernels.c"])
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    contents = (copy / name).read_bytes()
    (copy / name).write_bytes(contents + b"\n")
    with pytest.raises(ModuleError, match=rf"{name} was changed after it was written: compile valley.hamlet again"):
        hamlet.load(copy)
    (copy / name).write_bytes(contents)
    assert hamlet.load(copy).name == "valley"


@pytest.mark.parametrize("name", ["universe.json", "tick.ir", "triton_kernels.py", "c_kernels.c"])
def test_a_missing_file_is_refused(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ModuleError, match=f"{name} is missing"):
        hamlet.load(copy)


def test_an_extra_file_is_refused(copy: Path) -> None:
    (copy / "helper.py").write_text("")
    with pytest.raises(ModuleError, match=r"helper.py was not written by hamletc: remove it"):
        hamlet.load(copy)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "import os\n",
        lambda text: text.replace("import hamlet\n", "import hamlet, os\n"),
        lambda text: text.replace('HAMLETC = "', 'HAMLETC = "9'),
        lambda text: text.replace("SHA256 = {", 'SHA256 = {\n    "../evil.py": "00",'),
        lambda text: text.replace('UNIVERSE = "valley"', "UNIVERSE = 3"),
    ],
)
def test_a_changed_init_is_refused(copy: Path, change: object) -> None:
    assert callable(change)
    init = copy / "__init__.py"
    init.write_text(change(init.read_text()))
    with pytest.raises(ModuleError, match=r"__init__.py|evil"):
        hamlet.load(copy)


def test_another_schema_is_refused(copy: Path) -> None:
    init = copy / "__init__.py"
    init.write_text(init.read_text().replace("SCHEMA = 10", "SCHEMA = 1"))
    with pytest.raises(ModuleError, match="has schema 1, and this hamlet reads schema 10"):
        hamlet.load(copy)


@pytest.mark.parametrize("text", [b"", b"print('hello')\n", b"SCHEMA = (", b"\xff", b"SCHEMA = 1\n"])
def test_a_foreign_package_is_refused_and_not_executed(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "__init__.py").write_bytes(text + b"\nraise SystemExit\n")
    with pytest.raises(ModuleError):
        hamlet.load(tmp_path)


def test_what_is_no_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModuleError, match="does not exist"):
        hamlet.load(tmp_path / "nothing")
    with pytest.raises(ModuleError, match="is no generated package"):
        hamlet.load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ModuleError, match="is no folder"):
        hamlet.load(tmp_path / "file")
    with pytest.raises(ModuleError, match=r"hamlet.compile\('town.hamlet'\)"):
        hamlet.load("town.hamlet")


def test_stale_bytecode_is_not_executed(copy: Path) -> None:
    """What runs are the bytes that were verified, whatever lies in __pycache__."""
    cache = copy / "__pycache__"
    cache.mkdir()
    tag = sys.implementation.cache_tag
    (cache / f"triton_kernels.{tag}.pyc").write_bytes(b"nonsense")
    kernels = hamlet.load(copy).kernels("triton")
    assert inspect.getsource(kernels._tick.fn) in (copy / "triton_kernels.py").read_text()


def test_kernels_that_were_not_compiled(valley: Module) -> None:
    module = Module(valley.path, valley.universe, valley.digest, {})
    with pytest.raises(ModuleError, match=r"has no c_kernels.c: compile valley again with --target c"):
        hamlet.make(module, backend="c")
