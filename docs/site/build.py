"""From the pages of the repository to a site: text for the generator, its configuration, its run."""

from __future__ import annotations

import json
import posixpath
import shutil
import subprocess
import sys
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from boards import kept
from links import Links
from pages import ROOT, Group, Page, SiteError
from prose import converted, title_of
from shelves import FIRST, SHELVES
from split import DIAGNOSTICS, LANGUAGE, diagnostics, language
from worlds import GALLERY, PORTS, gallery, ports

HERE = Path(__file__).parent
BESIDE = ("site.css",)
"""Files of this folder that the site has."""
BUILT = "built"
"""Where the generator writes, in the folder of what it reads: it writes nowhere else."""
MARK = "sitemap.xml"
"""A file by which a folder is known as a site."""
RUN = "run"
"""Where on the site universes run."""
COMPLETE = ("hamlet", "hamlet warns")
"""What stands behind the fences of universes that are complete."""


def build(output: Path, paint: bool, page: bool | None, pyodide: Path | None) -> int:
    """Build the site; the exit code of the generator."""
    if output.exists() and not (output / MARK).is_file():
        raise SiteError(f"{output} is there, and is no site: it is left as it is")
    runs = _runs(page, pyodide)
    boards = kept(ROOT / "build" / "boards", paint)
    links = Links()
    for each in (whole for shelf in SHELVES for whole in shelf.pages):
        links.add(_page(each, frozenset(boards), runs))
    complete()
    texts = {path: _text(each, links, runs) for path, each in list(links.pages.items())}
    while links.waiting:
        each = links.waiting.pop()
        texts[each.path] = _text(each, links, runs)
    source = output.parent / f"{output.name}-source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(output, ignore_errors=True)
    for path, text in texts.items():
        _written(source / "docs" / path, text.encode())
    for path, file in {**links.files, **boards, **{name: HERE / name for name in BESIDE}}.items():
        _written(source / "docs" / path, file.read_bytes())
    settings = source / "zensical.toml"
    _written(settings, _settings(links).encode())
    made = subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "-f", str(settings)], check=False)
    if made.returncode == 0:
        shutil.move(source / BUILT, output)
        if runs:
            _run_page(output / RUN, pyodide)
        print(f"wrote {output} with {len(texts)} pages")
        print(
            f"look   {Path(sys.executable).name} -m http.server --directory {output} --bind 127.0.0.1 8000   then http://127.0.0.1:8000"
        )
    return made.returncode


def _page(source: str, pictured: frozenset[str], runs: bool) -> Page:
    match source:
        case _ if source == LANGUAGE:
            return language()
        case _ if source == DIAGNOSTICS:
            return diagnostics()
        case _ if source == GALLERY:
            return gallery(pictured, runs)
        case _ if source == PORTS:
            return ports(pictured, runs)
        case _:
            text = (ROOT / source).read_text(encoding="utf-8")
            path = "index.md" if source == FIRST else source.removeprefix("docs/").lower().replace("/readme", "")
            return Page(path, "Overview" if source == FIRST else title_of(text), text, source)


def complete() -> None:
    """Every page of the docs stands on a shelf."""
    shelved = {each for shelf in SHELVES for each in shelf.pages}
    for page in sorted((ROOT / "docs").glob("*.md")):
        if (name := f"docs/{page.name}") not in shelved:
            raise SiteError(f"{name} stands on no shelf: docs/site/shelves.py says where pages stand")


def _text(page: Page, links: Links, runs: bool) -> str:
    """The text of a page as the generator takes it."""

    def after(words: str, block: str) -> str:
        if words not in COMPLETE or not runs:
            return ""
        where = escape(_run(page, f"text={packed(block)}"), quote=True)
        return f'\n<p><a class="run" href="{where}">Run it in the browser</a></p>\n'

    def linked(line: str) -> str:
        if line.startswith("run:"):
            return _frame(page, line.removeprefix("run:"))
        return links.on(page, line)

    head = "" if page.found else "---\nsearch:\n  exclude: true\n---\n\n"
    return head + converted(page.text, linked, after)


