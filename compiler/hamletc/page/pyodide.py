"""Python in a browser: the files of Pyodide, as npm installs it, that a page with a compiler has."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

from hamletc import __version__
from hamletc.errors import CompileError
from hamletc.page.carried import archive, archived
from hamletc.page.file import File, packed

TRIED = "314.0.7"
"""The version with which pages are tested."""
INSTALL = f"npm install pyodide@{TRIED}"
PLAIN = ("pyodide.mjs", "pyodide.asm.mjs")
MACHINE, LIBRARY, LOCK = "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"
UNUSED = (
    "_ast_unparse.py", "_pydatetime.py", "_pyio.py", "_pyrepl/", "_strptime.py", "_sysconfigdata", "argparse.py",
    "bdb.py", "calendar.py", "cmd.py", "compileall.py", "configparser.py", "ctypes/", "doctest.py", "email/",
    "encodings/", "ftplib.py", "getpass.py", "gettext.py", "html/parser.py", "http/", "imaplib.py", "ipaddress.py",
    "mailbox.py", "mimetypes.py", "modulefinder.py", "multiprocessing/", "optparse.py", "pdb.py", "pickle.py",
    "pickletools.py", "platform.py", "plistlib.py", "poplib.py", "pprint.py", "profile.py", "pstats.py", "pydoc.py",
    "smtplib.py", "socketserver.py", "sqlite3/", "statistics.py", "sysconfig/", "tarfile.py", "tomllib/", "trace.py",
    "unittest/", "urllib/", "uuid.py", "wave.py", "wsgiref/", "xml/", "xmlrpc/",
)  # fmt: skip
"""How names in Python's library begin that nothing here imports."""
ENCODINGS = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "punycode", "raw_unicode_escape",
             "unicode_escape", "utf_16", "utf_8", "utf_8_sig")  # fmt: skip
USED = ("email/__init__.py", *(f"encodings/{each}.py" for each in ENCODINGS))
"""Names among those that are imported."""


def pyodide_folder(chosen: Path | None, here: Path) -> Path:
    """The folder of Pyodide: the one that is chosen, or the one that npm made in a folder or in one around it.

    Raises:
        CompileError: there is none, or it is too old.
    """
    beside = (each / "node_modules" / "pyodide" for each in (here.absolute(), *here.absolute().parents))
    folder = chosen if chosen is not None else next((each for each in beside if each.is_dir()), None)
    if folder is None:
        raise CompileError(
            f"the compiler of a page runs on Pyodide, which is not here: {INSTALL}, or --pyodide DIR; "
            "--no-editor writes a page without a compiler"
        )
    missing = [name for name in (*PLAIN, MACHINE, LIBRARY, LOCK, "package.json") if not (folder / name).is_file()]
    if missing:
        raise CompileError(f"{folder} is no Pyodide, for it has no {missing[0]}: {INSTALL}")
    version = _about(folder)["version"]
    if not version.startswith(TRIED.partition(".")[0] + "."):
        raise CompileError(f"{folder} has Pyodide {version}, and pages need one like {TRIED}: {INSTALL}")
    return folder


def _about(folder: Path) -> dict[str, str]:
    about: dict[str, str] = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    return about


def compiler_files(folder: Path) -> Iterator[File]:
    """Python and the compiler, and who has which right to them."""
    for name in PLAIN:
        yield File(f"python/{name}", (folder / name).read_bytes())
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    yield File(f"python/{LOCK}", json.dumps({"info": lock["info"], "packages": {}}).encode())
    yield packed(f"python/{MACHINE}", (folder / MACHINE).read_bytes())
    yield packed(f"python/{LIBRARY}", _library((folder / LIBRARY).read_bytes()))
    yield packed("python/hamletc.zip", archive())
    yield File("licences.txt", LICENCES.format(pyodide=_about(folder)["version"], hamletc=__version__).encode())


def _library(contents: bytes) -> bytes:
    """Python's library without what nothing here imports."""
    with ZipFile(io.BytesIO(contents)) as every:
        names = [name for name in every.namelist() if name in USED or not name.startswith(UNUSED)]
        return archived((name, every.read(name)) for name in names)


LICENCES = """\
What this page is made of.

hamletc {hamletc}: MIT License. All files of this folder but those of python/, and python/hamletc.zip.gz.
Pyodide {pyodide}: Mozilla Public License 2.0. python/pyodide.mjs, python/pyodide.asm.mjs, python/pyodide.asm.wasm.gz;
    its source is at github.com/pyodide/pyodide under the tag {pyodide}.
Python (CPython): Python Software Foundation License Version 2. In Pyodide, and python/python_stdlib.zip.gz, of which
    modules that the compiler does not need are left out.
"""
