"""What a case is: its axes, its profile, its limits."""
