"""The graph of a universe: meters, and what changes them; as SVG, DOT or Mermaid.

`links` finds who acts on which meter, how strongly, and which links are in a loop; `drawn` writes them.
"""
