"""Params as they stand on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.universe import Param, Universe


FORM = "NAME=NUMBER, as in --param hunger=0.5"


def named_text(text: str, form: str) -> tuple[str, str]:
    """The name and the rest of `NAME=REST`; the name may stand in backticks.

    Raises:
        CompileError: it is no such text; `form` says how one is written.
    """
    name, equals, rest = text.rpartition("=")
    name = name.strip().strip("`")
    if not equals or not name or not rest.strip():
        raise CompileError(f"--param {text}: write {form}")
    return name, rest.strip()


def declared(name: str, universe: Universe) -> Param:
    """The param of this name.

    Raises:
        CompileError: the universe has none.
    """
    from hamletc.suggest import closest

    params = {param.name: param for param in universe.params}
    if name in params:
        return params[name]
    meant = closest(name, params)
    hint = f"did you mean {meant}?" if meant else f"it has {', '.join(params)}" if params else "it has none"
    raise CompileError(f"--param {name}: {universe.name} has no such param: {hint}")


def check_within(param: Param, value: float) -> None:
    """Raise `CompileError` unless a value lies within the bounds of a param."""
    from hamlet.numbers.binary32 import LARGEST, round32

    if not (abs(value) <= LARGEST and param.low <= round32(value) <= param.high):
        bounds = f"{param.low:.10g} .. {param.high:.10g}"
        raise CompileError(f"--param {param.name}: {value:.10g} is outside of its bounds, {bounds}")


def numbers_of(texts: tuple[str, ...]) -> dict[str, float]:
    """The numbers of params by name, as they stand on the command line.

    Raises:
        CompileError: one is malformed, or is given twice.
    """
    params: dict[str, float] = {}
    for text in texts:
        name, number = named_text(text, FORM)
        try:
            value = float(number)
        except ValueError as error:
            raise CompileError(f"--param {text}: write {FORM}") from error
        if name in params:
            raise CompileError(f"--param {text}: {name} is given twice")
        params[name] = value
    return params
