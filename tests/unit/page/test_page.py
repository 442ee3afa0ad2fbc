"""`hamletc page`: a world in a browser has the bits of every backend, and the picture of hamletc's own painter."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from chromium import CHROMIUM, chromium, hosted
from hamlet import schema
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.digest import digest
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.env.looking import view_of
from hamlet.interpreter.digest import digest_of_run
from hamlet.interpreter.interpreter import Interpreter
from hamlet_look.ground import ground_of
from hamletc.cli.main import hamletc
from hamletc.compile import check_file
from hamletc.export.tested import TEST_TICKS
from hamletc.frontend import Stopwatch
from hamletc.page.picture import picture_of, recorded
from hamletc.page.shown import Shown
from hamletc.page.told import UNLINKED, Named, remarks, told
from samples import universe_of

ROOT = Path(__file__).parents[3]
UNIVERSES = ROOT / "universes"
SEED, TICKS = 11, 20
OFTEN = ("shifts", "gallery/hex", "gallery/bus", "gallery/cellars", "ports/cartpole")
"""Hours and places at random, hexagons, a graph with what moves, walls of levels, marks and lines."""
RARELY = (
    "town",
    "gallery/workshop",
    "gallery/berries",
    "gallery/tag",
    "gallery/momentum",
    "ports/sokoban",
    "ports/taxi",
    "ports/virus",
)
LINKED = """
universe linked
space grid 6 x 5 { edges wrap  distance euclidean }
lifespan 30 ticks
role desk: 5 agents
table distances { 1 2 3 1 1.5 }
meter power = 1 { decay 0.02  only falls }
state up = true
pairs {
    links wired { 0 - 1  2 -> 0  3 - 4 }
    state liked: real in 0 .. 1 = mod(agent, 2)
    rule warms: apart <= 1 -> liked += 0.1
}
rule fails: chance(0.05 * count(wired and not up)) -> up = false
dies when agent == 4 and age >= 15
reward 1 when up
observe { meters  state up liked }
draw {
    links in red when wired
    links when other and apart <= distances[agent] + own(power) and position x >= own(position x)
    links in blue when liked > 0.55 and (up or not own(up))
    mark (position x, 1) "m" when up
    links in gold when liked of other + liked < 1.5
}
"""
"""Links by tables, distances, and what agents have of each other."""
node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
RUN = """
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
const [folder, names] = [process.argv[1], JSON.parse(process.argv[2])];
const { Run } = await import(`${folder}/run.js`);
const { Picture } = await import(`${folder}/picture.js`);
class Sheet {
    strokes = [];
    all(strokes, right = 0, down = 0) { for (const [kind, ...given] of strokes) this.add(kind, given, right, down); }
    within(x, y, width, height, paint) { paint(); }
    box(...given) { this.add("box", given, 0, 0); }
    stroke(...given) { this.add("stroke", given, 0, 0); }
    add(kind, [x, y, ...rest], right, down) {
        if (kind === "stroke") rest = [rest[0] + right, rest[1] + down, ...rest.slice(2)];
        this.strokes.push([kind, x + right, y + down, ...rest]);
    }
}
const theme = { paper: "#ffffff", ink: "#1e1e22", faint: "#787880", rule: "#e4e4e8", dark: false };
const result = {};
for (const name of names) {
    const read = async (suffix) => gunzipSync(await readFile(`${folder}/universes/${name}.${suffix}.gz`));
    const about = JSON.parse(await read("json"));
    const run = await Run.of(await read("wasm"), about);
    const setup = { agents: about.agents.first, seed: 11n, params: {} };
    run.begin(setup);
    for (let tick = 0; tick < 20; tick += 1) run.tick();
    const sheet = new Sheet();
    if (about.picture) new Picture(about.picture).paint(sheet, run.worlds, theme);
    const digest = run.worlds.digest();
    run.play(0, 0);
    result[name] = { proven: await run.proven(), digest, promised: await run.digest(setup), strokes: sheet.strokes,
                     agents: setup.agents, ticks: run.worlds.ticks };
}
console.log(JSON.stringify(result));
"""
LINKS = """
const { read, written, wrong } = await import(process.argv[1]);
const setup = { universe: "gallery/hex", seed: 18446744073709551615n, agents: 3, by: "policy", params: { rain: 0.25 },
                digest: "0123456789abcdef" };
