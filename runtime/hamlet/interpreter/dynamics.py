"""Steps 3 and 4 of a tick: decay, then rules of pairs, then rules and cascades in file order."""

from __future__ import annotations

import torch

from hamlet.interpreter import coverage
from hamlet.interpreter.act import disengage
from hamlet.interpreter.expressions import Measured, evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.statements import run, subtract
from hamlet.universe import Cascade, Rule


def decay(lanes: Lanes) -> None:
    """Every meter with `decay` loses it."""
    for meter in lanes.universe.meters:
        if meter.decay is not None:
            subtract(meter.name, meter.decay, lanes, lanes.running, f"meter {meter.name}: decay", meter.span)


def dynamics(lanes: Lanes) -> None:
    """Run all rules and cascades; who is elsewhere then loses its progress."""
    began = lanes.position
    for item in lanes.universe.dynamics:
        match item:
            case Rule():
                run_rule(item, lanes)
            case Cascade():
                run_cascade(item, lanes)
    disengage(lanes, began, torch.zeros_like(lanes.running))


def run_rule(rule: Rule, lanes: Lanes) -> None:
    """Run a rule where its guard holds."""
    who = lanes.running if rule.guard is None else lanes.running & evaluate(rule.guard, lanes)
    lanes.count(coverage.rule(rule), who)
    run(rule.body, lanes, who, coverage.rule(rule))


def run_cascade(cascade: Cascade, lanes: Lanes) -> None:
    """Run a cascade where its source is below its threshold; what it measures stays as it was then."""
    source, threshold = lanes.meters[cascade.source], lanes.constant(cascade.threshold)
    who = lanes.running & (source < threshold)
    if cascade.who is not None:
        who = who & evaluate(cascade.who, lanes)
    lanes.count(coverage.rule(cascade), who)
    shortfall = threshold - source
    run(cascade.body, lanes, who, coverage.rule(cascade), Measured(shortfall / threshold, shortfall))
