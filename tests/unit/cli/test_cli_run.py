"""`hamletc run`: what it prints and writes, and that its numbers do not depend on the backend."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import hamlet
from hamlet.errors import EnvError
from hamlet_look.text import drawn
from hamletc.cli.live import survival
from hamletc.cli.package import open_package
from hamletc.cli.report import RunReport, show, sparkline
from hamletc.cli.screen import show_live
from processes import Command
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"
PNG = b"\x89PNG\r\n\x1a\n"


def facts(report: str) -> list[str]:
    """The lines of a report that tell what happened, and not how fast and on what."""
    return [line for line in report.splitlines() if not line.startswith(("backend", "speed"))]


def test_run_reports_and_writes(hamletc: Command, tmp_path: Path) -> None:
    done = hamletc("run", MEAL, "--worlds", "300", "--ticks", "250", "--backend", "interpreter")
    assert (done.returncode, done.stderr) == (0, "")
    assert "first_meal  300 worlds of 1 agent, 250 ticks" in done.stdout
    assert "backend      interpreter on cpu: as asked for" in done.stdout
    assert "agent-ticks per second" in done.stdout
    for words in ("mean return", "Survival", "satiation <= 0", "lifespan", "Kitchen"):
        assert words in done.stdout
    assert done.stdout.endswith("package  generated/first_meal\nplot     runs/first_meal/meters.png\n")
    assert (tmp_path / "runs" / "first_meal" / "meters.png").read_bytes().startswith(PNG)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["generated", "runs"]
    episodes = int(re.search(r"episodes +([\d,]+) finished", done.stdout)[1].replace(",", ""))  # type: ignore[index]
    ends = [int(count.replace(",", "")) for count in re.findall(r"(?:<= 0|lifespan) +([\d,]+) ", done.stdout)]
    assert sum(ends) == episodes > 0
    # The package that it wrote will do as well, and an output folder may be chosen.
    again = hamletc(
        "run", "generated/first_meal", "--worlds", "300", "--ticks", "250", "--backend", "interpreter", "-o", "out"
    )
    assert facts(again.stdout)[:-1] == facts(done.stdout)[:-1]
    assert (tmp_path / "out" / "meters.png").read_bytes().startswith(PNG)


def test_nothing_is_written_where_it_is_not_wanted(
    hamletc_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither with `--no-write`, nor unasked in the user's home; `-o` asks for the plot."""
    arguments = ("run", MEAL, "--worlds", "30", "--ticks", "20", "--backend", "interpreter")
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    done = hamletc_here(*arguments, "--no-write")
    package, plot = done.stdout.splitlines()[-2:]
    assert plot == "plot     not written: --no-write"
    assert hamlet.load(package.removeprefix("package  ")).name == "first_meal"
    monkeypatch.setenv("HOME", str(place))
    done = hamletc_here(*arguments)
    assert done.stdout.splitlines()[-1] == "plot     not written: this is your home folder; -o FOLDER says where"
    # What other verbs open is not written there either.
    assert not open_package(MEAL).path.is_relative_to(place / "generated")
    assert list(place.iterdir()) == []
    assert hamletc_here(*arguments, "-o", "plots").stdout.endswith("\nplot     plots/meters.png\n")
    # Matplotlib keeps its settings in `.config`.
    assert {path.name for path in place.iterdir()} - {".config"} == {"plots"}


def test_nothing_is_written_for_a_backend_that_cannot_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hamlet.launch.wasm.find_spec", lambda _name: None)
    with pytest.raises(EnvError, match="wasmtime"):
        open_package(MEAL, runners=("wasm",))
    assert list(tmp_path.iterdir()) == []


