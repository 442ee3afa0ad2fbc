"""Warnings that a command was told to allow or to deny."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import rich_click as click

from hamletc.codes import CODES, INERT

if TYPE_CHECKING:
    from hamletc.diagnostics import Diagnostic, FileDiagnostics

Verdict: TypeAlias = Literal["allow", "deny", "warn"]
F = TypeVar("F", bound=Callable[..., object])

ALL = "all"


@dataclass(frozen=True, slots=True)
class Lints:
    """Codes of warnings, or `all`: those that are not reported, and those that are errors. A code counts more than
    `all`."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def of(self, code: str) -> Verdict:
        """The verdict on a warning."""
        for name in (code, ALL):
            if name in self.allow:
                return "allow"
            if name in self.deny:
                return "deny"
        return "warn"

    def apply(self, files: Sequence[FileDiagnostics]) -> tuple[FileDiagnostics, ...]:
        """The diagnostics that remain, with their verdicts."""
        judged = [replace(f, diagnostics=tuple(k for d in f.diagnostics if (k := self._judge(d)))) for f in files]
        return tuple(file for file in judged if file.diagnostics)

    def unused(self, files: Sequence[FileDiagnostics]) -> tuple[str, ...]:
        """The codes that are allowed and that no warning has."""
        occurring = {d.code for file in files for d in file.diagnostics if d.severity == "warning"}
        return tuple(code for code in self.allow if code != ALL and code not in occurring)

    def _judge(self, diagnostic: Diagnostic) -> Diagnostic | None:
        if diagnostic.severity == "error":
            return diagnostic
        match self.of(diagnostic.code):
            case "allow":
                return None
            case "deny":
                return replace(diagnostic, severity="error")
            case "warn":
                return diagnostic


def allow_option(command: F) -> F:
    """`--allow H071`, `--allow H071,H072`, `--allow all`."""
    text = "Do not report warnings with this code: H071, several with commas, or all."
    return click.option("--allow", multiple=True, metavar="CODE", callback=_codes, help=text)(command)


def deny_option(command: F) -> F:
    """`--deny H071`, `--deny all`."""
    text = "Take warnings with this code for errors: H071, several with commas, or all."
    return click.option("--deny", multiple=True, metavar="CODE", callback=_codes, help=text)(command)


def lints(allow: tuple[str, ...], deny: tuple[str, ...] = ()) -> Lints:
    """Raises `click.UsageError` for a code that is both allowed and denied."""
    both = [code for code in allow if code in deny]
    if both:
        raise click.UsageError(f"{both[0]} is both allowed and denied.")
    return Lints(allow, deny)


def _codes(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    codes = [code.strip() for text in texts for code in text.split(",")]
    for code in codes:
        if code == ALL or code in INERT or (code in CODES and CODES[code].severity == "warning"):
            continue
        if code in CODES:
            raise click.BadParameter(f"{code} is an error, not a warning: {CODES[code].title}.")
        from hamletc.suggest import closest

        guess = closest(code, CODES)
        raise click.BadParameter(f"there is no {code!r}." + (f" Did you mean {guess}?" if guess else ""))
    return tuple(dict.fromkeys(codes))
