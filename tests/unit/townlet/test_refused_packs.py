"""Every way to get a pack wrong, each a change of the sound pack in one place."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading_packs import CONTINUOUS, CUBIC, FIXED, FULL, GRIDND, findings

from examples import examples
from hamlet_townlet import read_pack
from hamlet_townlet.pack import FILES
from hamletc.compile import check_file
from hamletc.diagnostics import render_files
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from samples.packs import BASE, Edits, copy_base, edited

# --- what is refused -----------------------------------------------------------------------------------------------

SPACE = "substrate"
VARIABLE = "id: season\n    scope: global\n    type: scalar"
VARS, DAC, AFF, ACTS = "variables_reference", "drive_as_code", "affordances", "global_actions"
LONG_POSITION = "id: position\n    scope: agent\n    type: vecNf\n    dims: 3"
ERRORS: list[tuple[str, Edits, str, str, str]] = [
    # what, edits, file, code, text at the place
    ("duplicate index", {"bars": [("index: 1", "index: 0")]}, "bars", "H114", "0"),
    ("index gap", {"bars": [("index: 2", "index: 3")]}, "bars", "H114", "3"),
    ("duplicate bar", {"bars": [("name: mood", "name: energy")]}, "bars", "H113", "energy"),
    ("bar range", {"bars": [("index: 0", "index: 0\n    range: [0, 100]")]}, "bars", "H110", "[0, 100]"),
    ("initial", {"bars": [("initial: 0.5", "initial: 1.5")]}, "bars", "H110", "1.5"),
    ("infinite", {"bars": [("initial: 0.5", "initial: .inf")]}, "bars", "H110", ".inf"),
    ("binary32", {"bars": [("value: 0.0", "value: 1e39")]}, "bars", "H110", "1e39"),
    ("text for number", {"bars": [("initial: 0.5", "initial: half")]}, "bars", "H109", "half"),
    ("true for number", {"bars": [("initial: 0.5", "initial: true")]}, "bars", "H109", "true"),
    ("operator", {"bars": [('"<="', '"=<"')]}, "bars", "H111", '"=<"'),
    ("no bars", {"bars": "bars: []\nterminal_conditions: []\n"}, "bars", "H110", "bars"),
    ("top is a list", {"bars": "- a\n"}, "bars", "H109", "-"),
    ("empty file", {"bars": ""}, "bars", "H109", ""),
    ("word as name", {"bars": [("name: mood", "name: on")]}, "bars", "H106", "on"),
    ("number as name", {AFF: [("id: Stove", "id: 0")]}, AFF, "H109", "0"),
    ("octal", {"training": [("num_agents: 2", "num_agents: 02")]}, "training", "H106", "02"),
    ("base 60", {"training": [("num_agents: 2", "num_agents: 1:30")]}, "training", "H106", "1:30"),
    ("fraction", {"training": [("num_agents: 2", "num_agents: 1.5")]}, "training", "H109", "1.5"),
    ("huge", {"training": [("num_agents: 2", "num_agents: " + "9" * 399)]}, "training", "H110", "9"),
    ("no agents", {"training": [("num_agents: 2", "num_agents: 0")]}, "training", "H110", "0"),
    ("flag", {"training": [("temporal_mechanics: true", "temporal_mechanics: 1")]}, "training", "H109", "1"),
    ("null", {"training": [("num_agents: 2", "num_agents: null")]}, "training", "H108", "num_agents"),
    ("section", {"training": [("curriculum:\n", "other:\n")]}, "training", "H108", "environment"),
    ("unknown section key", {"training": [("num_agents:", "num_agent:")]}, "training", "H107", "num_agent"),
    ("no affordance enabled", {"training": [("null", "[]")]}, "training", "H110", "enabled_affordances"),
    ("unknown affordance", {"training": [("null", "[Stov]")]}, "training", "H112", "Stov"),
    ("unknown action", {"training": [("HUM", "HUMM")]}, "training", "H112", "HUMM"),
    ("action twice", {"training": [("HUM", "UP")]}, "training", "H113", "UP"),
    ("unknown source", {"cascades": [("source: warmth", "source: wamth")]}, "cascades", "H112", "wamth"),
    ("threshold 0", {"cascades": [("threshold: 0.25", "threshold: 0")]}, "cascades", "H110", "0"),
    ("self cascade", {"cascades": [("energy\n    threshold", "mood\n    threshold")]}, "cascades", "H115", "mood"),
    ("cost meter", {AFF: [("meter: mood", "meter: gold")]}, AFF, "H112", "gold"),
    ("pipeline key", {AFF: [("per_tick:\n        -", "per_tik:\n        -")]}, AFF, "H107", "per_tik"),
    ("hours", {AFF: [("[6, 22]", "[6, 29]")]}, AFF, "H110", "29"),
    ("three hours", {AFF: [("[6, 22]", "[6, 22, 3]")]}, AFF, "H119", "operating_hours"),
    ("two ids", {AFF: [('id: "1"', "id: Stove")]}, AFF, "H113", "Stove"),
    ("no position", {"training": [FIXED]}, AFF, "H108", "Stove"),
    ("a long name", {AFF: [("name: Stove", f"name: {'x' * 65}")]}, AFF, "H110", "xxx"),
    ("a backtick in a name", {AFF: [("name: Stove", "name: St`ove")]}, AFF, "H109", "St`ove"),
    ("too small", {SPACE: [("width: 4", "width: 1"), ("height: 4", "height: 1")]}, SPACE, "H117", "1"),
    ("too large", {SPACE: [("width: 4", "width: 101"), ("height: 4", "height: 101")]}, SPACE, "H117", "101"),
    ("not square", {SPACE: [("width: 4", "width: 6")]}, SPACE, "H118", "4"),
    ("depth of a square", {SPACE: [("height: 4", "height: 4\n  depth: 2")]}, SPACE, "H119", "depth"),
    ("two spaces", {SPACE: [("grid:\n", "aspatial: {}\ngrid:\n")]}, SPACE, "H119", "aspatial"),
    ("no section", {SPACE: "type: continuous\n"}, SPACE, "H108", "type"),
    ("three axes", {SPACE: GRIDND.replace("[2, 3, 2, 2]", "[2, 3, 2]")}, SPACE, "H118", "dimension_sizes"),
    ("size 0", {SPACE: GRIDND.replace("[2, 3, 2, 2]", "[2, 3, 2, 0]")}, SPACE, "H110", "0"),
    ("bounds", {SPACE: CONTINUOUS.replace("[0.0, 4.0]", "[4.0, 0.0]")}, SPACE, "H118", "[4.0"),
    ("one bound", {SPACE: CONTINUOUS.replace("dimensions: 2", "dimensions: 3")}, SPACE, "H119", "bounds"),
    ("short axis", {SPACE: CONTINUOUS.replace("0.75", "3")}, SPACE, "H117", "-1.0"),
    ("four axes", {SPACE: CONTINUOUS.replace("dimensions: 2", "dimensions: 4")}, SPACE, "H118", "4"),
    ("a tiny step", {SPACE: CONTINUOUS.replace("delta: 0.5", "delta: 1e-30")}, SPACE, "H110", "1e-30"),
    ("one magnitude", {SPACE: CONTINUOUS + "  action_discretization: {num_magnitudes: 1}"}, SPACE, "H110", "1"),
    ("missing bar of a space", {SPACE: CONTINUOUS, "training": [FULL]}, "bars", "H120", "v"),
    ("window without space", {SPACE: "type: aspatial\naspatial: {}"}, "training", "H120", "partial_observability"),
    ("window in continuous", {SPACE: CONTINUOUS}, "training", "H120", "partial_observability"),
    ("window in 4 axes", {SPACE: GRIDND}, "training", "H120", "partial_observability"),
    ("window in 3 axes", {SPACE: [CUBIC], "training": [("range: 1", "range: 3")]}, "training", "H120", "3"),
    ("window encoding", {SPACE: [("relative", "absolute")]}, "training", "H120", "partial_observability"),
    ("scaled", {SPACE: [("relative", "scaled")], "training": [FULL]}, SPACE, "H120", "scaled"),
    ("bonus by name", {DAC: [("affordance: Stove", "affordance: Hammock")]}, DAC, "H112", "Hammock"),
    ("bonus type", {DAC: [("streak_bonus", "streek_bonus")]}, DAC, "H111", "streek_bonus"),
    ("range overlap", {DAC: [("min: 0.3", "min: 0.2")]}, DAC, "H119", "0.2"),
    ("range start", {DAC: [("min: 0.0", "min: 0.1")]}, DAC, "H119", "0.1"),
    ("range end", {DAC: [("max: 1.0", "max: 0.9")]}, DAC, "H119", "0.9"),
    ("no source", {DAC: [("      bar: energy\n", "")]}, DAC, "H119", "tired"),
    ("modifier", {DAC: [("[tired]", "[tred]")]}, DAC, "H112", "tred"),
    ("vector reward", {DAC: [("bar: energy\n", "variable: position\n")]}, DAC, "H120", "position"),
    ("variable", {DAC: [("bar: energy\n", "variable: weather\n")]}, DAC, "H112", "weather"),
    ("unreadable", {VARS: [("[agent]", "[engine]")]}, VARS, "H120", "season"),
    ("unwritable", {VARS: [("season", "mood"), ("[engine]", "[acs]")]}, VARS, "H120", "mood"),
    ("global vector", {VARS: [("type: scalar", "type: vecNf\n    dims: 2")]}, VARS, "H120", "season"),
    ("size", {VARS: [(VARIABLE, LONG_POSITION)]}, VARS, "H120", "position"),
    ("dims", {VARS: [("type: scalar", "type: scalar\n    dims: 2")]}, VARS, "H119", "dims"),
    ("long default", {VARS: [("0.25", "[1, 2, 3]"), ("type: scalar", "type: vec2i")]}, VARS, "H119", "default"),
    ("cue meter", {"cues": "simple_cues: [{condition: {meter: gold}}]\n"}, "cues", "H112", "gold"),
    ("cost of an action", {ACTS: [("energy:", "gold:")]}, ACTS, "H112", "gold"),
    ("action of the space", {ACTS: [("HUM", "UP")], "training": [(", HUM", "")]}, ACTS, "H113", "UP"),
    ("movement", {ACTS: [("passive", "movement")]}, ACTS, "H119", "movement"),
    ("delta", {ACTS: [("passive", "movement\n    delta: [1]")]}, ACTS, "H116", "1"),
    ("teleport", {ACTS: [("passive", "movement\n    teleport_to: [4, 0]")]}, ACTS, "H116", "4"),
    ("list of costs", {ACTS: [("{energy: 0.001}", "[energy]")]}, ACTS, "H109", "energy"),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "file", "code", "place"), [e[1:] for e in ERRORS], ids=[e[0] for e in ERRORS])
def test_refuses(tmp_path: Path, edits: Edits, file: str, code: str, place: str) -> None:
    pack, files = read_pack(edited(tmp_path, edits))
    assert pack is None
    errors = [(f, d) for f in files for d in f.diagnostics if d.severity == "error"]
    found = [(f, d) for f, d in errors if (f.path.stem, d.code) == (file, code)]
    assert found, [(f.path.stem, d.code, d.message) for f, d in errors]
    source, diagnostic = found[0]
    span = diagnostic.primary.span
    line = source.text.split("\n")[span.line - 1]
    assert line[span.column - 1 :].startswith(place)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_needed(name: str, tmp_path: Path) -> None:
    pack = copy_base(tmp_path)
    (pack / name).unlink()
    read, files = read_pack(pack)
    assert read is None
    assert [(f.path.name, d.code) for f in files for d in f.diagnostics] == [(name, "H100")]


def test_no_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none", BASE / "bars.yaml"):
        read, files = read_pack(path)
        assert read is None
        assert [d.code for f in files for d in f.diagnostics] == ["H100"]


@pytest.mark.parametrize(
    ("file", "key", "wrong"),
    [
        ("bars", "initial", "intial"),
        ("training", "environment", "enviroment"),
        ("training", "num_agents", "num_agent"),
        ("drive_as_code", "{type", "{typ"),
        ("substrate", "boundary", "boundry"),
    ],
)
def test_a_misspelt_key_is_one_mistake(tmp_path: Path, file: str, key: str, wrong: str) -> None:
    ((place, found),) = findings(tmp_path, {file: [(f"{key}:", f"{wrong}:")]})
    assert (place, found.code) == (file, "H107")
    assert found.hint == f"Did you mean `{key.strip('{')}`?"


def test_independent_mistakes_of_several_files_are_found_together(tmp_path: Path) -> None:
    edits: Edits = {"cascades": [("source: mood", "source: mod")], "global_actions": [("mood", "mod")]}
    assert [(file, d.code) for file, d in findings(tmp_path, edits)] == [
        ("cascades", "H112"),
        ("global_actions", "H112"),
    ]


def test_warnings_are_grouped(tmp_path: Path) -> None:
    edits: Edits = {
        "affordances": [("id: Stove", "id: Stove\n    category: a"), ('id: "1"', 'id: "1"\n    category: b')],
        "drive_as_code": [("  shaping:", "  composition: {normalize: true, clip: {min: 0, max: 1}}\n  shaping:")],
        "cascades": [("modulations:", "math_type: multiplier\nexecution_order: [modulations]\nmodulations:")],
    }
    found = findings(tmp_path, edits)
    assert {d.code for _, d in found} == {"H130"}
    assert [d.message.split("`")[1] for _, d in found] == [
        "math_type",
        "execution_order",
        "category",
        "normalize",
        "clip",
    ]
    assert "2 places" in found[2][1].primary.text


def test_what_says_the_truth_is_no_warning(tmp_path: Path) -> None:
    edits: Edits = {
        "bars": [("index: 0", "index: 0\n    range: [0.0, 1.0]")],
        "drive_as_code": [("  shaping:", "  composition: {normalize: false, clip: null}\n  shaping:")],
        "cascades": [
            ("modulations:", "math_type: gradient_penalty\nmodulations:"),
            ("source: mood", "source: mood\n    source_index: 1\n    target_index: 0"),
        ],
    }
    assert findings(tmp_path, edits) == []


def check_or_refuse(pack: Path) -> None:
    """What can be read is translated and checked without an exception."""
    with contextlib.suppress(SourceError):
        check_file(pack, Stopwatch())


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(FILES), data=st.data())
def test_no_pack_raises(name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A piece of a sound file put in place of another piece, or arbitrary text."""
    text = (BASE / name).read_text(encoding="utf-8")
    spot = st.integers(0, len(text))
    start, end = sorted((data.draw(spot), data.draw(spot)))
    pieces = st.one_of(
        st.text(max_size=20),
        st.sampled_from(["[]", "{}", "null", "-1", "1e99", "yes", "[[0]]", "{a: 1}", "'x'", "010"]),
        st.builds(lambda a, b: text[min(a, b) : max(a, b)], spot, spot),
    )
    pack = copy_base(tmp_path_factory.mktemp("pack"))
    (pack / name).write_bytes((text[:start] + data.draw(pieces) + text[end:]).encode("utf-8", "surrogatepass"))
    read, files = read_pack(pack)
    failed = any(d.severity == "error" for f in files for d in f.diagnostics)
    assert (read is None) == failed
    render_files(files)
    check_or_refuse(pack)


