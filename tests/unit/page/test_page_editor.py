"""A page in which universes are edited: its compiler, its lessons, its links with a text, and its past."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.interpreter.digest import digest_of_run
from hamletc.compile import check_file
from hamletc.errors import CompileError
from hamletc.export.tested import TEST_TICKS
from hamletc.frontend import Stopwatch
from hamletc.language.formatter import format_source
from hamletc.page import service
from hamletc.page.carried import archive, bare
from hamletc.page.pyodide import ALL_BOUND, TRIED, compiler_files, lean, pyodide_folder
from hamletc.page.site import LESSONS, static_files

ROOT = Path(__file__).parents[3]
TOWN = ROOT / "universes/town.hamlet"
MISTAKES = ROOT / "tests/golden/diagnostics"
FOUND = Path(os.environ.get("HAMLET_PYODIDE", ROOT / "node_modules/pyodide"))
MOST_BYTES = 8_000_000
"""Of a page with the compiler, tutorial, gallery and ports."""
OF_UNIVERSES = 2_100_000
"""Bytes of that which are universes and policies, and room for more of them."""
node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
pyodide = pytest.mark.skipif(not FOUND.is_dir(), reason="there is no Pyodide here: npm install pyodide")
ALONE = """
import json, sys
sys.path = [path for path in sys.path if "site-packages" not in path and path]
sys.path.insert(0, sys.argv[1])
from hamletc.page import service
assert service.__file__.startswith(sys.argv[1])
requests = json.load(sys.stdin)
answers = [service.answered(json.dumps(each)) for each in requests]
print(json.dumps([[each.said, None if each.module is None else each.module.hex()] for each in answers]))
"""
IN_NODE = """
import { readFileSync } from "node:fs";
const [folder, archive, text, compiler, stdLibURL, questions] = process.argv.slice(1);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const { begun } = await import(compiler);
const asked = await begun(loadPyodide, { stdLibURL }, new Uint8Array(readFileSync(archive)));
const of = readFileSync(text, "utf8");
const answers = JSON.parse(questions).map(({ ask, ...more }) => asked(ask, of, {}, more));
console.log(JSON.stringify(answers.map(({ said, module }) => [said, module && Buffer.from(module).toString("hex")])));
"""
PLACES = ((0, 0), (5, 1), *((line, 6) for line in range(8, 104, 8)))
ABOUT_A_PLACE = tuple({"ask": ask, "at": at} for at in PLACES for ask in ("complete", "hover"))
"""Questions to the language service: what editors are answered to them over stdio, `test_lsp.py` compares."""
TEXTS = """
const { letters, textOf } = await import(process.argv[1]);
const text = "universe a # \\u00fc \\u{1F41D}\\n".repeat(40);
const link = await letters(text);
const said = (what, most) => textOf(what, most).then(() => null, (error) => error.message);
console.log(JSON.stringify({
    same: (await textOf(link, 5000)) === text, fits: /^[-\\w]*$/.test(link), short: link.length < text.length,
    cut: await said(link.slice(0, 20), 5000), other: await said("?", 5000), long: await said(link, 100),
}));
"""
LACKING = """
const { lacking } = await import(process.argv[1]);
const validate = WebAssembly.validate;
const said = [lacking()];
WebAssembly.validate = (bytes) => ![...bytes].includes(253) && validate(bytes);
said.push(lacking());
WebAssembly.validate = validate;
delete globalThis.DecompressionStream;
said.push(lacking());
delete globalThis.WebAssembly;
said.push(lacking());
console.log(JSON.stringify(said));
"""
PAST = """
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
const [folder] = process.argv.slice(1);
const { Run } = await import(`${folder}/run.js`);
const read = (suffix) => gunzipSync(readFileSync(`${folder}/universes/town.${suffix}.gz`));
const run = await Run.of(read("wasm"), JSON.parse(read("json")));
const setup = { agents: 1, seed: 3n, params: {} };
run.begin(setup);
for (let tick = 0; tick < 400; tick += 1) run.tick();
const said = run.tally.said;
run.begin(setup);
const digests = [run.worlds.digest()];
const done = () => digests.push(run.worlds.digest());
for (let tick = 1; tick <= 200; tick += 1) {
    if (tick % 37 === 0) run.play(0, tick % 4);
    else run.tick();
    done();
}
const wrong = [];
for (const tick of [200, 199, 0, 1, 36, 37, 38, 73, 74, 75, 150, 16, 17, 200]) {
    run.back(tick);
    if (run.worlds.digest() !== digests[tick] || run.worlds.ticks !== tick) wrong.push(tick);
}
const before = run.span;
run.back(100);
run.tick();
const again = run.worlds.digest() === digests[101];
run.back(50);
run.play(0, 0);
const after = run.span;
// Another future: of the old one nothing comes back.
const other = {};
for (let tick = 52; tick <= 90; tick += 1) { run.tick(); other[tick] = run.worlds.digest(); }
for (const tick of [85, 52, 74, 90]) {
    run.back(tick);
    if (run.worlds.digest() !== other[tick]) wrong.push(`other ${tick}`);
}
console.log(JSON.stringify({ wrong, before, again, after, different: new Set(digests).size,
                             said, digest: await run.digest(setup) }));