const again = read(written(setup));
const said = ["#universe", "#seed=-1", "#seed=18446744073709551616", "#digest=12", "#param.a=", "#by=me", "#later=1",
              "#%=1", "#" + "a".repeat(40000)]
    .map((link) => { try { read(link); return null; } catch (error) { return error.message; } });
const about = { name: "hex", policy: null, agents: { least: 1, most: 4 }, params: [{ name: "rain", low: 0, high: 1 }] };
const wrongs = [{ agents: 5, params: {} }, { agents: 1, params: { snow: 1 } }, { agents: 1, params: { rain: 2 } },
                { agents: 4, params: {}, by: "policy" }, { agents: 4, params: { rain: 1 } }]
    .map((each) => wrong(each, about));
console.log(JSON.stringify({ again: { ...again, seed: String(again.seed) }, said, wrongs }));
"""


def page(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(hamletc, ["page", *map(str, arguments)])
    return done.exit_code, done.output


def run_node(script: str, *arguments: str) -> Any:
    command = ["node", "--input-type=module", "-e", script, *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of some universes."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "linked.hamlet").write_text(LINKED)
    code, output = page(*often(folder), "-o", folder)
    assert code == 0, output
    assert f"{len(OFTEN) + 1} universes" in output
    return folder


def often(folder: Path) -> list[Path]:
    return [*(UNIVERSES / f"{name}.hamlet" for name in OFTEN), folder / "linked.hamlet"]


@node
def test_a_page_has_the_bits_and_the_picture_of_hamletc(site: Path) -> None:
    same(site, often(site))


def test_a_page_says_where_it_shows_no_links() -> None:
    """Elementary functions are made of fused products, which a browser has not."""
    for condition, shown in (("wired", True), ("exp(power - own(power)) > 1", False)):
        universe = universe_of(LINKED.replace("links in red when wired", f"links in red when {condition}"))
        shows = Shown(universe)
        assert [each.shown for each in shows.links] == [shown, True, True, True]
        picture = picture_of(universe, shows, 5)
        assert picture is not None
        assert len([mark for mark in picture["marks"] if "links" in mark]) == 3 + shown
        assert (UNLINKED in told(Named("linked", "", Path(), ""), universe, shows, None)["says"]) == (not shown)


@node
@pytest.mark.long
def test_pages_have_the_bits_and_the_pictures_of_hamletc(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    rarely = [UNIVERSES / f"{name}.hamlet" for name in RARELY]
    assert page(*rarely, "-o", tmp_path)[0] == 0
    same(tmp_path, rarely)


def same(folder: Path, paths: Sequence[Path]) -> None:
    """What a page does with universes is what the interpreter and the painter of `hamlet_look` do."""
    results = run_node(RUN, str(folder), json.dumps([path.stem for path in paths]))
    for path in paths:
        name, universe = path.stem, check_file(path, Stopwatch()).universe
        done = results[name]
        buffers = allocate(universe, Shape(1, done["agents"]), torch.device("cpu"), None)
        interpreter = Interpreter(universe, buffers.mask.device)
        interpreter.reset(buffers, Stream(SEED, 0))
        interpreter.rollout(buffers, TICKS, RandomPolicy(), Stream(SEED, 0), False, None)
        assert done["digest"] == f"{digest(universe, buffers.state, buffers.outcome):016x}", name
        assert done["proven"], name
        assert done["ticks"] == TICKS + 1
        assert re.fullmatch(r"[0-9a-f]{16}", done["promised"])
        if path == paths[0]:
            promised = digest_of_run(universe, Shape(1, done["agents"]), SEED, TEST_TICKS)
            assert done["promised"] == f"{promised:016x}", name
        view = view_of(universe, buffers, 0, TICKS)
        if name == "linked":
            assert len({line.colour for line in view.lines}) == 4, "a line of each kind"
        assert (view.board is None) == (done["strokes"] == []), name
        if view.board is not None:
            painter = ground_of(view.board, view.layers)
            painted = recorded(lambda sheet, painter=painter, view=view: painter.paint(view, sheet))
            alike(painted, done["strokes"][1:], name)


def alike(here: Sequence[Sequence[Any]], there: Sequence[Sequence[Any]], name: str) -> None:
    """Both are the same strokes, with pixels and shades of colours rounded."""
    assert [stroke[0] for stroke in here] == [stroke[0] for stroke in there], name
    for one, other in zip(here, there, strict=True):
        for a, b in zip(one, other, strict=True):
            if isinstance(a, str) and a.startswith("#"):
                shades = [bytes.fromhex(each[1:]) for each in (a, b)]
                assert all(abs(x - y) <= 1 for x, y in zip(*shades, strict=True)), (name, one, other)
            else:
                assert a == (b if isinstance(a, str | None) else pytest.approx(b, abs=1.01)), (name, one, other)


@node
def test_links_say_what_runs_or_what_is_wrong(site: Path) -> None:
    done = run_node(LINKS, str(site / "link.js"))
    assert done["again"] == {
        "universe": "gallery/hex",
        "seed": "18446744073709551615",
        "agents": 3,
        "by": "policy",
        "params": {"rain": 0.25},
        "digest": "0123456789abcdef",
    }
    assert done["said"] == [
        "this link is cut off",
        *["the seed of this link is no whole number from 0 to 2^64 - 1"] * 2,
        "the digest of this link is cut off: it has 16 letters",
        "param.a of this link is no number",
        'this link is played by "me", and pages of this version know random and policy',
        'this link says "later", which pages of this version do not know',
        "this link is cut off",
        "this link is longer than 32768 letters",
    ]
    assert done["wrongs"] == [
        "hex has 1 to 4 agents on a page, not 5",
        "hex has no param snow",
        "the param rain is 0 to 1, not 2",
        "hex has no policy on this page",
        None,
    ]


def test_a_page_asks_nobody_else(site: Path) -> None:
    """All that a page loads is in its folder, and its policy says so to browsers."""
    texts = {path.name: path.read_text() for path in site.iterdir() if path.suffix in (".html", ".js", ".css")}
    assert "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" in texts["index.html"]
    assert not [name for name, text in texts.items() if re.search(r"https?://(?!www\.w3\.org/)", text)]
    loaded = re.findall(r'^(?:import .* from|<.*(?:src|href)=)\s*"(?:\./)?([\w.]+)"', "\n".join(texts.values()), re.M)
    assert {name for name in loaded if not (site / name).is_file()} == set()
    assert {"run.js", "worlds.js", "page.css", "page.js"} <= set(loaded)


def test_a_page_that_cannot_be_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "wrong.hamlet").write_text("universe wrong\nmeter energy = 2.0 in 0 .. 1\n")
    for path in ("a.hamlet", "other/a.hamlet"):
        (tmp_path / path).write_text("universe a\nmeter energy = 1.0\n")
    for arguments, complaint in (
        ([], "no folders universes/gallery and universes/ports are here"),
        (["wrong.hamlet"], "wrong.hamlet:2"),
        (["absent.hamlet"], "absent.hamlet"),
        (["a.hamlet", "--editor"], "npm install pyodide"),
        (["a.hamlet", "--pyodide", "other"], "other is no Pyodide, for it has no pyodide.mjs: npm install pyodide"),
        (["a.hamlet", "other/a.hamlet"], "two universes would be a on the page"),
    ):
        code, output = page(*arguments, "-o", "site")
        assert (code, complaint in output) == (1, True), output
        assert not (tmp_path / "site").exists()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_a_browser_shows_a_world_and_that_its_bits_are_right(site: Path) -> None:
    said, when = (f"document.getElementById('{part}').textContent" for part in ("bits", "when"))
    with hosted(site) as host, chromium() as tab:
        tab.open(host)
        tab.until(f'{said} === "✓ Same bits as hamletc\'s interpreter, 300 ticks"')
        assert re.match(r"Tick \d+, episode \d", tab.value(when))
        tab.open(f"{host}/#universe=shifts&seed=3&digest=0000000000000000")
        tab.until(f"{said}.startsWith('Other bits than the link promises: ')")


def test_places_that_are_stored_for_the_picture_are_in_no_digest(site: Path) -> None:
    """The digest is that of the author's universe: what a page adds to its state is not counted."""
    told = json.loads(gzip.decompress((site / "universes/shifts.json.gz").read_bytes()))
    assert {axis["array"] for stand in told["picture"]["stands"] for axis in stand["at"]} == {"places"}
    universe = check_file(UNIVERSES / "shifts.hamlet", Stopwatch()).universe
    assert "places" not in {field.name for field in schema.state_fields(universe)}


def test_what_is_said_of_a_port_is_sentences() -> None:
    text = "# Port of: Fire, CC\n# Source: https://a.b/c\n# Differs: nothing\n# at all.\n# Note: one.\nuniverse a\n# no"
    assert remarks(text) == "Port of: Fire, CC. Source: https://a.b/c. Differs: nothing at all. Note: one."
    assert remarks("# Two lines of\n# one sentence.\n\n# no") == "Two lines of one sentence."
