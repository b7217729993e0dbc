"""`watari trace`: what an unmodified program moves, allocation by allocation."""
