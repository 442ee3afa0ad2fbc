"""Params of worlds as they stand on the command line: a number, or a distribution of which every world draws."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from hamlet.env.write.distributions import Choice, Distribution, LogUniform, Normal, Uniform, support
from hamlet.errors import EnvError
from hamlet.universe import Universe
from hamletc.cli.params import check_within, declared, named_text
from hamletc.errors import CompileError

FORM = "NAME=NUMBER or NAME=uniform(LOW,HIGH), loguniform(LOW,HIGH), normal(MEAN,DEVIATION), choice(NUMBER,...)"
CALL = re.compile(r"(\w+)\s*\((.*)\)")
PAIRS: Mapping[str, Callable[[float, float], Distribution]] = {
    "uniform": Uniform,
    "loguniform": LogUniform,
    "normal": Normal,
}

Params = Mapping[str, float | Distribution]


def params_of(texts: Sequence[str], universe: Universe) -> dict[str, float | Distribution]:
    """The params by name.

    Raises:
        CompileError: a text is malformed, or says a param that there is not, or twice, or numbers beyond its bounds.
    """
    params = dict[str, float | Distribution]()
    for text in texts:
        name, said = named_text(text, FORM)
        param = declared(name, universe)
        if name in params:
            raise CompileError(f"--param {text}: {name} is given twice")
        value = _value(text, said)
        for number in [value] if isinstance(value, float) else support(value).tolist():
            check_within(param, number)
        params[name] = value
    return params


def _value(text: str, said: str) -> float | Distribution:
    call = CALL.fullmatch(said)
    try:
        if call is None:
            return float(said)
        numbers = [float(each) for each in call[2].split(",")]
        if call[1] == "choice":
            return Choice(numbers)
        first, second = numbers
        return PAIRS[call[1]](first, second)
    except EnvError as error:
        raise CompileError(f"--param {text}: {error}") from error
    except (ValueError, KeyError) as error:
        raise CompileError(f"--param {text}: write {FORM}") from error
