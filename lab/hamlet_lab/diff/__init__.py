"""Two sides that a user names, side by side: where do they part, and at which operation?

`diff(open_side(path, backend, folder), ...)` runs both (backends, packages, versions of a universe, recorded runs) as
`hamlet_lab.verify.play` does, down to the event and the value that `hamlet_lab.divergence` finds.
"""
