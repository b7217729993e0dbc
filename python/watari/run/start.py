"""Starts a module of this package in its own process: `python .../start.py watari.run.worker ...`.

`python -m` puts the current folder first on the path: a `json.py` there would run in place of
Python's. Started with a file, Python puts the folder of the file first instead, whose modules could
replace Python's, too. So this entry is removed before anything is imported, and the package is the
one that contains this file. Python 3.11 and later have `-P` for this, 3.10 does not.
"""

import sys

if not getattr(sys.flags, "safe_path", False):  # else Python has put no folder there
    del sys.path[0]

import os
import runpy

if __name__ == "__main__":
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if package not in sys.path:  # a source tree that was not installed
        sys.path.insert(0, package)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
