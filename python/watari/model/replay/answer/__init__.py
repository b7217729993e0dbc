"""The answer for a traced program: made, in words, as values and as bars."""
