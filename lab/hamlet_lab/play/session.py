"""A game at a terminal: keys in, pictures out, turn by turn or by a clock."""

from __future__ import annotations

from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING

import torch

from hamlet_lab.play.game import Game
from hamlet_lab.play.keyboard import Keyboard
from hamlet_lab.play.keys import ARROWS, END, ENTER, FASTER, NUMBER, SLOWER, SPACE, TAB, Bindings
from hamletc.cli.screen import picture, with_said

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

SLOWEST, FASTEST, FACTOR = 0.25, 64.0, 1.5
"""Ticks of a second, and by what a key changes them."""
MOST_DIGITS = 9


class Session:
    """A game, whoever gives the keys, and what is shown of it."""

    def __init__(
        self, game: Game, bindings: Bindings, keyboard: Keyboard, console: Console, rate: float, clock: bool
    ) -> None:
        """`rate`: the ticks of a second where a clock runs; `clock`: whether it runs from the beginning."""
        self._game, self._bindings, self._keyboard, self._console = game, bindings, keyboard, console
        self._rate, self._clock, self._still = rate, clock and keyboard.waits, False
        self._chosen: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._typed = ""
        self._told = ""
        env = game.env
        middle = env.control_low / 2 + env.control_high / 2
        whole = [control.whole for control in env.universe.controls]
        middle = torch.where(torch.tensor(whole, dtype=torch.bool, device=middle.device), middle.floor(), middle)
        self._controls = middle.unsqueeze(1).repeat(1, env.num_agents) if env.num_controls else None

    def run(self) -> None:
        """Play to the end of the episode, or until the user has enough; the last picture stays."""
        from rich.live import Live

        shown = self._console.is_terminal
        live = Live(self._whole(), console=self._console, auto_refresh=False, vertical_overflow="crop")
        try:
            with live if shown else nullcontext():
                self._play(live if shown else None)
        except KeyboardInterrupt:
            pass
        if not shown:
            self._console.print(self._whole(), soft_wrap=True)

    def _play(self, live: Live | None) -> None:
        due = monotonic() + 1 / self._rate
        while self._game.going:
            asked = self._game.asked()
            timed = self._clock or not asked
            stands = self._still and not asked
            seconds = None if stands or not timed else max(due - monotonic(), 0.0)
            key = self._keyboard.read(seconds)
            if key == END:
                return
            if key is not None:
                self._told = ""
                stepped = stands and key != SPACE
                if not self._settings(key, asked) and not stepped:
                    self._choose(key, asked)
            else:
                stepped = False
            ready = bool(asked) and all(agent in self._chosen for agent in asked)
            waited = timed and not self._still and (monotonic() >= due or not self._keyboard.waits)
            if stepped or waited or (ready and not self._clock):
                self._tick(asked)
                due = max(due + 1 / self._rate, monotonic())
            if live is not None:
                live.update(self._whole(), refresh=True)

    def _settings(self, key: str, asked: list[int]) -> bool:
        """Whether a key is about the game and no action, and then what it does."""
        if key in (FASTER, SLOWER):
            by = FACTOR if key == FASTER else 1 / FACTOR
            self._rate = min(max(self._rate * by, SLOWEST), FASTEST)
        elif key == SPACE and self._keyboard.waits:
            self._clock, self._still = (not self._clock, False) if asked else (self._clock, not self._still)
        return key in (FASTER, SLOWER, SPACE)

    def _choose(self, key: str, asked: list[int]) -> None:
        """Take a key as an action or a control of the agent whose turn it is."""
        agent = self._turn(asked)
        if agent is None:
            return
        if key == NUMBER:
            self._typed = NUMBER
        elif self._typed:
            self._number(key, agent)
        elif key == TAB:
            self._chosen[agent] = self._game.idle(agent, self._last.get(agent))
        elif key in self._bindings.controls:
            self._steer(agent, *self._bindings.controls[key])
        elif key in self._bindings.actions:
            self._act(agent, self._bindings.actions[key])

    def _number(self, key: str, agent: int) -> None:
        if key.isdigit() and len(self._typed) < MOST_DIGITS:
            self._typed += key
            return
        typed, self._typed = self._typed[1:], ""
        if key == ENTER and typed:
            self._act(agent, int(typed))

    def _act(self, agent: int, action: int) -> None:
        allowed = self._game.allowed(agent)
        if action >= len(allowed):
            self._told = f"there is no action {action}: there are 0 .. {len(allowed) - 1}"
        elif not allowed[action]:
            self._told = f"{self._bindings.names[action]} is not possible now"
        else:
            self._chosen[agent] = self._last[agent] = action

    def _steer(self, agent: int, number: int, by: float) -> None:
        assert self._controls is not None
        low, high = (float(each[number]) for each in (self._game.env.control_low, self._game.env.control_high))
        self._controls[number, agent] = min(max(float(self._controls[number, agent]) + by, low), high)

    def _tick(self, asked: list[int]) -> None:
        game = self._game
        actions = {agent: self._chosen.get(agent, game.idle(agent, self._last.get(agent))) for agent in game.hands}
        for agent in asked:
            self._last.setdefault(agent, actions[agent])
        game.tick(actions, None if self._controls is None else self._controls.clone())
        self._chosen.clear()
        self._typed = ""

    def _turn(self, asked: list[int]) -> int | None:
        """The first agent that has not chosen; with a clock the first one may choose again."""
        left = [agent for agent in asked if agent not in self._chosen]
        return left[0] if left else asked[0] if asked else None

    def _whole(self) -> Text:
        """The world, with keys and scores."""
        from rich.text import Text

        world = picture(self._game.env, self._console)
        lines = [self._scores(), *([Text(self._told, style="bold yellow")] if self._told else [])]
        if self._game.going:
            asked = self._game.asked()
            agent = self._turn(asked)
            if agent is not None:
                lines += [*self._legend(agent)]
            lines.append(Text(self._about(agent), style="dim"))
        return with_said(world, Text("\n", no_wrap=True, overflow="crop").join(lines), self._console)

    def _scores(self) -> Text:
        from rich.text import Text

        players = self._game.env.view(0).players
        parts = []
        for agent in self._game.hands:
            score = self._game.scores.agents[agent]
            ended = f", ended by {score.ended}" if score.ended else ""
            parts.append(f"{players[agent].name} ({players[agent].mark}) return {score.returned:.4g}{ended}")
        return Text(f"you: {'; '.join(parts)}", style="bold")

    def _legend(self, agent: int) -> list[Text]:
        """Lines of keys and their actions; those that the mask forbids in parentheses."""
        from rich.text import Text

        allowed, keys = self._game.allowed(agent), self._bindings.keys
        parts: list[tuple[str, bool]] = []
        for number, name in enumerate(self._bindings.names):
            if number in keys or allowed[number]:
                said = f"{self._shown(keys.get(number, f'{NUMBER}{number}'))} {name}"
                parts.append((said if allowed[number] else f"({said})", allowed[number]))
        parts += [(said, True) for said in self._steering(agent)]
        lines = [Text(no_wrap=True, overflow="crop")]
        if len(self._game.hands) > 1:
            lines[0].append(f"{self._game.env.view(0).players[agent].name}: ", style="bold")
        for said, bright in parts:
            if len(lines[-1]) and len(lines[-1]) + len(said) + 2 > self._console.width:
                lines.append(Text(no_wrap=True, overflow="crop"))
            lines[-1].append(f"{said}  ", style="green" if bright else "dim")
        return lines

    def _steering(self, agent: int) -> list[str]:
        """Controls with their keys and present values."""
        if self._controls is None:
            return []
        pairs: dict[int, list[str]] = {}
        for key, (number, _) in self._bindings.controls.items():
            pairs.setdefault(number, []).append(self._shown(key))
        names = self._game.env.control_names
        return [
            f"{' '.join(keys)} {names[number]} = {float(self._controls[number, agent]):.3g}"
            for number, keys in pairs.items()
        ]

    def _shown(self, key: str) -> str:
        unicode = "utf" in self._console.encoding.lower()
        return ARROWS.get(key, key) if unicode else key

    def _about(self, agent: int | None) -> str:
        if self._typed:
            return f"action {self._typed}, then Enter"
        speed = f"+ - speed, {self._rate:.3g} ticks/s"
        if agent is None:
            pause = "Space goes on, any other key is one tick" if self._still else f"Space pauses  {speed}"
            return f"{pause}  Ctrl-C ends"
        others = "  Tab waits" if len(self._game.hands) > 1 else ""
        pace = f"Space: the world waits for you  {speed}" if self._clock else "Space: the clock runs"
        return f"{pace}{others}  Ctrl-C ends"
