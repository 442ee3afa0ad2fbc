"""Numbers that every backend must agree on: binary32, constants of functions, random words, permutations."""
