"""The records of a traced run: read, and put beside allocations and calls."""
