"""The definition of a case: its axes, its profile, its limits."""
