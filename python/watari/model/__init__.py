"""What a program would take on a machine: machine profiles, predictions, advice."""
