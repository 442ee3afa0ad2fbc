"""Findings about a universe, of mistakes that may be in it: each with its evidence, and how sure that is.

`sinking` bounds what a tick does to a meter by the text alone. `players` act in a simple way each: `seen` notes how
long they live, `fired` which rules fire, `worth` what one use of an affordance adds to the return, and `farming` which
rewards never run out. `findings` judges, and reports only what every player agrees about.
"""

PLAYERS = ("random", "waiting", "round", "needy", "saving", "linear")
"""The names of players."""
