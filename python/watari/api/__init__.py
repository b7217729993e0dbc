"""`watari.run`, `watari.predict` and `watari.advise`: commands for Python programs and notebooks.

Each returns an object that prints as the command does, plots, and becomes a DataFrame.
"""
