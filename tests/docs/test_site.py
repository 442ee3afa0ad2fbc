"""docs/site: the pages of the docs as a site. Each link leads somewhere, nothing comes from elsewhere, and what is
wrong with a page is said."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

from hamletc.codes import CODES

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"
MODULES = ("boards", "build", "links", "pages", "prose", "shelves", "split", "worlds")
NEEDED = re.compile(r'<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)="([^"]*)"')
LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Site:
    """The modules of docs/site, which is no package: it runs as a script."""

    build: ModuleType
    links: ModuleType
    pages: ModuleType
    prose: ModuleType


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(SITE))
    import build
    import links
    import pages
    import prose

    yield Site(build, links, pages, prose)
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, without pictures of boards, and without universes that run."""
    pytest.importorskip("zensical", reason="the site needs zensical: pip install -e '.[docs]'")
    output = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, str(SITE), "-o", str(output), "--no-pictures", "--no-page"]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    return output


def test_a_site_has_all_pages_and_each_link_leads_somewhere(built: Path) -> None:
    pages = {str(path.relative_to(built)): path.read_text(encoding="utf-8") for path in built.rglob("*.html")}
    for code in CODES:
        assert f"<title>{code}" in pages[f"diagnostics/{code}.html"]
    for universe in (ROOT / "universes").glob("*/*.hamlet"):
        assert f"universes/{universe.parent.name}/{universe.stem}.html" in pages
    # A universe is highlighted, and a port says how it agrees.
    assert '<span class="kd">universe</span>' in pages["universes/town.html"]
    assert "222 ends: rewards and ends exact" in pages["universes/ports/cartpole.html"]
    ids = {name: {unquote(each) for each in ID.findall(text)} for name, text in pages.items()}
    links = 0
    for name, text in pages.items():
        if name == "404.html":  # Hosts show it in the place of any other page.
            continue
        assert [each for each in NEEDED.findall(text) if each.startswith(("http:", "https:", "//"))] == [], name
        for target in (*NEEDED.findall(text), *LINK.findall(text)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = unquote(target).partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert (built / there).exists(), f"{name}: {target}"
            assert not anchor or there not in pages or anchor in ids[there] or anchor.startswith("__"), (
                f"{name}: {target}"
            )
            links += 1
    assert links > 10_000


def test_wrong_links_are_refused(site: Site) -> None:
    links = site.links.Links()
    links.add(site.pages.Page("a.md", "A", "# A\n\n## Part one\n", "docs/start.md"))
    page = site.pages.Page("b/c.md", "C", "# C\n", "docs/design.md")
    links.add(page)
    assert links.on(page, "a [link](start.md#part-one), `[none](x.md)`, [`c`](#c)") == (
        "a [link](../a.md#part-one), `[none](x.md)`, [`c`](#c)"
    )
    assert links.on(page, "![it](page.png) <http://127.0.0.1> [it](https://x)") == (
        "![it](../page.png) <http://127.0.0.1> [it](https://x)"
    )
    for wrong, said in (
        ("nothing.md", "leads nowhere"),
        ("start.md#part-two", "no heading"),
        ("#part-one", "no heading"),
    ):
        with pytest.raises(site.pages.SiteError, match=re.escape(f"docs/design.md: [...]({wrong})")) as error:
            links.on(page, f"[it]({wrong})")
        assert said in str(error.value)


def test_every_page_stands_on_a_shelf(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.build.complete()
    monkeypatch.setattr(site.build, "SHELVES", site.build.SHELVES[1:])
    with pytest.raises(site.pages.SiteError, match=r"docs/gallery\.md stands on no shelf"):
        site.build.complete()


def test_a_folder_that_is_no_site_is_left_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="the site needs zensical: pip install -e '.[docs]'")
    (tmp_path / "mine").write_text("mine")
    command = [sys.executable, str(SITE), "-o", str(tmp_path), "--no-pictures", "--no-page"]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert made.returncode == 1
    assert made.stderr == f"error: {tmp_path} is there, and is no site: it is left as it is\n"
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_pages_are_written_as_the_generator_wants_them(site: Site) -> None:
    text = """\
# One `two`

Words
- an item
  that goes on
  - one below

1. A number

   ```hamlet fragment
   reward 1
     # inside
   ```

   | a | b |

## One two
"""
    blocks = []

    def after(words: str, block: str) -> str:
        blocks.append((words, block))
        return ""

    assert (
        site.prose.converted(text, str, after).replace("\n\n\n", "\n\n")
        == """\
# One `two` {#one-two}

Words

- an item
    that goes on
    - one below

1. A number

    ```hamlet
    reward 1
      # inside
    ```

    | a | b |

## One two {#one-two-1}
"""
    )
    assert [words for words, _ in blocks] == ["hamlet fragment"]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
def test_the_page_reads_the_examples_of_links(site: Site) -> None:
    text = (ROOT / "universes" / "town.hamlet").read_text(encoding="utf-8") + "# caf\u00e9\n"
    reader = ROOT / "compiler" / "hamletc" / "page" / "static" / "packed.js"
    script = f"const {{ textOf }} = await import({str(reader)!r}); console.log(await textOf(process.argv[1], 100000));"
    command = ["node", "--input-type=module", "-e", script, site.build.packed(text)]
    read = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert read.stdout == f"{text}\n"
