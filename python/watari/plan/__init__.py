"""Plans and requests: the cases that a run measures."""
