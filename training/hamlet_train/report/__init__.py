"""The report of a run: one page that says how good its policy became, how it plays, and how to train it again."""
