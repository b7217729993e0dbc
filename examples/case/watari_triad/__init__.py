"""Case triad: STREAM's triad with more and more arithmetic on each element."""
