"""python benchmarks/web.py: the town in WebAssembly, by its bits and by its rate.

10,000 ticks of 1,024 worlds, whose state and outcomes have one SHA-256: by kernels in C, in wasmtime, in Node, in two
workers of Node, and in Chromium, each where it is installed. Rates are of processor time, and of the clock beside them,
which says little where other programs run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
from datetime import date
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import hamlet
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.export.arrays import arrays
from hamletc.export.wasm import export_wasm
from hamletc.frontend import Stopwatch

ROOT = Path(__file__).parents[1]
WORLDS, SEED = 1024, 7
OF_ARRAYS = """
const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
async function hashed(arrays) {
  const parts = arrays.map(bytesOf);
  const all = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
"""
NODE = """
import { readFile } from "node:fs/promises";
import { webcrypto } from "node:crypto";
globalThis.crypto ??= webcrypto;
const [folder, given, threads] = process.argv.slice(1);
const [ticks, names] = JSON.parse(given);
const { open, openShards } = await import(`${folder}/town.js`);
const bytes = await readFile(`${folder}/town.wasm`);
const worlds = threads === "1" ? await open(bytes) : await openShards(bytes, Number(threads));
await worlds.begin({ worlds: WORLDS, seed: SEEDn });
await worlds.rollout(2000); // engines compile anew what runs often
await worlds.begin({ worlds: WORLDS, seed: SEEDn });
const [begun, used] = [performance.now(), process.cpuUsage()];
await worlds.rollout(ticks);
const [clock, cpu] = [(performance.now() - begun) / 1e3, process.cpuUsage(used).user / 1e6];
const sha256 = await hashed(await Promise.all(names.map((name) => worlds.array(name))));
worlds.close?.();
console.log(JSON.stringify({ sha256, clock, cpu }));
"""
PAGE = """<!doctype html><title>town</title><pre id="said">none</pre><script type="module">
import { open } from "./town.js";
ARRAYS
const [ticks, names] = GIVEN;
const worlds = (await open(fetch("town.wasm"))).begin({ worlds: WORLDS, seed: SEEDn });
worlds.rollout(ticks);
document.getElementById("said").textContent = `sha256 ${await hashed(names.map((name) => worlds.array(name)))}`;
</script>
"""


def main() -> None:
    """Write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ticks", type=int, default=10_000)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "web.json")
    chosen = parser.parse_args()
    path = ROOT / "universes" / "town.hamlet"
    universe = check_file(path, Stopwatch()).universe
    names = [each.name for each in arrays(universe, "") if each.digested]
    with TemporaryDirectory() as written:
        folder = Path(written)
        for file, contents in export_wasm(specialise(optimise(lower(universe)), "c"), None).files.items():
            (folder / file).write_bytes(contents)
        (folder / "package.json").write_text('{"type": "module"}')
        results: dict[str, Any] = {"C": by_c(path, names, chosen.ticks)}
        results["wasmtime"] = by_wasmtime(folder / "town.wasm", names, chosen.ticks)
        if shutil.which("node"):
            results["Node"] = by_node(folder, names, chosen.ticks, 1)
            results["Node, 2 workers"] = by_node(folder, names, chosen.ticks, 2)
        if shutil.which("chromium"):
            results["Chromium"] = {"sha256": by_chromium(folder, names, chosen.ticks)}
    for each in results.values():
        if "cpu" in each:
            each["million_agent_ticks_in_a_second_of_a_processor"] = round(WORLDS * chosen.ticks / each["cpu"] / 1e6, 1)
            each["million_agent_ticks_in_a_second"] = round(WORLDS * chosen.ticks / each["clock"] / 1e6, 1)
    about = {"date": date.today().isoformat(), "processors": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    same = len({each["sha256"] for each in results.values()}) == 1
    said = {**about, "ticks": chosen.ticks, "worlds": WORLDS, "same": same, "runs": results}
    chosen.json.write_text(json.dumps(said, indent=2) + "\n")
    print(json.dumps(said, indent=2))


def by_c(path: Path, names: list[str], ticks: int) -> dict[str, Any]:
    """By kernels in C, with one thread or as HAMLET_THREADS says."""
    env = hamlet.make(hamlet.compile(path), worlds=WORLDS, seed=SEED, backend="c", quiet=True)
    env.rollout(10)
    env.reset(seed=SEED)
    begun, used = perf_counter(), process_time()
    env.rollout(ticks)
    clock, cpu = perf_counter() - begun, process_time() - used
    held = {**env._buffers.state, **env._buffers.outcome}
    digest = hashlib.sha256(b"".join(held[name].contiguous().numpy().tobytes() for name in names))
    return {"sha256": digest.hexdigest(), "clock": clock, "cpu": cpu}


def by_wasmtime(module: Path, names: list[str], ticks: int) -> dict[str, Any]:
    """In wasmtime."""
    import ctypes

    import wasmtime

    contents = module.read_bytes()
    store = wasmtime.Store()
    exports: Any = wasmtime.Instance(store, wasmtime.Module(store.engine, contents), []).exports(store)
    about = json.loads(contents[contents.index(b'{"universe"') :])
    exports["begin"](store, WORLDS, 1, SEED, 0)
    begun, used = perf_counter(), process_time()
    exports["rollout"](store, ticks)
    clock, cpu = perf_counter() - begun, process_time() - used
    digest = hashlib.sha256()
    for place, array in enumerate(about["arrays"]):
        if array["name"] in names:
            rows = array["pitch"] or (1 if array["rows"] is None else len(array["rows"]))
            size = rows * WORLDS * (1 if array["type"] == "bool" else 4)
            at = exports["memory"].data_ptr(store)
            start = ctypes.addressof(at.contents) + exports["address"](store, place) % (1 << 32)
            digest.update(ctypes.string_at(start, size))
    return {"sha256": digest.hexdigest(), "clock": clock, "cpu": cpu}


def by_node(folder: Path, names: list[str], ticks: int, threads: int) -> dict[str, Any]:
    """In Node."""
    script = filled(OF_ARRAYS + NODE)
    command = ["node", "--input-type=module", "-e", script, str(folder), json.dumps([ticks, names]), str(threads)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def by_chromium(folder: Path, names: list[str], ticks: int) -> str:
    """The SHA-256 in Chromium."""
    page = filled(PAGE.replace("ARRAYS", OF_ARRAYS).replace("GIVEN", json.dumps([ticks, names])))
    (folder / "index.html").write_text(page)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                   "--virtual-time-budget=600000", f"http://127.0.0.1:{server.server_address[1]}"]  # fmt: skip
        shown = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900).stdout
        server.shutdown()
    said = re.search(r"sha256 ([0-9a-f]{64})", shown)
    return said[1] if said else "nothing was shown"


def filled(script: str) -> str:
    """A script with the numbers of this run."""
    return script.replace("WORLDS", str(WORLDS)).replace("SEED", str(SEED))


if __name__ == "__main__":
    main()
