"""A page by its keys, in Chromium: what is wrong and what can stand there, formatting, undoing, and play."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

import hamlet
from chromium import ALT, CHROMIUM, CONTROL, SHIFT, Tab, chromium, hosted
from hamletc.cli.main import hamletc

ROOT = Path(__file__).parents[3]
PYODIDE = Path(os.environ.get("HAMLET_PYODIDE", ROOT / "node_modules/pyodide"))
PIER = """\
universe pier

space grid 3 x 3

meter rope = 0.9 { decay 0.01 }

param gain = 0.25 in 0 .. 1

affordance Bollard at (1, 1) {
    instantly { rope += gain }
}

dies when rope <= 0
reward rope
observe { meters  here }
"""
STATIC = ROOT / "compiler/hamletc/page/static/index.html"
WORLDS, TICKS = 24, 300
MEASURES = """(() => {
    const field = document.getElementById("typed");
    const [style, box] = [getComputedStyle(field), field.getBoundingClientRect()];
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    const wide = pen.measureText("0").width;
    const [left, top, high] = [style.paddingLeft, style.paddingTop, style.lineHeight].map(parseFloat);
    return [box.x + left, box.y + top, wide, high];
})()"""
"""Where the first letter of the text stands in the window, and how large a letter is."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tab, str]]:
    """A tab, and the address of a page with a universe, and with the compiler where Pyodide is here."""
    folder = tmp_path_factory.mktemp("pier")
    (folder / "pier.hamlet").write_text(PIER)
    compiler = ["--pyodide", str(PYODIDE)] if PYODIDE.is_dir() else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hamletc.page.site.find_spec", lambda _: None)
        arguments = ["page", str(folder / "pier.hamlet"), *compiler, "-o", str(folder / "site")]
        done = CliRunner().invoke(hamletc, arguments)
    assert done.exit_code == 0, done.output
    with ExitStack() as stack:
        host = stack.enter_context(hosted(folder / "site"))
        yield stack.enter_context(chromium()), host


def text_of(part: str) -> str:
    """An expression for the text of an element."""
    return f"document.getElementById('{part}').textContent"


def tick(tab: Tab) -> int:
    """The tick at which the world of a page is."""
    said = re.match(r"Tick (\d+)", tab.value(text_of("when")))
    assert said is not None
    return int(said[1])


def test_a_page_on_a_disk_says_how_to_serve_it(opened: tuple[Tab, str]) -> None:
    tab, _ = opened
    tab.open(STATIC.as_uri())
    tab.until("document.body.innerText.includes('From a disk (file://) browsers run no such page: serve its folder')")


def test_keys_play_an_agent_and_go_back(opened: tuple[Tab, str]) -> None:
    tab, host = opened
    tab.size(1000, 800)
    tab.open(host)
    tab.until(f"{text_of('when')}.startsWith('Tick ')")
    tab.value("document.activeElement.blur()")
    tab.press(" ")
    assert tab.value(text_of("go")) == "Play"
    tab.press("r")
    assert (tick(tab), tab.value("document.getElementById('by').value")) == (0, "random")
    tab.press("s")
    assert (tick(tab), tab.value("document.getElementById('by').value")) == (1, "random")
    enabled = "[...document.querySelectorAll('#actions button:enabled')].map((each) => each.textContent)"
    moves = [each for each in ("up ↑", "down ↓", "left ←", "right →") if each.replace(" ", "") in tab.value(enabled)]
    assert moves
    arrow = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}[moves[0].split()[0]]
    tab.press(arrow)
    assert (tick(tab), tab.value("document.getElementById('by').value")) == (2, "you")
    tab.press("b")
    assert (tick(tab), tab.value("document.getElementById('by').value")) == (1, "random")
    tab.press(" ")
    assert tab.value(text_of("go")) == "Pause"