@settings(max_examples=examples(100), deadline=None)
@given(
    path=st.integers(0, 10_000), value=st.sampled_from(["[]", "{}", "null", "-1", "1e99", "true", "[[0]]", "x", "''"])
)
def test_a_value_of_any_type_in_any_place(path: int, value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    name = FILES[path % len(FILES)]
    lines = (BASE / name).read_text(encoding="utf-8").split("\n")
    row = path % len(lines)
    if ":" in lines[row]:
        lines[row] = lines[row].split(":")[0] + ": " + value
    pack = copy_base(tmp_path_factory.mktemp("pack"))
    (pack / name).write_text("\n".join(lines), encoding="utf-8")
    read, files = read_pack(pack)
    assert (read is None) == any(d.severity == "error" for f in files for d in f.diagnostics)
    render_files(files)
    check_or_refuse(pack)


CHAIN = "".join(f"- {{source: a{i}, target: a{i + 1}}}\n" for i in range(9_000))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bars", "bars:\n" + "- {nam: x, indx: 1}\n" * 9_000),
        (
            "cascades",
            "modulations: []\ncascades:\n" + CHAIN,
        ),
        ("training", "environment: {enabled_affordances: [" + ",".join(f"a{i}" for i in range(40_000)) + "]}\n"),
        ("variables_reference", "variables:\n" + "- {id: x, type: vecNf, dims: 10000, default: 1}\n" * 5_000),
    ],
)
def test_hostile_packs_are_answered_soon(tmp_path: Path, name: str, text: str) -> None:
    pack = edited(tmp_path, {name: text})
    start = time.perf_counter()
    assert read_pack(pack)[0] is None
    assert time.perf_counter() - start < 8


# --- what a stranger's folder may hold -------------------------------------------------------------------------------


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    """What lies outside of the pack is neither read nor shown, and nothing is waited for."""
    secret = tmp_path / "secret.txt"
    secret.write_text("root:x:0:0\n")
    folder = copy_base(tmp_path / "pack")
    (folder / "bars.yaml").unlink()
    (folder / "bars.yaml").symlink_to(secret)
    (folder / "cues.yaml").unlink()
    os.mkfifo(folder / "cues.yaml")
    pack, files = read_pack(folder)
    assert pack is None
    said = [(file.path.name, each.code, each.message) for file in files for each in file.diagnostics]
    assert ("bars.yaml", "H100", "`bars.yaml` is a link to a file outside of its folder") in said
    assert ("cues.yaml", "H100", "`cues.yaml` is no file") in said
    assert "root:x" not in render_files(files)


def test_links_within_a_pack_are_followed(tmp_path: Path) -> None:
    folder = copy_base(tmp_path / "pack")
    (folder / "bars.yaml").rename(folder / "real.yaml")
    (folder / "bars.yaml").symlink_to("real.yaml")
    pack, _ = read_pack(folder)
    assert pack is not None
