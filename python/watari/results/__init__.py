"""Result files: their schema, the measured cases, statistics."""
