"""A window with the picture of a world, for who looks on while it is stepped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamlet.errors import EnvError

if TYPE_CHECKING:
    import pygame


class Window:
    """A window of pygame, from its first picture to `close`."""

    def __init__(self, title: str, per_second: int) -> None:
        """`per_second`: how many pictures it shows in a second at most.

        Raises:
            EnvError: pygame is not installed.
        """
        try:
            import pygame
        except ImportError as error:
            raise EnvError('render_mode "human" needs pygame: pip install pygame') from error
        self._pygame, self._title, self._per_second = pygame, title, per_second
        self._clock = pygame.time.Clock()
        self._surface: pygame.Surface | None = None

    def show(self, picture: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
        """Show a picture [height, width, 3] u8, and wait until it is due.

        Raises:
            EnvError: there is no screen.
        """
        pygame, size = self._pygame, (picture.shape[1], picture.shape[0])
        try:
            if self._surface is None:
                pygame.display.init()
                pygame.display.set_caption(self._title)
            if self._surface is None or self._surface.get_size() != size:
                self._surface = pygame.display.set_mode(size)
        except pygame.error as error:
            raise EnvError(f'render_mode "human" finds no screen ({error}): take "rgb_array"') from error
        # An array of pygame is [width, height, 3].
        pygame.surfarray.blit_array(self._surface, picture.swapaxes(0, 1))
        # A window that answers nothing is taken for one that hangs.
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._per_second)

    def close(self) -> None:
        """Close it; closing again does nothing."""
        if self._surface is not None:
            self._pygame.display.quit()
            self._surface = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy opens a window of its own.
        return Window, (self._title, self._per_second)
