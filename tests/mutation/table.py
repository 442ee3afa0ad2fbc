"""The table of a mutation run."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from draw import folder
from killers import STAGES
from server import Verdict

EXPLANATIONS = Path(__file__).with_name("survivors.toml")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why nobody finds a mutant.

    Attributes:
        verdict: `equivalent`: it means the same for every universe. `weaker`: the bits are the same for every universe,
            the code is larger or slower.
    """

    path: str
    before: str
    after: str
    verdict: str
    why: str


@cache
def _explanations() -> dict[tuple[str, str, str], Explanation]:
    listed = tomllib.loads(EXPLANATIONS.read_text(encoding="utf-8")).get("survivor", [])
    return {(each["path"], each["before"], each["after"]): Explanation(**each) for each in listed}


def explained(verdict: Verdict) -> Explanation | None:
    """What is known about a survivor."""
    return _explanations().get((verdict.path, verdict.before, verdict.after))


@dataclass(frozen=True, slots=True)
class Drawn:
    """How many mutants are possible, how many of them were drawn, and the seed."""

    sites: int
    mutants: int
    seed: int


def survived(verdict: Verdict) -> bool:
    """Whether all stages have looked in vain, or it is known why they would."""
    return not verdict.killed_by and (verdict.stage == STAGES[-1] or explained(verdict) is not None)


def unfinished(verdict: Verdict) -> bool:
    """Whether a mutant lives and has stages before it."""
    return not verdict.killed_by and not survived(verdict)


def table(commit: str, drawn: Drawn, verdicts: Sequence[Verdict]) -> str:
    """The whole page."""
    counted = [verdict for verdict in verdicts if verdict.killed_by != "import"]
    killed = [verdict for verdict in counted if verdict.killed_by]
    survivors = [verdict for verdict in counted if survived(verdict)]
    waiting = [verdict for verdict in counted if unfinished(verdict)]
    behaviour = [verdict for verdict in killed if verdict.killed_by == "behaviour"]
    shown = [verdict for verdict in killed if verdict.killed_by != "golden"]
    known = [explanation.verdict for verdict in survivors if (explanation := explained(verdict)) is not None]
    same, weaker = known.count("equivalent"), known.count("weaker")
    how = {name: sum(verdict.how == name for verdict in killed) for name in ("difference", "error", "time", "signal")}
    lines = [
        "# Mutants",
        "",
        "`make mutants` alters lowering, passes, formatters and templates in one small place after the other and says",
        "who notices. `tests/mutation/README.md` has what is altered and who looks.",
        "",
        f"Commit {commit}: {drawn.sites:,} possible mutants, {drawn.mutants} drawn (seed {drawn.seed}), each file and "
        f"each kind in each folder at least once; {len(verdicts)} of them run. {len(verdicts) - len(counted)} are no "
        "program: they fail when they are imported, and do not count.",
        "",
        f"**{len(killed)} of {len(counted)} killed: {_percent(len(killed), len(counted))}**; "
        f"without golden files {len(shown)}: {_percent(len(shown), len(counted))}; "
        f"by behaviour alone {len(behaviour)}: {_percent(len(behaviour), len(counted))}. "
        f"{same} survivors are equivalent: no test can tell them. Of the others "
        f"**{_percent(len(killed), len(counted) - same)} are killed**; {weaker} survivors give the same bits for every "
        "universe, by larger or slower code. "
        f"{how['difference']} are told by a wrong value or text, {how['error']} make the compiler or a kernel fail, "
        f"{how['time']} never end, {how['signal']} crash the process.",
        "",
        *(
            [
                f"**This run is not finished**: {drawn.mutants - len(verdicts)} mutants have not been run, and "
                f"{len(waiting)} live after their first stages, so that the percentages say little.",
                "",
            ]
            if waiting or len(verdicts) < drawn.mutants
            else []
        ),
        *_counts("folder", counted, lambda verdict: folder(verdict.path)),
        "",
        *_counts("altered", counted, lambda verdict: verdict.kind),
        "",
        "- behaviour: programs, evaluated by their definition, or kernels (Triton's on its interpreter) against the",
        "  interpreter: state, outcomes, observations, masks and statistics, to the bit.",
        "- unit: the tests of the folder. long: the rest of the suite that looks at it, for what nothing else finds.",
        "- golden: no value is wrong, but a committed package differs.",
        "- unfinished: alive, and not all stages have been run.",
        "",
        f"## Survivors: {len(survivors)}",
        "",
        *(line for verdict in survivors for line in _described(verdict)),
    ]
    if waiting:
        lines += [f"## Unfinished: {len(waiting)}", ""]
        lines += [line for verdict in waiting for line in _described(verdict)]
    return "\n".join(lines).rstrip() + "\n"


def _described(verdict: Verdict) -> list[str]:
    known = explained(verdict)
    text = (
        f"{known.verdict}. {known.why}" if known is not None else f"not explained; the last stage was {verdict.stage}."
    )
    return [
        f"`{verdict.path}:{verdict.line}` ({verdict.kind}): {text}",
        *("", "```diff", f"- {verdict.before}", f"+ {verdict.after}", "```", ""),
    ]


def _counts(title: str, verdicts: Sequence[Verdict], key: Callable[[Verdict], str]) -> list[str]:
    stages = ("behaviour", "unit", "golden", "long")
    names = (title, "mutants", *stages, "survived", "unfinished", "killed")
    lines = [f"| {' | '.join(names)} |", "|---|" + "--:|" * (len(names) - 1)]
    groups = {name: [verdict for verdict in verdicts if key(verdict) == name] for name in sorted({*map(key, verdicts)})}
    for name, members in [*groups.items(), ("all", list(verdicts))]:
        by = [sum(verdict.killed_by == stage for verdict in members) for stage in stages]
        left = [sum(map(survived, members)), sum(map(unfinished, members))]
        cells = [name, len(members), *by, *left, _percent(sum(by), len(members))]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
