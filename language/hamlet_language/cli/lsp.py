"""`hamletc lsp`: the language service for editors."""

from __future__ import annotations

import rich_click as click


@click.command()
@click.option("--stdio", is_flag=True, help="Talk over stdin and stdout, as is done anyway; some editors say so.")
def lsp(stdio: bool) -> None:  # noqa: ARG001  (there is no other way to talk)
    """Serve editors by the language server protocol: diagnostics, completion, hover, definitions, formatting."""
    from hamlet_language.server import serve

    serve()