def _frame(page: Page, setup: str) -> str:
    """A universe that runs on its own page, once a reader opens it."""
    if not setup.partition("/")[1]:
        text = (ROOT / "universes" / f"{setup.partition('=')[2]}.hamlet").read_text(encoding="utf-8")
        setup = f"text={packed(text)}"
    where = escape(_run(page, setup), quote=True)
    return (
        '<details class="run"><summary>Run it here</summary>'
        f'<iframe src="{where}" loading="lazy" title="{escape(page.title)}, running"></iframe></details>\n'
        f'<p><a class="run" href="{where}">Run it on a page of its own</a></p>'
    )


def _run(page: Page, setup: str) -> str:
    return posixpath.relpath(f"{RUN}/index.html", posixpath.dirname(page.path) or ".") + f"#{setup}"


def packed(text: str) -> str:
    """A text as an address of the page holds it: `letters` of hamletc/page/static/packed.js."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")


def _runs(page: bool | None, pyodide: Path | None) -> bool:
    """Whether universes can run beside the docs: the page for it needs Pyodide."""
    from hamletc.errors import CompileError
    from hamletc.page.pyodide import INSTALL, pyodide_folder

    if page is False:
        return False
    try:
        pyodide_folder(pyodide, ROOT)
    except CompileError as error:
        if page or pyodide is not None:
            raise SiteError(str(error)) from error
        print(f"universes do not run in this site: Pyodide is not here, or is another version; {INSTALL} brings it")
        return False
    return True


def _run_page(folder: Path, pyodide: Path | None) -> None:
    """Put the page in which universes run beside the docs. It takes minutes, and is kept for the same sources."""
    kept = ROOT / "build" / f"page-{_sources()}"
    if not kept.is_dir():
        for older in (ROOT / "build").glob("page-*"):
            shutil.rmtree(older)
        chosen = () if pyodide is None else ("--pyodide", str(pyodide.absolute()))
        kept.parent.mkdir(exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as made:
            command = [sys.executable, "-m", "hamletc", "page", "-o", f"{made}/page", *chosen]
            if subprocess.run(command, cwd=ROOT, check=False).returncode:
                raise SiteError("the page in which universes run could not be written")
            (Path(made) / "page").rename(kept)
    shutil.copytree(kept, folder)


def _sources() -> str:
    """A digest of all that the page in which universes run is made of."""
    digest = sha256()
    for folder in ("compiler", "runtime", "language", "universes"):
        for path in sorted(each for each in (ROOT / folder).rglob("*") if each.is_file() and each.suffix != ".pyc"):
            digest.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _settings(links: Links) -> str:
    """The configuration of the generator: where it reads and writes, the navigation, and the file beside this one."""
    return "\n".join(
        (
            "[project]",
            'site_name = "hamletc"',
            f'site_dir = "{BUILT}"',
            'docs_dir = "docs"',
            f"nav = [{', '.join(_navigation(links))}]",
            (HERE / "zensical.toml").read_text(encoding="utf-8"),
        )
    )


def _navigation(links: Links) -> Iterator[str]:
    homes = {page.source: page for page in links.pages.values() if page.whole}
    for shelf in SHELVES:
        yield f"{{{json.dumps(shelf.title)} = [{', '.join(_entry(homes[each]) for each in shelf.pages)}]}}"


def _entry(page: Page | Group) -> str:
    """A page in the navigation, or several below a title, as a value of TOML."""
    title = json.dumps(page.title.replace("`", ""))
    if isinstance(page, Group):
        return f"{{{title} = [{', '.join(map(_entry, page.pages))}]}}"
    path = json.dumps(page.path)
    return f"{{{title} = [{', '.join((path, *map(_entry, page.below)))}]}}" if page.below else f"{{{title} = {path}}}"


def _written(path: Path, contents: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
