"""Runs that one hands in: several seeds, the page, the list of runs, and policies compared."""

from __future__ import annotations

import base64
import io
import json
import re
import shlex
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small import CART, CARTPOLE, MEAL, SMALL, trained

from hamlet.package.module import load
from hamlet_train.evaluate import chooser, environment, first_episodes
from hamlet_train.policy import read_policy
from hamlet_train.ppo import Learner, Progress
from hamlet_train.report import charts
from hamlet_train.report.film import FRAMES
from hamlet_train.report.followed import by_one_action, followed
from hamlet_train.report.page import page
from hamlet_train.report.studied import Studied, studied
from hamlet_train.run import Run
from processes import Says

TAG = Path("universes/gallery/tag.hamlet").resolve()
SHORT = "--ticks", "4000", "--worlds", "20", "--threads", "1", "--set", "horizon=20"
VOID = {"meta", "img", "input"}


class Elements(HTMLParser):
    """Looks at the elements of a page: whether they nest, and what they ask for."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.asks: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.asks += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report(run: Run) -> Studied:
    return studied(run, 1, lambda _: None)


def test_the_page_is_one_sound_file_that_asks_for_nothing(report: Studied, run: Run) -> None:
    text = page(report)
    elements = Elements()
    elements.feed(text)
    elements.close()
    assert elements.open == []
    assert len(elements.asks) == 3
    assert all(each.startswith("data:image/png;base64,") for each in elements.asks)
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttp", text)
    assert elements.seen.count("svg") == 4
    manifest = run.read()
    for fact in (manifest.digest, manifest.weights, "hidden 16,20", "rate 0.003", f"hamletc reproduce {run.folder}"):
        assert str(fact) in text
    assert page(studied(run, 1, lambda _: None)) == text


def test_lives_are_the_best_a_median_and_the_worst(report: Studied, run: Run) -> None:
    """They are those of the episodes that were counted, filmed alone: the same lengths and returns."""
    (played,) = report.played
    returns = np.sort(played["all"].returns)
    chosen = [returns[-1], returns[len(returns) // 2], returns[0]]
    assert [life.returned for life in report.lives] == pytest.approx(chosen)
    module = load(run.package)
    for life in report.lives:
        env = environment(module, 1, 1, life.seed, life.world)
        again = first_episodes(env, chooser(env, read_policy(run.folder / "policy.safetensors", module), 1))
        assert (int(again.lengths[0]), float(again.returns[0])) == (life.length, pytest.approx(life.returned))
        first, *others = life.shots
        assert (first.tick, first.action, others[-1].tick) == (0, "", life.length)
        assert len(life.shots) <= FRAMES + 2
        assert sum(shot.reward for shot in life.shots) == pytest.approx(life.returned)
        assert others[-1].returned == pytest.approx(life.returned)
        images = [Image.open(io.BytesIO(base64.b64decode(shot.image))) for shot in life.shots]
        assert len({image.size for image in images}) == 1
        assert len({shot.image for shot in life.shots}) > 5


def test_what_ends_lives_and_what_is_used_is_that_of_checkpoints(report: Studied) -> None:
    assert [moment.ticks for moment in report.moments] == [4000 * update for update in range(1, 6)]
    for moment in report.moments:
        assert sum(moment.endings.values()) == pytest.approx(1)
        assert set(moment.endings) == {"satiation <= 0", "lifespan", "not ended"}
    assert report.what == "affordances"
    assert report.moments[-1].uses == {"Kitchen": 1.0}


def test_first_episodes_are_those_of_an_evaluation(run: Run) -> None:
    module = load(run.package)
    policy = read_policy(run.folder / "policy.safetensors", module)
    first, second = (environment(module, 30, 1, 8) for _ in range(2))
    course = followed(first, chooser(first, policy, 1), 1000)
    plain = first_episodes(second, chooser(second, policy, 1))
    for name in ("lengths", "returns", "endings"):
        assert (getattr(course.episodes, name) == getattr(plain, name)).all()
    assert course.actions.sum() == plain.lengths.sum()
    assert course.uses.sum() <= course.actions[first.action_names.index("INTERACT")]


def test_controls_and_single_actions(tmp_path: Path) -> None:
    run = trained(tmp_path / "cart", CART)
    report = studied(run, 1, lambda _: None)
    assert report.what == "actions"
    assert "force " in report.lives[0].shots[1].controls
    env = environment(report.module, 2, 1, 3)
    actions, controls = by_one_action(env, 1)()
    assert controls is not None
    assert (actions.tolist(), controls.tolist()) == ([1, 1], [[0.0, 0.0]])


def test_roles_have_charts_and_rows_of_their_own(hamletc_says: Says) -> None:
    sizes = "--agents", "4", "--ticks", "5120", "--worlds", "20", "--threads", "1"
    assert hamletc_says("train", TAG, *sizes)[0] == 0
    assert hamletc_says("report", "runs/tag")[0] == 0
    text = Path("runs/tag/report.html").read_text()
    for role in ("it", "runner"):
        assert f"<td>{role}</td><td>the policy</td>" in text
        assert f"{role}: return of an episode" in text
    code, out, _ = hamletc_says("eval", TAG, "--policy", "runs/tag", "--agents", "4", "--episodes", "40", "--json")
    assert code == 0
    policy, chance = json.loads(out)["sides"]
    assert {role: each["episodes"] for role, each in policy["roles"].items()} == {"it": 10, "runner": 30}
    assert chance["roles"].keys() == policy["roles"].keys()
    out = hamletc_says("eval", TAG, "--compare", "runs/tag", "runs/tag", "--agents", "4", "--episodes", "40")[1]
    assert "it of runs/tag improves on runs/tag with probability 50.0% (" in out


def test_charts_have_all_points_inside() -> None:
    line = charts.Line("a & b", [(0, 1), (10, 5)], [(0, 0, 2), (10, 3, 9)], [[(0, 1), (10, 4)]])
    drawn = charts.lines("x < y", "ticks", [line, charts.Line("level", [(0, -4)], dashed=True)])
    assert "a &amp; b" in drawn
    assert "x &lt; y" in drawn
    for points in re.findall(r'points="([^"]+)"', drawn):
        for pair in points.split():
            x, y = map(float, pair.split(","))
            assert charts.LEFT <= x <= charts.WIDTH
            assert 0 <= y <= charts.HEIGHT
    assert charts.lines("nothing", "ticks", []).count("<svg") == 1
    assert charts.stacked("one", "ticks", [5.0], {"all": [1.0]}).count("<polygon") == 1


def test_seeds_are_trainings_of_their_own_and_go_on(hamletc_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    update = Learner.update

    def interrupted(learner: Learner, store: object) -> Progress:
        if learner.seed == 6 and learner.learned.update == 5:
            raise KeyboardInterrupt
        return update(learner, store)  # type: ignore[arg-type]  # a store

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "update", interrupted)
        code, _, said = hamletc_says("train", MEAL, "--name", "many", "--seed", "5", "--seeds", "3", *SHORT)
    assert code == 130
    assert not Path("runs/many/report.html").exists()
    command = shlex.split(said.splitlines()[-1])
    assert command[-2:] == ["--seeds", "3"]
    code, out, _ = hamletc_says(*command[1:])
    assert code == 0
    assert out.endswith("report    runs/many/report.html\n")
    weights = [Run(Path(each)).read().weights for each in ("runs/many", "runs/many/seeds/6", "runs/many/seeds/7")]
    assert len(set(weights)) == 3
    assert hamletc_says("train", MEAL, "--name", "six", "--seed", "6", *SHORT)[0] == 0
    assert Run(Path("runs/six")).read().weights == weights[1]
    text = Path("runs/many/report.html").read_text()
    assert "seeds 5, 6, 7" in text
    assert "Thick lines are means of 3 seeds" in text
    assert all(str(each) in text for each in weights)
    # The list, and what compares.
    code, out, _ = hamletc_says("runs", "runs/many", "runs/six")
    assert code == 0
    assert re.search(r"runs/many .*4,000 .* 3 .* ended", out)
    assert re.search(r"seed .* 5 .* 6 ", out)
    listed = json.loads(hamletc_says("runs", "--json")[1])
    assert [(each["run"], each["seeds"], len(each["last"])) for each in listed] == [
        ("runs/many", 3, 3),
        ("runs/six", 1, 1),
    ]
    code, out, _ = hamletc_says("eval", MEAL, "--compare", "runs/many", "runs/six", "--episodes", "30", "--json")
    report = json.loads(out)
    assert (code, report["seed"], report["of"]) == (0, 8, "returns of episodes")
    assert [side["policies"] for side in report["sides"]] == [3, 1, 1]
    assert [side["roles"]["all"]["episodes"] for side in report["sides"]] == [90, 30, 30]
    for side in report["sides"]:
        for name in ("return", "length"):
            numbers = side["roles"]["all"][name]
            assert numbers["low"] <= numbers["value"] <= numbers["high"]
        assert sum(side["roles"]["all"]["ended"].values()) + side["roles"]["all"]["unfinished"] in (30, 90)
    code, out, _ = hamletc_says("eval", MEAL, "--compare", "runs/many", "runs/many", "--episodes", "30")
    assert "runs/many improves on runs/many with probability 50.0% (" in out
    assert "by mean returns of seeds" in out


def test_what_is_wrong_is_a_line_and_nothing_is_written(hamletc_says: Says, run: Run) -> None:
    shutil.copytree(run.folder, "runs/one")
    for arguments, words in (
        (("report", "runs/none"), "runs/none is no folder of a training: it has no manifest.json"),
        (("runs", "runs/none"), "runs/none is no folder of a training: it has no manifest.json"),
        (("eval", MEAL), "say who plays: --policy RUN, or --compare RUN OTHER, not both"),
        (("eval", MEAL, "--policy", "runs/one", "--compare", "runs/one", "runs/one"), "not both"),
        (("eval", CARTPOLE, "--compare", "runs/one", "runs/one"), "was learnt on first_meal, and this is cartpole"),
    ):
        code, out, said = hamletc_says(*arguments)
        assert (code, out) == (1, "")
        assert words in said
        assert said.count("\n") == 1
    shutil.rmtree("runs/one/checkpoints")
    Path("runs/one/policy.safetensors").unlink()
    code, _, said = hamletc_says("report", "runs/one")
    assert code == 1
    assert "has no policy.safetensors: its training has no checkpoint yet" in said
    assert not Path("runs/one/report.html").exists()
    Path("runs/one/manifest.json").write_text("{")
    code, out, said = hamletc_says("runs")
    assert code == 0
    assert "is no manifest of a training, or a damaged one; it is left out" in said
    assert "there are no runs in runs" in out


def test_a_run_that_has_not_ended_says_so(tmp_path: Path, run: Run) -> None:
    shutil.copytree(run.folder, tmp_path / "cut")
    cut = Run(tmp_path / "cut")
    cut.write(SMALL)
    (cut.folder / "policy.safetensors").unlink()
    text = page(studied(cut, 1, lambda _: None))
    assert "Not ended, so this is of the latest checkpoint: seed 3." in text