def test_the_numbers_do_not_depend_on_the_backend(hamletc_here: Command) -> None:
    def lines(agents: str, seed: str, backend: str) -> list[str]:
        arguments = ("--worlds", "301", "--agents", agents, "--ticks", "233", "--seed", seed, "--backend", backend)
        return facts(hamletc_here("run", MEAL, *arguments).stdout)

    reference = lines("3", "12345678901234567890", "interpreter")
    assert any(line.startswith("mean return") for line in reference)
    assert lines("3", "12345678901234567890", "c") == reference
    assert lines("3", "1", "c") != reference


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "cuda"], "there is no backend 'cuda'"),
        (["--agents", "25"], "take at most 24 agents"),
        (["-o", "/proc/nowhere", "--worlds", "2", "--ticks", "2", "--backend", "interpreter"], "cannot write"),
    ],
)
def test_run_errors_are_one_line(hamletc_here: Command, arguments: list[str], message: str) -> None:
    done = hamletc_here("run", MEAL, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nobody_lives_on_where_episodes_end_by_hand(hamletc_here: Command, tmp_path: Path) -> None:
    path = tmp_path / "hand.hamlet"
    path.write_text(
        "universe hand\nspace grid 4 x 4\nepisodes by hand\nmeter energy = 0.3 { decay 0.05 }\n"
        "affordance Bed at (1, 1) { instantly { energy += 0.1 } }\ndies when energy <= 0\nreward energy\n"
        "observe { meters }\n",
        encoding="utf-8",
    )
    done = hamletc_here("run", path, "--worlds", "3", "--ticks", "60", "--backend", "interpreter")
    assert (done.returncode, done.stderr) == (0, "")
    assert "energy <= 0  3  100.0%" in done.stdout
    assert (tmp_path / "runs" / "hand" / "meters.png").read_bytes().startswith(PNG)


def test_run_refuses_a_package_that_was_changed(hamletc_here: Command, tmp_path: Path) -> None:
    hamletc_here("compile", MEAL)
    kernels = tmp_path / "generated" / "first_meal" / "c_kernels.c"
    kernels.write_text(kernels.read_text() + "raise SystemExit(99)\n")
    done = hamletc_here("run", "generated/first_meal", "--worlds", "2")
    assert done.returncode == 1
    assert "c_kernels.c was changed after it was written" in done.stderr


def test_survival_without_censoring_is_the_fraction_alive() -> None:
    assert survival([0, 1, 1, 2], [0, 0, 0, 0]) == pytest.approx([1.0, 0.75, 0.5, 0.0])


def test_survival_counts_the_living_while_they_were_watched() -> None:
    # Four agents: deaths at 1 and 3, one last seen alive at 1, one at 4 (Kaplan and Meier: 3/4, then 1/2 of that).
    assert survival([0, 1, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0]) == pytest.approx([1.0, 0.75, 0.75, 0.375, 0.375])


def test_survival_of_nobody() -> None:
    assert survival([0, 0], [0, 0]) == []


@pytest.mark.parametrize(("lifespan", "told"), [("", True), ("lifespan 20 ticks", False)])
def test_survival_is_not_told_where_the_lifespan_ends_lives_of_all_ages(
    lifespan: str, told: bool, hamletc_here: Command, tmp_path: Path
) -> None:
    (tmp_path / "brood.hamlet").write_text(f"""\
universe brood
space none
{lifespan}
role fish: 4 agents {{
    begins with 2
    respawns after 3 ticks
    meter energy = 1 {{ decay 0.04 }}
    dies when energy <= 0 or chance(0.02)
}}
reward 1
observe {{ meters }}
""")
    done = hamletc_here("run", "brood.hamlet", "--worlds", "8", "--ticks", "90", "--backend", "interpreter")
    assert done.returncode == 0
    assert "fish.energy <= 0" in done.stdout or "energy <= 0" in done.stdout
    assert ("Survival" in done.stdout) == told


def test_sparkline() -> None:
    assert sparkline([1.0, 0.5, 0.01, 0.0], 60) == "█▄▁"
    assert len(sparkline([1.0] * 1000, 60)) == 60
    assert sparkline([1.0], 60) == "█"


HUNGRY = (
    MEAL.read_text()
    .replace("meter satiation", "param hunger = 1 in 0 .. 4\nmeter satiation")
    .replace("decay 0.02", "decay 0.02 * hunger")
)


def test_params_of_a_run(hamletc_here: Command, tmp_path: Path) -> None:
    """A run with a param is that of the universe with this default."""
    (tmp_path / "hungry.hamlet").write_text(HUNGRY)
    (tmp_path / "other.hamlet").write_text(HUNGRY.replace("hunger = 1", "hunger = 2.5"))
    options = ("--worlds", "64", "--ticks", "100", "--backend", "interpreter")
    usual, given, other = (
        facts(hamletc_here("run", name, *options, *params).stdout)
        for name, params in (("hungry.hamlet", ()), ("hungry.hamlet", ("--param", "hunger=2.5")), ("other.hamlet", ()))
    )
    assert "params       hunger = 2.5" in given
    assert [line for line in given if not line.startswith("params")] == other != usual


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (["hunger=9"], "--param hunger: 9 is outside of its bounds, 0 .. 4"),
        (["hunger=nan"], "--param hunger: nan is outside of its bounds, 0 .. 4"),
        (["hungr=1"], "--param hungr: first_meal has no such param: did you mean hunger?"),
        (["wind=1"], "--param wind: first_meal has no such param: it has hunger"),
        (["hunger"], "--param hunger: write NAME=NUMBER, as in --param hunger=0.5"),
        (["hunger=much"], "--param hunger=much: write NAME=NUMBER, as in --param hunger=0.5"),
        (["=1"], "--param =1: write NAME=NUMBER, as in --param hunger=0.5"),
        (["hunger=1", "hunger=2"], "--param hunger=2: hunger is given twice"),
    ],
)
def test_params_that_are_refused(hamletc_here: Command, tmp_path: Path, params: list[str], message: str) -> None:
    (tmp_path / "hungry.hamlet").write_text(HUNGRY)
    given = [word for text in params for word in ("--param", text)]
    done = hamletc_here("run", "hungry.hamlet", *given, "--worlds", "4", "--ticks", "2", "--backend", "interpreter")
    assert (done.returncode, done.stderr) == (1, f"error: {message}\n")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("verb", [("run", "--watch"), ("watch",)])
