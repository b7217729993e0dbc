"""Result files: their schema, what was measured, statistics."""
