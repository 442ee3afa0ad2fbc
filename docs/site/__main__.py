"""python docs/site: the pages of the docs as a site for a browser, in build/site.

It needs the extra `docs`, and no network. Whatever the generator warns of is an error, and so is a link that leads
nowhere. Pictures of boards need the extra `run`; they are painted once for a universe, into build/boards.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))


def main() -> int:
    """Build the site as the arguments say; the exit code is 1 where something is wrong with it."""
    parser = argparse.ArgumentParser(
        prog="python docs/site", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "site", help="folder to write into")
    parser.add_argument("--pictures", action=argparse.BooleanOptionalAction, default=True,
                        help="paint boards of universes that have no picture yet")  # fmt: skip
    parser.add_argument("--page", action=argparse.BooleanOptionalAction, default=None,
                        help="write the page of `hamletc page` beside the docs, where examples run\n"
                             "(default: if Pyodide is here)")  # fmt: skip
    parser.add_argument("--pyodide", type=Path, metavar="DIR", help="folder of Pyodide, for that page")
    chosen = parser.parse_args()
    for package, what in (("zensical", "the site"), ("hamletc", "the site")):
        if find_spec(package) is None:
            print(f"{what} needs {package}, which is not installed: pip install -e '.[docs]'", file=sys.stderr)
            return 1
    from build import build
    from pages import SiteError

    try:
        return build(chosen.output, chosen.pictures, chosen.page, chosen.pyodide)
    except SiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
