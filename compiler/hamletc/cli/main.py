"""The command `hamletc`. Exit codes: 0 fine, 1 diagnostics or a failure, 2 wrong usage."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import rich_click as click

from hamlet.errors import HamletError, PluginError
from hamlet.extras import advice
from hamlet.plugins import load, named
from hamlet.terminal import visible
from hamletc import __version__
from hamletc.cli.show import show_diagnostics
from hamletc.errors import SourceError

OWN = ("check", "compile", "explain", "export", "fmt", "graph", "page", "run", "version", "watch")
"""Each is a command of the same name in a module of its own, which is imported when it is asked for."""

COMMANDS = "hamletc.commands"
"""The entry points of all other verbs: those of `hamlet_lab`, of `hamlet_townlet`, and of whoever adds one."""


def verbs() -> tuple[str, ...]:
    """All verbs there are."""
    return tuple(sorted({*OWN, *named(COMMANDS)}))


class Hamletc(click.RichGroup):
    """Prints the errors that a user can make as they are, without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click gives it)
        return list(verbs())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            if cmd_name in OWN:
                self.add_command(getattr(import_module(f"hamletc.cli.{cmd_name}"), cmd_name))
            elif cmd_name in named(COMMANDS):
                self.add_command(_added(cmd_name), cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        verb = args[0]
        if verb not in OWN and not verb.startswith("-") and verb not in verbs():
            from hamletc.suggest import closest

            meant = closest(verb, verbs())
            ctx.fail(f"There is no command {verb!r}" + (f": did you mean {meant!r}?" if meant else "."))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SourceError as error:
            show_diagnostics(error.path, error.found)
            ctx.exit(1)
        except HamletError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(1)
        except ModuleNotFoundError as error:
            if not (line := advice(error)):
                raise
            click.echo(f"error: {line}", err=True)
            ctx.exit(1)


def _added(verb: str) -> click.Command:
    """The verb of an entry point. One that cannot be loaded says why, in the list of verbs and when it is called."""
    try:
        return cast("click.Command", load(COMMANDS, verb))
    except PluginError as error:
        problem = error

    def refuse() -> None:
        raise problem

    anything = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
    return click.RichCommand(name=verb, callback=refuse, help=f"error: {problem}", context_settings=anything)


@click.group(cls=Hamletc, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="hamletc", message="%(prog)s %(version)s")
def hamletc() -> None:
    """Universes of meters, cascades and affordances, compiled to kernels that agree to the bit."""


def main() -> None:
    """The console script."""
    atexit.register(_leave)
    if sys.stdout is None:
        # Whoever closed it wants no output; a file that is opened next must not become it.
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115  (until the process ends)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a block character shows a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    code: Any = 0
    try:
        hamletc(prog_name="hamletc")
    except SystemExit as ended:
        code = ended.code
    except OSError as error:
        code = _failed(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _failed(error)
        # Python would flush the closed stream once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _leave() -> None:
    """At its end Python would look for cycles among all objects there are: an eighth of the time, for nothing. What is
    left of Triton then its bindings would say in forty lines, so there it does."""
    if "triton" not in sys.modules:
        gc.freeze()


def _failed(error: OSError) -> int:
    """The exit code after something could not be read or written that no verb expects, as a stdout on a full disk."""
    if error.errno != errno.EPIPE:
        place = "" if error.filename is None else f"{error.filename}: "
        click.echo(f"error: {visible(f'{place}{error.strerror or error}')}", err=True)
    return 1
