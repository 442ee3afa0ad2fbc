"""Random schedules, and mutants of schedules."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator

from hypothesis import strategies as st

from hamletc.kernel.schedule import Kernel, Routine, Schedule
from hamletc.kernel.statements import (
    STATEMENTS,
    Agents,
    Copy,
    Counters,
    Fill,
    If,
    Join,
    Load,
    Set,
    Statement,
    Take,
    Ticks,
    Within,
)

NAMES = st.one_of(
    st.sampled_from(["alive", "meter.energy", "report.a b", "where", "to", "cells.red moss", "among.count.0"]),
    st.text(
        st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_characters="`"), min_size=1, max_size=8
    ).filter(lambda name: name == name.strip() and "\x7f" not in name),
)


def _attribute(kind: type, name: str, body: st.SearchStrategy[tuple[Statement, ...]]) -> st.SearchStrategy[object]:
    hint = typing.get_type_hints(kind)[name]
    if name == "body":
        return body
    if typing.get_origin(hint) is typing.Literal:
        return st.sampled_from(typing.get_args(hint))
    if hint is str:
        # What may be left out has a default.
        default = next(field for field in dataclasses.fields(kind) if field.name == name).default
        return NAMES if default is dataclasses.MISSING else st.one_of(st.just(default), NAMES)
    return st.lists(NAMES, min_size=1, max_size=3).map(tuple)


def _statement(kind: type, body: st.SearchStrategy[tuple[Statement, ...]]) -> st.SearchStrategy[Statement]:
    names = [field.name for field in dataclasses.fields(kind)]
    return st.builds(kind, **{name: _attribute(kind, name, body) for name in names})


def bodies() -> st.SearchStrategy[tuple[Statement, ...]]:
    """Statements of any kind, which need not make sense together."""
    nothing = st.just(())
    leaves = st.one_of(*(_statement(kind, nothing) for kind in STATEMENTS))
    return st.recursive(
        st.lists(leaves, max_size=4).map(tuple),
        lambda inner: st.lists(
            st.one_of(leaves, *(_statement(kind, inner) for kind in (Within, If, Ticks))), max_size=3
        ).map(tuple),
        max_leaves=6,
    )


def schedules() -> st.SearchStrategy[Schedule]:
    """Schedules in any form."""
    routines = st.lists(st.builds(Routine, NAMES, bodies()), max_size=3).map(tuple)
    kernels = st.lists(
        st.builds(Kernel, st.sampled_from(["reset", "observe", "step", "rollout"]), bodies()), max_size=2
    )
    return st.builds(Schedule, routines, kernels.map(tuple))


SETTING = (Load, Agents, Counters, Take, Set, Copy, Fill, Join)
"""What only sets registers, each its own: two of them may stand in either order."""


@dataclasses.dataclass(frozen=True, slots=True)
class Mutant:
    """A schedule with one change, and what that is."""

    what: str
    schedule: Schedule


def mutants(schedule: Schedule) -> Iterator[Mutant]:
    """Each statement left out, two neighbours in the other order, each guard left out, each constant another one."""
    for index, routine in enumerate(schedule.routines):
        for what, body in _altered(routine.body):
            others = (
                *schedule.routines[:index],
                dataclasses.replace(routine, body=body),
                *schedule.routines[index + 1 :],
            )
            yield Mutant(f"{routine.name}: {what}", dataclasses.replace(schedule, routines=others))
    for index, kernel in enumerate(schedule.kernels):
        for what, body in _altered(kernel.body):
            each = (*schedule.kernels[:index], dataclasses.replace(kernel, body=body), *schedule.kernels[index + 1 :])
            yield Mutant(f"{kernel.name}: {what}", dataclasses.replace(schedule, kernels=each))


def _altered(body: tuple[Statement, ...]) -> Iterator[tuple[str, tuple[Statement, ...]]]:
    for index, statement in enumerate(body):
        before, after = body[:index], body[index + 1 :]
        said = _said(statement)
        yield f"without {said}", (*before, *after)
        if after and after[0] != statement and not (isinstance(statement, SETTING) and isinstance(after[0], SETTING)):
            yield f"{said} after {_said(after[0])}", (*before, after[0], statement, *after[1:])
        match statement:
            case Within() | If():
                yield f"unguarded {said}", (*before, *statement.body, *after)
            case Fill(value=value):
                for other in {"0.0": ("1.0",), "0": ("1",), "-1": ("0",), "true": ("false",), "false": ("true",)}[
                    value
                ]:
                    yield f"{said}: {other}", (*before, dataclasses.replace(statement, value=other), *after)
            case _:
                pass
        if isinstance(statement, Within | If | Ticks):
            for what, inner in _altered(statement.body):
                yield f"{said}: {what}", (*before, dataclasses.replace(statement, body=inner), *after)


def _said(statement: Statement) -> str:
    """The line of a statement, without its body."""
    from hamletc.kernel.text import print_schedule

    alone = dataclasses.replace(statement, body=()) if isinstance(statement, Within | If | Ticks) else statement
    line = print_schedule(Schedule((Routine("r", (alone,)),), ())).split("\n")[1].strip()
    return f"{line}: {_said(statement.body[-1])}" if isinstance(statement, Within | If) else line
