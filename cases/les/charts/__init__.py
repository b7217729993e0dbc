"""The figures of case les, which figures.py lists."""
