"""`watari fleet`: many nodes that ran one plan, each beside the median of all.

`node.py` reads the files, `judge.py` decides, `table.py` shows it on a terminal, `formats.py` and
`figure.py` write it for programs and for a page.
"""
