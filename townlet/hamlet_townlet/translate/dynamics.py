"""What happens to meters in every tick: modulations as rules, and cascades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hamlet_townlet.pack import Cascade, Modulation, Pack, Spanned
from hamlet_townlet.reader.read_cascades import GROUPS
from hamlet_townlet.translate.names import fresh_name
from hamlet_townlet.translate.terms import binary, minus, number, plus, quoted, times, word
from hamletc.language.syntax import AssignStmt, CascadeDecl, Expr, Name, RuleDecl


def dynamics(pack: Pack) -> list[RuleDecl | CascadeDecl]:
    """Modulations, then the cascades group by group, each by the index of its target; names are made unique."""
    order = {bar.name.value: bar.index.value for bar in pack.bars}
    taken: set[str] = set()
    result: list[RuleDecl | CascadeDecl] = []
    for modulation in sorted(pack.modulations, key=lambda m: order[m.target.value]):
        result.append(_rule(modulation, _unique(modulation.name, taken, modulation)))
    for cascade in _sorted(pack.cascades, order):
        result.append(_cascade(cascade, _unique(cascade.name, taken, cascade)))
    return result


def _sorted(cascades: Sequence[Cascade], order: Mapping[str, int]) -> list[Cascade]:
    return sorted(cascades, key=lambda c: (GROUPS.index(c.group), order[c.target.value]))


def _unique(wanted: str, taken: set[str], part: Modulation | Cascade) -> Name:
    name = fresh_name(wanted, taken)
    taken.add(name)
    return Name(name, part.span, quoted=True)


def _rule(modulation: Modulation, name: Name) -> RuleDecl:
    """`rule unfit: health -= 0.001 * (0.5 + 2.5 * (1 - fitness))`."""
    span = modulation.span
    lack = minus(number(1.0, span), quoted(modulation.source), span)
    extra = times(_number(modulation.range), lack, span)
    factor = plus(_number(modulation.base_multiplier), extra, span)
    loss = binary(_number(modulation.baseline_depletion), "*", factor, span)
    return RuleDecl(name, None, (AssignStmt(quoted(modulation.target), "-=", loss, None, span),), span)


def _cascade(cascade: Cascade, name: Name) -> CascadeDecl:
    """`cascade hunger: satiation < 0.3 -> energy -= 0.005 * deficit`."""
    span = cascade.span
    guard = binary(quoted(cascade.source), "<", _number(cascade.threshold), span)
    loss = binary(_number(cascade.strength), "*", word("deficit", span), span)
    return CascadeDecl(name, guard, (AssignStmt(quoted(cascade.target), "-=", loss, None, span),), span)


def _number(value: Spanned[float]) -> Expr:
    return number(value.value, value.span)
