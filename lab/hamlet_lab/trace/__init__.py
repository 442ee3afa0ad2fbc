"""Every change of every state of an agent, with the construct that made it and its line.

A backend, an episode or a recorded run gives the state of a world before and after each tick (`course`). The tick IR as
the lowering makes it, with every construct by itself, is run on all these ticks at once, a tick being a world of its
own; each version of a state that counted (`hamletc.kernel.versions`) is a change, from one value to the next. What the
program leaves is compared with what the backend left, bit by bit, so that the changes are those of its kernels.
"""
