"""Watari: how data crosses the memories of a GPU machine."""
