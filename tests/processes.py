"""Programs in processes of their own, forked from one that has imported torch and our packages.

Importing them takes more than two seconds of processor time, and tests run some two hundred programs. Triton is not
imported: it decides then whether kernels run on its interpreter, and programs want one or the other.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, Protocol, TypeAlias

IMPORTED = (
    "torch",
    "hypothesis",
    "jinja2",
    "rich.console",
    "rich_click",
    "hamlet.env.environment",
    "hamlet.interpreter",
    "hamlet.launch.cpu.launch",
    "hamletc.cli.main",
    "hamletc.compile",
    "hamletc.package",
    "hamlet_lab.diff",
    "hamlet_lab.verify",
    "hamlet_townlet.frontend",
    "samples",
)
HELPERS = ("samples", "processes")
COMMAND = "from hamletc.cli.main import main; main()"
"""The program `hamletc`."""

Command: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
"""Runs `hamletc` with these arguments, in a process of its own or in this one."""
Says: TypeAlias = Callable[..., tuple[int, str, str]]
"""The same, in this one: the exit code, and what is said on each stream."""


class Run(Protocol):
    """Runs a program, the path of a script or its text, like `subprocess.run`; what it prints is captured.

    `environment` are changes of the variables of this process; Triton's kernels run on its interpreter only where
    they or the program say so. Where it is to import our packages `anew`, from other folders or on another system, it
    has torch alone. Where the test is about how a process ends, it ends `whole`: see `leave`.

    Raises:
        subprocess.TimeoutExpired: it took longer than so many seconds, and was killed.
    """

    def __call__(
        self,
        program: Path | str,
        *arguments: str | Path,
        cwd: Path | None = None,
        timeout: float = 300,
        anew: bool = False,
        whole: bool = False,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]: ...


class Programs:
    """The process from which they are forked. It starts with the first of them and ends with the block."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None

    def __enter__(self) -> Programs:
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.communicate(timeout=60)

    def run(
        self,
        program: Path | str,
        *arguments: str | Path,
        cwd: Path | None = None,
        timeout: float = 300,
        anew: bool = False,
        whole: bool = False,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        """See `Run`."""
        name = str(program) if isinstance(program, Path) else "-c"
        argv = [name, *map(str, arguments)]
        with tempfile.TemporaryDirectory(prefix="program-") as folder:
            out, err = (Path(folder) / stream for stream in ("stdout", "stderr"))
            request = {
                "argv": argv,
                "text": None if isinstance(program, Path) else program,
                "cwd": str(cwd or Path.cwd()),
                "anew": anew,
                "whole": whole or os.environ.get("HAMLET_LONG_TESTS") == "1",
                "environment": os.environ | {"TRITON_INTERPRET": "0"} | environment,
                "streams": [os.devnull, str(out), str(err)],
            }
            code = self._do(request, timeout)
            printed, said = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
        if code is None:
            raise subprocess.TimeoutExpired(argv, timeout, printed, said)
        return subprocess.CompletedProcess(argv, code, printed, said)

    def _do(self, request: dict[str, Any], timeout: float) -> int | None:
        """The exit code; `None` where it took too long."""
        if self._server is None:
            pipe = subprocess.PIPE
            self._server = subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True)
        given, answers = self._server.stdin, self._server.stdout
        assert given is not None
        assert answers is not None
        given.write(json.dumps(request) + "\n")
        given.flush()
        pid = int(answers.readline())
        in_time = bool(select.select([answers], [], [], timeout)[0])
        if not in_time:
            os.kill(pid, signal.SIGKILL)
        code = int(answers.readline())
        return code if in_time else None


def serve() -> None:
    """Fork a process for each line of stdin; its number and, when it ended, its exit code are lines of stdout."""
    # Programs import helpers of tests, which import this module by its name.
    sys.modules["processes"] = sys.modules["__main__"]
    for name in IMPORTED:
        importlib.import_module(name)
    gc.collect()
    # So that the collector of a fork does not write to, and so copy, what it shares with this process.
    gc.freeze()
    # Nor need it look as often as in a small program.
    gc.set_threshold(200_000, 20, 50)
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            request = json.loads(line)
            if not request["whole"]:
                leave(request)
            become(request)
            return
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)


def become(request: dict[str, Any]) -> None:
    """Be the program that was asked for."""
    for descriptor, path in enumerate(request["streams"]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["anew"]:
        forget()
    sys.argv = request["argv"]
    script, text = Path(sys.argv[0]), request["text"]
    sys.path[0] = "" if text is not None else str(script.parent)
    if text is None:
        runpy.run_path(str(script), run_name="__main__")
    else:
        main = ModuleType("__main__")
        sys.modules["__main__"] = main
        exec(compile(text, "<string>", "exec"), vars(main))


def leave(request: dict[str, Any]) -> NoReturn:
    """Be the program that was asked for, and end without taking apart all modules: that takes a quarter of a second,
    since a fork copies what it writes to. Threads are waited for, and what is registered for the end is called."""
    code = 0
    try:
        become(request)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # what Python itself calls
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


def forget() -> None:
    """Leave our packages to be imported, from where PYTHONPATH says."""
    for name in [name for name in sys.modules if name.startswith("hamlet") or name in HELPERS]:
        del sys.modules[name]
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    importlib.invalidate_caches()


if __name__ == "__main__":
    serve()
