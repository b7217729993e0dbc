"""What would help a traced program: changes with the seconds that they save."""
