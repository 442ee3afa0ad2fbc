"""The search for params with which a universe is as its author wishes."""

from hamlet_lab.design.search import Found, Range, search
from hamlet_lab.design.wishes import Wish, parse

__all__ = ["Found", "Range", "Wish", "parse", "search"]
