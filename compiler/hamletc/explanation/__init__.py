"""Explanations of a name in a universe: a meter by what changes it, a construct by what became of it.

`meter` lists all that raises and lowers a meter, in the order of a tick (`hamletc.changes`, as hovers of editors do),
with the amounts of the tick IR at a state. `construct` shows a construct as its author wrote it, in the Universe, in
the tick IR, and in the kernels of each target.
"""
