"""Packs in the text language: one file per concept."""

from hamlet_townlet.translate.universe import translate

__all__ = ["translate"]
