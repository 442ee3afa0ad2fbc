"""hamlet_train: training on compiled universes, by `hamletc train`, `eval` and `reproduce`.

What a training computes does not depend on threads, on the number of processes, on interruptions or on the kind of CPU:
`hamlet_train.exact` has the order of its operations, `hamlet_train.groups` what is cut into which pieces.
"""
