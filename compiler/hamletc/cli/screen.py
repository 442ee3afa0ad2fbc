"""One world, live in the terminal; and read again when its text changes."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

from hamletc.cli.policy import Player

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from hamlet.env.environment import Env
    from hamletc.cli.reload import News, Watched

RANDOM_PLAYER = Player()
LOOKS = 0.1
"""Seconds between two looks at the files, at most."""
SAID = 6.0
"""Seconds for which it is said what came of a change without errors."""


def show_live(
    env: Env,
    ticks: int | None,
    rate: float,
    console: Console,
    watched: Watched | None = None,
    player: Player = RANDOM_PLAYER,
) -> None:
    """Show the world of an environment for so many ticks of a policy, which are those that it has among many; `None`
    for ever. Ctrl-C ends it; the last picture stays. Where nobody watches, as in a pipe, it shows the world as
    it is at the end, and waits for nothing.

    Args:
        rate: the ticks of a second.
        watched: the files of its universe. When one changes the world goes on in the new version; with errors in it
            they are shown, and the world goes on as it was.
        player: who acts.
    """
    from rich.live import Live

    if not console.is_terminal:
        env.rollout(1000 if ticks is None else ticks, player.of(env), statistics=False)
        console.print(picture(env, console), soft_wrap=True)
        return
    screen = _Screen(env, console, watched)
    with Live(screen.whole(), console=console, auto_refresh=False, vertical_overflow="crop") as live:
        due = monotonic()
        try:
            tick = 0
            while ticks is None or tick < ticks:
                advance(screen.env, player)
                live.update(screen.whole(), refresh=True)
                tick += 1
                # A slow terminal is not made up for: the next tick is due when it is due.
                due = max(due + 1 / rate, monotonic() - 1 / rate)
                while True:
                    sleep(max(min(due - monotonic(), LOOKS), 0.0))
                    if screen.look():
                        live.update(screen.whole(), refresh=True)
                    if monotonic() >= due:
                        break
        except KeyboardInterrupt:
            live.update(screen.whole(), refresh=True)


def advance(env: Env, player: Player) -> None:
    """One tick. Of a network the picture shows which action it took, so it acts by a step."""
    if player.learnt is None or player.learnt.is_table:
        env.rollout(1, player.of(env), statistics=False)
    else:
        env.step(*player.learnt.act(env))


class _Screen:
    """A world, and what is said of its files."""

    def __init__(self, env: Env, console: Console, watched: Watched | None) -> None:
        self.env = env
        self._console = console
        self._watched = watched
        self._news: News | None = None
        self._since = monotonic()

    def look(self) -> bool:
        """Look at the files; whether something changed."""
        news = None if self._watched is None else self._watched.news(self.env)
        if news is None:
            return False
        self._news, self._since, self.env = news, monotonic(), news.env
        return True

    def whole(self) -> Text:
        """The world with what is said."""
        world, said = picture(self.env, self._console), self._said()
        return world if said is None else with_said(world, said, self._console)

    def _said(self) -> Text | None:
        from rich.text import Text

        if self._watched is None:
            return None
        name = self._watched.path.name or str(self._watched.path)
        if self._news is None or (not self._news.broken and monotonic() - self._since > SAID):
            return Text(f"{name}: save it, and this world changes; Ctrl-C ends", style="dim")
        if not self._news.broken:
            return Text(f"{name} read again: {self._news.text}", style="bold green")
        title = Text(f"{name} cannot be read like this; the world goes on as it was\n", style="bold red")
        return title + _coloured(self._news.text, self._console)


def with_said(world: Text, said: Text, console: Console) -> Text:
    """A picture with what is said: beneath it, or above it where it takes the whole terminal."""
    lines = sum(-(-len(line) // console.width) or 1 for line in said.plain.split("\n"))
    beneath = world.plain.count("\n") + lines + 3 <= console.height
    parts = (world, said) if beneath else (said, world)
    return type(world)("\n\n", no_wrap=True, overflow="crop").join(parts)


def picture(env: Env, console: Console) -> Text:
    """The only world of an environment as a console shows it."""
    return _coloured(str(env.render("ansi")), console)


def _coloured(text: str, console: Console) -> Text:
    from rich.text import Text

    colours = console.is_terminal and not console.no_color
    return Text.from_ansi(text if colours else plain(text), no_wrap=True)


def plain(text: str) -> str:
    """A text without its colours."""
    from rich.text import Text

    return Text.from_ansi(text).plain
