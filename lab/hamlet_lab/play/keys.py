"""Keys: which action each of them is, and keys that a text names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hamlet import schema
from hamlet.env.view import marks
from hamlet.universe import Universe
from hamlet.universe.actions import INTERACT, WAIT
from hamlet.universe.space import graph_of
from hamletc.errors import CompileError
from hamletc.suggest import closest

END, ENTER, SPACE, TAB = "end", "enter", "space", "tab"
ARROWS = {"left": "\u2190", "right": "\u2192", "up": "\u2191", "down": "\u2193"}
"""How keys of directions are shown."""
SIDES = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
"""Where moves lead on a picture, x then y."""
DIRECTIONS = {
    "left": ("LEFT", "WEST"),
    "right": ("RIGHT", "EAST"),
    "up": ("UP", "NORTH", "FORWARD", "AHEAD"),
    "down": ("DOWN", "SOUTH", "BACK", "BACKWARD"),
}
"""Words of names of actions that say a direction."""
FASTER, SLOWER, NUMBER, STILL = "+", "-", "#", "."
NAMES = (*ARROWS, ENTER, SPACE, TAB, END)
PAIRS = (("[", "]"), ("{", "}"), ("(", ")"), ("<", ">"))
"""Keys that lower and raise the first controls."""
STEPS = 8
"""Steps from an end of a control to the other."""
MOST_KEYS = 1 << 20
"""Keys of a text, at most."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The keys of a universe.

    Attributes:
        names: of its actions, by number.
        actions: the number of the action of each key.
        controls: of each key the number of the control that it changes, and by how much.
    """

    names: tuple[str, ...]
    actions: Mapping[str, int]
    controls: Mapping[str, tuple[int, float]]

    @property
    def keys(self) -> dict[int, str]:
        """The key of each action that has one, by the action's number."""
        return {number: key for key, number in self.actions.items()}


def bindings_of(universe: Universe) -> Bindings:
    """Keys for what agents choose: arrows for moves and for names that say a direction, Enter for INTERACT, a point for
    WAIT, a digit for names that end in one, and a letter of its name for any other. Actions for which no letter is left
    have their number alone."""
    names = schema.action_names(universe)
    free = {number: name for number, name in enumerate(names) if name in schema.choices(universe)}
    actions: dict[str, int] = {}

    def bind(key: str, number: int) -> None:
        if number in free and key not in actions:
            actions[key] = number
            del free[number]

    for key, number in _moves(universe):
        bind(key, number)
    for key, words in DIRECTIONS.items():
        for number, name in list(free.items()):
            if set(re.split(r"[^A-Z]+", name.upper())) & set(words):
                bind(key, number)
    for number, name in list(free.items()):
        if name in (INTERACT, WAIT):
            bind(ENTER if name == INTERACT else STILL, number)
        elif re.search(r"(?<!\d)\d$", name):
            bind(name[-1], number)
    for number, letter in zip(list(free), marks(list(free.values())), strict=True):
        if letter.isalpha():
            bind(letter.lower(), number)
    return Bindings(names, actions, _controls(universe, actions))


def _moves(universe: Universe) -> list[tuple[str, int]]:
    """Arrows for moves along one axis of a grid or of a continuous space."""
    arrows = []
    for number, move in () if graph_of(universe.space) else schema.moves_of(universe):
        side = tuple((by > 0) - (by < 0) for by in (*move.by, 0, 0)[:2])
        if not any(move.by[2:]):
            arrows += [(key, number) for key, where in SIDES.items() if where == side]
    return arrows


def _controls(universe: Universe, taken: Mapping[str, int]) -> dict[str, tuple[int, float]]:
    keys: dict[str, tuple[int, float]] = {}
    axes = (("left", "right"), ("down", "up"))
    for number, (control, pair) in enumerate(zip(universe.controls, PAIRS, strict=False)):
        by = 1.0 if control.whole else (control.high - control.low) / STEPS
        arrows = axes[number] if number < len(axes) else ()
        lower, raise_ = pair if not arrows or any(key in taken for key in arrows) else arrows
        keys |= {lower: (number, -by), raise_: (number, by)}
    return keys


def keys_of(text: str, bindings: Bindings) -> list[str]:
    """The keys that a text names. Its words are names of keys, names of actions, numbers of actions as `#12`, or keys
    of one letter one after the other; `WORD*3` is three times that.

    Raises:
        CompileError: a word is something else.
    """
    keys: list[str] = []
    for word in text.split():
        times = re.fullmatch(r"(.+)\*(\d{1,7})", word)
        once = _once(times[1] if times else word, bindings)
        if len(keys) + len(once) * (count := int(times[2]) if times else 1) > MOST_KEYS:
            raise CompileError(f"--keys has more than {MOST_KEYS:,} keys")
        keys += list(once) * count
    return keys


def _once(word: str, bindings: Bindings) -> Sequence[str]:
    if word in NAMES:
        return [word]
    if re.fullmatch(rf"{NUMBER}\d+", word):
        return [*word, ENTER]
    if word in bindings.names:
        number = bindings.names.index(word)
        return [bindings.keys[number]] if number in bindings.keys else [*f"{NUMBER}{number}", ENTER]
    singles = {key for key in (*bindings.actions, *bindings.controls) if len(key) == 1}
    if set(word) <= singles:
        return list(word)
    meant = closest(word, (*NAMES, *bindings.names))
    hint = f"did you mean {meant}?" if meant else f"actions are {', '.join(bindings.names)}"
    raise CompileError(f"--keys {word}: there is no such key or action: {hint}")
