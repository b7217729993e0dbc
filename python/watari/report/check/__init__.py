"""`watari check`: is what a run measured what its hardware should give?

`items.py` has the checks, `causes.py` what may be wrong with a machine, `formats.py` how people and
programs are shown both.
"""
