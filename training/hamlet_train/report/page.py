"""The page of a run: HTML in one file, which asks for nothing from anywhere."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from hamlet_train import certainty
from hamlet_train.evaluation import Evaluated, of_chance, trained
from hamlet_train.judged import ALL
from hamlet_train.report import charts
from hamlet_train.report.charts import COLOURS, Line
from hamlet_train.report.film import Life
from hamlet_train.report.studied import Moment, Studied, Trained, lengths, returns, settings_of

FEW = 8
"""Names of shares that are drawn, at most; the others are drawn as one."""
LEVELS = (("random actions", "#444444"), ("one action", "#999999"))


def page(studied: Studied) -> str:
    """The whole page."""
    first = studied.trainings[0].manifest
    count = len(studied.trainings)
    seeds = ", ".join(str(each.manifest.seed) for each in studied.trainings)
    title = f"{first.universe}: PPO, {first.ticks:,} agent-ticks, seed{'s' * (count > 1)} {seeds}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _unfinished(studied.trainings),
        "<h2>How good it is</h2>",
        _summary(studied),
        "<h2>How it learnt</h2>",
        _note(count),
        f'<div class="charts">{"".join(_curves(studied))}</div>',
        _kinds(studied.trainings[0]),
        "<h2>What ends lives, and what is used</h2>",
        f'<div class="charts">{"".join(_shares(studied.moments, studied.what))}</div>',
        "<h2>Three lives</h2>",
        f'<div class="lives">{"".join(map(_life, studied.lives))}</div>',
        "<h2>How to train it again</h2>",
        _again(studied),
    ]
    style, script = (files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    films = json.dumps([_film(life) for life in studied.lives], separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>\n{''.join(parts)}"
        f'<script type="application/json" id="films">{films}</script><script>{script}</script></body></html>\n'
    )


def _unfinished(trainings: Sequence[Trained]) -> str:
    going = [str(each.manifest.seed) for each in trainings if not each.finished]
    if not going:
        return ""
    return f'<p class="warn">Not ended, so this is of the latest checkpoint: seed {", ".join(going)}.</p>'


def _summary(studied: Studied) -> str:
    """A table of returns and lengths by role, with intervals."""
    rows = []
    for role in studied.chance:
        sides = [
            ("the policy", returns(studied.played, role), lengths(studied.played, role)),
            ("random actions", returns([studied.chance], role), lengths([studied.chance], role)),
            (f"{studied.action} all the time", returns([studied.alone], role), lengths([studied.alone], role)),
        ]
        for name, gained, lived in sides:
            better = "" if name == "the policy" else _percent(certainty.of_improvement(sides[0][1], gained))
            cells = (
                role if role != ALL else "",
                name,
                str(certainty.of_mean(gained)),
                str(certainty.of_mean(lived)),
                better,
            )
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    count = len(next(iter(studied.played[0].values())).lengths)
    head = "".join(f"<th>{each}</th>" for each in ("", "", "return", "length", "the policy is better with probability"))
    several = len(studied.trainings) > 1
    of = (
        f"{count:,} first episodes of each of {len(studied.trainings)} seeds"
        if several
        else f"{count:,} first episodes"
    )
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p>{of} in worlds that no training has. In brackets: 95 % bootstrap intervals. The last column is the "
        "probability that a life under the policy has a greater return (Agarwal and others, 2021).</p>"
    )


def _percent(interval: certainty.Interval) -> str:
    return f"{interval.value:.1%} ({interval.low:.1%} to {interval.high:.1%})"


def _note(count: int) -> str:
    band = (
        f"Thick lines are means of {count} seeds, thin ones single seeds, bands the quartiles of seeds."
        if count > 1
        else "Lines are means, bands reach from the lower to the upper quartile of episodes."
    )
    return f"<p>{band} The dashed lines are random actions and the best single action.</p>"


def _curves(studied: Studied) -> list[str]:
    """A chart of returns and one of lengths, for each role."""
    every = [trained(each.run.evaluations()) for each in studied.trainings]
    chance = of_chance(studied.trainings[0].run.evaluations())
    drawn = []
    for number, role in enumerate(studied.chance):
        for name, what in (("returned", "return of an episode"), ("length", "length of an episode, ticks")):
            lines = [_learnt(every, number, name)]
            levels = [] if chance is None else [getattr(chance.fared[number], name).mean]
            levels.append(studied.alone[role].returned if name == "returned" else studied.alone[role].length)
            names = ("random actions", f"{studied.action} all the time")[-len(levels) :]
            for level, named, (_, colour) in zip(levels, names, LEVELS[-len(levels) :], strict=True):
                lines.append(Line(named, [(0.0, level)], dashed=True, colour=colour))
            title = what if role == ALL else f"{role}: {what}"
            drawn.append(charts.lines(title, "agent-ticks of training", lines))
    return drawn


def _kinds(training: Trained) -> str:
    """A table of the last evaluation in worlds of each kind, and its course; nothing where there is one kind alone."""
    evaluations = training.run.evaluations()
    points, chance = trained(evaluations), of_chance(evaluations)
    if not points or not points[-1].kinds:
        return ""
    randoms = {} if chance is None else {each.name: each for each in chance.kinds}
    rows, lines = list[str](), list[Line]()
    for place, kind in enumerate(points[-1].kinds):
        for number, fared in enumerate(kind.fared):
            role = fared.role or ""
            random = randoms[kind.name].fared[number] if kind.name in randoms else None
            means = [fared.returned.mean, fared.length.mean, *([random.returned.mean] if random else [])]
            cells = (kind.name, role, f"{fared.episodes:,}", *(f"{each:.4g}" for each in means))
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
            course = [(float(each.ticks), each.kinds[place].fared[number].returned.mean) for each in points]
            colour = COLOURS[len(lines) % len(COLOURS)]
            lines.append(Line(f"{kind.name} {role}".strip(), course, colour=colour))
    head = "".join(f"<th>{each}</th>" for each in ("worlds", "", "episodes", "return", "length", "random return"))
    chart = charts.lines("return of an episode", "agent-ticks of training", lines)
    return (
        f"<h2>In which worlds</h2><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p>The last evaluation of seed {training.manifest.seed}, by the stage in which worlds are, and by thirds of "
        f'them where they draw a param.</p><div class="charts">{chart}</div>'
    )


def _learnt(every: Sequence[Sequence[Evaluated]], number: int, name: str) -> Line:
    """The curve of a role over the points that all seeds have."""
    points = min(every, key=len)
    at = range(len(points))
    xs = [float(each.ticks) for each in points]
    middles = [[getattr(seed[index].fared[number], name) for seed in every] for index in at]
    means = [sum(each.mean for each in here) / len(here) for here in middles]
    line = list(zip(xs, means, strict=True))
    if len(every) == 1:
        band = [(x, here[0].lower, here[0].upper) for x, here in zip(xs, middles, strict=True)]
        return Line("the policy", line, band, colour=COLOURS[0])
    quartiles = [_quartiles([each.mean for each in here]) for here in middles]
    band = [(x, low, high) for x, (low, high) in zip(xs, quartiles, strict=True)]
    thin = [[(x, here[seed].mean) for x, here in zip(xs, middles, strict=True)] for seed in range(len(every))]
    return Line(f"the policy, {len(every)} seeds", line, band, thin, colour=COLOURS[0])


def _quartiles(numbers: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(numbers)
    last = len(ordered) - 1
    return ordered[round(0.25 * last)], ordered[round(0.75 * last)]


def _shares(moments: Sequence[Moment], what: str) -> list[str]:
    """Charts of endings and of uses over the training."""
    if not moments:
        return ["<p>There is no checkpoint to play.</p>"]
    xs = [float(each.ticks) for each in moments]
    drawn = []
    for title, shares in (
        ("How lives end", [each.endings for each in moments]),
        (f"Which {what} are used", [each.uses for each in moments]),
    ):
        names = [name for name in shares[0] if any(each[name] for each in shares)]
        names.sort(key=lambda name: -sum(each[name] for each in shares))
        rest = names[FEW - 1 :] if len(names) > FEW else []
        stacked = {name: [each[name] for each in shares] for name in names if name not in rest}
        if rest:
            stacked[f"{len(rest)} others"] = [sum(each[name] for name in rest) for each in shares]
        drawn.append(charts.stacked(title, "agent-ticks of training", xs, stacked))
    return drawn


def _life(life: Life) -> str:
    first = life.shots[0].image
    return (
        f'<section class="life"><h3>{escape(life.name)}</h3><p>return {life.returned:.4g}, {life.length:,} ticks, '
        f"ended by {escape(life.ended)}; agent {life.agent} of world {life.world}, seed {life.seed}</p>"
        f'<img alt="{escape(life.name, quote=True)}" src="data:image/png;base64,{first}">'
        f'<p class="now"></p><button type="button">play</button>'
        f'<input type="range" min="0" max="{len(life.shots) - 1}" value="0" aria-label="tick"></section>'
    )


def _film(life: Life) -> list[list[object]]:
    return [
        [each.tick, each.action, each.controls, round(each.reward, 4), round(each.returned, 4), each.image]
        for each in life.shots
    ]


def _again(studied: Studied) -> str:
    """The command, the settings, hashes and versions."""
    first = studied.trainings[0].manifest
    command = ["hamletc", "train", *first.command[2:]] if first.command[1:2] == ("train",) else []
    facts = {
        "command": shlex.join(command) if command else "trained by a program",
        "the same once more": f"hamletc reproduce {shlex.quote(str(studied.trainings[0].run.folder))}",
        "universe": f"{first.universe}, sha256 {first.digest}",
        "source": first.source,
        "worlds, agents": f"{first.worlds:,} worlds of {first.agents:,}",
        "settings": ", ".join(f"{name} {value}" for name, value in settings_of(first).items()),
        "versions": ", ".join(f"{name} {version}" for name, version in first.versions.items()),
    }
    for each in studied.trainings:
        facts[f"weights, seed {each.manifest.seed}"] = f"sha256 {each.manifest.weights or 'none yet'}"
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    return f'<table class="facts"><tbody>{rows}</tbody></table>'
