"""Two sides from beginning to end: run, part, be located."""

from __future__ import annotations

from dataclasses import replace

from hamlet import schema
from hamlet_lab.diff import Parting, play
from hamlet_lab.diff.inspect import moment
from hamlet_lab.diff.locate import locate
from hamlet_lab.diff.report import Report, Where
from hamlet_lab.diff.side import Side
from hamlet_lab.diff.versions import apart
from hamlet_lab.verify import Effort
from hamlet_lab.verify.events import describe
from hamlet_lab.verify.locate import actions_of, place_of, value_of


def diff(left: Side, right: Side, effort: Effort, seed: int, common: bool = False) -> Report:
    """Run both sides from the same seeds; where they part, look for the first value that differs. Sides that do not
    have the same meters, actions, ... are only run if what is `common` to them is to be compared."""
    between = apart(left.universe, right.universe)
    if between and not common:
        return Report(left.label, right.label, 0, 0, {}, between)
    played = play(left.contender, right.contender, effort, seed)
    result = Report(
        left.label, right.label, played.compared, played.ticks, played.coverage, between, common, played.skipped
    )
    if played.parting is None:
        return result
    parting = played.parting
    return replace(
        result,
        where=_where(left, parting),
        finding=locate(left, right, parting),
        agents=parting.left.before.shape.agents,
    )


def _where(left: Side, parting: Parting) -> Where:
    difference, outcome = parting.difference, parting.left
    shape = outcome.before.shape
    world, agent = place_of(difference, shape.agents)
    actions = None
    if agent is not None:
        actions = actions_of(left.universe, moment(outcome, parting.stream), 0)
    return Where(
        run=parting.scenario,
        event=describe(outcome.event),
        tick=parting.tick,
        field=f"{difference.array} {difference.row}".strip(),
        world=world,
        agent=agent,
        action="" if actions is None else schema.action_names(left.universe)[int(actions[difference.index])],
        left=value_of(difference.expected),
        right=value_of(difference.found),
    )
