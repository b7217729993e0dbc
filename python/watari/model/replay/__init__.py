"""Replays a traced program: its calls, operations of the GPU and waits, with changes."""
