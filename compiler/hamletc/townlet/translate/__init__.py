"""Packs in the text language: one file per concept."""

from hamletc.townlet.translate.universe import translate

__all__ = ["translate"]
