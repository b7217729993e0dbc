"""How charts look, and what several of them share."""
