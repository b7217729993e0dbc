"""The memory styles of a traced program: how its times change in each."""
