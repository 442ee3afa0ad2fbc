"""What may be wrong with a universe, found by running it: each finding with its evidence.

The checker says what can be told from the text. `players` act in a simple way each; `seen` notes what happens in their
runs; `findings` judges: a finding is made only where every player agrees.
"""
