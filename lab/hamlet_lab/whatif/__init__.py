"""One change and what follows from it, and from nothing else: the same world twice, with the same random numbers.

Random words are numbered by lane, tick and the construct that draws, so that a change shifts no draw of anybody else.
`twins` plays a world with and without a change, and finds who parts and where; `effects` does so in many worlds and
compares lengths and returns in pairs; `shares` says which constructs earned the reward, and `agents` which agents
(Shapley values).
"""
