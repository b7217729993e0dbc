"""Memory of each kind for Python programs."""
