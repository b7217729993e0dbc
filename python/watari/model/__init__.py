"""The time of a program on a machine: machine profiles, predictions, advice."""
