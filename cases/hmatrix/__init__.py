"""Charges of conductors by boundary elements, with an H-matrix that may be larger than memory."""
