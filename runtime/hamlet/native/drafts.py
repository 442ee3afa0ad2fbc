"""Drafts of libraries: a compiler that does not optimise is done in a fraction of the time, so its code runs first.

The library itself is made in the background meanwhile. The function of a draft asks in every call whether there is
something in its place: whoever has its address calls the library from then on, in the middle of an episode too. Both
give the same bits, and only libraries are kept in the user's cache.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar
from functools import cache, lru_cache
from hashlib import sha256
from multiprocessing.util import Finalize
from threading import Lock, Thread, main_thread

from hamlet.errors import EnvError
from hamlet.native.compilers import DRAFT, RUN, Compiler, compiled, compiler
from hamlet.native.library import LIBRARY, RECENT, header, is_kept, library, opened, probed
from hamlet.terminal import say_once
from hamlet.waiting import compiling

CHOICE = "HAMLET_DRAFTS"
"""The variable that says whether there are drafts, 0 or 1; by default there are."""
LONGEST = 5.0
"""Seconds for which the end of a process waits, at most, for a compiler that was killed, and for its folder to go."""

INNER, REPLACEMENT = "hamlet_of_draft", "hamlet_replacement"
ENDING = f"""
#undef {{function}}
/* The same function of the library, when there is one: an address is written as a whole. */
HAMLET_EXPORT i64 (*volatile {REPLACEMENT})(const i64 *);
i64 (*volatile {REPLACEMENT})(const i64 *);
HAMLET_EXPORT i64 {{function}}(const i64 *words);
HAMLET_EXPORT i64 {{function}}(const i64 *words) {{{{
    i64 (*replacement)(const i64 *) = {REPLACEMENT};
    return replacement ? replacement(words) : {INNER}(words);
}}}}
"""
"""The end of the text of a draft, whose own function is compiled under the name `INNER`."""

_ALLOWED: ContextVar[bool] = ContextVar("allowed", default=True)


@contextmanager
def without_drafts() -> Iterator[None]:
    """Inside, whoever needs a library waits for it, and so do backends that start here, for good: for whoever measures
    or proves."""
    token = _ALLOWED.set(False)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


class Loaded:
    """A library, or for now its draft.

    Attributes:
        now: what runs now.
    """

    def __init__(self, now: ctypes.CDLL, later: Callable[[], ctypes.CDLL] | None = None) -> None:
        """`later` waits for the library of which `now` is a draft."""
        self.now, self._later = now, later

    def whole(self) -> ctypes.CDLL:
        """The library; waits for it.

        Raises:
            EnvError: see `hamlet.native.library.library`.
        """
        later = self._later
        if later is not None:
            self.now = later()
            self._later = None
        return self.now


def drafted(text: str, defines: Mapping[str, str], function: str) -> Loaded:
    """The library of a text, see `hamlet.native.library.library`; where none is kept its draft, while that is made.

    Args:
        text: exports functions, of which one alone is called: i64 (const i64 *).
        defines: values of macros by name.
        function: its name.

    Raises:
        EnvError: as `library` does; or the variable HAMLET_DRAFTS is neither 0 nor 1.
    """
    by = compiler()
    if not (allowed() and by.drafts):
        return Loaded(library(text, defines, by))
    key = text, tuple(sorted(defines.items())), function, by
    with _lock(sha256(repr(key).encode()).digest()):
        return _drafted(*key)


def finish() -> None:
    """Wait until the compilers are done that this process runs in the background."""
    for each in tuple(_running()):
        each.thread.join()


def allowed() -> bool:
    """Whether there are drafts here.

    Raises:
        EnvError: the variable HAMLET_DRAFTS is neither 0 nor 1.
    """
    said = os.environ.get(CHOICE) or "1"
    if said not in ("0", "1"):
        raise EnvError(f"{CHOICE} must be 0 or 1, not {said!r}")
    return said == "1" and _ALLOWED.get()


@lru_cache(RECENT)
def _drafted(text: str, defined: tuple[tuple[str, str], ...], function: str, by: Compiler) -> Loaded:
    defines = dict(defined)
    if is_kept(text, defines, by):
        return Loaded(library(text, defines, by))
    ending = ENDING.format(function=function)
    with compiling():
        content = compiled(by, text + ending, header().encode(), {**defines, **LIBRARY, function: INNER}, DRAFT)
    try:
        draft = probed(opened(content))
    except OSError as error:
        raise EnvError(f"compiled kernels cannot be loaded: {error}") from error
    loaded = Loaded(draft, lambda: library(text, defines, by))
    _Background(loaded, function).begin()
    return loaded


class _Background:
    """A thread that waits for a compiler. It runs in a session of its own: Ctrl-C at a terminal is not for it."""

    def __init__(self, loaded: Loaded, function: str) -> None:
        self.thread = Thread(target=Context().run, args=(self._make,), name="hamlet-compiling", daemon=True)
        self._loaded, self._draft, self._function = loaded, loaded.now, function
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def begin(self) -> None:
        _watch()
        _running().add(self)
        self.thread.start()

    def end(self) -> None:
        """Kill the compiler, and wait until nothing is left of it."""
        with self._lock:
            self._ended = True
            if self._process is not None and self._process.poll() is None:
                with suppress(ProcessLookupError):
                    if hasattr(os, "killpg"):
                        os.killpg(self._process.pid, signal.SIGKILL)
                    else:
                        self._process.kill()
        self.thread.join(LONGEST)

    def _make(self) -> None:
        RUN.set(self._run)
        try:
            made = self._loaded.whole()
            # Whoever keeps the draft keeps what it calls.
            self._draft.__dict__["replacement"] = made
            function = ctypes.cast(made[self._function], ctypes.c_void_p)
            ctypes.c_void_p.in_dll(self._draft, REPLACEMENT).value = function.value
        except EnvError as error:
            # A process that ends takes the compiler's folder away before it calls what ends compilers.
            if not self._ended and main_thread().is_alive():
                say_once(f"kernels stay as they were compiled first, without optimisation: {error}")
        finally:
            _running().discard(self)

    def _run(
        self, command: Sequence[str], folder: str, variables: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        with self._lock:
            if self._ended:
                raise EnvError("this process ends")
            self._process = process = subprocess.Popen(
                command,
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        said, errors = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, said, errors)


@cache
def _running() -> set[_Background]:
    return set()


@cache
def _watch() -> None:
    """At the end of a process, one of `multiprocessing` too, nothing is left. Who forks waits: threads stay behind at a
    fork."""
    Finalize(None, _end, exitpriority=1)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=finish, after_in_child=_watch.cache_clear)


def _end() -> None:
    for each in tuple(_running()):
        each.end()


@cache
def _lock(_key: bytes) -> Lock:
    """Held by whoever makes a draft: others wait for it."""
    return Lock()
