"""Warnings about a training that went wrong, each with what to change first."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet_train.evaluation import Evaluated, Fared, of_chance, trained
from hamlet_train.ppo import Progress

COLLAPSED = 0.05
"""Of the first entropy: a policy with less has settled."""
UNMOVED = 0.97
"""Of the first entropy: a policy with more has hardly begun to choose."""
FEW = 10
"""Updates: stages that all worlds have left before so many are done were hardly learnt."""
GAINED = 0.02
"""Of the size of what random actions return: who gains less has learnt nothing."""
UNSURE = 1 / 3
"""Of the first entropy: a policy with more at the end still tries, where it has learnt anything."""
ENOUGH = 5
"""Evaluations: of fewer nobody can say that the return rises no more."""
LAST, RISEN = 0.25, 0.02
"""Of the updates, and of what was gained beyond random actions: who gained less in the last updates learns no more."""


def advice(lines: Sequence[Progress], evaluations: Sequence[Evaluated]) -> list[str]:
    """A line for each role that learnt nothing, settled before half of the training, or learns no more and still tries
    what it knows to be worse; and one where all worlds went through the stages of a curriculum early."""
    points, chance = trained(evaluations), of_chance(evaluations)
    if not points or chance is None or not lines:
        return []
    said = _hurried(lines)
    several = len({line.role for line in lines}) > 1
    for role in dict.fromkeys(line.role for line in lines):
        mine = [line for line in lines if line.role == role]
        now, random = _of(points[-1], role), _of(chance, role)
        entropies = [line.entropy for line in mine]
        settled = [line.update for line in mine if line.entropy < COLLAPSED * entropies[0]]
        early = bool(settled) and settled[0] <= mine[-1].update / 2
        better = now.returned.mean - random.returned.mean > GAINED * abs(random.returned.mean)
        whose = f" of {role}" if role else ""
        if early and not better:
            said.append(
                f"the policy{whose} settled after update {settled[0]} of {mine[-1].update}, and returns no more than "
                "random actions: take --set entropy=0.1 first, then --set rate=0.001"
            )
        elif not better and (not several or entropies[-1] > UNMOVED * entropies[0]):
            said.append(
                f"nothing was learnt{whose}: it returns {now.returned.mean:.4g}, and random actions "
                f"{random.returned.mean:.4g}. Take more --ticks first, then "
                "--set entropy=0.01, then --set discount=0.99"
            )
        elif better and not several and entropies[-1] > UNSURE * entropies[0] and _flat(points, role, random):
            said.append(
                "the return has hardly risen in the last quarter of the training, and the entropy is still "
                f"{entropies[-1] / entropies[0]:.0%} of the first one. If more can be had, take --set discount=0.99 "
                "first, then --set entropy=0.01; hamletc tune tries these and others"
            )
    return said


def _flat(points: Sequence[Evaluated], role: str | None, random: Fared) -> bool:
    """Whether evaluations of the last updates are no better than the one before them."""
    last = points[-1]
    before = [point for point in points if point.update <= (1 - LAST) * last.update]
    if len(points) < ENOUGH:
        return False
    now, then = _of(last, role).returned.mean, _of(before[-1], role).returned.mean
    return now - then <= RISEN * (now - random.returned.mean)


def _hurried(lines: Sequence[Progress]) -> list[str]:
    """A line where all worlds are in another stage than the first one after few updates, and until the end."""
    last, stage = lines[-1], _stage(lines[-1])
    if stage is None or last.stages is None or stage == next(iter(last.stages)):
        return []
    before = max((line.update for line in lines if _stage(line) != stage), default=0)
    if before >= FEW or last.update < 2 * FEW:
        return []
    return [
        f"after update {before + 1} of {last.update} all worlds are in the stage {stage}, so those before it taught "
        "little: take --set horizon=16 first, then more --worlds"
    ]


def _stage(line: Progress) -> str | None:
    """The stage in which all worlds are."""
    stages = [stage for stage, count in (line.stages or {}).items() if count]
    return stages[0] if len(stages) == 1 else None


def _of(evaluated: Evaluated, role: str | None) -> Fared:
    return next((fared for fared in evaluated.fared if role in (None, fared.role)), evaluated.fared[0])
