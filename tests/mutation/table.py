"""The table of a mutation run."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import NormalDist

from draw import folder
from verdict import STAGES, Verdict

EXPLANATIONS = Path(__file__).with_name("survivors.toml")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why nobody finds a mutant.

    Attributes:
        verdict: `equivalent`: it means the same for every universe. `weaker`: the bits are the same for every universe,
            the code is larger or slower. `hole`: it survived when it was drawn; a test that was written since finds it.
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
    """How many mutants are possible, how many of them were drawn, and the seed; how many are possible by folder."""

    sites: int
    mutants: int
    seed: int
    folders: Mapping[str, int]


def interval(part: float, whole: float) -> tuple[float, float]:
    """Wilson's interval: which shares of all mutants agree with so many of a sample, at 95 %."""
    if whole == 0:
        return 0.0, 1.0
    z, share = NormalDist().inv_cdf(0.975), part / whole
    middle, shrunk = share + z * z / (2 * whole), 1 + z * z / whole
    spread = z * sqrt(share * (1 - share) / whole + (z / (2 * whole)) ** 2)
    # A bound that is exact is not rounded past it.
    low = 0.0 if part == 0 else (middle - spread) / shrunk
    return low, 1.0 if part == whole else (middle + spread) / shrunk


def estimate(strata: Sequence[tuple[int, int, int]]) -> tuple[float, float, float]:
    """The share of all that a sample of several strata tells, and its interval.

    Args:
        strata: of each how many there are, how many of the sample count, which is more than 0, and how many of these
            are found.
    """
    there = sum(possible for possible, _, _ in strata)
    share = sum(possible / there * found / counted for possible, counted, found in strata)
    # As many as a sample of all at once would need to have to tell as much.
    size = 1 / sum((possible / there) ** 2 / counted for possible, counted, _ in strata)
    return share, *interval(share * size, size)


def survived(verdict: Verdict) -> bool:
    """Whether all stages have looked in vain, or it is known why they would."""
    return not verdict.killed_by and (verdict.stage == STAGES[-1] or settled(verdict))


def settled(verdict: Verdict) -> bool:
    """Whether it is known why nobody finds it."""
    return _is(verdict, "equivalent") or _is(verdict, "weaker")


def hole(verdict: Verdict) -> bool:
    """Whether it survived when it was drawn, and a test has been written for it."""
    return _is(verdict, "hole")


def _is(verdict: Verdict, name: str) -> bool:
    """Whether this is what is known about it."""
    known = explained(verdict)
    return known is not None and known.verdict == name


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
    holes = [verdict for verdict in killed if hole(verdict)]
    how = {name: sum(verdict.how == name for verdict in killed) for name in ("difference", "error", "time", "signal")}
    lines = [
        "# Mutants",
        "",
        "`make mutants` alters lowering, passes, schedules, targets and C by hand in one small place after the other",
        "and says who notices. `tests/mutation/README.md` has what is altered and who looks.",
        "",
        f"Commit {commit}: {drawn.sites:,} possible mutants, {drawn.mutants} drawn (seed {drawn.seed}), of each folder "
        f"in proportion, within it at random; {len(verdicts)} of them run, in an order of chance. "
        f"{len(verdicts) - len(counted)} are no program: they fail when they are imported, and do not count.",
        "",
        *_headline(drawn, counted),
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
                f"{drawn.mutants - len(verdicts)} drawn mutants have not been run. {len(waiting)} live after the "
                "stages that have looked; they count as not found.",
                "",
            ]
            if waiting or len(verdicts) < drawn.mutants
            else []
        ),
        *_estimates(drawn, counted),
        "",
        *_counts("folder", counted, lambda verdict: folder(verdict.path)),
        "",
        *_counts("altered", counted, lambda verdict: verdict.kind),
        "",
        "- behaviour: programs, evaluated by their definition, or kernels (Triton's on its interpreter) against the",
        "  interpreter: state, outcomes, observations, masks and statistics, to the bit.",
        "- unit: the tests of the folder. universes: those of gallery, ports and regressions against the interpreter.",
        "- long: the rest of the suite that looks at the folder, for what nothing else finds.",
        "- golden: no value is wrong, but a committed package differs.",
        "- unfinished: alive, and not all stages have been run.",
        "",
        *(
            [f"## Found since: {len(holes)}", "", *(line for each in holes for line in _described(each))]
            if holes
            else []
        ),
        f"## Survivors: {len(survivors)}",
        "",
        *(line for verdict in survivors for line in _described(verdict)),
    ]
    if waiting:
        lines += [f"## Unfinished: {len(waiting)}", ""]
        lines += [line for verdict in waiting for line in _described(verdict)]
    return "\n".join(lines).rstrip() + "\n"


