"""Figures that show themselves in notebooks. This is imported when one is asked for, since it imports matplotlib."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure of no window. A notebook draws other figures only after `%matplotlib inline` and `import pyplot`."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