"""


def run_node(script: str, *arguments: str | Path) -> Any:
    command = ["node", "--input-type=module", "-e", script, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=500).stdout)


@pytest.fixture(scope="module")
def statics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules of a page, which Node takes as such."""
    folder = tmp_path_factory.mktemp("statics")
    for file in static_files():
        (folder / file.path).write_bytes(file.contents)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the compiler."""
    path = tmp_path_factory.mktemp("carried") / "hamletc.zip"
    path.write_bytes(archive())
    return path


@pytest.fixture(scope="module")
def python() -> dict[str, bytes]:
    """The files of Python and the compiler, by their paths on a page."""
    return {file.path: file.contents for file in compiler_files(FOUND)}


def test_the_archive_has_all_that_the_compiler_of_a_page_imports(carried: Path, tmp_path: Path) -> None:
    """Whatever is wrong with a text, the words for it are there."""
    texts = [path.read_text() for path in sorted(MISTAKES.glob("**/*.hamlet"))]
    assert len(texts) > 100
    requests = [*({"ask": "check", "text": each} for each in texts), {"ask": "compile", "text": TOWN.read_text()}]
    requests += [{**each, "text": TOWN.read_text()} for each in (*ABOUT_A_PLACE, {"ask": "mend"})]
    shutil.unpack_archive(carried, tmp_path)
    command = [sys.executable, "-c", ALONE, str(tmp_path)]
    done = subprocess.run(command, input=json.dumps(requests), check=True, capture_output=True, text=True, timeout=500)
    answers = zip(requests, json.loads(done.stdout), strict=True)
    # What is missing in the archive ends the program; that answers are the same is seen on some.
    for request, (said, module) in [*answers][::-3]:
        answer = service.answered(json.dumps(request))
        assert said == answer.said, request["text"]
        assert module == (None if answer.module is None else answer.module.hex())


def test_archives_of_one_compiler_are_the_same_bytes(carried: Path) -> None:
    assert archive() == carried.read_bytes()


def test_modules_are_carried_without_remarks() -> None:
    text = '"""A module."""\n# why\nclass A:\n    """A class."""\n    x = "kept"\n\ndef f():\n    """Nothing."""\n'
    assert bare(text) == "class A:\n    x = 'kept'\n\ndef f():\n    pass"


@node
@pyodide
def test_a_browsers_python_gives_the_same_module(carried: Path, statics: Path, python: dict[str, bytes]) -> None:
    folder = statics / "python"
    folder.mkdir()
    for path, contents in python.items():
        name = Path(path).name
        (folder / name.removesuffix(".gz")).write_bytes(gzip.decompress(contents) if name.endswith(".gz") else contents)
    asks = [*({"ask": ask} for ask in ("check", "compile", "format", "mend")), *ABOUT_A_PLACE]
    given = folder, carried, TOWN, statics / "compiler.js", folder / "python_stdlib.zip", json.dumps(asks)
    answers = run_node(IN_NODE, *given)
    for ask, (said, module) in zip(asks, answers, strict=True):
        here = service.answered(json.dumps({**ask, "text": TOWN.read_text()}))
        assert (said, module) == (here.said, None if here.module is None else here.module.hex())


@pyodide
def test_a_page_with_the_compiler_is_small_and_says_whose_it_is(python: dict[str, bytes]) -> None:
    files = {file.path: file.contents for file in static_files()} | python
    assert sum(map(len, files.values())) < MOST_BYTES - OF_UNIVERSES
    assert {"python/pyodide.mjs", "python/pyodide.asm.wasm.gz", "python/hamletc.zip.gz"} <= files.keys()
    assert gzip.decompress(files["python/pyodide.asm.wasm.gz"]) == (FOUND / "pyodide.asm.wasm").read_bytes()
    licences = files["licences.txt"].decode()
    for name in ("hamletc", "Pyodide", "Python"):
        assert re.search(rf"^{name} .*License", licences, re.M), name


def test_functions_that_a_script_names_once_are_bound_by_one_loop() -> None:
    names = [f"_f{number}" for number in range(120)]
    bound = "".join(f'{each}=Module["{each}"]=wasmExports["{each[1:]}"];' for each in names)
    script = f"before();var {','.join(names)},memory;function assign(){{{bound}}}after(_f7);"
    function = '_f7=Module["_f7"]=wasmExports["f7"];'
    assert lean(script) == f"before();var _f7,memory;function assign(){{{ALL_BOUND}{function}}}after(_f7);"
    assert lean(script.replace("Module[", "Exports[")) == script.replace("Module[", "Exports[")


def test_pyodide_is_found_or_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=rf"not here: npm install pyodide@{TRIED}, or --pyodide DIR"):
        pyodide_folder(None, tmp_path)
    folder = tmp_path / "node_modules" / "pyodide"
    folder.mkdir(parents=True)
    with pytest.raises(CompileError, match=r"is no Pyodide, for it has no pyodide\.mjs"):
        pyodide_folder(None, tmp_path)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"):
        (folder / name).touch()
    (folder / "package.json").write_text('{"version": "0.27.1"}')
    with pytest.raises(CompileError, match=rf"has Pyodide 0\.27\.1, and pages need one like {TRIED}"):
        pyodide_folder(None, tmp_path)
    (folder / "package.json").write_text('{"version": "314.9.9"}')
    (tmp_path / "inside").mkdir()
    assert pyodide_folder(None, tmp_path / "inside") == folder
    assert pyodide_folder(folder, tmp_path) == folder


def test_lessons_are_ten_universes_that_begin_with_what_to_do() -> None:
    lessons = sorted(LESSONS.glob("*.hamlet"))
    assert len(lessons) == 10
    for number, path in enumerate(lessons, start=1):
        text = path.read_text()
        assert path.name.startswith(f"{number:02}_")
        assert text.startswith(f"# Lesson {number} of 10. ")
        assert format_source(text)[0] == text, path.name
        warnings = check_file(path, Stopwatch()).warnings
        # The first one shows what a warning is.
        assert [each.code for file in warnings for each in file.diagnostics] == ["H071"] * (number == 1), path.name


@node
def test_a_text_goes_into_a_link_and_out_of_it(statics: Path) -> None:
    assert run_node(TEXTS, statics / "packed.js") == {
        "same": True,
        "fits": True,
        "short": True,
        "cut": "the text of this link is cut off",
        "other": "the text of this link is cut off",
        "long": "the text of this link is longer than 100 bytes",
    }


@node
def test_a_browser_that_is_too_old_is_told_so(statics: Path) -> None:
    nothing, *missing = run_node(LACKING, statics / "run.js")
    assert nothing is None
    assert [re.findall("SIMD|unpack|no WebAssembly", said) for said in missing] == [
        ["SIMD"],
        ["unpack"],
        ["no WebAssembly"],
    ]


@node
def test_a_run_goes_back_to_any_tick_and_on_from_there(statics: Path) -> None:
    answer = service.answered(json.dumps({"ask": "compile", "text": TOWN.read_text()}))
    (statics / "universes").mkdir()
    assert answer.module is not None
    (statics / "universes/town.wasm.gz").write_bytes(gzip.compress(answer.module))
    about = json.dumps(json.loads(answer.said)["about"])
    (statics / "universes/town.json.gz").write_bytes(gzip.compress(about.encode()))
    done = run_node(PAST, statics)
    assert (done["wrong"], done["again"]) == ([], True)
    assert (done["before"], done["after"]) == ([0, 200], [0, 51])
    assert done["different"] > 190
    # What is used, and how lives end, is counted as rollouts count it.
    env = hamlet.make(hamlet.compile(TOWN), worlds=1, backend="interpreter", seed=3)
    counted = env.rollout(400)
    for line, counts in zip(done["said"], (counted.uses(), counted.causes()), strict=True):
        said = dict(each.rsplit(" \u00d7", 1) for each in line.split(", "))
        assert said == {name: str(count) for name, count in counts.items() if count}
    # What is compiled at once has the bits of the interpreter.
    universe = check_file(TOWN, Stopwatch()).universe
    assert done["digest"] == f"{digest_of_run(universe, Shape(1, 1), 3, TEST_TICKS):016x}"