@dataclass(frozen=True, slots=True)
class Row:
    """What became of the mutants of a folder.

    Attributes:
        possible: how many there are.
        run: how many of them were run and are programs.
        equivalent: those of them that no test can tell.
        before: those that were found when they were drawn.
        now: those that are found by the tests as they are.
    """

    possible: int
    run: int
    equivalent: int
    before: int
    now: int

    @property
    def counted(self) -> int:
        """Those that a test could tell."""
        return self.run - self.equivalent


def _rows(drawn: Drawn, verdicts: Sequence[Verdict]) -> dict[str, Row]:
    """By folder."""
    rows = {}
    for name, possible in drawn.folders.items():
        members = [verdict for verdict in verdicts if folder(verdict.path) == name]
        killed = [verdict for verdict in members if verdict.killed_by]
        same = sum(not verdict.killed_by and _is(verdict, "equivalent") for verdict in members)
        before = sum(not hole(verdict) for verdict in killed)
        rows[name] = Row(possible, len(members), same, before, len(killed))
    return rows


def _headline(drawn: Drawn, verdicts: Sequence[Verdict]) -> list[str]:
    """The share of all mutants that are found, and of which folders nothing is said."""
    rows = _rows(drawn, verdicts)
    told = {name: row for name, row in rows.items() if row.counted}
    if not told:
        return ["Nothing has been run."]
    before = estimate([(row.possible, row.counted, row.before) for row in told.values()])
    now = sum(row.now for row in told.values())
    counted, missing = sum(row.counted for row in told.values()), [name for name in rows if name not in told]
    only = (
        f" **Nothing is known of {', '.join(missing)}: what follows is of the other folders alone.**" if missing else ""
    )
    share, low, high = (100 * each for each in before)
    return [
        f"**Of mutants that are not equivalent {share:.1f} % ({low:.1f} to {high:.1f} %) were found by the tests as "
        "they were when the sample was drawn**: an estimate for all mutants of these folders, weighed by their sizes, "
        f"with its interval of 95 % (Wilson).{only} With tests that were written for survivors {now} of the {counted} "
        f"in the sample are found, {_percent(now, counted)}; what that means of all others another seed has to tell.",
    ]


def _estimates(drawn: Drawn, verdicts: Sequence[Verdict]) -> list[str]:
    """By folder: how many mutants there are, and the share that is found of those that are not equivalent."""
    lines = ["| folder | possible | run | equivalent | found when drawn | found now |", "|---|--:|--:|--:|--:|--:|"]
    for name, row in _rows(drawn, verdicts).items():
        shares = _share(row.before, row.counted), _percent(row.now, row.counted)
        lines.append(f"| {name} | {row.possible:,} | {row.run} | {row.equivalent} | {' | '.join(shares)} |")
    return lines


def _share(part: int, whole: int) -> str:
    """A part with its interval."""
    low, high = interval(part, whole)
    return f"{_percent(part, whole)} ({100 * low:.1f} to {100 * high:.1f} %)" if whole else "-"


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
    stages = STAGES[1:]
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
