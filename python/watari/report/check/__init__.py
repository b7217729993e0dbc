"""`watari check`: whether a run measured the rates that its hardware should give.

`items.py` has the checks, `causes.py` the possible faults of a machine, `formats.py` the output for
people and programs.
"""
