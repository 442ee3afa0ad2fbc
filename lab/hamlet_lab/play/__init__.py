"""Playing a universe by hand, and boards of what was played."""
