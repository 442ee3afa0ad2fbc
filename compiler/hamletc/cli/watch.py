"""One world, live in the terminal."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from hamlet.env.environment import Env


def show_live(env: Env, ticks: int, rate: float, console: Console) -> None:
    """Show the world of an environment for so many ticks of the random policy, which are those that it has among many.
    Ctrl-C ends it; the last picture stays. Where nobody watches, as in a pipe, it shows the world as it is at the end,
    and waits for nothing.

    Args:
        rate: the ticks of a second.
    """
    from rich.live import Live
    from rich.text import Text

    def picture() -> Text:
        colours = console.is_terminal and not console.no_color
        return Text.from_ansi(str(env.render("ansi")) if colours else plain(str(env.render("ansi"))), no_wrap=True)

    if not console.is_terminal:
        env.rollout(ticks, statistics=False)
        console.print(picture(), soft_wrap=True)
        return
    with Live(picture(), console=console, auto_refresh=False, vertical_overflow="crop") as live:
        begin = monotonic()
        try:
            for tick in range(1, ticks + 1):
                env.rollout(1, statistics=False)
                live.update(picture(), refresh=True)
                # A slow terminal is not made up for: the next tick is due when it is due.
                sleep(max(begin + tick / rate - monotonic(), 0.0))
        except KeyboardInterrupt:
            live.update(picture(), refresh=True)


def plain(text: str) -> str:
    """A text without its colours."""
    from rich.text import Text

    return Text.from_ansi(text).plain
