"""`watari trace`: records the data that an unmodified program moves, by allocation."""
