"""Exports: a universe as source text for other people's programs."""
