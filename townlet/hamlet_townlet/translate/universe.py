"""A pack as a universe of the text language.

The tree has the places of the YAML files, and is what somebody would write who says the same in the text language; so
the checker, and everything behind it, treats both alike.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from hamlet.universe import Span
from hamlet_townlet.adapter.description import Description, ObservationField
from hamlet_townlet.pack import Pack
from hamlet_townlet.reader.limits import LONGEST_NAME
from hamlet_townlet.reader.read_affordances import raises
from hamlet_townlet.rewards import StoppingBonus
from hamlet_townlet.translate.actions import action, enabled, masks
from hamlet_townlet.translate.affordances import HOURS, affordance
from hamlet_townlet.translate.dynamics import dies, dynamics, lifespan, meter
from hamlet_townlet.translate.observations import ObservedVariable, observe, observed, start
from hamlet_townlet.translate.rewards import rewards
from hamlet_townlet.translate.space import moves, space
from hamlet_townlet.translate.terms import as_binary32, fresh_name, number, word
from hamlet_townlet.translate.variables import Variables
from hamletc.language import syntax
from hamletc.language.syntax import NOWHERE, Name

LARGEST_INTRINSIC = 1e6
"""The largest intrinsic reward that a universe takes, before its weight."""
LARGEST_DEPLETION = 1000.0


def universe_name(directory: Path) -> str:
    """The name of the folder of a pack, changed as little as it takes to import a package of that name."""
    name = re.sub(r"\W", "_", directory.resolve().name, flags=re.ASCII)[:LONGEST_NAME]
    if not name or name[0].isdigit():
        name = f"pack_{name}"[:LONGEST_NAME]
    return f"{name[: LONGEST_NAME - 1]}_" if keyword.iskeyword(name) or name in ("then", "when") else name


def translate(pack: Pack) -> tuple[syntax.File, Description]:
    """The syntax tree of a pack, and what HAMLET knows about it beyond a universe."""
    names = {bar.name.value for bar in pack.bars}
    depletion, fresh, intrinsic = (fresh_name(name, names) for name in ("depletion", "fresh", "intrinsic_raw"))
    variables = Variables(pack, fresh)
    earned = rewards(pack, variables, intrinsic)
    parts = observed(pack)
    declarations: list[syntax.Decl | None] = [
        *_setting(pack),
        _param(depletion, 1.0, LARGEST_DEPLETION, NOWHERE),
        _param(fresh, 0.0, 1.0, NOWHERE) if variables.used else None,
        _input(intrinsic, pack.rewards.intrinsic.base_weight.span),
        *_body(pack, Name(depletion, NOWHERE, quoted=True)),
        *earned,
        observe(parts, NOWHERE),
    ]
    name = Name(universe_name(pack.directory), NOWHERE)
    file = syntax.File(name, tuple(each for each in declarations if each is not None), NOWHERE)
    return file, _describe(pack, depletion, fresh if variables.used else None, intrinsic, parts)


def _setting(pack: Pack) -> list[syntax.Decl | None]:
    """The space, time, and how a universe of HAMLET's is run."""
    training = pack.training
    span = training.temporal.span
    clock = syntax.ClockDecl(syntax.Signed(str(HOURS), span), span) if training.temporal.value else None
    return [
        space(pack.substrate, training),
        moves(pack.substrate),
        start(pack),
        clock,
        lifespan(training.lifespan),
        syntax.EpisodesDecl(NOWHERE),
        syntax.TrackDecl(word("world", NOWHERE), NOWHERE),
        syntax.InertDecl(NOWHERE),
    ]


def _body(pack: Pack, depletion: Name) -> list[syntax.Decl | None]:
    """The declarations of a tick."""
    unclamped: set[str] = set()
    if not pack.training.temporal.value:
        unclamped = {cost.meter.value for each in pack.deployed for cost in each.costs}
    if not unclamped and all(as_binary32(bar.base_depletion.value) == 0 for bar in pack.bars):
        # The multiplier of `step` is there all the same: something has to read it.
        unclamped = {pack.bars[0].name.value}
    return [
        *(meter(bar, depletion, unclamped) for bar in pack.bars),
        *dynamics(pack),
        *(affordance(each, pack) for each in pack.deployed),
        *(action(each, pack) for each in pack.actions),
        *masks(pack),
        dies(pack),
    ]


def _param(name: str, default: float, most: float, span: Span) -> syntax.ParamDecl:
    bounds = (number(0.0, span), number(most, span))
    return syntax.ParamDecl(Name(name, span, quoted=True), number(default, span), bounds, span)


def _input(name: str, span: Span) -> syntax.InputDecl:
    bounds = (number(-LARGEST_INTRINSIC, span), number(LARGEST_INTRINSIC, span))
    return syntax.InputDecl(Name(name, span, quoted=True), number(0.0, span), bounds, span)


def _describe(
    pack: Pack, depletion: str, fresh: str | None, intrinsic: str, parts: list[ObservedVariable]
) -> Description:
    vocabulary = tuple(each.name.value for each in pack.affordances)
    fields, offset = [], 0
    for part in parts:
        fields.append(ObservationField(part.variable, offset, part.count))
        offset += part.count
    return Description(
        vocabulary=vocabulary,
        deployed=tuple(vocabulary.index(each.name.value) for each in pack.deployed),
        temporal=pack.training.temporal.value,
        pomdp=pack.training.partial_observability.value,
        depletion=depletion,
        fresh=fresh,
        intrinsic=intrinsic,
        raising=tuple(each.name.value for each in pack.deployed if raises(each, pack.training)),
        fields=tuple(fields),
        enabled=enabled(pack),
        pack=pack.directory.resolve().name,
        stopping=tuple(bonus.type for bonus in pack.rewards.shaping if isinstance(bonus, StoppingBonus)),
    )
