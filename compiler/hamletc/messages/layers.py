"""Files that are included or extended, and what an extending universe replaces or leaves out."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H089")
class NothingThere(Finding):
    """What an extending universe would replace or leave out, which is not there; `extends`: whether it extends one."""

    thing: str
    extends: bool

    def told(self) -> Told:
        message = f"there is no {self.thing}"
        if self.extends:
            return Told(message, "Check the name.", "the universe that is extended has none")
        hint = 'Only a universe that extends another can: `universe hard extends "easy.hamlet"`.'
        return Told(message, hint, "this universe extends no other")


@finding("H085")
class IncludesItself(Finding):
    """`files` are the files of the circle, from the first one to itself."""

    files: tuple[str, ...]

    def told(self) -> Told:
        way = " -> ".join(f"`{file}`" for file in self.files)
        return Told(f"`{self.files[-1]}` includes itself: {way}", "Move what both need into a third file.")


@finding("H088")
class ReadTwice(Finding):
    file: str
    first: Span

    def told(self) -> Told:
        secondary = (Label(self.first, "first read here"),)
        return Told(f"`{self.file}` is read twice", "Include or extend it once.", "", secondary)


@finding("H088")
class NoSuchPath(Finding):
    """A path that leads out of the folder, or of another suffix; `done` is what cannot be done with it."""

    file: str
    done: Literal["read as a map", "read as a table", "included or extended"]
    suffixes: tuple[str, ...]

    def told(self) -> Told:
        of = {"read as a map": "maps/town", "read as a table": "data/demand", "included or extended": "parts/needs"}
        example = f"{of[self.done]}{self.suffixes[0]}"
        hint = f'Write the name of a {" or ".join(self.suffixes)} file in this folder or below, as in `"{example}"`.'
        return Told(f"`{self.file}` cannot be {self.done}", hint)


@finding("H088")
class LinkLeadsOut(Finding):
    file: str

    def told(self) -> Told:
        hint = "A link does not lead out of the folder of the universe either: copy the file."
        return Told(f"`{self.file}` is outside of the folder of the universe", hint)


@finding("H088")
class NoSuchFile(Finding):
    file: str

    def told(self) -> Told:
        hint = "Check the name; it is relative to the folder of the file that includes it."
        return Told(f"there is no file `{self.file}`", hint)


@finding("H088")
class TooManyFiles(Finding):
    most: int

    def told(self) -> Told:
        return Told(f"a universe has at most {self.most} more files", "Join some of them.")


@finding("H003")
class FilesTooLarge(Finding):
    most: int

    def told(self) -> Told:
        hint = "Check that these are the right files; no universe needs so much text."
        return Told(f"the files of this universe together are larger than {self.most >> 20} MiB", hint)
