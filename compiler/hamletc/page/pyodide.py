"""Python in a browser: the files of Pyodide, as npm installs it, that a page with a compiler has."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

from hamletc import __version__
from hamletc.errors import CompileError
from hamletc.page.carried import archive, archived, bare
from hamletc.page.file import File, packed

TRIED = "314.0.7"
"""The version with which pages are tested."""
INSTALL = f"npm install pyodide@{TRIED}"
PLAIN, GLUE = "pyodide.mjs", "pyodide.asm.mjs"
MACHINE, LIBRARY, LOCK = "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"
UNUSED = (
    "__hello__.py", "__phello__/", "_ast_unparse.py", "_markupbase.py", "_pydatetime.py", "_pyio.py", "_pyrepl/",
    "_strptime.py", "_sysconfigdata", "antigravity.py", "argparse.py", "asyncio/__main__.py",
    "asyncio/proactor_events.py", "asyncio/tools.py", "asyncio/windows_", "bdb.py", "cProfile.py",
    "calendar.py", "cmd.py", "compileall.py",
    "concurrent/futures/interpreter.py", "concurrent/futures/process.py", "concurrent/interpreters/", "configparser.py",
    "ctypes/", "doctest.py", "email/", "encodings/", "filecmp.py", "fileinput.py", "ftplib.py", "getopt.py",
    "getpass.py", "gettext.py", "graphlib.py", "html/parser.py", "http/", "imaplib.py", "ipaddress.py",
    "json/__main__.py", "json/tool.py", "logging/config.py", "logging/handlers.py", "mailbox.py", "mimetypes.py",
    "modulefinder.py", "multiprocessing/", "netrc.py", "nturl2path.py", "optparse.py", "pdb.py", "pickle.py",
    "pickletools.py", "platform.py", "plistlib.py", "poplib.py", "pprint.py", "profile.py", "pstats.py", "pty.py",
    "py_compile.py", "pyclbr.py", "pydoc.py", "quopri.py", "rlcompleter.py", "runpy.py", "sched.py", "secrets.py",
    "shelve.py", "smtplib.py", "socketserver.py", "sqlite3/", "statistics.py", "symtable.py", "sysconfig/",
    "tabnanny.py", "tarfile.py", "this.py", "timeit.py", "tomllib/", "trace.py", "tty.py", "unittest/", "urllib/",
    "uuid.py", "wave.py", "webbrowser.py", "wsgiref/", "xml/", "xmlrpc/", "zipapp.py", "zipfile/__main__.py",
    "zoneinfo/",
)  # fmt: skip
"""How names in Python's library begin that nothing here imports."""
ENCODINGS = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "punycode", "raw_unicode_escape",
             "unicode_escape", "utf_16", "utf_8", "utf_8_sig")  # fmt: skip
USED = ("email/__init__.py", *(f"encodings/{each}.py" for each in ENCODINGS))
"""Names among those that are imported."""
AS_IT_IS = ("_pyodide/", "pyodide/")
"""How names of modules begin whose texts are left as they are: Python in a browser shows some of their docstrings."""
DECLARED = re.compile(r"var (_\w+(?:,\w+){99,});")
"""The variables for functions of the machine code, in Pyodide's script."""
BOUND = re.compile(r'(_(\w+))=Module\["\1"\]=wasmExports\["\2"\];')
"""How the script binds a function to its variable: some 4,600 of them, most of which only libraries of C name."""
ALL_BOUND = 'for(const name in wasmExports)if(typeof wasmExports[name]==="function")Module["_"+name]=wasmExports[name];'
WORD = re.compile(r"\w+")


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
    missing = [name for name in (PLAIN, GLUE, MACHINE, LIBRARY, LOCK, "package.json") if not (folder / name).is_file()]
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
    yield File(f"python/{PLAIN}", (folder / PLAIN).read_bytes())
    yield File(f"python/{GLUE}", lean((folder / GLUE).read_text(encoding="utf-8")).encode())
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    yield File(f"python/{LOCK}", json.dumps({"info": lock["info"], "packages": {}}).encode())
    yield packed(f"python/{MACHINE}", (folder / MACHINE).read_bytes())
    yield packed(f"python/{LIBRARY}", _library((folder / LIBRARY).read_bytes()))
    yield packed("python/hamletc.zip", archive())
    yield File("licences.txt", LICENCES.format(pyodide=_about(folder)["version"], hamletc=__version__).encode())


def lean(script: str) -> str:
    """Pyodide's script, in which functions of the machine code that it names nowhere else are bound by one loop. Of a
    version that binds them in another way it is the same text."""
    lists = list(DECLARED.finditer(script))
    # Such a name is declared, bound, and said to be one of the module.
    times = Counter(WORD.findall(script))
    alone = {name for name, _ in BOUND.findall(script) if times[name] == 3}
    if len(lists) != 1 or not alone:
        return script
    [declared] = lists
    variables = ",".join(name for name in declared[1].split(",") if name not in alone)
    first = next(each.start() for each in BOUND.finditer(script))
    parts = (script[: declared.start()], f"var {variables};", script[declared.end() : first], ALL_BOUND, script[first:])
    return BOUND.sub(lambda each: "" if each[1] in alone else each[0], "".join(parts))


def _library(contents: bytes) -> bytes:
    """Python's library without what nothing here imports, and without remarks and docstrings."""
    with ZipFile(io.BytesIO(contents)) as every:
        names = [name for name in every.namelist() if name in USED or not name.startswith(UNUSED)]
        return archived((name, _bare(name, every.read(name))) for name in names)


def _bare(name: str, contents: bytes) -> bytes:
    """A file of the library; what a later Python than this one wrote may be no Python here, and stays as it is."""
    if not name.endswith(".py") or name.startswith(AS_IT_IS):
        return contents
    try:
        return bare(contents.decode()).encode()
    except SyntaxError:
        return contents


LICENCES = """\
What this page is made of.

hamletc {hamletc}: MIT License. All files of this folder but those of python/, and python/hamletc.zip.gz.
Pyodide {pyodide}: Mozilla Public License 2.0. python/pyodide.mjs, python/pyodide.asm.mjs, python/pyodide.asm.wasm.gz;
    its source is at github.com/pyodide/pyodide under the tag {pyodide}. In python/pyodide.asm.mjs one loop, which
    hamletc wrote, binds functions that the script names nowhere else.
Python (CPython): Python Software Foundation License Version 2. In Pyodide, and python/python_stdlib.zip.gz, of which
    modules that the compiler does not need, remarks and docstrings are left out.
"""
