"""Small tables for notebooks: plain HTML, without scripts and without styles from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def table(caption: str, rows: Mapping[str, str]) -> str:
    """A table of names and what they have, under a caption; any text can stand in it."""
    style = "text-align:left;vertical-align:top"
    lines = [
        f'<tr><th style="{style}">{escape(name)}</th><td style="{style}">{escape(text)}</td></tr>'
        for name, text in rows.items()
    ]
    return f"<table><caption>{escape(caption)}</caption><tbody>{''.join(lines)}</tbody></table>"
