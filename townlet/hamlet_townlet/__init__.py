"""Packs: the YAML folders of HAMLET (Townlet), read as they are.

`read_pack` gives a typed `Pack` with places, or says in which file, line and column something is wrong.
"""

from hamlet_townlet.pack import Pack
from hamlet_townlet.reader.read import read_pack

__all__ = ["Pack", "read_pack"]
