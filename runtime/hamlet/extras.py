"""Packages that the language does without, and the extra of `hamletc` that brings each."""

from __future__ import annotations

BROUGHT_BY = {
    "torch": "run",
    "numpy": "run",
    "matplotlib": "run",
    "triton": "gpu",
    "bitwuzla": "proof",
    "pygls": "lsp",
    "lsprotocol": "lsp",
}
"""The extra of packages whose name is that of their module."""


def advice(error: ModuleNotFoundError) -> str:
    """A line that says which extra brings the module that could not be imported; empty if none does."""
    name = (error.name or "").partition(".")[0]
    return f"this needs {name}: pip install 'hamletc[{BROUGHT_BY[name]}]'" if name in BROUGHT_BY else ""
