"""Requests that take a second: test_profiles.py compares their trials with their profiles."""

SMALL = {"deep": {"processor": "cpu", "size": "1MiB", "depth": [1, 5, 10], "samples": 3}}
