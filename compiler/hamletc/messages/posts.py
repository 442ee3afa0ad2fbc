"""Posts: what agents write into cells."""

from __future__ import annotations

from hamletc.diagnostics import Finding, Told, finding
from hamletc.language import syntax
from hamletc.language.spelling import spell_name
from hamletc.suggest import closest


@finding("H335")
class NothingToWrite(Finding):
    """A statement before whose `at` stands no meter and no state of `cells`, which are these."""

    state: syntax.Name
    cells: tuple[str, ...]

    def told(self) -> Told:
        name = spell_name(self.state)
        meant = closest(self.state.text, self.cells)
        if meant is not None:
            hint = f"Did you mean `{meant}`?"
        elif self.cells:
            hint = f"Cells have {', '.join(f'`{each}`' for each in self.cells[:4])}; what an agent has needs no `at`."
        else:
            hint = f"Declare what a cell has: `cells {{ state {name} = false }}`."
        return Told(f"`{name}` is nothing that agents write into a cell", hint)


@finding("H336")
class NobodyPosts(Finding):
    """A statement with `at` in a rule or an effect of the world, or in a rule of cells."""

    statement: syntax.PostStmt
    owner: str

    def told(self) -> Told:
        name = spell_name(self.statement.state)
        if self.owner == "cells":
            axes = ", ".join(("position x - 1", "position y", "position z")[: len(self.statement.place) or 2])
            hint = f"Let the other cell read this one: `{name} = {name} at ({axes})`."
        else:
            hint = f"Keep the place in the world, and let a rule of cells ask: `position x == spot -> {name} = ...`."
        return Told(f"{self.owner} cannot write into a cell by its coordinates: agents can", hint)