def test_many_worlds_run_in_workers_with_the_bits_of_all_backends(opened: tuple[Tab, str], tmp_path: Path) -> None:
    tab, host = opened
    tab.open(f"{host}/#universe=pier&seed=5&param.gain=0.75")
    tab.until("document.getElementById('seed').value === '5'")
    fields = {"worlds": WORLDS, "workers": 2}
    tab.value(";".join(f"document.getElementById('{name}').value = {value}" for name, value in fields.items()))
    tab.value("document.getElementById('crowd-go').click()")
    said = tab.until(f"/agent-ticks a second/.test({text_of('crowd-says')}) && {text_of('crowd-says')}")
    tab.value("document.getElementById('crowd-go').click()")
    (tmp_path / "pier.hamlet").write_text(PIER)
    env = hamlet.make(
        hamlet.compile(tmp_path / "pier.hamlet"), worlds=WORLDS, seed=5, backend="interpreter", quiet=True
    )
    env.params["gain"] = 0.75
    env.reset(seed=5)
    env.rollout(TICKS)
    assert said.startswith("24 worlds, 2 workers: tick ")
    assert said.endswith(f"Digest after 300 ticks: {env.digest():016x}")
    assert re.fullmatch(r"rope 0\.\d+", tab.value(text_of("crowd-gauges")))


@pytest.mark.skipif(not PYODIDE.is_dir(), reason="there is no Pyodide here: npm install pyodide")
def test_keys_edit_a_universe(opened: tuple[Tab, str]) -> None:
    tab, host = opened
    tab.size(1400, 900)
    tab.open(host)
    tab.until(f"{text_of('state')} === 'No problems'")
    typed = "document.getElementById('typed')"

    def at(words: str, behind: bool = False) -> None:
        place = f"{typed}.value.indexOf({words!r}) + {len(words) if behind else 0}"
        tab.value(f"{typed}.focus(), {typed}.setSelectionRange({place}, {place})")

    # Two errors: F8 goes from one to the next, and round.
    at("dies when rope", behind=True)
    tab.write("z")
    at("reward rope", behind=True)
    tab.write("z")
    tab.until("document.querySelectorAll('#findings li').length >= 2")
    at("universe")
    lines = []
    for _ in range(3):
        before = tab.value(f"{typed}.selectionStart")
        tab.press("F8")
        tab.until(f"{typed}.selectionStart !== {before}")
        lines.append(tab.value(f"{typed}.value.slice(0, {typed}.selectionStart).split('\\n').length"))
    assert lines == [13, 14, 13]
    undo(tab)
    # A word that is begun is completed.
    at("decay 0.01", behind=True)
    tab.write(" mo")
    tab.until(
        "!document.getElementById('offers').hidden && document.querySelector('#offers li').firstChild.data === 'move'"
    )
    tab.press("Enter")
    assert tab.value(f"{typed}.value.includes('decay 0.01 move }}')")
    tab.until(f"{text_of('state')}.includes('error')")
    undo(tab)
    # What is said about a word: by a key, and where a pointer rests.
    at("rope = 0.9")
    tab.press("i", ALT)
    about = "!document.getElementById('about').hidden && document.getElementById('about').textContent"
    by_key = tab.until(about)
    assert "rope" in by_key
    tab.press("Escape")
    assert tab.value("document.getElementById('about').hidden")
    x, y, wide, high = tab.value(MEASURES)
    tab.point(x + wide * (len("meter ") + 1.5), y + high * 4.5)
    assert tab.until(about) == by_key
    tab.press("Escape")
    # Formatted, and back.
    at("decay 0.01", behind=True)
    tab.write("   ")
    tab.press("f", ALT | SHIFT)
    tab.until(f"{typed}.value === {PIER!r}")
    tab.press("z", CONTROL)
    assert "0.01    }" in tab.value(f"{typed}.value")


def undo(tab: Tab) -> None:
    """Press Ctrl+Z until the text is what it was."""
    typed = "document.getElementById('typed').value"
    for _ in range(12):
        if tab.value(typed) == PIER:
            break
        tab.press("z", CONTROL)
    assert tab.value(typed) == PIER
    tab.until(f"{text_of('state')} === 'No problems'")
