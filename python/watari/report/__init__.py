"""The page, and the comparison of two runs."""