def test_watch_shows_a_world_of_many(hamletc_here: Command, tmp_path: Path, verb: tuple[str, ...]) -> None:
    """In a pipe it shows the end; the world is the one that it is among all. Nothing is written."""
    done = hamletc_here(*verb, MEAL, "--world", "7", "--ticks", "20", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
    module = hamlet.compile(MEAL, tmp_path / "first_meal")
    env = hamlet.make(module, worlds=9, seed=3, backend="interpreter")
    env.rollout(20)
    assert done.stdout == drawn(env.view(7), colours=False) + "\n"
    assert "Kitchen" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--world", "3"), "--world is about the world that --watch shows"),
        (("--rate", "3"), "--rate is about the world that --watch shows"),
        (("--watch", "--world", "4", "--worlds", "4"), "there are worlds 0 .. 3"),
    ],
)
def test_what_cannot_be_watched(hamletc_here: Command, arguments: tuple[str, ...], said: str) -> None:
    done = hamletc_here("run", MEAL, *arguments)
    assert done.returncode == 1
    assert said in done.stderr


def test_watching_ends_with_control_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a world is drawn again and again; Ctrl-C between two ticks leaves the last picture."""
    env = hamlet.make(hamlet.compile(MEAL, tmp_path / "first_meal"), backend="interpreter")
    written = StringIO()
    console = Console(file=written, force_terminal=True, width=100, color_system="standard")
    waits: list[float] = []

    def stopped(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("hamletc.cli.screen.sleep", stopped)
    show_live(env, 1000, 1e9, console)
    assert env.tick == len(waits) == 3
    assert all(f"tick {tick} " in written.getvalue() for tick in range(4))
    assert written.getvalue().endswith("\x1b[?25h")


def test_a_report_of_roles_and_long_causes_keeps_to_a_line_each() -> None:
    """Goals and a lifespan are no deaths; bars leave names the room that they need."""
    causes = {"teacher and teacher.patience <= 0": 2_426, "energy <= 0": 1_411_898, "pupil and knowledge >= 1": 0}
    report = RunReport(
        universe="school",
        choice="c",
        worlds=16_384,
        agents=4,
        roles=("teacher", "pupil"),
        ticks=1_000,
        seed=0,
        policy="random",
        params={},
        seconds=17.0,
        start_seconds=52.0,
        episodes=1_414_324,
        mean_length=42.6,
        mean_return=4.5,
        curve=[1.0, 0.0],
        causes=causes,
        uses={},
    )
    out = StringIO()
    show(report, Console(file=out, width=80))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    ends = lines[lines.index("How episodes ended") + 1 :]
    assert [line.split("  ")[0] for line in ends[:3]] == list(causes)
    assert not any("…" in line or len(line) > 80 for line in ends)
    assert "█" in ends[1]
    assert "mean return  4.5, of teacher and pupil together" in lines
